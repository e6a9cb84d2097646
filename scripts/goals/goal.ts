/** What ours must reach on a day, beside what no retry reaches on the same luck. */

import type { Contender, Day, Run } from '../../src/tools/sim/index.js';
import { peers } from '../../src/tools/sim/index.js';
import { mean, percent, runs, type Seeds } from '../sim-reading.js';

export interface Goal {
  /** Goals of one name belong together: the command line can ask for them alone. */
  readonly name: string;
  readonly about: string;
  readonly wanted: string;
  readonly judge: (contender: Contender, seeds: Seeds) => Judgement;
}

export interface Judgement {
  /** Undefined: it is only reported. */
  readonly isMet: boolean | undefined;
  readonly figures: string;
}

export function isAtLeast(value: number, least: number): boolean {
  // Sums of many numbers are not exact.
  return value >= least - 1e-9;
}

/** Of one day: ours and no retry, seed by seed. */
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
  /** Of what no retry reaches; undefined: it is only reported. */
  readonly least: number | undefined;
  /** Default: the share of the innocent requests that end well. */
  readonly value?: (run: Run) => number;
}

/** At least this share of what no retry reaches, in the mean of all seeds. */
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

/** At least so much, in the mean of all seeds. */
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
  /** Of what no retry loses. */
  readonly most: number;
}

/** Loses no more than this share of what no retry loses. */
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
