#!/usr/bin/env node
/** The process around `main`: streams, signals, exit code. */

import { exitCodes, Interruption, signalCodes } from './failure.js';
import { reasonOf } from './files.js';
import type { Io } from './io.js';
import { main } from './main.js';
import { Printer } from './printer.js';

const { stdin, stdout, stderr, env } = process;

let heeded: AbortController | undefined;

/** Until a command asks for signals, the system handles them, which ends even a busy process. */
function interruption(): AbortSignal {
  if (heeded !== undefined) return heeded.signal;
  const controller = new AbortController();
  heeded = controller;
  for (const [signal, exitCode] of Object.entries(signalCodes)) {
    // Once: a second Ctrl-C ends a command that hangs.
    process.once(signal, () => controller.abort(new Interruption(exitCode)));
  }
  return controller.signal;
}

let hasFailed = false;

/** A closed pipe (`| head`) ends the command without an error. Anything else, such as a full disk, is an error. */
function onOutputError(error: NodeJS.ErrnoException): void {
  const isLeft = error.code === 'EPIPE';
  if (!isLeft && !hasFailed) tellFailure(error);
  if (heeded === undefined) process.exit(isLeft ? undefined : exitCodes.wrong);
  heeded.abort(new Interruption(isLeft ? 0 : exitCodes.wrong));
}

/** Only once: stderr may be on the same full disk. */
function tellFailure(error: unknown): void {
  hasFailed = true;
  stderr.write(`undaunted: the output cannot be written: ${reasonOf(error)}.\n`);
}

stdout.on('error', onOutputError);
stderr.on('error', onOutputError);

const io: Io = { stdin, stdout: new Printer(stdout, env), stderr: new Printer(stderr, env), interruption };
process.exitCode = await main(process.argv.slice(2), io);
// A command that asked for signals has cleaned up; half-open sockets must not keep the process alive.
if (heeded !== undefined) stdout.write('', () => process.exit());
