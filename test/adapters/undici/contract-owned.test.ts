/** The caller's own objects stay the caller's: never changed, sent whole each time, and free to be used again. */

import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import { answer, closeAfter, refusedOrigin } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { native, outcomeOf } from './generations.js';
import { openAgent, retryingAgent } from './kit.js';

describe('what the caller owns', () => {
  /** Every setting that may touch the headers of an attempt. */
  const busy: PolicyOptions = {
    ...soon,
    idempotencyKey: true,
    attemptHeader: true,
    beforeRetry: (context) => {
      context.headers['authorization'] = 'fresh';
    },
  };

  const forms: [string, () => object][] = [
    ['an object', () => ({ 'X-Mine': 'mine', 'x-list': ['a', 'b'], Authorization: 'stale' })],
    ['a flat list', () => ['X-Mine', 'mine', 'x-list', 'a', 'x-list', 'b', 'Authorization', 'stale']],
    [
      'a Map',
      () =>
        new Map<string, string | string[]>([
          ['X-Mine', 'mine'],
          ['x-list', ['a', 'b']],
          ['Authorization', 'stale'],
        ]),
    ],
    [
      'Headers',
      () =>
        new Headers([
          ['X-Mine', 'mine'],
          ['x-list', 'a'],
          ['x-list', 'b'],
          ['Authorization', 'stale'],
        ]),
    ],
  ];

  test.each(forms)('is never changed, and sent whole each time: headers as %s', async (_name, make) => {
    const lab = await openLab([closeAfter(answer(503)), answer(429), answer(200)]);
    const headers = make();
    const options = freeze({
      origin: lab.origin,
      path: '/things',
      method: 'POST',
      headers: headers instanceof Map || headers instanceof Headers ? headers : freeze(headers),
      body: 'hello',
      query: freeze({ q: '1' }),
      retry: freeze({ maxRetries: 5 }),
    });
    const before = snapshot(options);
    const { error } = await outcomeOf(retryingAgent(busy), options as Dispatcher.DispatchOptions, 2);
    expect(error).toBeUndefined();
    expect(snapshot(options)).toEqual(before);
    expect(lab.requests.map(({ path }) => path)).toEqual(Array(3).fill('/things?q=1'));
    expect(lab.requests.map(({ headers: sent }) => [sent['x-mine'], sent['x-list']])).toEqual(
      Array(3).fill(['mine', 'a, b']),
    );
    expect(lab.requests.map(({ headers: sent }) => sent['authorization'])).toEqual([
      'stale',
      'fresh',
      'fresh',
    ]);
    expect(lab.requests.map(({ headers: sent }) => sent['retry-attempt'])).toEqual([undefined, '1', '2']);
    expect(new Set(lab.requests.map(({ headers: sent }) => sent['idempotency-key'])).size).toBe(1);
  });

  const mine: [string, () => object][] = [
    ['an object', () => ({ 'x-mine': 'mine' })],
    ['a flat list', () => ['x-mine', 'mine']],
    ['a Map', () => new Map([['x-mine', 'mine']])],
    ['Headers', () => new Headers({ 'x-mine': 'mine' })],
  ];

  /** Writes into the headers that it gets, as careless interceptors underneath do. */
  function scribble(headers: object): void {
    if (headers instanceof Map || headers instanceof Headers) headers.set('x-theirs', 'theirs');
    else if (Array.isArray(headers)) headers.push('x-theirs', 'theirs');
    else Object.assign(headers, { 'x-theirs': 'theirs' });
  }

  test.each(mine)('interceptors change it no more than without us: headers as %s', async (_name, make) => {
    const others: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
      const { headers } = options;
      if (headers !== undefined && headers !== null) scribble(headers as object);
      return dispatch(options, handler);
    };
    const lab = await openLab((request) =>
      request.number % 4 === 0 ? answer(200) : closeAfter(answer(503)),
    );
    for (const policy of [soon, { ...soon, beforeRetry: () => undefined }]) {
      const [bare, ours] = [make(), make()];
      const options = { origin: lab.origin, path: '/', method: 'GET' } as const;
      scribble(bare);
      const { error } = await outcomeOf(
        openAgent().compose(others, retry(policy)),
        { ...options, headers: ours as never },
        2,
      );
      expect(error).toBeUndefined();
      // If a hook may see the headers, not even the first attempt writes into them.
      expect(snapshot(ours)).toEqual(snapshot('beforeRetry' in policy ? make() : bare));
    }
    expect(lab.requests).toHaveLength(8);
    for (const { headers: sent } of lab.requests) expect(sent['x-mine']).toBe('mine');
  });

  test('may be used for many requests at once', async () => {
    const lab = await openLab((request) => (request.number <= 4 ? closeAfter(answer(503)) : answer(200)));
    const dispatcher = retryingAgent({ ...busy, maxRetries: 9 });
    const options = freeze({ origin: lab.origin, path: '/', method: 'POST' as const, body: 'hello' });
    const responses = await Promise.all([1, 2, 3, 4].map(() => dispatcher.request(options)));
    for (const { statusCode, body } of responses) {
      expect(statusCode).toBe(200);
      await body.dump();
    }
    expect(new Set(lab.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(4);
  });

  test('may be an object that inherits its values', async () => {
    const lab = await openLab([closeAfter(answer(503)), answer(200)]);
    const options: Dispatcher.DispatchOptions = Object.create({
      origin: lab.origin,
      path: '/inherited',
      method: 'PUT',
      body: 'hello',
    });
    const bare = await outcomeOf(openAgent(), options, native);
    expect(bare.error).toBeUndefined();
    lab.play([closeAfter(answer(503)), answer(200)]);
    const policies = [soon, { ...busy, beforeRetry: () => undefined }, busy];
    const ways = policies.flatMap((policy) =>
      ([1, 2] as const).map((generation) => ({ policy, generation })),
    );
    for (const { policy, generation } of ways) {
      lab.play([closeAfter(answer(503)), answer(200)]);
      const ours = await outcomeOf(retryingAgent(policy), options, generation);
      expect(ours.error).toBeUndefined();
      expect(lab.requests.map(({ method, path, body }) => [method, path, body.toString()])).toEqual(
        Array(2).fill(['PUT', '/inherited', 'hello']),
      );
    }
  });

  test.each([1, 2] as const)(
    'may be private to a class with getters, in generation %i',
    async (generation) => {
      class Private {
        readonly #given = { path: '/own', method: 'GET' as const, headers: { 'x-a': '1' } };
        readonly origin: string;
        constructor(origin: string) {
          this.origin = origin;
        }
        get path(): string {
          return this.#given.path;
        }
        get method(): Dispatcher.HttpMethod {
          return this.#given.method;
        }
        get headers(): Record<string, string> {
          return { ...this.#given.headers };
        }
      }
      const lab = await openLab(answer(200));
      const options = new Private(lab.origin);
      for (const policy of [soon, { ...busy, beforeRetry: () => undefined }, busy]) {
        lab.play([closeAfter(answer(503)), answer(200)]);
        const ours = await outcomeOf(retryingAgent(policy), options, generation);
        expect(ours.error).toBeUndefined();
        expect(lab.requests.map(({ path, headers }) => [path, headers['x-a']])).toEqual(
          Array(2).fill(['/own', '1']),
        );
      }
    },
  );

  test.each([1, 2] as const)('may be hidden from enumeration, in generation %i', async (generation) => {
    const lab = await openLab([closeAfter(answer(503)), answer(200)]);
    const options = Object.defineProperties({ origin: lab.origin, headers: { 'x-a': '1' } } as object, {
      path: { value: '/hidden' },
      method: { value: 'PUT' },
    }) as Dispatcher.DispatchOptions;
    const ours = await outcomeOf(retryingAgent(soon), options, generation);
    expect(ours.error).toBeUndefined();
    expect(lab.requests.map(({ method, path }) => [method, path])).toEqual(Array(2).fill(['PUT', '/hidden']));
  });

  test('reach the layers underneath with every key that request() passes on', async () => {
    const lab = await openLab(answer(200));
    const mark = Symbol('mark');
    const seen: object[] = [];
    const below: Parameters<Dispatcher['compose']>[0] = (dispatch) => (options, handler) => {
      seen.push(options);
      return dispatch(options, handler);
    };
    const headers = { 'x-a': '1' };
    const options = {
      origin: lab.origin,
      path: '/',
      method: 'GET' as const,
      headers,
      opaque: 7,
      [mark]: headers,
    };
    const { body } = await openAgent().compose(below, retry(soon)).request(freeze(options));
    await body.dump();
    const [{ [mark]: kept, opaque, ...given }] = seen as [Record<PropertyKey, unknown>];
    expect([kept, opaque, given['headers']]).toEqual([headers, 7, headers]);
    expect(kept).toBe(headers);
    expect(given['headers']).toBe(headers);
  });

  test('may be changed as soon as dispatch() has returned: the retry sends what was dispatched', async () => {
    const lab = await openLab(({ number }) => (number <= 2 ? closeAfter(answer(503)) : answer(200)));
    const dispatcher = retryingAgent();
    const options = { origin: lab.origin, path: '/first', method: 'DELETE' as Dispatcher.HttpMethod };
    const first = dispatcher.request(options);
    Object.assign(options, { path: '/second', method: 'GET' });
    const second = dispatcher.request(options);
    for (const { body } of await Promise.all([first, second])) await body.dump();
    expect(lab.requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'DELETE /first',
      'DELETE /first',
      'GET /second',
      'GET /second',
    ]);
  });

  test('options unknown to us reach the dispatcher underneath, in every attempt', async () => {
    const lab = await openLab([closeAfter(answer(503)), answer(200)]);
    const seen: unknown[] = [];
    const key = Symbol('of another interceptor');
    const options = { origin: lab.origin, path: '/', method: 'GET', theirs: 'x', [key]: 'y' } as const;
    const dispatcher = openAgent().compose(
      (dispatch) => (given, handler) => {
        seen.push([Reflect.get(given, 'theirs'), Reflect.get(given, key)]);
        return dispatch(given, handler);
      },
      retry(soon),
    );
    await outcomeOf(dispatcher, options, 2);
    expect(seen).toEqual([
      ['x', 'y'],
      ['x', 'y'],
    ]);
  });

  test('a stream of the caller is read once, and sent twice', async () => {
    const lab = await openLab([closeAfter(answer(503)), answer(200)]);
    const body = Readable.from(['hello'], { objectMode: false });
    const { error } = await outcomeOf(
      retryingAgent(),
      { origin: lab.origin, path: '/', method: 'PUT', body },
      2,
    );
    expect(error).toBeUndefined();
    expect(lab.requests.map(({ body: sent }) => sent.toString())).toEqual(['hello', 'hello']);
  });
});

function freeze<T extends object>(value: T): Readonly<T> {
  for (const part of Object.values(value)) if (Array.isArray(part)) Object.freeze(part);
  return Object.freeze(value);
}

/** A deep copy, including the entries of a Map or Headers. */
function snapshot(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snapshot);
  if (typeof value !== 'object' || value === null) return value;
  if (Symbol.iterator in value) return [...(value as Iterable<unknown>)].map(snapshot);
  return Reflect.ownKeys(value).map((key) => [key, snapshot(Reflect.get(value, key))]);
}

test('a transport error is the same object that undici made', async () => {
  const errors: unknown[] = [];
  const spy: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const spied = new Proxy(handler, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (name === 'onError') errors.push(given[0]);
          if (name === 'onResponseError') errors.push(given[1]);
          return value.apply(target, given);
        };
      },
    });
    return dispatch(options, spied);
  };
  const agent = openAgent();
  const dispatcher = agent.compose(spy, retry(soon));
  const { error } = await outcomeOf(
    dispatcher,
    { origin: await refusedOrigin(), path: '/', method: 'GET' },
    2,
  );
  expect(errors).toHaveLength(4);
  expect(errors.at(-1)).toBe(error);
  expect(Object.keys(error as object)).not.toContain('history');
});
