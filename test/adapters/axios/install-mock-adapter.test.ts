/** axios-mock-adapter, which replaces the adapter in an instance's defaults, before or after us. */

import type { AxiosInstance } from 'axios';
import MockAdapter from 'axios-mock-adapter';
import { describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { createRetrier, historyOf } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { openInstance } from './kit.js';

type Given = Parameters<typeof attachRetry>[1];

const orders = ['before', 'after'] as const;

function mocked(
  order: (typeof orders)[number],
  given: Given = soon,
): { instance: AxiosInstance; mock: MockAdapter } {
  const instance = openInstance();
  // Typed for the axios that is installed beside it.
  const mockOf = (): MockAdapter => new MockAdapter(instance as ConstructorParameters<typeof MockAdapter>[0]);
  if (order === 'before') {
    const mock = mockOf();
    attachRetry(instance, given);
    return { instance, mock };
  }
  attachRetry(instance, given);
  return { instance, mock: mockOf() };
}

describe.each(orders)('a mock that was there %s it', (order) => {
  test('is asked for each attempt if there are other layers of ours in the process, too', async () => {
    withRetry(undefined, soon);
    const { instance, mock } = mocked(order);
    mock.onGet('/a').replyOnce(503).onGet('/a').replyOnce(503).onGet('/a').reply(200);
    expect((await instance.get('/a')).status).toBe(200);
    expect(mock.history['get']).toHaveLength(3);
  });

  test('is asked for each attempt, and its answer is the response', async () => {
    const { instance, mock } = mocked(order);
    mock.onGet('/a').replyOnce(503).onGet('/a').replyOnce(429).onGet('/a').reply(200, { a: 1 });
    const response = await instance.get('/a');
    expect(response.data).toEqual({ a: 1 });
    expect(mock.history['get']).toHaveLength(3);
    expect(historyOf(response)).toHaveLength(3);
  });

  test('sees the same request each time, whole', async () => {
    const { instance, mock } = mocked(order, { ...soon, idempotencyKey: true });
    mock.onPut('/a', { b: 2 }).replyOnce(503).onPut('/a', { b: 2 }).reply(204);
    expect((await instance.put('/a', { b: 2 }, { headers: { 'x-a': '1' } })).status).toBe(204);
    expect(mock.history['put']?.map(({ data, headers }) => [data, headers?.['x-a']])).toEqual(
      Array(2).fill(['{"b":2}', '1']),
    );
  });

  test("'s headers, in any letters, are hints", async () => {
    const waits = new Waits();
    const { instance, mock } = mocked(order, createRetrier({ hintJitter: 0 }, { sleep: waits.sleep }));
    mock.onGet('/a').replyOnce(503, '', { 'Retry-After': '3' }).onGet('/a').reply(200);
    expect((await instance.get('/a')).status).toBe(200);
    expect(waits.delays).toEqual([3_000]);
  });

  test("'s network errors are retried like those of a network", async () => {
    const { instance, mock } = mocked(order, { ...soon, maxRetries: 2 });
    mock.onAny('/once').networkErrorOnce().onAny('/once').reply(200).onAny('/always').networkError();
    expect((await instance.get('/once')).status).toBe(200);
    const { error } = await settled(instance.get('/always'));
    expect(error).toMatchObject({ isAxiosError: true, message: 'Network Error' });
    expect(historyOf(error)?.map(({ decision }) => decision.reason)).toEqual([
      'transport-error',
      'transport-error',
      'retries-spent',
    ]);
    // Nothing proves that it did not arrive.
    const posted = await settled(instance.post('/always', { a: 1 }));
    expect(historyOf(posted.error)?.map(({ decision }) => decision.reason)).toEqual(['unsafe-method']);
  });

  test("'s errors of another kind are final, as plain errors are", async () => {
    const { instance, mock } = mocked(order);
    mock.onGet('/a').reply(() => Promise.reject(new Error('a bug in the mock')));
    const { error } = await settled(instance.get('/a'));
    expect(historyOf(error)?.map(({ decision }) => decision.reason)).toEqual(['final-error']);
  });

  test("'s timeout is retried, and its last failure is the caller's", async () => {
    const { instance, mock } = mocked(order, { ...soon, maxRetries: 1 });
    mock.onGet('/a').timeout();
    const { error } = await settled(instance.get('/a'));
    expect(error).toMatchObject({ isAxiosError: true, code: 'ECONNABORTED' });
    expect(mock.history['get']).toHaveLength(2);
    expect(historyOf(error)).toHaveLength(2);
  });

  test('passes requests through as told, and their retries do not multiply', async () => {
    const lab = await openLab([answer(503), answer(503), answer(200, '{"real":true}'), answer(503)]);
    const { instance, mock } = mocked(order, { ...soon, maxRetries: 2 });
    mock.onPut().passThrough();
    const response = await instance.put(lab.origin, { a: 1 });
    expect(response.data).toEqual({ real: true });
    expect(lab.requests.map(({ body }) => String(body))).toEqual(Array(3).fill('{"a":1}'));
    const { error } = await settled(instance.put(lab.origin, { a: 1 }));
    expect(error).toMatchObject({ response: { status: 503 } });
    expect(lab.requests).toHaveLength(6);
  });

  test('is out of the way when it is restored', async () => {
    const lab = await openLab([answer(503), answer(200, 'real')]);
    const { instance, mock } = mocked(order);
    mock.onAny().reply(200, 'mocked');
    expect((await instance.get(lab.origin)).data).toBe('mocked');
    mock.restore();
    expect((await instance.get(lab.origin)).data).toBe('real');
    expect(lab.requests).toHaveLength(2);
  });

  test('without an answer gives 404, which is not retried', async () => {
    const { instance, mock } = mocked(order);
    const { error } = await settled(instance.get('/a'));
    expect(error).toMatchObject({ response: { status: 404 } });
    expect(mock.history['get']).toHaveLength(1);
  });
});
