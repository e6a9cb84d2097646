/** Everything that a command uses of the process, so that it runs in a test as in a terminal. */

import type { Printer } from './printer.js';

export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: Printer;
  readonly stderr: Printer;
  /**
   * Before it is called, Ctrl-C, SIGTERM, SIGHUP and a closed pipe end the process at once. Afterwards, they abort this
   * signal with an `Interruption` instead: for commands that have to clean up.
   */
  interruption(): AbortSignal;
}
