/** What is known about the tail of a rule's requests in a scope, as a value. */

import type { Hedging } from './hedging.js';
import { noHedges } from './hedging.js';
import type { Batch } from './histogram.js';
import type { LastFifty } from './last-fifty.js';
import { noneOfFifty } from './last-fifty.js';
import type { Learnt } from './learnt.js';
import { nothingLearntAt } from './learnt.js';
import type { Trials } from './trials.js';
import { noTrials } from './trials.js';

export interface TailState {
  /** The last attempts, which are not in `learnt` yet: to learn from a batch costs about as much as from one attempt. */
  readonly batch: Batch | undefined;
  readonly inBatch: number;
  readonly learnt: Learnt;
  /** Which of the last attempts were slow. */
  readonly slow: LastFifty;
  /** How often the timeout was doubled since the last answer. */
  readonly level: number;
  /** Retries after an adaptive timeout. */
  readonly retries: Trials;
  readonly hedging: Hedging;
}

export const newTail: TailState = {
  batch: undefined,
  inBatch: 0,
  learnt: nothingLearntAt(Number.NEGATIVE_INFINITY),
  slow: noneOfFifty,
  level: 0,
  retries: noTrials,
  hedging: noHedges,
};
