/** What the callers saw, counted by the second. */

import { ln } from './elementary.js';

/** How a request ended: it succeeded, it failed, the gate or the hold refused it, or its caller left. */
export type Ending = 'good' | 'failed' | 'refused' | 'aborted';

export class Tally {
  /** Requests that started. */
  readonly offered: Float64Array;
  readonly firstTries: Float64Array;
  readonly retries: Float64Array;
  /** Attempts that were sent while another one of their request was out. */
  readonly hedges: Float64Array;
  /** Hedges whose answer was the first good one. */
  readonly hedgesWon: Float64Array;
  /** Attempts that were not answered in time. */
  readonly timedOut: Float64Array;
  /** Attempts sent in a window in which the server had asked this process to send nothing. */
  readonly forbidden: Float64Array;
  /** Requests by how they ended. */
  readonly good: Float64Array;
  readonly failed: Float64Array;
  readonly refused: Float64Array;
  readonly aborted: Float64Array;
  /** The good ones by when they started. */
  readonly goodOfOffered: Float64Array;
  /** The longest duration of the successful requests. */
  readonly slowestMs: Float64Array;
  /** Successful requests of each client. */
  readonly goodBy: Uint32Array;
  /** The durations of successful requests. */
  readonly times: Times = new Times();
  /** The durations of requests that failed, the refused ones included. */
  readonly failedTimes: Times = new Times();
  private readonly warmUpMs: number;
  /** Retries that were sent earlier than the hint of the previous answer allowed. */
  earlyRetries = 0;
  duplicateWrites = 0;
  refusedFirstAt: number | undefined = undefined;

  constructor(seconds: number, callers: number, warmUpMs = 0) {
    const series = (): Float64Array => new Float64Array(seconds);
    this.offered = series();
    this.firstTries = series();
    this.retries = series();
    this.hedges = series();
    this.hedgesWon = series();
    this.warmUpMs = warmUpMs;
    this.timedOut = series();
    this.forbidden = series();
    this.good = series();
    this.failed = series();
    this.refused = series();
    this.aborted = series();
    this.goodOfOffered = series();
    this.slowestMs = series();
    this.goodBy = new Uint32Array(callers);
  }

  count(series: Float64Array, now: number): void {
    const second = Math.floor(now / 1_000);
    series[second] = (series[second] as number) + 1;
  }

  settle(ending: Ending, now: number, elapsedMs: number, by: number): void {
    this.count(this[ending], now);
    if (ending === 'refused') this.refusedFirstAt ??= now;
    const times = ending === 'good' ? this.times : this.failedTimes;
    if (now - elapsedMs >= this.warmUpMs && ending !== 'aborted') times.add(elapsedMs);
    if (ending !== 'good') return;
    this.count(this.goodOfOffered, now - elapsedMs);
    const second = Math.floor(now / 1_000);
    this.slowestMs[second] = Math.max(this.slowestMs[second] as number, elapsedMs);
    if (by < this.goodBy.length) this.goodBy[by] = (this.goodBy[by] as number) + 1;
  }

  add(other: Tally): void {
    for (const name of seriesNames) addTo(this[name], other[name]);
    addTo(this.goodBy, other.goodBy);
    for (const [second, ms] of other.slowestMs.entries()) {
      this.slowestMs[second] = Math.max(this.slowestMs[second] as number, ms);
    }
    this.times.addAll(other.times);
    this.failedTimes.addAll(other.failedTimes);
    this.earlyRetries += other.earlyRetries;
    this.duplicateWrites += other.duplicateWrites;
    const firsts = [this.refusedFirstAt, other.refusedFirstAt].filter((at) => at !== undefined);
    this.refusedFirstAt = firsts.length === 0 ? undefined : Math.min(...firsts);
  }
}

const seriesNames = [
  'offered',
  'firstTries',
  'retries',
  'hedges',
  'hedgesWon',
  'timedOut',
  'forbidden',
  'good',
  'failed',
  'refused',
  'aborted',
  'goodOfOffered',
] as const;

function addTo(sums: Float64Array | Uint32Array, values: Float64Array | Uint32Array): void {
  for (let index = 0; index < sums.length; index += 1) {
    sums[index] = (sums[index] as number) + (values[index] as number);
  }
}

/** The sum of tallies that have the same length and the same callers. */
export function sumOf([first, ...others]: readonly [Tally, ...Tally[]]): Tally {
  if (others.length === 0) return first;
  const total = new Tally(first.offered.length, first.goodBy.length);
  for (const tally of [first, ...others]) total.add(tally);
  return total;
}

/** A histogram whose steps are half a percent wide: it has quantiles of any number of times in a few kilobytes. */
/** How long requests took. */
export interface Durations {
  readonly count: number;
  /** In ms, accurate to half a percent; undefined if there are none. */
  quantile(share: number): number | undefined;
}

export class Times implements Durations {
  /** How many there are. */
  count = 0;
  private readonly counts: Uint32Array = new Uint32Array(5_000);

  add(ms: number): void {
    const step = ms <= 1 ? 0 : Math.min(this.counts.length - 1, Math.ceil(ln(ms) / stepWidth));
    this.counts[step] = (this.counts[step] as number) + 1;
    this.count += 1;
  }

  addAll(other: Times): void {
    addTo(this.counts, other.counts);
    this.count += other.count;
  }

  /** Undefined if there are no times. */
  quantile(share: number): number | undefined {
    let left = share * this.count;
    for (const [step, count] of this.counts.entries()) {
      left -= count;
      // The upper end of the step.
      if (count > 0 && left <= 0) return upperEnd(step);
    }
    return undefined;
  }
}

/** All of them together. */
export function pooled(all: readonly Durations[]): Durations {
  const total = new Times();
  for (const times of all) if (times instanceof Times) total.addAll(times);
  return total;
}

const stepWidth = ln(1.005);

function upperEnd(step: number): number {
  let value = 1;
  for (let index = 0; index < step; index += 1) value *= 1.005;
  return value;
}
