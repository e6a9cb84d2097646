/** What a process knows about one record of the store, and what it has not reported yet. */

import type { Facts, Report } from '../core/limits/fleet/messages.js';

/** How facts arrived. */
export interface Receipt {
  /** True: in answer to a report of this process. False: as news. */
  readonly isOwn: boolean;
  /** When that report was sent. */
  readonly sentAt: number;
  /** So late that another process may have been granted the same by now. */
  readonly isLate: boolean;
}

export interface RecordShare {
  readonly key: string;
  /** Whether it is on the list of shares that have something to report. */
  isMarked: boolean;
  /** What has happened since the last report, which counts as delivered. */
  report(now: number): Report;
  told(facts: Facts, receipt: Receipt, now: number): void;
  /** The store is silent, so this process goes on with what it knows itself. */
  alone(now: number): void;
  /** Nothing has happened for a while: returns what others could use, except for `kept` thousandths of tokens. */
  rest(kept?: number): void;
}

/** What carries the reports of all shares of a process to the store. */
export interface Courier {
  readonly process: string;
  readonly isShared: boolean;
  /** Reports with the next round trip, a tenth of a second later at most. */
  reportSoon(share: RecordShare): void;
  /** Reports at once. */
  reportNow(share: RecordShare): void;
}
