/** Runs a client whose event loop stands still, in a process of its own, against a server that answers in 50 ms. */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { PolicyOptions } from '../../src/index.js';

export type Stall = 'right after sending' | 'in setImmediate' | "in a socket's callback" | 'in a timer';

export interface StalledOrders {
  readonly origin: string;
  readonly client: 'undici' | 'axios' | 'axios over fetch' | 'fetch';
  readonly where: Stall;
  readonly stallMs: number;
  /** How many requests are out at the same time. */
  readonly count: number;
  /** Lies over `presets.policies.service`. */
  readonly policy?: PolicyOptions;
}

export interface StalledOutcome {
  /** How many requests that were out, and of the next ones, ended with each status, or with each name of an error. */
  readonly during: Readonly<Record<string, number>>;
  readonly next: Readonly<Record<string, number>>;
  readonly gates: readonly string[];
}

const execute = promisify(execFile);
const project = resolve(import.meta.dirname, '../..');

/** One file: each program starts sooner than with two hundred modules. */
let program: Promise<string> | undefined;

async function built(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'stalled-client.ts')],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Also returns how many requests the server got. */
export async function playStalled(
  orders: Omit<StalledOrders, 'origin'>,
): Promise<StalledOutcome & { readonly asked: number }> {
  program ??= built();
  const { server, origin, asked } = await openServer();
  const folder = await mkdtemp(join(tmpdir(), 'undaunted-stalled-'));
  try {
    await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
    const file = join(folder, 'client.mjs');
    await writeFile(file, await program);
    const argument = JSON.stringify({ origin, ...orders } satisfies StalledOrders);
    const { stdout } = await execute(process.execPath, [file, argument], { timeout: 60_000 });
    return { ...(JSON.parse(stdout) as StalledOutcome), asked: asked() };
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
}

async function openServer(): Promise<{ server: Server; origin: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    if (request.url === '/at-once') {
      response.end('now');
      return;
    }
    asked += 1;
    setTimeout(() => response.end('yes'), 50);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, origin: `http://127.0.0.1:${port}`, asked: () => asked };
}
