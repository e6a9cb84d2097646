/** Why a command cannot go on. Each is told in one line, and becomes the exit code. */

export const exitCodes = { fine: 0, no: 1, wrong: 2 } as const;

/** As a shell reports a process that a signal ended: 128 and its number. */
export const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Wrong usage, or something that cannot be read or done: the message says what, where, and what to do. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** Somebody wants it to end: a signal, or a reader of its output who has gone. Nothing is said about it. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('Interrupted');
    this.exitCode = exitCode;
  }
}
