/** What the clients see, counted by the second. */

import type { RequestEvent } from '../../../index.js';
import { perSecond } from '../../sim/index.js';

const timeouts: readonly string[] = ['AttemptTimeoutError', 'HeadersTimeoutError', 'ConnectTimeoutError'];

export type Counted = 'attempts' | 'retries' | 'good' | 'errors' | 'timedOut' | 'refused';

export class Counts {
  private readonly series: Readonly<Record<Counted, Float64Array>>;
  private readonly clock: () => number;
  private readonly startedAt: number;

  constructor(durationMs: number, clock: () => number = () => performance.now()) {
    this.clock = clock;
    this.startedAt = clock();
    const series = (): Float64Array => new Float64Array(Math.ceil(durationMs / 1_000));
    this.series = {
      /** All attempts that were sent. */
      attempts: series(),
      /** Those of them that were decided on after another attempt. */
      retries: series(),
      /** Requests that ended well. */
      good: series(),
      /** Attempts that ended neither with a good answer nor with a timeout. */
      errors: series(),
      /** Attempts that were not answered in time. */
      timedOut: series(),
      /** Requests that the gate or the hold refused. */
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
    // What happens after the end is not counted.
    if (second < series.length) series[second] = (series[second] ?? 0) + 1;
  }

  perSecond(counted: Counted, fromMs: number, forMs: number): number {
    return perSecond(this.series[counted], fromMs, forMs);
  }

  /** For `observe`: there is a decision for each attempt that does not succeed. */
  readonly observe = (event: RequestEvent): void => {
    if (event.type !== 'decision') return;
    const { action, reason, finding } = event.decision;
    if (action === 'retry') this.add('retries');
    if (reason === 'success' || reason === 'aborted') return;
    this.add(finding.kind === 'error' && timeouts.includes(finding.name) ? 'timedOut' : 'errors');
  };
}
