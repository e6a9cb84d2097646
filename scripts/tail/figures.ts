/** What is measured of the slow tail: how long requests take, and what that costs the server. */

import type { Contender, Day, Run } from '../../src/tools/sim/index.js';
import { tailDays } from '../../src/tools/sim/index.js';
import { pooled } from '../../src/tools/sim/internal.js';
import type { Seeds } from '../sim-reading.js';
import { runs } from '../sim-reading.js';

/** Sums over all seeds. */
export interface Load {
  readonly requests: number;
  readonly attempts: number;
  readonly workMs: number;
}

export interface TailFigures {
  /** Times of the requests that succeeded, without those of the warm-up. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** The same for requests that failed; undefined if none did. */
  readonly failedP99Ms: number | undefined;
  /** The share of requests that succeeded, of those that ended. Without the warm-up, in which little is learnt. */
  readonly good: number;
  readonly whole: Load;
  readonly afterWarmUp: Load;
  /** Of the minute in which everything may be slow. */
  readonly slowMinute: Load;
  /** In that minute, after the slowness has been noticed, in the worst run. */
  readonly hedgesWhenNoticed: number;
  /** After the warm-up. */
  readonly hedgesPerSecond: number;
  /** Undefined if none was sent. */
  readonly hedgesWon: number | undefined;
}

const warmUpS = tailDays.warmUpMs / 1_000;
const slowFromS = tailDays.slowFromMs / 1_000;
const slowUntilS = slowFromS + 60;

export function tailFiguresOf({ world, clients }: Day, contender: Contender, seeds: Seeds): TailFigures {
  const all = runs(world, clients, contender, seeds);
  const times = pooled(all.map((run) => run.times));
  const failedTimes = pooled(all.map((run) => run.failedTimes));
  const total = (part: (run: Run) => number): number => all.reduce((sum, run) => sum + part(run), 0);
  const load = (fromS: number, untilS?: number): Load => {
    const among = (series: Float64Array | undefined): number => sumOf(series?.subarray(fromS, untilS) ?? []);
    return {
      requests: total(({ series }) => among(series.offered)),
      attempts: total(({ series }) => among(series.sent)),
      workMs: total(({ services }) => among(services[0]?.workMs)),
    };
  };
  const hedges = total(({ series }) => sumOf(series.hedges.subarray(warmUpS)));
  const won = total(({ series }) => sumOf(series.hedgesWon.subarray(warmUpS)));
  const noticedS = Math.ceil(slowFromS + Math.max(2, 50 / rateOf(all)));
  return {
    p50Ms: times.quantile(0.5) ?? 0,
    p99Ms: times.quantile(0.99) ?? 0,
    p999Ms: times.quantile(0.999) ?? 0,
    failedP99Ms: failedTimes.quantile(0.99),
    good: times.count / (times.count + failedTimes.count),
    whole: load(0),
    afterWarmUp: load(warmUpS),
    slowMinute: load(slowFromS, slowUntilS),
    hedgesWhenNoticed: Math.max(
      ...all.map(({ series }) => sumOf(series.hedges.subarray(noticedS, slowUntilS))),
    ),
    hedgesPerSecond: hedges / (all.length * (world.durationMs / 1_000 - warmUpS)),
    hedgesWon: hedges === 0 ? undefined : won / hedges,
  };
}

function rateOf(all: readonly Run[]): number {
  const [first] = all;
  return first === undefined ? 0 : first.totals.offered / first.series.offered.length;
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

// ---------------------------------------------------------------- compared

/** Attempts for each request. The higher of the two, so that a warm-up without hedges does not flatter them. */
export function attemptsEach({ whole, afterWarmUp }: TailFigures): number {
  return Math.max(whole.attempts / whole.requests, afterWarmUp.attempts / afterWarmUp.requests);
}

/** Work at the server, relative to the same requests without it. */
export function workBeside(own: TailFigures, without: TailFigures): number {
  return Math.max(
    own.whole.workMs / without.whole.workMs,
    own.afterWarmUp.workMs / without.afterWarmUp.workMs,
  );
}

/** Attempts and work in the slow minute, relative to the same minute without it. */
export function slowMinuteBeside(own: TailFigures, without: TailFigures): number {
  return Math.max(slowMinuteAttemptsBeside(own, without), own.slowMinute.workMs / without.slowMinute.workMs);
}

export function slowMinuteAttemptsBeside(own: TailFigures, without: TailFigures): number {
  return own.slowMinute.attempts / without.slowMinute.attempts;
}
