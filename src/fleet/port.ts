/**
 * The store behind a fleet, as everything else reaches it: Redis, or memory for tests and the simulator. What a store has
 * to do with a report is said by `merge` in the core, and done to each record as a whole.
 */

import type { Facts, Reported, Told } from '../core/limits/fleet/messages.js';

/** The facts of each report, in their order; undefined: those of one record could not be read. */
export type Answer = readonly (Facts | undefined)[];

export interface Store {
  /**
   * One round trip: each report changes its record, and its facts come back in the same order. `answered` is called once,
   * later than `exchange` returns; undefined: the store did not answer, or not so that it could be read. A store that
   * hangs need not call it, and no report is sent twice by it.
   */
  exchange(reports: readonly Reported[], answered: (facts: Answer | undefined) => void): void;
  /**
   * What cannot wait is told to every process that listens, also to the one whose report it was. `ready` is called when
   * the store can be reached after a time when it could not. Returns how to end it.
   */
  listen(told: (news: Told) => void, ready: () => void): () => void;
}

/** After so long without a report, a record is forgotten. */
export const recordKeptMs = 600_000;

/** At most so many exchanges are under way at once. */
export const mostOut = 4;
