/** Two attempts of one fetch at the same time, for every fetch that there is: platforms', packages', mocks. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf, type PolicyOptions } from '../../../src/index.js';
import { answer, type Lab, type Play, silence } from '../../faults/lab.js';
import { openLab, settled } from '../kit.js';
import { type Hedging, hedgeMs, hedging, onCue } from '../suites/hedged.js';
import { openAgent } from '../undici/kit.js';
import { nodeFetch, undiciFetch } from './client.js';

type Stage = Pick<Hedging, 'time' | 'retrier' | 'told'>;

function stage(policy: PolicyOptions = {}): Stage {
  const { time, retrier, told } = hedging({ client: () => () => Promise.reject() }, policy);
  return { time, retrier, told };
}

async function untilHedged({ time }: Stage, lab: Lab): Promise<void> {
  await lab.until(({ requests }) => requests.length === 1);
  await time.fire(hedgeMs);
  await lab.until(({ requests }) => requests.length === 2);
}

const slow: readonly Play[] = [onCue('first', answer(200, 'first')), onCue('hedge', answer(200, 'hedge'))];
const puts: PolicyOptions = { hedge: { afterMs: hedgeMs, methods: ['GET', 'PUT'] } };

afterEach(() => vi.unstubAllGlobals());

describe.each([
  ["Node's own", nodeFetch],
  ["undici's", undiciFetch],
] as const)('%s fetch', (_name, doFetch) => {
  test.each<[string, () => BodyInit]>([
    ['a string', () => 'some text'],
    ['bytes', () => new Uint8Array([1, 2, 3, 4, 5])],
    ['a Blob', () => new Blob(['a blob'])],
    ['URLSearchParams', () => new URLSearchParams('a=1&b=2')],
  ])('sends a body twice at once: %s', async (_what, make) => {
    const lab = await openLab(slow);
    const it = stage(puts);
    const asked = withRetry(doFetch, it.retrier)(lab.origin, { method: 'PUT', body: make() });
    await untilHedged(it, lab);
    await lab.until(({ requests }) => requests.every(({ complete }) => complete));
    lab.cue('hedge');
    expect(await (await asked).text()).toBe('hedge');
    const [one, other] = lab.requests.map(({ body }) => body.toString('latin1'));
    expect(one?.length).toBeGreaterThan(3);
    expect(other).toBe(one);
    lab.cue('first');
    await it.time.until(({ pending }) => pending.length === 0);
  });

  test.each<[string, (origin: string) => [input: unknown, init?: object]]>([
    ['a stream', (origin) => [origin, { method: 'PUT', body: new Blob(['x']).stream(), duplex: 'half' }]],
    ['a function', (origin) => [origin, { method: 'PUT', body: () => 'made' }]],
  ])('does not send such a body twice at once: %s', async (_what, make) => {
    const lab = await openLab(slow);
    const it = stage(puts);
    const [input, init] = make(lab.origin);
    const asked = (withRetry(doFetch, it.retrier) as typeof fetch)(input as string, init);
    await lab.until(({ requests }) => requests[0]?.complete === true);
    expect(it.time.pending).toEqual([]);
    lab.cue('first');
    expect(await (await asked).text()).toBe('first');
  });

  test('what the caller does with its objects meanwhile does not change the hedge', async () => {
    const lab = await openLab(slow);
    const it = stage();
    const url = new URL('/a', lab.origin);
    const init = { headers: { 'x-mine': 'before' } };
    const asked = withRetry(doFetch, it.retrier)(url, init);
    await lab.until(({ requests }) => requests.length === 1);
    url.pathname = '/b';
    init.headers['x-mine'] = 'after';
    await it.time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    expect(lab.requests.map(({ path }) => path)).toEqual(['/a', '/a']);
    expect(lab.requests.map(({ headers }) => headers['x-mine'])).toEqual(['before', 'before']);
    lab.cue('hedge');
    expect(await (await asked).text()).toBe('hedge');
    lab.cue('first');
    await it.time.until(({ pending }) => pending.length === 0);
  });

  test('the body of the answer that wins is read after the loser is gone, and its abort still counts', async () => {
    const lab = await openLab([
      silence(),
      {
        steps: [
          { do: 'head', status: 200 },
          { do: 'fill', bytes: 'endless' },
        ],
      },
    ]);
    const it = stage();
    const caller = new AbortController();
    const asked = withRetry(doFetch, it.retrier)(lab.origin, { signal: caller.signal });
    await untilHedged(it, lab);
    const { body } = await asked;
    await it.time.fire(it.time.pending[0] ?? 0);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).done).toBe(false);
    const reason = new Error('enough');
    caller.abort(reason);
    await expect(
      (async () => {
        for (;;) await reader.read();
      })(),
    ).rejects.toBe(reason);
  });
});

describe('a Request', () => {
  test('without a body is sent twice at once', async () => {
    const lab = await openLab(slow);
    const it = stage({ attemptHeader: 'x-attempt' });
    const request = new Request(lab.origin, { headers: { 'x-mine': '1' } });
    const asked = withRetry(nodeFetch, it.retrier)(request);
    await untilHedged(it, lab);
    expect(lab.requests.map(({ headers }) => headers['x-mine'])).toEqual(['1', '1']);
    expect(lab.requests.map(({ headers }) => headers['x-attempt'])).toEqual([undefined, '1']);
    lab.cue('first');
    expect(await (await asked).text()).toBe('first');
    lab.cue('hedge');
    await it.time.until(({ pending }) => pending.length === 0);
  });

  test('with a body of its own is not', async () => {
    const lab = await openLab(slow);
    const it = stage(puts);
    const request = new Request(lab.origin, { method: 'PUT', body: 'its own' });
    const asked = withRetry(nodeFetch, it.retrier)(request);
    await lab.until(({ requests }) => requests[0]?.complete === true);
    expect(it.time.pending).toEqual([]);
    lab.cue('first');
    expect(await (await asked).text()).toBe('first');
  });
});

/** Calls of a fetch that answers when the test says so. */
function opened() {
  const calls: { init: RequestInit; resolve(given: unknown): void; reject(error: unknown): void }[] = [];
  const doFetch = (_input: unknown, init: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      calls.push({ init, resolve: resolve as (given: unknown) => void, reject });
    });
  return { calls, doFetch };
}

describe('a mock', () => {
  test('that ignores its signal: the answer of the loser is dropped, however late it is', async () => {
    const { calls, doFetch } = opened();
    const it = stage();
    const asked = withRetry(doFetch, it.retrier)('http://127.0.0.1/');
    await it.time.fire(hedgeMs);
    calls[1]?.resolve(new Response('hedge'));
    expect(await (await asked).text()).toBe('hedge');
    await it.time.fire(it.time.pending[0] ?? 0);
    expect(calls[0]?.init.signal?.aborted).toBe(true);
    const late = new Response('late');
    calls[0]?.resolve(late);
    await new Promise(setImmediate);
    expect(it.time.pending).toEqual([]);
    await it.time.until(({ pending }) => pending.length === 0);
  });

  test.each([
    ['nothing', undefined],
    ['an answer without a status', { odd: true }],
    ['an opaque answer', { status: 0, headers: new Headers() }],
  ])('that answers with %s: the caller gets it as it is', async (_what, given) => {
    const { calls, doFetch } = opened();
    const it = stage();
    const asked = withRetry(doFetch, it.retrier)('http://127.0.0.1/');
    await it.time.fire(hedgeMs);
    calls[1]?.resolve(given);
    expect(await asked).toBe(given);
    expect(calls[0]?.init.signal?.aborted).toBe(true);
    expect(it.time.pending).toEqual([]);
  });

  test('whose promise is of a class of its own, or that throws, or that answers at once', async () => {
    const settledLater = (given: unknown) => ({
      // biome-ignore lint/suspicious/noThenProperty: this is what such a promise is.
      then: (resolve: (value: unknown) => void) => void setTimeout(resolve, 0, given),
    });
    const answers = [
      () => new Promise(() => undefined),
      () => settledLater(new Response('later')),
      () => {
        throw new TypeError('fetch failed');
      },
      () => new Response('at once'),
    ];
    for (const second of [1, 3]) {
      const plays = [answers[0], answers[second]];
      const doFetch = (() => plays.shift()?.()) as unknown as typeof fetch;
      const it = stage();
      const asked = withRetry(doFetch, it.retrier)('http://127.0.0.1/');
      await it.time.fire(hedgeMs);
      expect((await asked).status).toBe(200);
      await it.time.fire(it.time.pending[0] ?? 0);
    }
    const { calls, doFetch } = opened();
    const throwing = ((input: unknown, init: RequestInit) =>
      calls.length === 0 ? doFetch(input, init) : answers[2]?.()) as typeof fetch;
    const it = stage();
    const asked = withRetry(throwing, it.retrier)('http://127.0.0.1/');
    await it.time.fire(hedgeMs);
    await new Promise(setImmediate);
    calls[0]?.resolve(new Response('first'));
    expect(await (await asked).text()).toBe('first');
    expect(it.time.pending).toEqual([]);
  });

  test('on a platform without AbortSignal.any: the caller still ends both', async () => {
    vi.stubGlobal('AbortSignal', { ...AbortSignal, any: undefined });
    const { calls, doFetch } = opened();
    const it = stage();
    const caller = new AbortController();
    const asked = settled(withRetry(doFetch, it.retrier)('http://127.0.0.1/', { signal: caller.signal }));
    await it.time.fire(hedgeMs);
    const reason = new Error('enough');
    caller.abort(reason);
    expect((await asked).error).toBe(reason);
    expect(calls.map(({ init }) => init.signal?.aborted)).toEqual([true, true]);
    expect(it.time.pending).toEqual([]);
  });
});

describe('in a browser, which lets a second GET wait for the first one', () => {
  test.each<[string, RequestInit, unknown]>([
    ['does not ask the cache', {}, 'reload'],
    ['keeps the cache mode that the caller set', { cache: 'no-store' }, 'no-store'],
    ['is as the first one for another method', { method: 'HEAD' }, undefined],
  ])('the hedge %s', async (_what, init, cache) => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/149' });
    const { calls, doFetch } = opened();
    const it = stage();
    const asked = withRetry(doFetch, it.retrier)('http://127.0.0.1/', init);
    await it.time.fire(hedgeMs);
    expect(calls.map((call) => call.init.cache)).toEqual([init.cache, cache]);
    calls[1]?.resolve(new Response('hedge'));
    await asked;
  });
});

test('a hedge that waits for the connection of a failed answer gets it', async () => {
  const lab = await openLab([onCue('first', answer(503, 'busy')), answer(200, 'hedge')]);
  const it = stage();
  const dispatcher = openAgent({ connections: 1 });
  const through = ((url, init) => undiciFetch(url, { ...init, dispatcher } as RequestInit)) as typeof fetch;
  const asked = withRetry(through, it.retrier)(lab.origin);
  await lab.until(({ requests }) => requests.length === 1);
  await it.time.fire(hedgeMs);
  lab.cue('first');
  await it.time.fire(hedgeMs);
  expect(await (await asked).text()).toBe('hedge');
  expect(lab.connections).toBe(1);
  await it.time.until(({ pending }) => pending.length === 0);
});

test('over a dispatcher that retries and hedges, only the outer layer hedges', async () => {
  const lab = await openLab(slow);
  const [outer, inner] = [stage(), stage()];
  const dispatcher = openAgent().compose(retry(inner.retrier));
  const through = ((url, init) => undiciFetch(url, { ...init, dispatcher } as RequestInit)) as typeof fetch;
  const asked = withRetry(through, outer.retrier)(lab.origin);
  await untilHedged(outer, lab);
  expect(inner.time.pending).toEqual([]);
  lab.cue('hedge');
  const answered = await asked;
  expect(await answered.text()).toBe('hedge');
  expect(historyOf(answered)).toHaveLength(2);
  expect(inner.told.filter((line) => line.startsWith('hedge'))).toEqual([]);
  lab.cue('first');
  await outer.time.until(({ pending }) => pending.length === 0);
});
