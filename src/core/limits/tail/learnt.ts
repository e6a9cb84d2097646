/** What the attempts of the last ten minutes have taught: the quantiles asked for, and what is slow. */

import type { Tail } from '../../policy/limits.js';
import type { Batch, Histogram } from './histogram.js';
import { emptyHistogram, since, sum, withBatch } from './histogram.js';
import type { Quiet } from './quiet.js';
import { notKnown, quieter, quietOf } from './quiet.js';
import { quantileMs, survivalOf } from './survival.js';

export interface Learnt {
  /** The attempts since this time, and those of the five minutes before it. */
  readonly since: number;
  readonly current: Histogram;
  readonly before: Histogram;
  /** The running slice: when it began, and what `current` was then. */
  readonly sliceSince: number;
  readonly sliceBase: Histogram;
  /** Slices that have ended, in order. */
  readonly slices: readonly Slice[];
  /** What follows, computed once per batch. Undefined where too little is known. */
  readonly hedgeAfterMs: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly quiet: Quiet;
}

interface Slice extends Quiet {
  readonly endedAt: number;
}

export const generationMs = 300_000;
const forgottenAfterMs = 2 * generationMs;

/** A slice is shorter than a usual slow time, so that a slow time and a quiet one are not mixed in all of them. */
const sliceMs = 60_000;

/** With fifty answers, the median of usual times (lognormal, sigma 1) is off by less than a fifth, two times in three. */
const enough = 50;
/** And of an estimate of the 99th percentile, a few answers must lie beyond it. */
const enoughBeyond = 2.5;

export const nothingLearnt: Learnt = {
  since: Number.NEGATIVE_INFINITY,
  current: emptyHistogram,
  before: emptyHistogram,
  sliceSince: Number.NEGATIVE_INFINITY,
  sliceBase: emptyHistogram,
  slices: [],
  hedgeAfterMs: undefined,
  timeoutMs: undefined,
  quiet: notKnown,
};

export function nothingLearntAt(now: number): Learnt {
  return { ...nothingLearnt, since: now, sliceSince: now };
}

export function afterBatch(tail: Tail, learnt: Learnt, batch: Batch | undefined, now: number): Learnt {
  const current = withBatch(learnt.current, batch);
  const isOver = now - learnt.sliceSince >= sliceMs;
  return estimated(tail, afterSlice({ ...learnt, current }, isOver, now), now);
}

/** Five minutes are over: those before are forgotten. */
export function afterGeneration(tail: Tail, learnt: Learnt, batch: Batch | undefined, now: number): Learnt {
  const ended = afterSlice({ ...learnt, current: withBatch(learnt.current, batch) }, true, now);
  const begun = learnt.since + generationMs;
  return estimated(
    tail,
    {
      ...ended,
      since: begun,
      before: ended.current,
      current: emptyHistogram,
      sliceSince: begun,
      sliceBase: emptyHistogram,
    },
    now,
  );
}

/** Ends the running slice. One with too few answers goes on. */
function afterSlice(learnt: Learnt, isOver: boolean, now: number): Learnt {
  const { current, sliceBase, slices } = learnt;
  if (!isOver || current.wholes - sliceBase.wholes < enough) return learnt;
  const quiet = quietOf(since(sliceBase, current));
  return {
    ...learnt,
    sliceSince: now,
    sliceBase: current,
    slices: quiet === undefined ? slices : [...slices, { ...quiet, endedAt: now }],
  };
}

function estimated(tail: Tail, learnt: Learnt, now: number): Learnt {
  const { hedge, timeout } = tail;
  const all = sum(learnt.before, learnt.current);
  const slices = learnt.slices.filter(({ endedAt }) => now - endedAt < forgottenAfterMs);
  const survival = survivalOf(all);
  const timesQuantile = ({ quantile, factor }: { readonly quantile: number; readonly factor: number }) => {
    if (all.wholes < Math.max(enough, enoughBeyond / (1 - quantile))) return undefined;
    const ms = quantileMs(survival, quantile);
    return ms === undefined ? undefined : factor * ms;
  };
  const overall = all.wholes < enough ? undefined : quietOf(all);
  return {
    ...learnt,
    slices,
    hedgeAfterMs: hedge === false || hedge.afterMs !== undefined ? undefined : timesQuantile(hedge),
    timeoutMs: timeout === undefined ? undefined : timesQuantile(timeout),
    quiet: slices.reduce<Quiet>(quieter, overall ?? notKnown),
  };
}
