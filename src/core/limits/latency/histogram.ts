/**
 * How long attempts took, counted in buckets whose bounds grow by the same factor, so that an array of fixed length holds
 * all times.
 */

/** A bucket is 9 % wide: eight of them double the time. */
const perOctave = 8;
/** The first bucket holds everything up to this time. */
const firstMs = 0.25;
/** Up to 17 minutes, far beyond any timeout. Longer times are in the last bucket. */
const count = 22 * perOctave + 1;

export interface Histogram {
  /** Attempts that were answered, by how long they took. */
  readonly whole: readonly number[];
  /** Attempts that were cut or failed: an answer would have taken at least that long. */
  readonly cut: readonly number[];
  /** How many were answered, and how many there were at all. */
  readonly wholes: number;
  readonly all: number;
}

const zeros: readonly number[] = /* @__PURE__ */ new Array<number>(count).fill(0);
export const emptyHistogram: Histogram = { whole: zeros, cut: zeros, wholes: 0, all: 0 };

/** An attempt that has ended, and those before it. The code says which bucket it is in and whether it was whole. */
export interface Batch {
  readonly code: number;
  readonly next: Batch | undefined;
}

export function codeOf(ms: number, isWhole: boolean): number {
  return 2 * bucketOf(ms) + (isWhole ? 1 : 0);
}

export function withBatch(histogram: Histogram, batch: Batch | undefined): Histogram {
  const whole = histogram.whole.slice();
  // In most batches, none was cut.
  let cut: number[] | undefined;
  let { wholes, all } = histogram;
  for (let one = batch; one !== undefined; one = one.next) {
    const isWhole = one.code & 1;
    if (isWhole === 0) cut ??= histogram.cut.slice();
    const counts = isWhole === 1 || cut === undefined ? whole : cut;
    const bucket = one.code >> 1;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    wholes += isWhole;
    all += 1;
  }
  return { whole, cut: cut ?? histogram.cut, wholes, all };
}

/** What a histogram has counted since its `earlier` state. */
export function since(earlier: Histogram, now: Histogram): Histogram {
  return {
    whole: now.whole.map((value, bucket) => value - (earlier.whole[bucket] ?? 0)),
    cut: now.cut.map((value, bucket) => value - (earlier.cut[bucket] ?? 0)),
    wholes: now.wholes - earlier.wholes,
    all: now.all - earlier.all,
  };
}

export function bucketOf(ms: number): number {
  return ms > firstMs ? Math.min(count - 1, Math.ceil(perOctave * Math.log2(ms / firstMs))) : 0;
}

/** The longest time in this bucket, or the time at a part of its width. */
function timeIn(bucket: number, part: number): number {
  return firstMs * 2 ** ((bucket - 1 + part) / perOctave);
}

/** Where in its bucket a time lies, from 0 to 1. */
function partOf(ms: number, bucket: number): number {
  const part = perOctave * Math.log2(ms / firstMs) - (bucket - 1);
  return Math.min(1, Math.max(0, part));
}

// ---------------------------------------------------------------- which share takes longer than a given time

// Some attempts were cut before they were answered (Kaplan and Meier 1958). Without them, a client that cuts all slow
// attempts would learn that none are slow.

/** Products of shares are not exact: half of fifty must count as half. */
const rounding = 1e-9;

/** Undefined if too many attempts were cut to know the quantile. */
export function quantileMs({ whole, cut, all }: Histogram, quantile: number): number | undefined {
  const wanted = 1 - quantile;
  let share = 1;
  let waiting = all;
  for (let bucket = 0; waiting > 0; bucket += 1) {
    const answered = whole[bucket] ?? 0;
    // Those that were cut in this bucket were still waiting when the others in it were answered.
    const after = share * (1 - answered / waiting);
    if (answered > 0 && after <= wanted + rounding)
      return timeIn(bucket, Math.min(1, (share - wanted) / (share - after)));
    share = after;
    waiting -= answered + (cut[bucket] ?? 0);
  }
  return undefined;
}

/** The share of attempts that take longer than this. */
export function shareBeyond({ whole, cut, all }: Histogram, ms: number): number {
  const last = bucketOf(ms);
  let share = 1;
  let waiting = all;
  for (let bucket = 0; bucket < last && waiting > 0; bucket += 1) {
    const answered = whole[bucket] ?? 0;
    share *= 1 - answered / waiting;
    waiting -= answered + (cut[bucket] ?? 0);
  }
  const answered = whole[last] ?? 0;
  return answered === 0 ? share : share * (1 - (partOf(ms, last) * answered) / waiting);
}
