/** The metrics and their attributes, and that attributes never have too many values. */

import { channel } from 'node:diagnostics_channel';
import type { HistogramMetricData } from '@opentelemetry/sdk-metrics';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { RequestFacts } from '../../src/core/types.js';
import { createRetrier } from '../../src/index.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import { instrument } from '../../src/otel/index.js';
import { retryingInstance } from '../adapters/axios/kit.js';
import { openLab, settled, soon } from '../adapters/kit.js';
import { undici } from '../adapters/undici/client.js';
import { retryingAgent } from '../adapters/undici/kit.js';
import { refusedOrigin } from '../faults/lab.js';
import { answer, rst } from '../faults/plays.js';
import { answered, errorWith, failed, requestOf } from '../kit.js';
import { openTelemetry, Telemetry } from './kit.js';

async function get(url: string, policy: PolicyOptions = soon): Promise<void> {
  const dispatcher = retryingAgent(policy);
  const { value } = await settled(undici.request(url, { dispatcher }));
  await value?.body.dump();
}

/** One request without a client: its first attempt fails with 503, and its second succeeds. */
function retriedOnce(retrier: Retrier, facts: Partial<RequestFacts>): void {
  const session = retrier.open(requestOf(facts));
  session.next(answered(503), { replayable: true });
  session.next(answered(200), { replayable: true });
}

function serverOf(origin: string): object {
  return { 'server.address': '127.0.0.1', 'server.port': Number(new URL(origin).port) };
}

describe('a request with two retries', () => {
  test('is three attempts, two retries by reason, a stop, and two waits', async () => {
    const telemetry = openTelemetry();
    const lab = await openLab([answer(503), rst(), answer(200)]);
    await get(`${lab.origin}/things/1?page=2`, {
      ...soon,
      rules: [{ match: '/things/:id', name: 'things' }],
    });
    const request = {
      'http.request.method': 'GET',
      ...serverOf(lab.origin),
      'undaunted.rule': 'things',
    };
    expect(await telemetry.points('undaunted.attempts')).toEqual([{ attributes: request, value: 3 }]);
    expect(await telemetry.points('undaunted.retries')).toEqual([
      {
        attributes: {
          ...request,
          'http.response.status_code': 503,
          'error.type': '503',
          'undaunted.reason': 'transient-status',
        },
        value: 1,
      },
      {
        attributes: { ...request, 'error.type': 'ECONNRESET', 'undaunted.reason': 'transport-error' },
        value: 1,
      },
    ]);
    expect(await telemetry.points('undaunted.stops')).toEqual([
      {
        attributes: { ...request, 'http.response.status_code': 200, 'undaunted.reason': 'success' },
        value: 1,
      },
    ]);
    expect(await telemetry.points('undaunted.wait.duration')).toMatchObject([
      { attributes: { ...request, 'undaunted.wait.from': 'schedule' }, value: { count: 2, sum: 0.002 } },
    ]);
    expect(await telemetry.points('undaunted.request.duration')).toMatchObject([
      { attributes: { ...request, 'http.response.status_code': 200 }, value: { count: 1 } },
    ]);
  });
});

test('a success at once is an attempt, and no decision', async () => {
  const telemetry = openTelemetry();
  const lab = await openLab(answer(204));
  await get(lab.origin);
  expect(await telemetry.total('undaunted.attempts')).toBe(1);
  expect(await telemetry.points('undaunted.retries')).toEqual([]);
  expect(await telemetry.points('undaunted.stops')).toEqual([]);
});

test('a request that a gate refuses has no attempts', async () => {
  const telemetry = openTelemetry();
  const lab = await openLab(answer(503));
  const retrier = createRetrier({ maxRetries: 0, gate: { failures: 1, deadForMs: 0 } });
  const dispatcher = retryingAgent(retrier);
  await (await undici.request(lab.origin, { dispatcher })).body.dump();
  await settled(undici.request(lab.origin, { dispatcher }));
  expect(await telemetry.total('undaunted.attempts')).toBe(1);
  const ends = await telemetry.points('undaunted.request.duration');
  expect(ends.map(({ attributes }) => attributes['error.type'])).toEqual(['503', 'ERR_UNDAUNTED_GATE_SHUT']);
  const refusals = await telemetry.points('undaunted.refusals');
  expect(refusals).toMatchObject([
    { value: 1, attributes: { 'undaunted.reason': 'gate-shut', 'undaunted.enforced': true } },
  ]);
});

test('a request that a gate would refuse is counted, too', async () => {
  const telemetry = openTelemetry();
  const lab = await openLab([answer(503), answer(200)]);
  const gate = { failures: 1, deadForMs: 0, enforce: false };
  const dispatcher = retryingAgent(createRetrier({ maxRetries: 0, gate }));
  for (let request = 0; request < 2; request += 1) {
    await (await undici.request(lab.origin, { dispatcher })).body.dump();
  }
  expect(await telemetry.total('undaunted.attempts')).toBe(2);
  expect(await telemetry.points('undaunted.refusals')).toMatchObject([
    { value: 1, attributes: { 'undaunted.reason': 'gate-shut', 'undaunted.enforced': false } },
  ]);
});

test('every client and every retrier is seen', async () => {
  const telemetry = openTelemetry();
  const lab = await openLab([answer(503), answer(200), answer(503), answer(200)]);
  await get(lab.origin);
  await retryingInstance(soon).get(lab.origin);
  expect(await telemetry.total('undaunted.retries')).toBe(2);
  expect(await telemetry.total('undaunted.attempts')).toBe(4);
});

test('a server that is down still has its name', async () => {
  const telemetry = openTelemetry();
  const origin = await refusedOrigin();
  await get(origin, { ...soon, maxRetries: 1 });
  const [stop] = await telemetry.points('undaunted.stops');
  expect(stop?.attributes).toMatchObject({
    ...serverOf(origin),
    'error.type': 'ECONNREFUSED',
    'undaunted.reason': 'retries-spent',
  });
});

test('a hedged request counts its hedge, and whether it won', async () => {
  const telemetry = openTelemetry();
  const settled = { type: 'settled', rule: 'search', scope: 'https://a.example', attempts: 2, outcome: 200 };
  const request = { method: 'GET', url: 'https://a.example/search' };
  for (const hedgeWon of [true, false, true, undefined]) {
    channel('undaunted:decision').publish({
      ...settled,
      request,
      elapsedMs: 1,
      ...(hedgeWon !== undefined && { hedgeWon }),
    });
  }
  const about = {
    'http.request.method': 'GET',
    'server.address': 'a.example',
    'server.port': 443,
    'undaunted.rule': 'search',
  };
  expect(await telemetry.points('undaunted.hedges')).toEqual([
    { attributes: { ...about, 'undaunted.hedge.won': true }, value: 2 },
    { attributes: { ...about, 'undaunted.hedge.won': false }, value: 1 },
  ]);
  expect(await telemetry.total('undaunted.attempts')).toBe(8);
});

test('units follow the conventions, and waits have buckets in seconds', async () => {
  const telemetry = openTelemetry();
  retriedOnce(createRetrier(), {});
  const metrics = await telemetry.metrics();
  expect(Object.fromEntries(metrics.map(({ descriptor }) => [descriptor.name, descriptor.unit]))).toEqual({
    'undaunted.attempts': '{attempt}',
    'undaunted.retries': '{retry}',
    'undaunted.stops': '{stop}',
    'undaunted.wait.duration': 's',
    'undaunted.request.duration': 's',
  });
  const waits = metrics.find(({ descriptor }) => descriptor.name === 'undaunted.wait.duration');
  const { boundaries } = (waits as HistogramMetricData).dataPoints[0]?.value.buckets ?? {};
  expect([boundaries?.at(0), boundaries?.at(-1)]).toEqual([0.01, 300]);
});

describe('attributes have few values, however many there are of', () => {
  test('servers, each with its port', async () => {
    const telemetry = openTelemetry({ maxValues: 2 });
    const retrier = createRetrier();
    for (const origin of [
      'https://a.example',
      'http://b.example',
      'https://c.example',
      'https://d.example:81',
    ]) {
      retriedOnce(retrier, { origin });
    }
    retriedOnce(retrier, { origin: 'https://a.example' });
    const points = await telemetry.points('undaunted.attempts');
    expect(
      points.map(({ attributes, value }) => [attributes['server.address'], attributes['server.port'], value]),
    ).toEqual([
      ['a.example', 443, 4],
      ['b.example', 80, 2],
      ['_OTHER', undefined, 4],
    ]);
  });

  test('paths: none', async () => {
    const telemetry = openTelemetry();
    const retrier = createRetrier();
    for (let id = 0; id < 10; id += 1) retriedOnce(retrier, { path: `/things/${id}` });
    expect(await telemetry.points('undaunted.attempts')).toHaveLength(1);
  });

  test('rules', async () => {
    const telemetry = openTelemetry({ maxValues: 2 });
    for (const name of ['one', 'two', 'three', 'four', 'one']) {
      retriedOnce(createRetrier({ rules: [{ match: '/*', name }] }), {});
    }
    const points = await telemetry.points('undaunted.attempts');
    expect(points.map(({ attributes, value }) => [attributes['undaunted.rule'], value])).toEqual([
      ['one', 4],
      ['two', 2],
      ['_OTHER', 4],
    ]);
  });

  test('errors', async () => {
    const telemetry = openTelemetry({ maxValues: 2 });
    for (const code of ['E1', 'E2', 'E3', 'E4']) {
      createRetrier()
        .open(requestOf())
        .next(failed(errorWith({ code })), { replayable: true });
    }
    const points = await telemetry.points('undaunted.stops');
    expect(points.map(({ attributes, value }) => [attributes['error.type'], value])).toEqual([
      ['E1', 1],
      ['E2', 1],
      ['_OTHER', 2],
    ]);
  });

  test('statuses: an invalid one is left out', async () => {
    const telemetry = openTelemetry();
    const statuses = [200, 999, 0, 1_000, 1e9, 404.5, Number.NaN];
    for (const status of statuses)
      createRetrier().open(requestOf()).next(answered(status), { replayable: true });
    const points = await telemetry.points('undaunted.request.duration');
    expect(points.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([
      200,
      999,
      undefined,
    ]);
  });

  test('methods', async () => {
    const telemetry = openTelemetry();
    const retrier = createRetrier({ idempotent: true });
    for (const method of ['get', 'QUERY', 'BREW', 'WHEN']) retriedOnce(retrier, { method });
    const points = await telemetry.points('undaunted.attempts');
    expect(points.map(({ attributes, value }) => [attributes['http.request.method'], value])).toEqual([
      ['GET', 2],
      ['QUERY', 2],
      ['_OTHER', 4],
    ]);
  });
});

test('a server that the client does not know has no name', async () => {
  const telemetry = openTelemetry();
  retriedOnce(createRetrier(), { origin: undefined });
  retriedOnce(createRetrier(), { origin: 'unix:///var/run/a.sock' });
  const points = await telemetry.points('undaunted.attempts');
  expect(points.map(({ attributes, value }) => [attributes['server.address'], value])).toEqual([
    [undefined, 4],
  ]);
});

test('a provider may be given, and what instrument() returns ends it', async () => {
  const telemetry = new Telemetry();
  onTestFinished(() => telemetry.meterProvider.shutdown());
  const undo = instrument({ meterProvider: telemetry.meterProvider });
  const retrier = createRetrier();
  retriedOnce(retrier, {});
  undo();
  retriedOnce(retrier, {});
  expect(await telemetry.total('undaunted.attempts')).toBe(2);
});

describe('a process that is instrumented twice', () => {
  test('is counted once by each provider, as long as one instrumentation is active', async () => {
    const [telemetry, other] = [new Telemetry(), new Telemetry()];
    const instrumented = [telemetry, telemetry, other].map(({ meterProvider }) => {
      const undo = instrument({ meterProvider });
      onTestFinished(undo);
      return undo;
    });
    for (const { meterProvider } of [telemetry, other]) onTestFinished(() => meterProvider.shutdown());
    const retrier = createRetrier();
    retriedOnce(retrier, {});
    instrumented[0]?.();
    retriedOnce(retrier, {});
    instrumented[1]?.();
    retriedOnce(retrier, {});
    expect(await telemetry.total('undaunted.attempts')).toBe(4);
    expect(await other.total('undaunted.attempts')).toBe(6);
  });

  test('shows the retriers of both', async () => {
    const [one, two] = [createRetrier(), createRetrier()];
    const telemetry = openTelemetry({ retriers: { one } });
    onTestFinished(instrument({ retriers: { two } }));
    for (const retrier of [one, two]) retriedOnce(retrier, {});
    const points = await telemetry.points('undaunted.budget.tokens');
    expect(points.map(({ attributes }) => attributes['undaunted.retrier'])).toEqual(['one', 'two']);
  });
});

test('the gauges of concurrency show what is in flight and what waits, and 0 once the scope is forgotten', async () => {
  const telemetry = openTelemetry();
  const retrier = createRetrier({ concurrency: 1 });
  onTestFinished(instrument({ meterProvider: telemetry.meterProvider, retriers: { api: retrier } }));
  const [first, second] = [retrier.open(requestOf()), retrier.open(requestOf())];
  for (const session of [first, second]) session?.admit();
  const attributes = { 'undaunted.retrier': 'api', 'undaunted.scope': 'https://api.example.com' };
  expect(await telemetry.points('undaunted.concurrency.in_flight')).toEqual([{ attributes, value: 1 }]);
  expect(await telemetry.points('undaunted.concurrency.waiting')).toEqual([{ attributes, value: 1 }]);
  second?.abandon();
  first?.acceptAtOnce(200);
  first?.bodyEnded();
  expect(await telemetry.points('undaunted.concurrency.in_flight')).toEqual([{ attributes, value: 0 }]);
  expect(await telemetry.points('undaunted.concurrency.waiting')).toEqual([{ attributes, value: 0 }]);
});

test('a refusal by concurrency is counted by its reason', async () => {
  const telemetry = openTelemetry();
  const retrier = createRetrier({ concurrency: { limit: 1, maxWaiting: 0 }, observe: () => undefined });
  retrier.open(requestOf()).admit();
  const refused = retrier.open(requestOf());
  expect(refused.admit().kind).toBe('refuse');
  refused.abandon(new Error('refused'));
  const [point] = await telemetry.points('undaunted.refusals');
  expect(point).toMatchObject({
    attributes: { 'undaunted.reason': 'crowded', 'undaunted.enforced': true },
    value: 1,
  });
});
