/** The error of a request that the hold refuses. */

import { timeText } from '../../time-text.js';

/** What a server asked for, and how long ago. */
export interface Asked {
  readonly status: number;
  /** Null if the server did not say how long to wait. */
  readonly delayMs: number | null;
  readonly agoMs: number;
}

/**
 * The request was not sent, because its scope is rate limited and the queue of waiting requests is too long. `cause` is
 * the answer that started the hold.
 */
export class HeldError extends Error {
  override readonly name = 'HeldError';
  readonly code = 'ERR_UNDAUNTED_HELD';
  readonly scope: string;
  /** The answer that started the hold. */
  readonly asked: Asked | undefined;

  constructor(scope: string, asked?: Asked, options?: ErrorOptions) {
    super(`Not sent: ${whyHeld(scope, asked)}, and the queue of waiting requests is too long`, options);
    this.scope = scope;
    this.asked = asked;
  }
}

function whyHeld(scope: string, asked: Asked | undefined): string {
  if (asked === undefined) return `${scope} is rate limited`;
  const what =
    asked.delayMs === null ? 'rate limited a request' : `asked for a wait of ${timeText(asked.delayMs)}`;
  return `${scope} ${what} (${asked.status}) ${timeText(Math.round(asked.agoMs))} ago`;
}
