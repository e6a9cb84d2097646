/** How long attempts took, counted in buckets that are spaced evenly on a logarithmic scale, so that an array of fixed length serves all times. */

/** A bucket is 9 % wide: eight of them double the time. */
const perOctave = 8;
/** The first bucket holds everything up to this time. */
const firstMs = 0.25;
/** Up to 17 minutes, far beyond any timeout. Longer times are in the last bucket. */
const count = 22 * perOctave + 1;

export interface Histogram {
  /** Attempts that were answered, by how long they took. */
  readonly whole: readonly number[];
  /** Attempts that were cut or failed: without that, they would have taken at least so long. */
  readonly cut: readonly number[];
  /** How many were answered. */
  readonly wholes: number;
}

const zeros: readonly number[] = Object.freeze(new Array<number>(count).fill(0));
export const emptyHistogram: Histogram = { whole: zeros, cut: zeros, wholes: 0 };

/** An attempt that has ended and the ones that ended before it. One number says which bucket, and whether it was whole. */
export interface Batch {
  readonly code: number;
  readonly next: Batch | undefined;
}

export function codeOf(ms: number, isWhole: boolean): number {
  return 2 * bucketOf(ms) + (isWhole ? 1 : 0);
}

export function withBatch(histogram: Histogram, batch: Batch | undefined): Histogram {
  if (batch === undefined) return histogram;
  const whole = histogram.whole.slice();
  const cut = histogram.cut.slice();
  let { wholes } = histogram;
  for (let one: Batch | undefined = batch; one !== undefined; one = one.next) {
    const isWhole = one.code & 1;
    const counts = isWhole === 1 ? whole : cut;
    const bucket = one.code >> 1;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    wholes += isWhole;
  }
  return { whole, cut, wholes };
}

export function sum(one: Histogram, other: Histogram): Histogram {
  if (one.wholes === 0 && one.cut === zeros) return other;
  return combined(one, other, 1);
}

/** What came after `earlier`, an earlier state of the same histogram. */
export function since(earlier: Histogram, histogram: Histogram): Histogram {
  return combined(histogram, earlier, -1);
}

function combined(one: Histogram, other: Histogram, times: 1 | -1): Histogram {
  const add = (counts: readonly number[], others: readonly number[]) =>
    counts.map((value, bucket) => value + times * (others[bucket] ?? 0));
  return {
    whole: add(one.whole, other.whole),
    cut: add(one.cut, other.cut),
    wholes: one.wholes + times * other.wholes,
  };
}

export function bucketOf(ms: number): number {
  return ms > firstMs ? Math.min(count - 1, Math.ceil(perOctave * Math.log2(ms / firstMs))) : 0;
}

/** The longest time in this bucket, or the time at a part of its width. */
export function timeIn(bucket: number, part: number): number {
  return firstMs * 2 ** ((bucket - 1 + part) / perOctave);
}

/** Where in its bucket a time lies, from 0 to 1. */
export function partOf(ms: number, bucket: number): number {
  const part = perOctave * Math.log2(ms / firstMs) - (bucket - 1);
  return Math.min(1, Math.max(0, part));
}
