/** What was learnt from the attempts of the last ten minutes: the quantiles that settings need, and what is slow. */

import type { Batch, Histogram } from './histogram.js';
import { emptyHistogram, since, withBatch } from './histogram.js';
import type { Quiet } from './quiet.js';
import { notKnown, quieter, quietOf } from './quiet.js';
import type { Tail } from './setting.js';
import { quantileMs } from './survival.js';

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
const forgottenAfterMs = 2 * generationMs;

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
  const before = slices.ended.filter(({ endedAt }) => now - endedAt < forgottenAfterMs);
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
