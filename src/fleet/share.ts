/** What a process knows of one record, and what of it the store has not been told yet. */

import type { Facts, Report } from '../core/limits/fleet/messages.js';

/** How facts came. */
export interface Receipt {
  /** In answer to an own report, or as news. */
  readonly isOwn: boolean;
  /** When that report was sent. */
  readonly sentAt: number;
  /** So late that what was granted may be another's by now. */
  readonly isLate: boolean;
}

export interface RecordShare {
  readonly key: string;
  /** It is on the list of those that have something to report. */
  isMarked: boolean;
  /** What happened since the last one, which is taken as told. */
  report(now: number): Report;
  told(facts: Facts, receipt: Receipt, now: number): void;
  /** The store is silent: on with what is known here. */
  alone(now: number): void;
  /** Nothing has happened for a while: what others could use goes back, down to `kept` thousandths of tokens. */
  rest(kept?: number): void;
}

/** What a share asks of the one that speaks for all of them. */
export interface Speaker {
  readonly process: string;
  readonly isShared: boolean;
  /** With the next round trip, a tenth of a second later at most. */
  mark(share: RecordShare): void;
  /** At once. */
  urge(share: RecordShare): void;
}
