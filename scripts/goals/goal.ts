/** Goals for our policy on one day, compared with no retry under the same luck. */

import type { Contender, Day, Run } from '../../src/tools/sim/index.js';
import { peers } from '../../src/tools/sim/index.js';
import { mean, percent, runs, type Seeds } from '../sim-reading.js';

export interface Goal {
  /** Goals with the same name belong together; the command line can ask for them alone. */
  readonly name: string;
  readonly about: string;
  readonly wanted: string;
  readonly judge: (contender: Contender, seeds: Seeds) => Judgement;
}

export interface Judgement {
  /** Undefined: the goal is only reported. */
  readonly isMet: boolean | undefined;
  readonly figures: string;
}

export function isAtLeast(value: number, least: number): boolean {
  // Sums of many numbers are not exact.
  return value >= least - 1e-9;
}

/** The runs of one day with our policy and with no retry, seed by seed. */
export function pairsOf({ world, clients }: Day, contender: Contender, seeds: Seeds): readonly Pair[] {
  const ours = runs(world, clients, contender, seeds);
  const none = runs(world, clients, peers.noRetry, seeds);
  return ours.map((run, index) => ({ ours: run, none: none[index] as Run }));
}

export interface Pair {
  readonly ours: Run;
  readonly none: Run;
}

export interface Beside {
  readonly name: string;
  readonly about: string;
  readonly day: Day;
  /** The least share of the result of no retry; undefined: the goal is only reported. */
  readonly least: number | undefined;
  /** Default: the share of the innocent requests that succeed. */
  readonly value?: (run: Run) => number;
}

/** The mean of all seeds has to reach this share of the result of no retry. */
export function besideNone({ name, about, day, least, value = innocentGood }: Beside): Goal {
  return {
    name,
    about,
    wanted: least === undefined ? 'reported' : `>= ${percent(least)} of no retry`,
    judge(contender, seeds) {
      const pairs = pairsOf(day, contender, seeds);
      const ours = mean(pairs.map((pair) => value(pair.ours)));
      const none = mean(pairs.map((pair) => value(pair.none)));
      const worst = Math.min(...pairs.map((pair) => value(pair.ours) / value(pair.none)));
      return {
        isMet: least === undefined ? undefined : isAtLeast(ours, least * none),
        figures: `${percent(ours, 1)}, no retry ${percent(none, 1)}: ${percent(ours / none, 1)} of it, worst seed ${percent(worst, 1)}`,
      };
    },
  };
}

export interface Absolute {
  readonly name: string;
  readonly about: string;
  readonly day: Day;
  readonly least: number;
  readonly value?: (run: Run) => number;
}

/** The mean of all seeds has to reach this value. */
export function reaching({ name, about, day, least, value = innocentGood }: Absolute): Goal {
  return {
    name,
    about,
    wanted: `>= ${percent(least, 1)}`,
    judge(contender, seeds) {
      const pairs = pairsOf(day, contender, seeds);
      const all = pairs.map((pair) => value(pair.ours));
      const none = mean(pairs.map((pair) => value(pair.none)));
      return {
        isMet: isAtLeast(mean(all), least),
        figures: `${percent(mean(all), 1)}, worst seed ${percent(Math.min(...all), 1)}; no retry ${percent(none, 1)}`,
      };
    },
  };
}

export interface Losses {
  readonly name: string;
  readonly about: string;
  readonly day: Day;
  /** The largest share of the losses of no retry. */
  readonly most: number;
}

/** The policy may lose at most this share of what no retry loses. */
export function losing({ name, about, day, most }: Losses): Goal {
  return {
    name,
    about,
    wanted: `loses <= ${percent(most)} of what no retry loses`,
    judge(contender, seeds) {
      const pairs = pairsOf(day, contender, seeds);
      const ours = mean(pairs.map((pair) => lostOf(pair.ours)));
      const none = mean(pairs.map((pair) => lostOf(pair.none)));
      return {
        isMet: isAtLeast(most * none, ours),
        figures: `${ours.toFixed(1)} lost, no retry ${none.toFixed(1)}`,
      };
    },
  };
}

function innocentGood({ innocent: { totals } }: Run): number {
  return totals.good / totals.offered;
}

export function lostOf({ totals }: Run): number {
  return totals.failed + totals.refused;
}
