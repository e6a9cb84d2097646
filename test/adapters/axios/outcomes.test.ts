/** Edge cases of outcomes: an abort beside an answer, a status beside an error, a default port. */

import type { AxiosAdapter, InternalAxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { historyOf } from '../../../src/index.js';
import { brief, type Event } from '../decisions.js';
import { settled, soon } from '../kit.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';

function failureWith(status: number, code: string, config: InternalAxiosRequestConfig): Error {
  const response = { data: '', status, statusText: '', headers: {}, config };
  return new axios.AxiosError('no', code, config, undefined, response);
}

/** A caller's adapter that always fails, and the number of its calls. */
function failing(fail: (config: InternalAxiosRequestConfig) => Error) {
  const asked = { times: 0 };
  const adapter: AxiosAdapter = async (config) => {
    asked.times += 1;
    throw fail(config);
  };
  return { adapter, asked };
}

test('a request that was aborted counts as aborted, not as the 503 that came in the same turn', async () => {
  const giveUp = new AbortController();
  const { adapter, asked } = failing((config) => {
    giveUp.abort();
    return failureWith(503, 'ERR_BAD_RESPONSE', config);
  });
  const events: Event[] = [];
  const instance = retryingInstance({ ...soon, observe: (event) => void events.push(event) }, { adapter });
  const { error } = await settled(instance.get('/', { signal: giveUp.signal }));
  expect(error).toMatchObject({ code: 'ERR_CANCELED' });
  expect(events.map(brief)).toEqual(['stop 1: aborted', expect.stringMatching(/^settled .* after 1$/)]);
  expect(asked.times).toBe(1);
});

test.each([null, undefined, 'GET /', {}])(
  'an error may have anything for its request: %s',
  async (request) => {
    const { adapter, asked } = failing((config) =>
      Object.assign(new axios.AxiosError('no', 'ECONNRESET', config), { request }),
    );
    const { error } = await settled(retryingInstance(soon, { adapter }).get('/'));
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(asked.times).toBe(4);
  },
);

describe('an error of a connection, beside a head', () => {
  test.each([
    [206, 4],
    [399, 4],
    [400, 1],
    [404, 1],
  ])('of %i: attempts %i', async (status, attempts) => {
    const { adapter, asked } = failing((config) => failureWith(status, 'ECONNRESET', config));
    const { error } = await settled(retryingInstance(soon, { adapter }).get('/'));
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(asked.times).toBe(attempts);
  });
});

test.each([
  ['an adapter', 'https://a.test/', 'a.test', 443],
  ['localhost', 'http://localhost:81/', '127.0.0.1', 81],
])(
  'an adapter of the caller may have sent anything before its connection was refused: %s',
  async (_, url, address, port) => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', address, port });
    const { adapter, asked } = failing((config) => {
      const failure = new axios.AxiosError('Network Error', 'ERR_NETWORK', config, new Request(url));
      return Object.assign(failure, { cause });
    });
    const { error } = await settled(retryingInstance(soon, { adapter }).post(url, 'pay'));
    expect(historyOf(error)?.[0]?.decision.finding).toMatchObject({ evidence: 'unknown' });
    expect(asked.times).toBe(1);
  },
);
