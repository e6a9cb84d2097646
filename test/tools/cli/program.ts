/** The program as a real process, built from the sources into a folder of its own, with or without its peers. */

import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { build } from 'rolldown';
import { modules } from '../../../rolldown.config.js';

export interface Program {
  /** Where it is installed: a folder of its own. */
  readonly folder: string;
  start(args: readonly string[], options?: StartOptions): Running;
  remove(): void;
}

export interface StartOptions {
  /** A file that stdout goes to, instead of to the test. */
  readonly output?: string;
  /** `ulimit -n`; default: as many as the tests may open. */
  readonly openFiles?: number;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process, and what it has written so far. */
export interface Running {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly written: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<Ended>;
  /** To it, and to all that it has started. */
  killAll(signal: NodeJS.Signals): void;
  /** As soon as stdout matches. Fails when the process ends without it. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

/** As in an empty folder into which it and these packages were installed. */
export async function buildProgram(packages: readonly string[]): Promise<Program> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'program-'));
  copyFileSync('package.json', join(folder, 'package.json'));
  mkdirSync(join(folder, 'node_modules'));
  for (const name of packages) {
    symlinkSync(realpathSync(join('node_modules', name)), join(folder, 'node_modules', name));
  }
  await build({ ...modules, output: { ...modules.output, dir: join(folder, 'dist'), sourcemap: false } });
  return {
    folder,
    start: (args, options = {}) => start([join(folder, 'dist/cli.js'), ...args], options),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function start(args: readonly string[], { openFiles, output }: StartOptions): Running {
  const limit = openFiles === undefined ? '' : `ulimit -n ${openFiles}; `;
  const redirection = output === undefined ? '' : ` >${output}`;
  // What it prints is compared: no colours, whatever these tests themselves are told.
  const { FORCE_COLOR: _, ...env } = process.env;
  // A group of its own: what it starts can be reached together with it, as from a terminal.
  const child = spawn('sh', ['-c', `${limit}exec "$0" "$@"${redirection}`, process.execPath, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env,
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal }));
  return {
    child,
    written,
    ended,
    killAll: (signal) => killGroup(child.pid, signal),
    until: (pattern) => matched(child, written, pattern),
  };
}

function killGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // All of them have ended.
  }
}

function matched(
  child: Running['child'],
  written: Running['written'],
  pattern: RegExp,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const found = pattern.exec(written.stdout);
      if (found !== null) resolve(found);
    };
    child.stdout.on('data', look);
    child.once('close', () => reject(new Error(`It ended without ${pattern}: ${JSON.stringify(written)}`)));
    look();
  });
}

/** Whether there is such a process. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
