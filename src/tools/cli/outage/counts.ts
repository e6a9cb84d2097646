/** What the clients saw, counted by the second. */

import type { DecisionEvent, SettledEvent } from '../../../index.js';
import { perSecond } from '../../sim/index.js';

const timeouts: readonly string[] = ['AttemptTimeoutError', 'HeadersTimeoutError', 'ConnectTimeoutError'];

export type Counted = 'attempts' | 'good' | 'errors' | 'timedOut' | 'refused';

export class Counts {
  private readonly series: Readonly<Record<Counted, Float64Array>>;
  private readonly clock: () => number;
  private readonly startedAt: number;

  constructor(durationMs: number, clock: () => number = () => performance.now()) {
    this.clock = clock;
    this.startedAt = clock();
    const series = (): Float64Array => new Float64Array(Math.ceil(durationMs / 1_000));
    this.series = {
      /** All that were sent. */
      attempts: series(),
      /** Requests that ended well. */
      good: series(),
      /** Attempts that ended otherwise than by a good answer or by time. */
      errors: series(),
      /** Attempts that nobody answered in time. */
      timedOut: series(),
      /** Requests that the gate or the hold turned away. */
      refused: series(),
    };
  }

  /** Since the clients began. */
  get now(): number {
    return this.clock() - this.startedAt;
  }

  add(counted: Counted): void {
    const series = this.series[counted];
    const second = Math.floor(this.now / 1_000);
    // What comes after the end changes nothing.
    if (second < series.length) series[second] = (series[second] ?? 0) + 1;
  }

  perSecond(counted: Counted, fromMs: number, forMs: number): number {
    return perSecond(this.series[counted], fromMs, forMs);
  }

  /** For `observe`: each attempt that is not good is decided on. */
  readonly observe = (event: DecisionEvent | SettledEvent): void => {
    if (event.type !== 'decision') return;
    const { reason, finding } = event.decision;
    if (reason === 'success' || reason === 'aborted') return;
    this.add(finding.kind === 'error' && timeouts.includes(finding.name) ? 'timedOut' : 'errors');
  };
}
