/** From decisions to telemetry: through the channel, so that every retrier of the process is seen. */

import { diag, type Meter, type MeterProvider, metrics } from '@opentelemetry/api';
import type { DecisionEvent, SettledEvent } from '../core/events.js';
import { builtinModule } from '../runtime/builtin-module.js';
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

interface Recorder {
  readonly meter: Meter;
  readonly labels: Labels;
  readonly counts: Counts;
}

/** Of all that is instrumented now, in that order. */
const recorders: Set<Recorder> = new Set();

/**
 * Metrics of all requests of this process, and an event on the active span for each decision. Called again for the
 * same provider, it only adds retriers: nothing is counted twice. Returns how to end it.
 */
export function instrument(options: InstrumentOptions = {}): () => void {
  const channels = channelsHere();
  const { meterProvider = metrics.getMeterProvider(), retriers = {}, maxValues = 100 } = options;
  const meter = meterProvider.getMeter('undaunted');
  const labels = new Labels(maxValues);
  const recorder: Recorder = { meter, labels, counts: new Counts(meter, labels) };
  const listen = (message: unknown): void => {
    try {
      record(message as DecisionEvent | SettledEvent, recorder);
    } catch (error) {
      // It would end the process.
      diag.error('undaunted: an event could not be recorded', error);
    }
  };
  const stopWatching = watch(meter, retriers, new Bounded(maxValues));
  recorders.add(recorder);
  channels.subscribe(channelName, listen);
  return () => {
    channels.unsubscribe(channelName, listen);
    recorders.delete(recorder);
    stopWatching();
  };
}

interface Channels {
  subscribe(name: string, listen: (message: unknown) => void): void;
  unsubscribe(name: string, listen: (message: unknown) => void): void;
}

function channelsHere(): Channels {
  const channels = builtinModule<Channels>('node:diagnostics_channel');
  if (channels !== undefined) return channels;
  throw new Error(
    'undaunted/otel: instrument needs diagnostics_channel, which is not here; use the `observe` setting of a policy instead',
  );
}

/** Of those with one meter the first counts, and of all of them the first writes on the span. */
function record(event: DecisionEvent | SettledEvent, recorder: Recorder): void {
  const { meter, counts, labels } = recorder;
  const all = [...recorders];
  if (all.find((one) => one.meter === meter) === recorder) counts.take(event);
  if (all[0] === recorder) addSpanEvent(event, labels);
}
