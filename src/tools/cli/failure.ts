/** Why a command cannot continue: one line of output and an exit code. */

export const exitCodes = { fine: 0, no: 1, wrong: 2 } as const;

/** As shells do it: 128 plus the number of the signal. */
export const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Wrong usage, or something that cannot be read or done. The message says what, where, and what to do. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** A signal, or a closed output pipe, ends the command silently. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('Interrupted');
    this.exitCode = exitCode;
  }
}
