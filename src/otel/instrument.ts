/** Turns decisions into telemetry, through the diagnostics channel, so that every retrier of the process is seen. */

import { type Attributes, diag, type Meter, type MeterProvider, metrics, trace } from '@opentelemetry/api';
import type { DecisionEvent, HedgeEvent, RenewalEvent, RequestEvent } from '../core/events.js';
import { explain } from '../core/explain.js';
import { builtinModule } from '../kernel/builtin-module.js';
import { channelName } from '../kernel/events.js';
import { Labels } from './attributes.js';
import { Bounded } from './bounded.js';
import { Counts } from './counts.js';
import { type NamedRetriers, watch } from './gauges.js';

export interface InstrumentOptions {
  /** The provider for metrics; by default, the one that is registered when `instrument()` is called. */
  readonly meterProvider?: MeterProvider;
  /** Retriers whose limits are shown, by the name that `undaunted.retrier` gets. */
  readonly retriers?: NamedRetriers;
  /** How many servers, rules, errors and scopes are told apart, each; the others become `_OTHER`. Default: 100. */
  readonly maxValues?: number;
}

interface Recorder {
  readonly meter: Meter;
  readonly labels: Labels;
  readonly counts: Counts;
}

/** Every instrumentation that is active, in the order in which it started. */
const recorders: Set<Recorder> = new Set();

/**
 * Records metrics of all requests of this process, and adds an event to the active span for each decision. A second
 * call for the same provider only adds retriers: nothing is counted twice. Returns a function that ends the
 * instrumentation.
 */
export function instrument(options: InstrumentOptions = {}): () => void {
  const channels = diagnosticsChannels();
  const { meterProvider = metrics.getMeterProvider(), retriers = {}, maxValues = 100 } = options;
  const meter = meterProvider.getMeter('undaunted');
  const labels = new Labels(maxValues);
  const recorder: Recorder = { meter, labels, counts: new Counts(meter, labels) };
  const listen = (message: unknown): void => {
    try {
      record(message as RequestEvent, recorder);
    } catch (error) {
      // An error thrown here would end the process.
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

function diagnosticsChannels(): Channels {
  const channels = builtinModule<Channels>('node:diagnostics_channel');
  if (channels !== undefined) return channels;
  throw new Error(
    'undaunted/otel: instrument() needs node:diagnostics_channel, which this platform does not have; use the `observe` setting of a policy instead',
  );
}

/** Only the first recorder of each meter counts, and only the first of all recorders writes to the span. */
function record(event: RequestEvent, recorder: Recorder): void {
  const { meter, counts, labels } = recorder;
  const all = [...recorders];
  if (all.find((one) => one.meter === meter) === recorder) counts.take(event);
  if (all[0] === recorder) addSpanEvent(event, labels);
}

/** Adds decisions, hedges, renewals and refusals as events to the span in which the request was made; no span is added around it. */
function addSpanEvent(event: RequestEvent, labels: Labels): void {
  const span = trace.getActiveSpan();
  if (span?.isRecording() !== true) return;
  const { request, scope } = event;
  const about = {
    ...labels.ofRequest(event),
    // Without an origin, the URL is only a path.
    [request.url.startsWith('/') ? 'url.path' : 'url.full']: request.url,
    'undaunted.scope': scope,
  };
  if (event.type === 'decision') {
    span.addEvent(`undaunted.${event.decision.action}`, { ...about, ...ofDecision(event, labels) });
  } else if (event.type === 'hedge') {
    span.addEvent('undaunted.hedge', { ...about, ...ofHedge(event) });
  } else if (event.type === 'renewal') {
    span.addEvent('undaunted.renewal', { ...about, ...ofRenewal(event) });
  } else if (event.refused !== undefined) {
    const { reason, enforced } = event.refused;
    span.addEvent('undaunted.refusal', {
      ...about,
      'undaunted.reason': reason,
      'undaunted.enforced': enforced,
    });
  }
}

function ofDecision({ decision, history }: DecisionEvent, labels: Labels): Attributes {
  return {
    ...labels.ofFinding(decision.finding),
    'undaunted.attempt': decision.attempt,
    'undaunted.reason': decision.reason,
    'undaunted.explanation': explain(decision),
    ...(decision.action === 'retry' && {
      // Not the number of the attempt: if two attempts were out at once, either of them may have decided.
      'http.request.resend_count': history.length,
      'undaunted.wait.duration': decision.delayMs / 1_000,
      'undaunted.wait.from': decision.waitFrom,
    }),
  };
}

function ofRenewal({ ok, tookMs }: RenewalEvent): Attributes {
  return { 'undaunted.renewal.ok': ok, 'undaunted.renewal.duration': tookMs / 1_000 };
}

function ofHedge({ attempt, afterMs }: HedgeEvent): Attributes {
  return {
    'undaunted.attempt': attempt,
    'http.request.resend_count': attempt - 1,
    'undaunted.hedge.delay': afterMs / 1_000,
  };
}
