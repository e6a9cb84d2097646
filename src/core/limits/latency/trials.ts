/**
 * Whether second attempts help: hedges, and retries after an adaptive timeout. If requests are slow by nature, a second
 * attempt takes as long as the first, and the server does the work twice.
 */

import type { LastFifty } from './last-fifty.js';
import { afterOne } from './last-fifty.js';

export interface Trials {
  /** Which of the last fifty did not help. */
  readonly vain: LastFifty;
  /** While they do not help: how many attempts since the last trial were slow enough for another one. */
  readonly passed: number;
}

/** At the start, two of five count as useless, so that a few more useless ones are enough to show that they do not help. */
const twoOfFive = 0b01010_01010_01010_01010_01010;
export const noTrials: Trials = { vain: { recent: twoOfFive, older: twoOfFive, count: 20 }, passed: 0 };

/** If more of the last fifty were useless, only a few trials find out whether that has changed. */
const tooManyVain = 25;
/** One of this many slow attempts, so that they cost the server at most a tenth more. */
const oneOf = 10;

export function areInVain({ vain }: Trials): boolean {
  return vain.count > tooManyVain;
}

/** Whether there may be another trial. */
export function isDue(trials: Trials): boolean {
  return trials.passed >= oneOf - 1 || !areInVain(trials);
}

/** An attempt was slow. */
export function afterSlow(trials: Trials): Trials {
  if (trials.passed >= oneOf || !areInVain(trials)) return trials;
  return { vain: trials.vain, passed: trials.passed + 1 };
}

export function afterTrial(trials: Trials): Trials {
  return trials.passed === 0 ? trials : { vain: trials.vain, passed: 0 };
}

export function afterResult(trials: Trials, hasHelped: boolean): Trials {
  const vain = afterOne(trials.vain, !hasHelped);
  return vain === trials.vain ? trials : { vain, passed: trials.passed };
}
