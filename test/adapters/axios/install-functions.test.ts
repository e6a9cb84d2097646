/** Functions as adapters, well behaved or not. */

import type { AxiosAdapter, InternalAxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { createRetrier, historyOf, type SettledEvent } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { axios } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

type Step = (config: InternalAxiosRequestConfig) => unknown;

/** Gives these answers in order; errors among them are thrown. */
class Scripted {
  readonly seen: InternalAxiosRequestConfig[] = [];
  readonly #script: readonly Step[];

  constructor(...script: Step[]) {
    this.#script = script;
  }

  readonly adapter = ((config: InternalAxiosRequestConfig) => {
    this.seen.push(config);
    const step = this.#script[Math.min(this.seen.length, this.#script.length) - 1];
    return step?.(config);
  }) as AxiosAdapter;
}

const replies =
  (status: number, headers: unknown = {}, data: unknown = ''): Step =>
  async (config) => ({ status, statusText: '', headers, data, config, request: {} });

function failing(code: string): Error {
  return Object.assign(new Error(`failed: ${code}`), { code });
}

describe('a function', () => {
  test('changed in the defaults later', async () => {
    const lab = await openLab(answer(503));
    const instance = retryingInstance();
    const { adapter, seen } = new Scripted(replies(503), replies(200));
    instance.defaults.adapter = adapter;
    expect((await instance.get(lab.origin)).status).toBe(200);
    expect([seen.length, lab.requests.length]).toEqual([2, 0]);
  });

  test('is given the configuration itself, with itself as the adapter, and no `this`', async () => {
    const seen: unknown[] = [];
    const adapter = function (this: unknown, config: InternalAxiosRequestConfig) {
      seen.push(this, config.adapter === adapter);
      return Promise.resolve({
        status: seen.length < 4 ? 503 : 200,
        statusText: '',
        headers: {},
        config,
        data: '',
      });
    } as AxiosAdapter;
    const { config } = await retryingInstance().get('http://a.test/', { adapter });
    expect(seen).toEqual([undefined, true, undefined, true]);
    expect(config.adapter).toBe(adapter);
  });

  test('may be a method of an object with private parts, and answer with one', async () => {
    class Answer {
      readonly #status: number;
      readonly headers = {};
      readonly config = {};
      data = '{"a":1}';
      constructor(status: number) {
        this.#status = status;
      }
      get status(): number {
        return this.#status;
      }
    }
    class Client {
      #calls = 0;
      readonly send = async (): Promise<Answer> => {
        this.#calls += 1;
        return new Answer(this.#calls < 3 ? 503 : 200);
      };
    }
    const response = await retryingInstance().get('http://a.test/', {
      adapter: new Client().send as unknown as AxiosAdapter,
    });
    expect(response).toBeInstanceOf(Answer);
    expect(response).toMatchObject({ status: 200, data: { a: 1 } });
  });

  test.each<[string, unknown]>([
    ['a plain object, in any letters', { 'Retry-After': '7' }],
    ['a plain object of numbers', { 'retry-after': 7 }],
    ['a plain object of lists', { 'RETRY-AFTER': ['7'] }],
    ['a Map', new Map([['retry-after', '7']])],
    ['Headers', new Headers({ 'Retry-After': '7' })],
    ['AxiosHeaders', new axios.AxiosHeaders({ 'Retry-AFTER': '7' })],
  ])('may give headers as %s', async (_form, headers) => {
    const waits = new Waits();
    const { adapter } = new Scripted(replies(429, headers), replies(200, headers));
    const retrier = createRetrier({ hintJitter: 0 }, { sleep: waits.sleep });
    const { status } = await retryingInstance(retrier, { adapter }).get('http://a.test/');
    expect(status).toBe(200);
    expect(waits.delays).toEqual([7_000]);
  });

  test.each([undefined, null])('may give %s for headers', async (headers) => {
    const { adapter, seen } = new Scripted(replies(503, headers), replies(200, headers));
    const { status } = await retryingInstance(soon, { adapter }).get('http://a.test/');
    expect([status, seen.length]).toEqual([200, 2]);
  });

  test('may be a thenable’s maker', async () => {
    const unavailable: Step = (config) => {
      return {
        // biome-ignore lint/suspicious/noThenProperty: promises of other kinds are what this is about.
        then: (give: (value: unknown) => unknown) => Promise.resolve(replies(503)(config)).then(give),
      };
    };
    const { adapter, seen } = new Scripted(unavailable, replies(200));
    const { status } = await retryingInstance(soon, { adapter }).get('http://a.test/');
    expect([status, seen.length]).toEqual([200, 2]);
  });

  test.each<[string, (give: (value: unknown) => void, refuse: (error: unknown) => void) => void]>([
    [
      'gives two answers',
      (give) => {
        give({ status: 503, data: '' });
        give({ status: 503, data: '' });
      },
    ],
    [
      'gives an answer and throws',
      (give) => {
        give({ status: 503, data: '' });
        throw failing('ECONNRESET');
      },
    ],
    [
      'gives an answer and an error',
      (give, refuse) => {
        give({ status: 503, data: '' });
        refuse(failing('ECONNRESET'));
      },
    ],
    [
      'throws',
      () => {
        throw failing('ECONNRESET');
      },
    ],
  ])(
    'may be the maker of a thenable that %s: the first counts, and one retry follows',
    async (_how, then) => {
      const { adapter, seen } = new Scripted(() => ({ then }), replies(200), replies(200));
      const { status } = await retryingInstance(soon, { adapter }).get('http://a.test/');
      await new Promise(setImmediate);
      expect([status, seen.length]).toEqual([200, 2]);
    },
  );

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw failing('ECONNRESET');
      },
    ],
    ['rejects', () => Promise.reject(failing('ECONNRESET'))],
  ])('that %s what may pass is asked again', async (_how, step) => {
    const { adapter, seen } = new Scripted(step, step, replies(200));
    const { status } = await retryingInstance(soon, { adapter }).get('http://a.test/');
    expect([status, seen.length]).toEqual([200, 3]);
  });

  test.each<[string, unknown]>([
    ['an unknown error', new Error('a bug')],
    ['text', 'no'],
    ['null', null],
    ['undefined', undefined],
    ['an error that cannot be changed', Object.freeze(new Error('frozen'))],
  ])('that rejects with %s fails the request with it, once', async (_what, thrown) => {
    const { adapter, seen } = new Scripted(() => Promise.reject(thrown));
    for (const given of [adapter, [adapter]]) {
      const outcome = await settled(retryingInstance().get('http://a.test/', { adapter: given }));
      expect(outcome).toEqual({ error: thrown });
      expect(outcome.error).toBe(thrown);
    }
    expect(seen).toHaveLength(2);
  });

  test('that throws although its attempt has a time leaves no timer and no signal behind', async () => {
    const { adapter, seen } = new Scripted(() => {
      throw failing('ECONNRESET');
    }, replies(200));
    const timers = new Set<object>();
    const sleep: NonNullable<Parameters<typeof createRetrier>[1]>['sleep'] = (_delayMs, wake, options) => {
      const timer = {};
      timers.add(timer);
      // Timers that only watch never fire.
      if (options?.unref === false) {
        setImmediate(() => {
          timers.delete(timer);
          wake();
        });
      }
      return () => void timers.delete(timer);
    };
    const { signal } = new AbortController();
    const retrier = createRetrier({ attemptTimeoutMs: 1_000 }, { sleep });
    const { config } = await retryingInstance(retrier, { adapter }).get('http://a.test/', { signal });
    expect(seen).toHaveLength(2);
    expect(config.signal).toBe(signal);
    expect(timers.size).toBe(0);
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
  ])('that resolves %s fails as without retries, once, and the request is settled', async (_what, value) => {
    const { adapter, seen } = new Scripted(async () => value);
    const events: SettledEvent[] = [];
    const observe = (event: { type: string }): void => {
      if (event.type === 'settled') events.push(event as SettledEvent);
    };
    const plain = await settled(openInstance({ adapter }).get('http://a.test/'));
    for (const policy of [soon, { ...soon, attemptTimeoutMs: 10_000 }]) {
      const { error } = await settled(
        retryingInstance({ ...policy, observe }, { adapter }).get('http://a.test/'),
      );
      expect((error as Error).constructor).toBe((plain.error as Error).constructor);
    }
    expect(seen).toHaveLength(3);
    expect(events).toHaveLength(2);
  });

  test('that gives no status is believed, and the request is settled', async () => {
    const { adapter, seen } = new Scripted(async () => ({ data: 'from a cache' }));
    const events: unknown[] = [];
    const instance = retryingInstance({ observe: (event) => void events.push(event.type) }, { adapter });
    const response = await instance.get('http://a.test/');
    expect(response.data).toBe('from a cache');
    expect(seen).toHaveLength(1);
    expect(events).toEqual(['settled']);
  });

  test('that changes its configuration gets the original one in the next attempt', async () => {
    const bodies: unknown[] = [];
    const adapter: AxiosAdapter = async (config) => {
      bodies.push([
        config.headers.get('x-a'),
        config.headers.get('x-b'),
        config.headers.get('content-length'),
      ]);
      config.headers.set('x-a', 'changed');
      config.headers.set('content-length', '999');
      config.headers.delete('x-b');
      return { status: bodies.length < 3 ? 503 : 200, statusText: '', headers: {}, config, data: '' };
    };
    const instance = retryingInstance(soon, { adapter });
    await instance.put('http://a.test/', 'x', { headers: { 'x-a': '1', 'x-b': '2' } });
    expect(bodies).toEqual(Array(3).fill(['1', '2', undefined]));
  });

  test('that ignores the end of its attempt does not block the transforms of the next one', async () => {
    const { adapter } = new Scripted(() => new Promise(() => undefined), replies(200, {}, '{"a":1}'));
    const instance = retryingInstance({ ...soon, attemptTimeoutMs: 20 });
    const response = await instance.get('http://a.test/', { adapter: [adapter] });
    expect(response.data).toEqual({ a: 1 });
    expect(response.config.transformResponse).toEqual(axios.defaults.transformResponse);
    expect(historyOf(response)).toHaveLength(2);
  });

  test('that answers too late does not change the request, which has gone on', async () => {
    let answerLate: (value: unknown) => void = () => undefined;
    const late = new Promise((resolve) => {
      answerLate = resolve;
    });
    const { adapter } = new Scripted(() => late, replies(200, {}, '{"a":1}'));
    const instance = retryingInstance({ ...soon, attemptTimeoutMs: 20 });
    const response = await instance.get('http://a.test/', { adapter: [adapter] });
    const before = { ...response.config };
    answerLate({ status: 200, headers: {}, data: '{"b":2}' });
    await new Promise(setImmediate);
    expect(response.data).toEqual({ a: 1 });
    expect({ ...response.config }).toEqual(before);
  });
});
