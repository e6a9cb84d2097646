/**
 * Whether second attempts help: hedges, and retries after a timeout that was learnt. Where requests are slow by nature,
 * whoever serves them, a second attempt takes as long as the first, and the server works twice.
 */

import type { LastFifty } from './last-fifty.js';
import { afterOne } from './last-fifty.js';

export interface Trials {
  /** Which of the last fifty did not help. */
  readonly vain: LastFifty;
  /** While they do not help: how many attempts since the last trial took so long that they could have been trials. */
  readonly passed: number;
}

/** Two of five, as if that many had been in vain: at the start, a few that are in vain show that they do not help. */
const twoOfFive = 0b01010_01010_01010_01010_01010;
export const noTrials: Trials = { vain: { recent: twoOfFive, older: twoOfFive, count: 20 }, passed: 0 };

/** If more of the last fifty were in vain, few attempts find out whether that has changed. */
const tooManyVain = 25;
/** One of so many slow attempts, so that the server works a tenth more for them at most. */
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
