/** The server that the clients call: one of our own, as a child process that never outlives us, or a running one. */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Failure, Interruption, signalCodes } from '../failure.js';
import { programFile } from '../installed.js';
import { shown } from '../shown.js';
import { paths } from './http-server.js';

export interface Target {
  readonly url: string;
  /** Undefined if unknown: then it cannot be stopped. */
  readonly pid: number | undefined;
  /** Aborts with a `Failure` if the server ends by itself. */
  readonly lost: AbortSignal;
  /** Its last line of output, if that can be read. */
  readonly lastLine: string;
  stop(): void;
  resume(): void;
  /** Leaves no process of ours behind, and none stopped. */
  release(): Promise<void>;
}

/** As `outage server` with these arguments. */
export async function startServer(args: readonly string[], signal: AbortSignal): Promise<Target> {
  const command = [programFile(), 'outage', 'server', '--port', '0', ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const target = new OwnServer(child);
  try {
    await target.ready(signal);
    return target;
  } catch (error) {
    await target.release();
    throw error;
  }
}

class OwnServer implements Target {
  url = '';
  lastLine = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  private readonly losing: AbortController = new AbortController();

  constructor(child: ChildProcess) {
    this.child = child;
    this.exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    child.once('error', ({ message }) => this.losing.abort(failure(message)));
    child.once('exit', (code, signal) => this.lose(code, signal));
    // However this process ends: a stopped child can only be killed.
    process.once('exit', this.kill);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get lost(): AbortSignal {
    return this.losing.signal;
  }

  /** Its first line says where it listens. */
  async ready(signal: AbortSignal): Promise<void> {
    const { stdout } = this.child;
    if (stdout === null) throw new Failure('the output of the server cannot be read.');
    const lines = createInterface({ input: stdout });
    lines.on('line', (line) => {
      this.lastLine = line;
    });
    await once(lines, 'line', { signal: AbortSignal.any([signal, this.lost]) }).catch((error: unknown) => {
      this.lost.throwIfAborted();
      signal.throwIfAborted();
      throw error;
    });
    this.url = /http:\S+/.exec(this.lastLine)?.[0] ?? '';
  }

  stop(): void {
    send(this.child.pid, 'SIGSTOP');
  }

  resume(): void {
    send(this.child.pid, 'SIGCONT');
  }

  async release(): Promise<void> {
    this.kill();
    await this.exited;
    process.off('exit', this.kill);
  }

  private readonly kill = (): void => {
    this.child.kill('SIGKILL');
  };

  /** Ctrl-C reaches all processes at the terminal, in any order: this one may hear of it from the server's end. */
  private lose(code: number | null, signal: NodeJS.Signals | null): void {
    const exitCode = code ?? signalCodes[signal as keyof typeof signalCodes];
    const isInterrupted = Object.values<unknown>(signalCodes).includes(exitCode);
    this.losing.abort(
      isInterrupted ? new Interruption(exitCode) : failure(`it ended with ${signal ?? code}`),
    );
  }
}

function failure(why: string): Failure {
  return new Failure(`the server has failed: ${why}.`);
}

// ---------------------------------------------------------------- one that is already running

/** `isStopped`: the run will stop it, so its process id must be known. */
export async function reachServer(url: string, isStopped: boolean, signal: AbortSignal): Promise<Target> {
  checkLoopback(url);
  const pid = Number(await ask(new URL(paths.pid, url), signal));
  const isKnown = Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid;
  if (isKnown || !isStopped) return new RunningServer(url, isKnown ? pid : undefined);
  throw new Failure(
    `${shown(url)} does not report its process id, so it cannot be stopped. Use: undaunted outage server`,
  );
}

/** Never send a thousand clients to a remote server. */
function checkLoopback(url: string): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && isLoopback) return;
  throw new Failure(
    `--url is "${shown(url)}", but must be on this machine, such as http://127.0.0.1:8070/api`,
  );
}

async function ask(url: URL, signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
    return response.ok ? await response.text() : '';
  } catch (error) {
    signal.throwIfAborted();
    const { cause, message } = error as Error & { readonly cause?: Error };
    const why = shown(cause?.message || message);
    throw new Failure(`no server answers at ${url.origin} (${why}). Start one: undaunted outage server`);
  }
}

class RunningServer implements Target {
  readonly url: string;
  readonly lost: AbortSignal = new AbortController().signal;
  readonly lastLine = '';
  readonly pid: number | undefined;
  private isStopped = false;

  constructor(url: string, pid: number | undefined) {
    this.url = url;
    this.pid = pid;
  }

  stop(): void {
    send(this.pid, 'SIGSTOP');
    this.isStopped = true;
  }

  resume(): void {
    send(this.pid, 'SIGCONT');
    this.isStopped = false;
  }

  async release(): Promise<void> {
    if (this.isStopped) this.resume();
  }
}

function send(pid: number | undefined, signal: 'SIGSTOP' | 'SIGCONT'): void {
  if (pid === undefined)
    throw new Failure('the process id of the server is unknown, so it cannot be stopped.');
  try {
    process.kill(pid, signal);
  } catch (error) {
    throw new Failure(`${signal} cannot be sent to process ${pid}: ${(error as Error).message}.`);
  }
}
