/** What was learnt from the attempts of the last ten minutes: the quantiles that settings need, and what is slow. */

import type { Batch, Histogram } from './histogram.js';
import { emptyHistogram, quantileMs, shareBeyond, since, withBatch } from './histogram.js';
import type { Tail } from './setting.js';

export interface Learnt extends Estimates {
  /** All attempts since this time, and those of the five minutes before it. */
  readonly since: number;
  readonly all: Histogram;
  /** The value of `all` at that time. */
  readonly before: Histogram;
  readonly slices: Slices;
}

/** Computed again after each batch; undefined where too little is known. */
interface Estimates {
  readonly hedgeAfterMs: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly quiet: Quiet;
}

/** When the current slice began, the value of `all` at that time, and the slices that have ended. */
interface Slices {
  readonly since: number;
  readonly before: Histogram;
  readonly ended: readonly Slice[];
  readonly quietest: Quiet;
}

interface Slice extends Quiet {
  readonly endedAt: number;
}

export const generationMs = 300_000;

/** Short enough that some of the slices in ten minutes are quiet, even if the server is slow for minutes. */
const sliceMs = 60_000;

/** With fifty answers, the median of usual times (lognormal, sigma 1) is off by less than a fifth, two times in three. */
const enough = 50;
/** For the 99th percentile, a few answers must lie beyond it. */
const enoughBeyond = 2.5;

export function nothingLearntAt(now: number): Learnt {
  return {
    since: now,
    all: emptyHistogram,
    before: emptyHistogram,
    slices: { since: now, before: emptyHistogram, ended: [], quietest: notKnown },
    hedgeAfterMs: undefined,
    timeoutMs: undefined,
    quiet: notKnown,
  };
}

export function afterBatch(tail: Tail, learnt: Learnt, batch: Batch, now: number): Learnt {
  const all = withBatch(learnt.all, batch);
  const isOver = now - learnt.slices.since >= sliceMs;
  const slices = isOver ? afterSlice(learnt.slices, all, now) : learnt.slices;
  const { hedgeAfterMs, timeoutMs, quiet } = estimatesOf(tail, all, slices);
  return { since: learnt.since, all, before: learnt.before, slices, hedgeAfterMs, timeoutMs, quiet };
}

/** Five minutes are over, and those before them are forgotten. */
export function afterGeneration(tail: Tail, learnt: Learnt, batch: Batch | undefined, now: number): Learnt {
  const ended = withBatch(learnt.all, batch);
  const { ended: slicesEnded, quietest } = afterSlice(learnt.slices, ended, now);
  const begun = learnt.since + generationMs;
  const all = since(learnt.before, ended);
  const slices = { since: begun, before: all, ended: slicesEnded, quietest };
  return { since: begun, all, before: all, slices, ...estimatesOf(tail, all, slices) };
}

/** Ends the current slice, unless it has too few answers. */
function afterSlice(slices: Slices, all: Histogram, now: number): Slices {
  const isLong = all.wholes - slices.before.wholes >= enough;
  const quiet = isLong ? quietOf(since(slices.before, all)) : undefined;
  const before = slices.ended.filter(({ endedAt }) => now - endedAt < 2 * generationMs);
  const ended = quiet === undefined ? before : [...before, { ...quiet, endedAt: now }];
  return {
    since: isLong ? now : slices.since,
    before: isLong ? all : slices.before,
    ended,
    quietest: ended.reduce(quieter, notKnown),
  };
}

function estimatesOf({ hedge, timeout }: Tail, all: Histogram, { quietest }: Slices): Estimates {
  const overall = all.wholes < enough ? undefined : quietOf(all);
  return {
    hedgeAfterMs: hedge === false || hedge.afterMs !== undefined ? undefined : timesQuantile(hedge, all),
    timeoutMs: timeout === undefined ? undefined : timesQuantile(timeout, all),
    quiet: overall === undefined ? quietest : quieter(quietest, overall),
  };
}

function timesQuantile(
  { quantile, factor }: { readonly quantile: number; readonly factor: number },
  all: Histogram,
): number | undefined {
  if (all.wholes < Math.max(enough, enoughBeyond / (1 - quantile))) return undefined;
  const ms = quantileMs(all, quantile);
  return ms === undefined ? undefined : factor * ms;
}

// ---------------------------------------------------------------- how long answers take while the server is not slow

// The lowest median of the last ten minutes. A minute in which everything is slow does not raise it. A server that stays
// slow for ten minutes is slow by nature.

export interface Quiet {
  /** An attempt that takes longer is slow. */
  readonly limitMs: number;
  /** If more of the last fifty attempts are slow, the server is slow as a whole. */
  readonly slowAbove: number;
}

/** Until anything is known, nothing is slow. */
export const notKnown: Quiet = /* @__PURE__ */ (() => ({
  limitMs: Infinity,
  slowAbove: 50,
}))();

const slowFactor = 1.5;

/** Undefined if not even the median is known, because too many attempts were cut. */
export function quietOf(histogram: Histogram): Quiet | undefined {
  const median = quantileMs(histogram, 0.5);
  if (median === undefined) return undefined;
  const limitMs = slowFactor * median;
  return { limitMs, slowAbove: slowAbove(shareBeyond(histogram, limitMs)) };
}

/**
 * If more than half are slow, the median of the last fifty exceeds the limit. Where the times vary so much that nearly
 * half of them exceed it on a quiet day, too, chance must not look like slowness: three standard deviations above the
 * usual.
 */
function slowAbove(usual: number): number {
  return Math.max(25, 50 * usual + 3 * Math.sqrt(50 * usual * (1 - usual)));
}

export function quieter(one: Quiet, other: Quiet): Quiet {
  return other.limitMs < one.limitMs ? other : one;
}
