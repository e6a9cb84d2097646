/** Decisions on the caller's span, beside the client span of each attempt from undici's own instrumentation. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { withRetry } from '../../src/adapters/fetch/index.js';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import { createRetrier, type Retrier } from '../../src/index.js';
import { instrument, resendCount } from '../../src/otel/index.js';
import { retryingInstance } from '../adapters/axios/kit.js';
import { openLab, soon } from '../adapters/kit.js';
import { undici } from '../adapters/undici/client.js';
import { openAgent, retryingAgent } from '../adapters/undici/kit.js';
import { answer } from '../faults/plays.js';
import { answered, requestOf } from '../kit.js';
import { openTelemetry, Telemetry } from './kit.js';

let telemetry: Telemetry;

beforeEach(() => {
  telemetry = openTelemetry();
});

/** undici's own instrumentation, as an application configures it. */
function instrumentUndici(attemptHeader?: string): void {
  const instrumentation = new UndiciInstrumentation({ requestHook: resendCount(attemptHeader) });
  instrumentation.setTracerProvider(telemetry.tracerProvider);
  instrumentation.setMeterProvider(telemetry.meterProvider);
  onTestFinished(() => instrumentation.disable());
}

async function get(url: string, policy: PolicyOptions): Promise<void> {
  const { body } = await undici.request(url, { dispatcher: retryingAgent({ ...soon, ...policy }) });
  await body.dump();
}

/** OpenTelemetry's own diagnostics. */
function listenToDiagnostics(): unknown[] {
  const said: unknown[] = [];
  const say = (message: string): void => void said.push(message);
  diag.setLogger({ error: say, warn: say, info: say, debug: say, verbose: say }, DiagLogLevel.WARN);
  onTestFinished(() => diag.disable());
  return said;
}

type Send = (retrier: Retrier) => (url: string) => Promise<unknown>;

const clients: readonly (readonly [client: string, send: Send])[] = [
  [
    'undici',
    (retrier) => {
      const dispatcher = retryingAgent(retrier);
      return async (url) => (await undici.request(url, { dispatcher })).body.dump();
    },
  ],
  [
    'axios',
    (retrier) => {
      const instance = retryingInstance(retrier);
      return (url) => instance.get(url);
    },
  ],
  [
    'fetch',
    (retrier) => {
      const dispatcher = openAgent();
      const send = withRetry(undici.fetch as unknown as typeof fetch, retrier);
      return async (url) => (await send(url, { dispatcher } as object)).text();
    },
  ],
];

const hedgeMs = 20;

/**
 * A server that answers hedges, but of the other requests only the first one, whichever arrives first; and a client that
 * may hedge.
 */
async function hedgedOver(send: Send): Promise<{ readonly origin: string; readonly ask: ReturnType<Send> }> {
  let firsts = 0;
  const server = createServer(({ headers }, response) => {
    if (headers['retry-attempt'] === undefined) firsts += 1;
    if (headers['retry-attempt'] !== undefined || firsts === 1) response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rules = [{ match: '/*', name: 'search', hedge: { afterMs: hedgeMs, share: 1 } }];
  const ask = send(createRetrier({ attemptHeader: true, rules }));
  // A success pays for a hedge.
  await ask(origin);
  return { origin, ask };
}

function named(name: string): ReadableSpan {
  const span = telemetry.spans.find((one) => one.name === name);
  if (span === undefined) throw new Error(`no span is called ${name}`);
  return span;
}

function resendCounts(): unknown[] {
  return telemetry.spans
    .filter(({ name }) => name === 'GET')
    .map(({ attributes }) => attributes['http.request.resend_count']);
}

describe('an event on the active span', () => {
  test('for each decision, with its facts', async () => {
    const lab = await openLab([answer(503), answer(429, '', { 'retry-after': '0.005' }), answer(404)]);
    const rules = [{ match: '/things/:id', name: 'things' }];
    await telemetry.inSpan('caller', () =>
      get(`${lab.origin}/things/1?page=2`, { rules, hintJitter: 0, hints: 'common' }),
    );
    const { events } = named('caller');
    expect(events.map(({ name }) => name)).toEqual(['undaunted.retry', 'undaunted.retry', 'undaunted.stop']);
    const request = {
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(lab.origin).port),
      'undaunted.rule': 'things',
      'undaunted.scope': lab.origin,
      'url.full': `${lab.origin}/things/1`,
    };
    expect(events[0]?.attributes).toEqual({
      ...request,
      'http.response.status_code': 503,
      'error.type': '503',
      'http.request.resend_count': 1,
      'undaunted.attempt': 1,
      'undaunted.reason': 'transient-status',
      'undaunted.wait.duration': 0.001,
      'undaunted.wait.from': 'schedule',
      'undaunted.explanation': 'Retry 1 in 1 ms (schedule): the server answered 503 (transient).',
    });
    expect(events[1]?.attributes).toMatchObject({
      'http.request.resend_count': 2,
      'undaunted.reason': 'throttled',
    });
    expect(events[2]?.attributes).toEqual({
      ...request,
      'http.response.status_code': 404,
      'error.type': '404',
      'undaunted.attempt': 3,
      'undaunted.reason': 'final-status',
      'undaunted.explanation': expect.stringMatching(/^No retry after attempt 3: the server answered 404/),
    });
  });

  test.each(clients)('for a hedge, with its number and its delay: %s', async (_client, send) => {
    const { origin, ask } = await hedgedOver(send);
    await telemetry.inSpan('caller', () => ask(`${origin}/search?q=cats`));
    const { events } = named('caller');
    expect(events.map(({ name }) => name)).toEqual(['undaunted.hedge', 'undaunted.stop']);
    expect(events[0]?.attributes).toEqual({
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(origin).port),
      'undaunted.rule': 'search',
      'undaunted.scope': origin,
      'url.full': `${origin}/search`,
      'undaunted.attempt': 2,
      'http.request.resend_count': 1,
      'undaunted.hedge.delay': expect.any(Number),
    });
    expect(events[0]?.attributes?.['undaunted.hedge.delay']).toBeGreaterThanOrEqual(hedgeMs / 1_000);
    expect(events[1]?.attributes).toMatchObject({ 'undaunted.reason': 'success', 'undaunted.attempt': 2 });
  });

  test('of its own caller, whatever else is under way on the same connections', async () => {
    const lab = await openLab(answer(503));
    const dispatcher = retryingAgent({ ...soon, maxRetries: 2 }, { connections: 1 });
    const instance = retryingInstance({ ...soon, maxRetries: 1 });
    const paths = ['/a', '/b', '/c'];
    const asked = paths.map((path) =>
      telemetry.inSpan(path, async () => {
        const { body } = await undici.request(lab.origin + path, { dispatcher });
        await body.dump();
        await instance.get(lab.origin + path, { validateStatus: null });
      }),
    );
    await Promise.all(asked);
    for (const path of paths) {
      const urls = named(path).events.map(({ attributes }) => attributes?.['url.full']);
      // Three decisions through undici, and two through axios.
      expect(urls).toEqual(Array.from({ length: 5 }, () => lab.origin + path));
    }
  });

  test('once, however often it is instrumented', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const other = new Telemetry();
    onTestFinished(() => other.meterProvider.shutdown());
    onTestFinished(instrument());
    onTestFinished(instrument({ meterProvider: other.meterProvider }));
    await telemetry.inSpan('caller', () => get(lab.origin, {}));
    expect(named('caller').events.map(({ name }) => name)).toEqual(['undaunted.retry', 'undaunted.stop']);
  });

  test('with a path, where the client cannot tell the origin', async () => {
    const facts = requestOf({ origin: undefined, path: '/things/1?page=2' });
    await telemetry.inSpan('caller', async () =>
      createRetrier().open(facts).next(answered(404), { replayable: true }),
    );
    const [event] = named('caller').events;
    expect(event?.attributes).toMatchObject({ 'url.path': '/things/1' });
    expect(event?.attributes).not.toHaveProperty(['url.full']);
  });

  test('and none where there is no span, or one that has ended', async () => {
    const lab = await openLab([answer(503), answer(200), answer(503), answer(200)]);
    const complaints = listenToDiagnostics();
    await get(lab.origin, {});
    const late = await telemetry.inSpan('ended', async () => ({ request: get(lab.origin, {}) }));
    await late.request;
    expect(lab.requests).toHaveLength(4);
    expect(telemetry.spans.map(({ name, events }) => [name, events.length])).toEqual([['ended', 0]]);
    expect(complaints).toEqual([]);
  });
});

describe('a client span for each attempt', () => {
  test('is a child of the caller’s, and nothing is between them', async () => {
    instrumentUndici();
    const lab = await openLab([answer(503), answer(503), answer(200)]);
    await telemetry.inSpan('caller', () => get(lab.origin, {}));
    const caller = named('caller');
    const attempts = telemetry.spans.filter((span) => span !== caller);
    expect(
      attempts.map(({ name, attributes, parentSpanContext }) => [
        name,
        attributes['http.response.status_code'],
        parentSpanContext?.spanId,
      ]),
    ).toEqual([503, 503, 200].map((status) => ['GET', status, caller.spanContext().spanId]));
  });

  test('has the number of the retry, and the first has none', async () => {
    instrumentUndici();
    const lab = await openLab([answer(503), answer(503), answer(200)]);
    await get(lab.origin, { attemptHeader: true });
    expect(resendCounts()).toEqual([undefined, 1, 2]);
  });

  test('has it also where attempts queue for a connection', async () => {
    instrumentUndici();
    const lab = await openLab(answer(503));
    const policy = { ...soon, maxRetries: 2, attemptHeader: true };
    const dispatcher = retryingAgent(policy, { connections: 1 });
    const ask = async (): Promise<void> => (await undici.request(lab.origin, { dispatcher })).body.dump();
    await Promise.all([ask(), ask(), ask(), ask()]);
    expect(resendCounts().sort()).toEqual([
      ...Array.from({ length: 4 }, () => 1),
      ...Array.from({ length: 4 }, () => 2),
      ...Array.from({ length: 4 }, () => undefined),
    ]);
  });

  // axios goes through another instrumentation: see `resend-count.test.ts`.
  test.each(clients.filter(([client]) => client !== 'axios'))(
    'has it as a hedge, too: %s',
    async (_, send) => {
      instrumentUndici();
      const { origin, ask } = await hedgedOver(send);
      await ask(origin);
      expect(resendCounts().at(-1)).toBe(1);
    },
  );

  test('has it under a header of another name', async () => {
    instrumentUndici('X-Resend');
    const lab = await openLab([answer(503), answer(200)]);
    await get(lab.origin, { attemptHeader: 'X-Resend' });
    expect(resendCounts()).toEqual([undefined, 1]);
  });

  test('has it through fetch', async () => {
    instrumentUndici();
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const dispatcher = retryingAgent({ ...soon, attemptHeader: true });
    await (await undici.fetch(lab.origin, { dispatcher })).text();
    expect(resendCounts()).toEqual([undefined, 1]);
  });
});
