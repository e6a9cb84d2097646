/** The goals of hedges and adaptive timeouts. */

import { percent, times } from '../sim-reading.js';
import type { TailFigures } from './figures.js';
import { attemptsEach, slowMinuteAttemptsBeside, slowMinuteBeside, workBeside } from './figures.js';
import type { TailContender } from './rows.js';

/** A row's figures, by contender. */
export type RowFigures = Readonly<Record<TailContender, TailFigures>>;

export interface TailGoal {
  /** The rows whose names begin with this. */
  readonly rows: string;
  readonly contender: TailContender;
  readonly wanted: string;
  readonly judge: (figures: RowFigures) => TailJudgement;
}

export interface TailJudgement {
  readonly isMet: boolean;
  readonly figures: string;
}

const service = 'undaunted: `service`';
const hedge = '`service`, hedge';
const moreHedges = '`service`, hedge, share 0.15';
const learning = '`service`, timeouts that learn';
const both = '`service`, both';
const defaultHedge = 'defaults, hedge';

/** Within these milliseconds, for at most so many attempts and so much work. */
function cutTo(contender: TailContender, p999Ms: number, load: number): TailGoal {
  return {
    rows: 'slow-1',
    contender,
    wanted: `p99.9 <= ${p999Ms} ms at <= ${times(load)}`,
    judge: (row) => {
      const own = row[contender];
      const cost = costOf(own, row['no retry']);
      return {
        isMet: own.p999Ms <= p999Ms && cost <= load,
        figures: `${own.p999Ms.toFixed(0)} ms at ${cost.toFixed(3)}x, without ${row[service].p999Ms.toFixed(0)} ms at ${costOf(row[service], row['no retry']).toFixed(3)}x`,
      };
    },
  };
}

/** The higher of attempts for each request and of work beside no retry. */
function costOf(own: TailFigures, none: TailFigures): number {
  return Math.max(attemptsEach(own), workBeside(own, none));
}

function backendCut(contender: TailContender, share: number, load: number): TailGoal {
  return {
    rows: 'backend',
    contender,
    wanted: `p99 <= ${share} of without at <= ${times(load)}`,
    judge: (row) => {
      const own = row[contender];
      const reached = own.p99Ms / row[service].p99Ms;
      const cost = costOf(own, row['no retry']);
      return {
        isMet: reached <= share && cost <= load,
        figures: `${reached.toFixed(2)} of ${row[service].p99Ms.toFixed(0)} ms at ${cost.toFixed(3)}x`,
      };
    },
  };
}

function harmlessWhenBusy(contender: TailContender): TailGoal {
  return {
    rows: 'busy',
    contender,
    wanted: 'goodput >= 99.5 %, p99.9 <= 1.05x of without',
    judge: (row) => {
      const own = row[contender];
      const good = own.good / row[service].good;
      const tail = own.p999Ms / row[service].p999Ms;
      return { isMet: good >= 0.995 && tail <= 1.05, figures: `${percent(good, 2)}, ${times(tail)}` };
    },
  };
}

/** Two requests in ten thousand are chance: the draws of another number of attempts. */
const chance = 0.0002;

function bearableByNature(contender: TailContender, without: TailContender): TailGoal {
  return {
    rows: 'nature',
    contender,
    wanted: 'work <= 1.12x of without, no more failures',
    judge: (row) => {
      const own = row[contender];
      const work = workBeside(own, row[without]);
      return {
        isMet: work <= 1.12 && own.good >= row[without].good - chance,
        figures: `${work.toFixed(3)}x, good ${percent(own.good, 2)}, without ${percent(row[without].good, 2)}`,
      };
    },
  };
}

/** Where one slow attempt takes six seconds, a single one is a large share of a minute's work: there, attempts count. */
function quietInTheSlowMinute(contender: TailContender, rows: 'minute-1' | 'minute-tail'): TailGoal {
  const beside = rows === 'minute-1' ? slowMinuteBeside : slowMinuteAttemptsBeside;
  return {
    rows,
    contender,
    wanted: '<= 1.01x of without, at most 5 hedges after it was noticed',
    judge: (row) => {
      const own = row[contender];
      const load = beside(own, row[service]);
      return {
        isMet: load <= 1.01 && own.hedgesWhenNoticed <= 5,
        figures: `${load.toFixed(3)}x, ${own.hedgesWhenNoticed}`,
      };
    },
  };
}

const all: readonly TailContender[] = [hedge, moreHedges, learning, both];

export const tailGoals: readonly TailGoal[] = [
  cutTo(hedge, 120, 1.03),
  cutTo(learning, 135, 1.02),
  backendCut(hedge, 0.85, 1.06),
  backendCut(moreHedges, 0.4, 1.12),
  ...all.map(harmlessWhenBusy),
  ...all
    .filter((contender) => contender !== moreHedges)
    .map((contender) => bearableByNature(contender, service)),
  bearableByNature(defaultHedge, 'undaunted: defaults'),
  ...all.map((contender) => quietInTheSlowMinute(contender, 'minute-1')),
  ...all.map((contender) => quietInTheSlowMinute(contender, 'minute-tail')),
];
