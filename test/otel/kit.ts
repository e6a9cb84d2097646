/** OpenTelemetry with everything kept in memory, for one test. */

import { type Attributes, context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { onTestFinished } from 'vitest';
import { type InstrumentOptions, instrument } from '../../src/otel/index.js';

export interface Point {
  readonly attributes: Attributes;
  readonly value: unknown;
}

export class Telemetry {
  readonly tracerProvider: BasicTracerProvider;
  readonly meterProvider: MeterProvider;
  readonly #spans = new InMemorySpanExporter();
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);

  constructor() {
    this.tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.#spans)] });
    // Exports only when a test asks for it: no run takes an hour.
    const reader = new PeriodicExportingMetricReader({
      exporter: this.#metrics,
      exportIntervalMillis: 3_600_000,
    });
    this.meterProvider = new MeterProvider({ readers: [reader] });
  }

  get spans(): readonly ReadableSpan[] {
    return this.#spans.getFinishedSpans();
  }

  /** The metrics as of now. */
  async collected(): Promise<ResourceMetrics> {
    this.#metrics.reset();
    await this.meterProvider.forceFlush();
    const [collected] = this.#metrics.getMetrics();
    if (collected === undefined) throw new Error('nothing was collected');
    return collected;
  }

  async metrics(): Promise<readonly MetricData[]> {
    const { scopeMetrics } = await this.collected();
    return scopeMetrics.filter(({ scope }) => scope.name === 'undaunted').flatMap(({ metrics }) => metrics);
  }

  /** The points of a metric, in the order in which they appeared. */
  async points(name: string): Promise<readonly Point[]> {
    const metric = (await this.metrics()).find(({ descriptor }) => descriptor.name === name);
    return (metric?.dataPoints ?? []).map(({ attributes, value }) => ({ attributes, value }));
  }

  /** The sum over all attributes of a metric. */
  async total(name: string): Promise<number> {
    return (await this.points(name)).reduce((sum, { value }) => sum + Number(value), 0);
  }

  /** Makes a request as a user's code would, in a span of its own. */
  inSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.tracerProvider.getTracer('test').startActiveSpan(name, async (span) => {
      try {
        return await work();
      } finally {
        span.end();
      }
    });
  }
}

/** Registers OpenTelemetry as an application does, with `instrument()` on top. */
export function openTelemetry(options: InstrumentOptions = {}): Telemetry {
  const telemetry = new Telemetry();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(telemetry.tracerProvider);
  metrics.setGlobalMeterProvider(telemetry.meterProvider);
  const undo = instrument(options);
  onTestFinished(async () => {
    undo();
    for (const api of [context, trace, metrics]) api.disable();
    await Promise.all([telemetry.meterProvider.shutdown(), telemetry.tracerProvider.shutdown()]);
  });
  return telemetry;
}
