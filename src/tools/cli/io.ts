/** All that a command has of the process around it, so that it runs in a test as in a terminal. */

import type { Printer } from './printer.js';

export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: Printer;
  readonly stderr: Printer;
  /**
   * Until it is asked for, Ctrl-C, SIGTERM, SIGHUP and a closed pipe end the process at once. From then on they
   * abort this signal instead, with an `Interruption`: for a command that has something to end itself.
   */
  interruption(): AbortSignal;
}
