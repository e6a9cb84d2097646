/**
 * The store behind a fleet, as the rest of the code sees it: Redis, or memory for tests and the simulator. `merge` in
 * the core says what a store does with a report. It is done to each record in one step.
 */

import type { Facts, Reported, Told } from '../core/limits/fleet/messages.js';

/** The facts for each report, in the order of the reports; undefined if those of a record could not be read. */
export type Answer = readonly (Facts | undefined)[];

export interface Store {
  /** Whether it can be reached and is not busy: what is sent to it else is lost. */
  canTake(): boolean;
  /**
   * One round trip: each report changes its record, and the facts come back in the same order. `answered` is called
   * once, after `exchange` has returned, with undefined if the store did not answer or its answer could not be read. A
   * store that hangs may never call it. A store never sends a report twice.
   */
  exchange(reports: readonly Reported[], answered: (facts: Answer | undefined) => void): void;
  /**
   * Urgent news is sent to every process that listens, including the one whose report it comes from. `ready` is
   * called when the store can be reached again. Returns a function that stops listening.
   */
  listen(told: (news: Told) => void, ready: () => void): () => void;
}

/** A record is forgotten after this time without a report. */
export const recordKeptMs = 600_000;

/** The most exchanges that are under way at once. */
export const mostOut = 4;
