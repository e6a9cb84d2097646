/** Counts and measures each request: attempts, retries, stops, hedges, renewals, waits, and its duration. */

import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import type { DecisionEvent, RequestEvent, SettledEvent } from '../core/events.js';
import type { Labels } from './attributes.js';

/** Bucket boundaries in seconds, from the wait before a first retry to that of the longest hint. */
const boundaries = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];

export class Counts {
  private readonly attempts: Counter;
  private readonly retries: Counter;
  private readonly stops: Counter;
  private readonly hedges: Counter;
  private readonly renewals: Counter;
  private readonly refusals: Counter;
  private readonly waits: Histogram;
  private readonly durations: Histogram;
  private readonly labels: Labels;

  constructor(meter: Meter, labels: Labels) {
    this.labels = labels;
    this.attempts = meter.createCounter('undaunted.attempts', {
      unit: '{attempt}',
      description: 'Attempts, counted when their request has settled.',
    });
    this.retries = meter.createCounter('undaunted.retries', {
      unit: '{retry}',
      description: 'Decisions to retry, by reason.',
    });
    this.stops = meter.createCounter('undaunted.stops', {
      unit: '{stop}',
      description: 'Decisions not to retry, by reason. A request that succeeds at once needs none.',
    });
    this.hedges = meter.createCounter('undaunted.hedges', {
      unit: '{hedge}',
      description:
        'Hedges, by whether the caller got the answer of the hedge. Counted when their request has settled.',
    });
    this.renewals = meter.createCounter('undaunted.renewals', {
      unit: '{renewal}',
      description: 'Renewals of credentials, by whether they succeeded.',
    });
    this.refusals = meter.createCounter('undaunted.refusals', {
      unit: '{request}',
      description:
        'Requests with an attempt that a limit of its scope refused, or would have refused if it were enforced.',
    });
    this.waits = meter.createHistogram('undaunted.wait.duration', {
      unit: 's',
      description: 'Waits before retries.',
      advice: { explicitBucketBoundaries: boundaries },
    });
    this.durations = meter.createHistogram('undaunted.request.duration', {
      unit: 's',
      description: 'Duration of requests until they settled, with all attempts and waits.',
      advice: { explicitBucketBoundaries: boundaries },
    });
  }

  take(event: RequestEvent): void {
    if (event.type === 'settled') this.settled(event);
    else if (event.type === 'decision') this.decided(event);
    else if (event.type === 'renewal')
      this.renewals.add(1, { ...this.labels.ofRequest(event), 'undaunted.renewal.ok': event.ok });
  }

  private decided(event: DecisionEvent): void {
    const { decision } = event;
    const request = this.labels.ofRequest(event);
    const why = {
      ...request,
      ...this.labels.ofFinding(decision.finding),
      'undaunted.reason': decision.reason,
    };
    if (decision.action === 'stop') this.stops.add(1, why);
    else {
      this.retries.add(1, why);
      this.waits.record(decision.delayMs / 1_000, { ...request, 'undaunted.wait.from': decision.waitFrom });
    }
  }

  private settled(event: SettledEvent): void {
    const request = this.labels.ofRequest(event);
    this.attempts.add(event.attempts, request);
    if (event.hedgeWon !== undefined) {
      this.hedges.add(1, { ...request, 'undaunted.hedge.won': event.hedgeWon });
    }
    if (event.refused !== undefined) {
      const { reason, enforced } = event.refused;
      this.refusals.add(1, { ...request, 'undaunted.reason': reason, 'undaunted.enforced': enforced });
    }
    this.durations.record(event.elapsedMs / 1_000, { ...request, ...this.labels.ofOutcome(event.outcome) });
  }
}
