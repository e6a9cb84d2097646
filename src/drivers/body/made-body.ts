/** A body that a function of the caller makes anew for each attempt. */

import type { RequestBody } from '../loop/exchange.js';
import { dispose } from './stream-like.js';

export class MadeBody implements RequestBody {
  readonly isReplayable = true;
  readonly isMade = true;
  private readonly make: () => unknown;
  private made: unknown = undefined;
  /** How many attempts are over. */
  private left = 0;
  private isClosed = false;

  constructor(make: () => unknown) {
    this.make = make;
  }

  async next(): Promise<unknown> {
    const { left } = this;
    const made = await this.make();
    // The body came too late: its attempt is over, or the whole request.
    if (this.isClosed || this.left !== left) dispose(made);
    else this.made = made;
    return made;
  }

  leave(): void {
    this.left += 1;
    dispose(this.made);
    this.made = undefined;
  }

  close(error?: unknown): void {
    this.isClosed = true;
    if (error !== undefined) dispose(this.made);
  }
}
