/** However often a request is sent, interceptors run once, whatever the order of registration. */

import type { AxiosInstance, AxiosRequestConfig, CreateAxiosDefaults } from 'axios';
import { describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { answer, type Play, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { openInstance } from './kit.js';
import { orderings } from './orderings.js';

type Register = (instance: AxiosInstance) => void;

const orders = ['before', 'after'] as const;
type Order = (typeof orders)[number];

/** An instance with interceptors that were registered before or after `attachRetry`. */
function retryingWith(order: Order, register: Register, defaults?: CreateAxiosDefaults): AxiosInstance {
  const instance = openInstance(defaults);
  if (order === 'before') register(instance);
  attachRetry(instance, { ...soon, maxRetries: 2 });
  if (order === 'after') register(instance);
  return instance;
}

const failsTwice: readonly Play[] = [answer(503), rst(), answer(200, '{"a":1}')];

describe.each(orders)('registered %s it:', (order) => {
  test('interceptors see a request of three attempts once', async () => {
    const lab = await openLab(failsTwice);
    const seen: unknown[] = [];
    const instance = retryingWith(order, ({ interceptors }) => {
      interceptors.request.use(async (config) => {
        seen.push('request');
        return config;
      });
      interceptors.response.use(
        (response) => {
          seen.push(response.status);
          return response;
        },
        (error) => {
          seen.push(error);
          throw error;
        },
      );
    });
    expect((await instance.get(lab.origin)).data).toEqual({ a: 1 });
    expect(lab.requests).toHaveLength(3);
    expect(seen).toEqual(['request', 200]);
  });

  test('they see its failure once', async () => {
    const lab = await openLab(answer(503, 'the last'));
    const seen: unknown[] = [];
    const instance = retryingWith(order, ({ interceptors }) => {
      interceptors.response.use(undefined, (error) => {
        seen.push(error.response.data);
        throw error;
      });
    });
    const { error } = await settled(instance.get(lab.origin));
    expect(error).toMatchObject({ isAxiosError: true, response: { status: 503 } });
    expect(lab.requests).toHaveLength(3);
    expect(seen).toEqual(['the last']);
  });

  test('an interceptor may give the data in place of the response', async () => {
    const lab = await openLab(failsTwice);
    const instance = retryingWith(order, ({ interceptors }) => {
      interceptors.response.use((response) => response.data);
    });
    expect(await instance.get(lab.origin)).toEqual({ a: 1 });
  });

  test('what an interceptor adds to the URL, the data and the headers is there once in each attempt', async () => {
    const lab = await openLab(failsTwice);
    const instance = retryingWith(order, ({ interceptors }) => {
      interceptors.request.use((config) => {
        config.url += '/v1';
        config.data = { wrapped: config.data };
        config.headers.set('x-seen', `${config.headers.get('x-seen') ?? ''}once`);
        return config;
      });
    });
    await instance.put(`${lab.origin}/a`, { b: 2 });
    expect(lab.requests.map(({ path, body, headers }) => [path, String(body), headers['x-seen']])).toEqual(
      Array(3).fill(['/a/v1', '{"wrapped":{"b":2}}', 'once']),
    );
  });

  test('an interceptor may give another configuration', async () => {
    const lab = await openLab(failsTwice);
    const instance = retryingWith(order, ({ interceptors }) => {
      interceptors.request.use((config) => ({ ...config, params: { page: 1 } }));
    });
    await instance.get(lab.origin);
    expect(lab.requests.map(({ path }) => path)).toEqual(Array(3).fill('/?page=1'));
  });

  test('an interceptor’s `retry` option counts, and so does its URL', async () => {
    const lab = await openLab(answer(503));
    const instance = retryingWith(order, ({ interceptors }) => {
      interceptors.request.use((config) => {
        config.baseURL = lab.origin;
        if (config.url === '/once') config.retry = false;
        return config;
      });
    });
    await settled(instance.get('/once'));
    expect(lab.requests).toHaveLength(1);
    await settled(instance.get('/more'));
    expect(lab.requests).toHaveLength(4);
  });

  test('`runWhen` is asked once, and obeyed', async () => {
    const lab = await openLab(failsTwice);
    let asked = 0;
    const instance = retryingWith(order, ({ interceptors }) => {
      const runWhen = (): boolean => {
        asked += 1;
        return false;
      };
      interceptors.request.use(() => Promise.reject(new Error('not to be run')), null, { runWhen });
    });
    expect((await instance.get(lab.origin)).status).toBe(200);
    expect(asked).toBe(1);
  });

  test('an interceptor that rejects leaves nothing sent', async () => {
    const lab = await openLab(answer(200));
    const refusal = new Error('not today');
    const instance = retryingWith(order, ({ interceptors }) => {
      interceptors.request.use(() => Promise.reject(refusal));
    });
    expect((await settled(instance.get(lab.origin))).error).toBe(refusal);
    expect(lab.requests).toHaveLength(0);
  });

  test('an interceptor may ask again with the configuration of the error', async () => {
    const lab = await openLab(({ headers }) =>
      headers['authorization'] === 'fresh' ? answer(200, 'let in') : answer(401),
    );
    const instance = retryingWith(order, (client) => {
      client.interceptors.response.use(undefined, (error) => {
        error.config.headers.set('authorization', 'fresh');
        return client.request(error.config);
      });
    });
    const { data } = await instance.get(lab.origin, { headers: { authorization: 'stale' } });
    expect(data).toBe('let in');
    expect(lab.requests).toHaveLength(2);
  });

  test('a synchronous interceptor is not put off: the adapter is called in the same turn', async () => {
    const turn: string[] = [];
    const adapter: AxiosRequestConfig['adapter'] = async (config) => {
      turn.push('adapter');
      return { status: 200, statusText: '', headers: {}, config, data: '' };
    };
    const instance = retryingWith(
      order,
      ({ interceptors }) => {
        const push = <Config>(config: Config): Config => {
          turn.push('interceptor');
          return config;
        };
        interceptors.request.use(push, null, { synchronous: true });
      },
      { adapter },
    );
    const pending = instance.get('http://a.test/');
    turn.push('returned');
    await pending;
    expect(turn).toEqual(['interceptor', 'adapter', 'returned']);
  });
});

describe.each(orderings)('with %o, interceptors run', (transitional) => {
  test('once each', async () => {
    const lab = await openLab(failsTwice);
    const seen: string[] = [];
    const note =
      (name: string) =>
      <T>(value: T): T => {
        seen.push(name);
        return value;
      };
    const instance = openInstance({ transitional });
    instance.interceptors.request.use(note('request, before'));
    instance.interceptors.response.use(note('response, before'));
    attachRetry(instance, soon);
    instance.interceptors.request.use(note('request, after'));
    instance.interceptors.response.use(note('response, after'));
    await instance.get(lab.origin);
    expect(lab.requests).toHaveLength(3);
    expect(seen.toSorted()).toEqual([
      'request, after',
      'request, before',
      'response, after',
      'response, before',
    ]);
  });
});

test.each([
  ['freezes', Object.freeze],
  ['seals', Object.seal],
  ['forbids additions to', Object.preventExtensions],
])('an interceptor that runs before it may be one that %s the configuration', async (_, lock) => {
  const lab = await openLab(failsTwice);
  const instance = openInstance();
  attachRetry(instance, { ...soon, deadlineMs: 10_000 });
  instance.interceptors.request.use((config) => lock(config));
  expect((await instance.put(lab.origin, { b: 2 })).data).toEqual({ a: 1 });
  expect(lab.requests.map(({ body }) => String(body))).toEqual(Array(3).fill('{"b":2}'));
});
