/** `historyOf` for the objects that axios gives its callers; it never returns another request's history. */

import type { AxiosAdapter, AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { historyOf, PolicyError } from '../../../src/index.js';
import { answer, cutBody } from '../../faults/lab.js';
import { reasons } from '../decisions.js';
import { openLab, settled, soon } from '../kit.js';
import { axios, callsTruncatedTooLong } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  const { value, error } = await settled(promise);
  return value ?? error;
}

describe.each(['http', 'fetch'])('by %s, of', (adapter) => {
  test.skipIf(adapter === 'http' && callsTruncatedTooLong)('a body that broke off', async () => {
    const lab = await openLab(cutBody(1_000, 500, 'fin'));
    const instance = retryingInstance({ ...soon, maxRetries: 1 }, { adapter });
    const error = await outcomeOf(instance.get(lab.origin));
    expect(error).toBeInstanceOf(Error);
    expect(reasons(error)).toEqual(['1 transport-error', '2 retries-spent']);
  });
});

describe('of', () => {
  test('a 503 that resolves', async () => {
    const lab = await openLab(answer(503));
    const response = await retryingInstance({ ...soon, maxRetries: 1 }).get(lab.origin, {
      validateStatus: null,
    });
    expect(reasons(response)).toEqual(['1 transient-status', '2 retries-spent']);
  });

  test('a response with a stream', async () => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const response = await retryingInstance().get(lab.origin, { responseType: 'stream' });
    response.data.resume();
    expect(reasons(response)).toEqual(['1 transient-status', '2 success']);
  });

  test('anything else has no history', async () => {
    const lab = await openLab(answer(200));
    const plain = await openInstance().get(lab.origin);
    const given = await retryingInstance().get(lab.origin);
    const invalid = await outcomeOf(retryingInstance().get(lab.origin, { retry: { maxRetries: -1 } }));
    expect(invalid).toBeInstanceOf(PolicyError);
    for (const target of [plain, given.data, given.config, given.headers, { ...given }, invalid, null, 7]) {
      expect(historyOf(target)).toBeUndefined();
    }
  });
});

describe('of an error that is made of the last answer, by', () => {
  test.each([
    [503, 'retries-spent'],
    [200, 'success'],
  ])('axios, which cannot parse it: %s', async (status, end) => {
    const lab = await openLab([answer(503), answer(status, '<html>')]);
    const strict = { responseType: 'json', transitional: { silentJSONParsing: false } } as const;
    const error = await outcomeOf(retryingInstance({ ...soon, maxRetries: 1 }, strict).get(lab.origin));
    expect(error).toMatchObject({ name: 'SyntaxError', isAxiosError: true });
    expect(reasons(error)).toEqual(['1 transient-status', `2 ${end}`]);
  });

  test('an interceptor, with the configuration of the request', async () => {
    const lab = await openLab(answer(503));
    const instance = retryingInstance({ ...soon, maxRetries: 1 });
    instance.interceptors.response.use(undefined, ({ config }) => {
      throw Object.assign(new Error('of the caller'), { config });
    });
    const error = await outcomeOf(instance.get(lab.origin));
    expect(reasons(error)).toEqual(['1 transient-status', '2 retries-spent']);
  });
});

test('it leaves no visible mark on the caller’s objects', async () => {
  const lab = await openLab([answer(503), answer(200), answer(200), answer(404)]);
  const plain = openInstance();
  const retrying = retryingInstance();
  const keysOf = (target: object): (string | symbol)[] => Reflect.ownKeys(target).toSorted();
  const retried = await retrying.get(lab.origin);
  const asGiven = await plain.get(lab.origin);
  expect(keysOf(retried)).toEqual(keysOf(asGiven));
  expect(keysOf((await outcomeOf(retrying.get(lab.origin))) as object)).toEqual(
    keysOf((await outcomeOf(plain.get(lab.origin))) as object),
  );
});

test('it is the same behind interceptors that let the response through', async () => {
  const lab = await openLab([answer(503), answer(200)]);
  const instance = openInstance();
  instance.interceptors.response.use(async (response) => response);
  attachRetry(instance, soon);
  instance.interceptors.response.use((response) => response);
  expect(reasons(await instance.get(lab.origin))).toEqual(['1 transient-status', '2 success']);
});

describe('of one object for two requests', () => {
  /** An adapter that always gives the same object. */
  function always(thing: unknown): { adapter: AxiosAdapter } {
    return {
      adapter: async () => {
        if (thing instanceof Error) throw thing;
        return thing as never;
      },
    };
  }

  test.each<[string, () => unknown]>([
    ['a response', () => ({ status: 200, statusText: '', headers: {}, data: '', config: {} })],
    ['an error', () => new axios.AxiosError('always this', 'ECONNRESET')],
    ['an error that cannot be changed', () => Object.freeze(new Error('always this'))],
  ])('(%s): that of neither', async (_what, make) => {
    const thing = make();
    const instance = retryingInstance({ ...soon, maxRetries: 1 }, always(thing));
    const first = await outcomeOf(instance.get('http://a.test/1'));
    expect(first).toBe(thing);
    expect(historyOf(thing)?.length).toBeGreaterThan(0);
    expect(await outcomeOf(instance.get('http://a.test/2'))).toBe(thing);
    expect(historyOf(thing)).toBeUndefined();
    await outcomeOf(retryingInstance(soon, always(thing)).get('http://a.test/3'));
    expect(historyOf(thing)).toBeUndefined();
  });

  test('at once, and by another policy', async () => {
    const thing = { status: 200, statusText: '', headers: {}, data: '', config: {} };
    await Promise.all(
      [{}, { maxRetries: 1 }, { attemptTimeoutMs: 1_000 }].map((policy) =>
        retryingInstance(policy, always(thing)).get('http://a.test/'),
      ),
    );
    expect(historyOf(thing)).toBeUndefined();
  });

  test('that is only met on the way: each has its own', async () => {
    const shared = new axios.AxiosError('always this', 'ECONNRESET');
    const flaky = (): AxiosRequestConfig => {
      let calls = 0;
      return {
        adapter: async (config) => {
          calls += 1;
          if (calls === 1) throw shared;
          return { status: 200, statusText: '', headers: {}, data: '', config };
        },
      };
    };
    const instance = retryingInstance();
    const responses = await Promise.all([1, 2].map(() => instance.get('http://a.test/', flaky())));
    expect(responses.map(reasons)).toEqual(Array(2).fill(['1 transport-error', '2 success']));
    expect(historyOf(shared)).toBeUndefined();
  });
});
