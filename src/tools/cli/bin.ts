#!/usr/bin/env node
/** The process around `main`: its streams, its signals, its exit code. */

import { exitCodes, Interruption, signalCodes } from './failure.js';
import { reasonOf } from './files.js';
import type { Io } from './io.js';
import { main } from './main.js';
import { Printer } from './printer.js';

const { stdin, stdout, stderr, env } = process;

let heeded: AbortController | undefined;

/** Signals are left to the system until a command asks for them: it ends even a process that is busy. */
function interruption(): AbortSignal {
  if (heeded !== undefined) return heeded.signal;
  const controller = new AbortController();
  heeded = controller;
  for (const [signal, exitCode] of Object.entries(signalCodes)) {
    // Once: the second Ctrl-C ends a command that does not end.
    process.once(signal, () => controller.abort(new Interruption(exitCode)));
  }
  return controller.signal;
}

let hasFailed = false;

/** Whoever reads has seen enough: no reason for an error, and none to go on. A full disk is one. */
function onOutputError(error: NodeJS.ErrnoException): void {
  const isLeft = error.code === 'EPIPE';
  if (!isLeft && !hasFailed) tellFailure(error);
  if (heeded === undefined) process.exit(isLeft ? undefined : exitCodes.wrong);
  heeded.abort(new Interruption(isLeft ? 0 : exitCodes.wrong));
}

/** Once: stderr may be on the same disk. */
function tellFailure(error: unknown): void {
  hasFailed = true;
  stderr.write(`undaunted: the output cannot be written: ${reasonOf(error)}.\n`);
}

stdout.on('error', onOutputError);
stderr.on('error', onOutputError);

const io: Io = { stdin, stdout: new Printer(stdout, env), stderr: new Printer(stderr, env), interruption };
process.exitCode = await main(process.argv.slice(2), io);
// A command that asked for signals has let go of what it started; half-open sockets must not keep anybody waiting.
if (heeded !== undefined) stdout.write('', () => process.exit());
