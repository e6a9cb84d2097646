/** The server's process, as the test stops, kills and restarts it. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { refusedOrigin } from '../faults/origins.js';
import { type Line, linesOf } from './file-ledger.js';
import type { Misbehaviour } from './misbehaviour.js';
import type { Command, Notice, Orders } from './orders.js';

/** Bundled into one file, so that a restart is quick. */
const program = buildSync({
  entryPoints: [join(import.meta.dirname, 'server.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  write: false,
}).outputFiles.map(({ text }) => text);

/** Starts the server; it has ended when the test ends. */
export async function openServer(
  seed: number,
  misbehaviour: Misbehaviour,
  tokenUses: number | undefined,
): Promise<ServerProcess> {
  const origin = await refusedOrigin();
  const deadOrigin = await otherThan(origin);
  const folder = await mkdtemp(join(tmpdir(), 'undaunted-chaos-'));
  const server = new ServerProcess({ origin, deadOrigin, folder, seed, misbehaviour, tokenUses });
  onTestFinished(() => server.destroy());
  await writeFile(server.program, program);
  await server.start();
  return server;
}

async function otherThan(origin: string): Promise<string> {
  const other = await refusedOrigin();
  return other === origin ? otherThan(origin) : other;
}

interface Place {
  readonly origin: string;
  readonly deadOrigin: string;
  readonly folder: string;
  readonly seed: number;
  readonly misbehaviour: Misbehaviour;
  readonly tokenUses: number | undefined;
}

export class ServerProcess {
  readonly origin: string;
  readonly program: string;
  readonly #folder: string;
  readonly #orders: Orders;
  #child: ChildProcess | undefined;

  constructor({ origin, deadOrigin, folder, ...rest }: Place) {
    this.origin = origin;
    this.program = join(folder, 'server.mjs');
    this.#folder = folder;
    const port = Number(new URL(origin).port);
    this.#orders = { port, deadOrigin, ledgerPath: join(folder, 'ledger'), ...rest };
  }

  async start(): Promise<void> {
    this.#child = fork(this.program, [JSON.stringify(this.#orders)], { execArgv: [] });
    await this.#says('listening');
  }

  /** Suspends the process, which does not notice; data sent to it waits. */
  pause(): void {
    this.#running.kill('SIGSTOP');
  }

  goOn(): void {
    this.#running.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const child = this.#running;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  listen(): Promise<void> {
    return this.#command('listen', 'listening');
  }

  leave(): Promise<void> {
    return this.#command('leave', 'shut');
  }

  slam(): Promise<void> {
    return this.#command('slam', 'shut');
  }

  /** Returns the log once the last connection has closed. */
  async finish(): Promise<readonly Line[]> {
    const child = this.#running;
    child.send('finish' satisfies Command);
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (code !== 0) throw new Error(`the server did not end well: ${code ?? signal}`);
    return linesOf(this.#orders.ledgerPath);
  }

  async destroy(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) await this.kill();
    await rm(this.#folder, { recursive: true });
  }

  async #command(command: Command, expected: Notice): Promise<void> {
    this.#running.send(command);
    await this.#says(expected);
  }

  async #says(expected: Notice): Promise<void> {
    const child = this.#running;
    const heard = new AbortController();
    const { signal } = heard;
    const ended = once(child, 'exit', { signal }).then(() => ['gone']);
    try {
      const [notice] = await Promise.race([once(child, 'message', { signal }), ended]);
      if (notice !== expected) throw new Error(`the server is ${notice} where it was to be ${expected}`);
    } finally {
      heard.abort();
    }
  }

  get #running(): ChildProcess {
    if (this.#child === undefined) throw new Error('the server was not started');
    return this.#child;
  }
}
