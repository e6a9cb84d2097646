/** From decisions to telemetry: through the channel, so that every retrier of the process is seen. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { diag, type MeterProvider, metrics } from '@opentelemetry/api';
import type { DecisionEvent, SettledEvent } from '../core/events.js';
import { channelName } from '../runtime/events.js';
import { Labels } from './attributes.js';
import { Bounded } from './bounded.js';
import { Counts } from './counts.js';
import { type NamedRetriers, watch } from './gauges.js';
import { addSpanEvent } from './spans.js';

export interface InstrumentOptions {
  /** Where metrics go; by default, to the provider that is registered by now. */
  readonly meterProvider?: MeterProvider;
  /** Whose budgets, gates and holds are shown, by the name that `undaunted.retrier` is to have. */
  readonly retriers?: NamedRetriers;
  /** How many servers, rules, errors and scopes are told apart, each; the others are `_OTHER`. By default 100. */
  readonly maxValues?: number;
}

/** Metrics of all requests of this process, and an event on the active span for each decision. Returns how to end it. */
export function instrument(options: InstrumentOptions = {}): () => void {
  const { meterProvider = metrics.getMeterProvider(), retriers = {}, maxValues = 100 } = options;
  const meter = meterProvider.getMeter('undaunted');
  const labels = new Labels(maxValues);
  const counts = new Counts(meter, labels);
  const listen = (message: unknown): void => {
    try {
      record(message as DecisionEvent | SettledEvent, counts, labels);
    } catch (error) {
      // It would end the process.
      diag.error('undaunted: an event could not be recorded', error);
    }
  };
  const stopWatching = watch(meter, retriers, new Bounded(maxValues));
  subscribe(channelName, listen);
  return () => {
    unsubscribe(channelName, listen);
    stopWatching();
  };
}

function record(event: DecisionEvent | SettledEvent, counts: Counts, labels: Labels): void {
  if (event.type === 'settled') counts.settled(event);
  else {
    counts.decided(event);
    addSpanEvent(event, labels);
  }
}
