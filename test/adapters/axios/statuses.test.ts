/** Which answers are retried, over every adapter and for every method. */

import type { AxiosError, AxiosInstance, AxiosResponse } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, historyOf } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { settled, soon } from '../kit.js';
import { retryingOver, ways } from './ways.js';

const retried = [408, 425, 429, 500, 502, 503, 504, 507, 520, 599];
const final = [400, 401, 403, 404, 409, 410, 412, 413, 422, 451, 501, 505, 506, 508, 510, 511];
const saysNotTaken = [408, 425, 429];

const one: PolicyOptions = { ...soon, maxRetries: 1, budget: false };

describe.each(ways)('$name', (way) => {
  /** How many requests reach a server that answers once with each status, and then with success. */
  async function sentAll(
    statuses: readonly number[],
    policy: PolicyOptions,
    method = 'GET',
    headers = {},
  ): Promise<Record<number, number>> {
    const seen = new Set<string>();
    const lab = await way.open(({ path }) => {
      if (seen.has(path)) return answer(200, 'yes');
      seen.add(path);
      return answer(Number(path.slice(1)), 'no');
    });
    const instance = retryingOver(way, lab.origin, policy);
    const data = ['POST', 'PUT', 'PATCH'].includes(method) ? 'pay' : undefined;
    const ask = async (status: number): Promise<[number, number]> => {
      const url = `/${status}`;
      const { value, error } = await settled(instance.request({ method, url, data, headers }));
      const sent = lab.requests.filter(({ path }) => path === url);
      if (sent.length === 2) expect(value?.data).toBe('yes');
      else expect((error as AxiosError).response).toMatchObject({ status, data: 'no' });
      expect(sent.map(({ body }) => body.toString())).toEqual(sent.map(() => data ?? ''));
      return [status, sent.length];
    };
    return Object.fromEntries(await Promise.all(statuses.map(ask)));
  }

  const each = (statuses: readonly number[], count: number) =>
    Object.fromEntries(statuses.map((status) => [status, count]));

  test('a GET is retried after transient failures, and after no others', async () => {
    expect(await sentAll(retried, one)).toEqual(each(retried, 2));
    expect(await sentAll(final, one)).toEqual(each(final, 1));
  });

  /** An adapter of the caller may send other requests, so no answer proves that the server did not take this one. */
  const believed = way.name === 'an adapter of the caller' ? 1 : 2;

  test('a POST is retried only if the server is known to have said that it did not take it', async () => {
    const counts = { ...each(retried, 1), ...each(saysNotTaken, believed) };
    expect(await sentAll(retried, one, 'POST')).toEqual(counts);
  });

  test('a POST with an idempotency key, or by a rule that calls it idempotent, is like a GET', async () => {
    const keyed = { 'IDEMPOTENCY-key': '1' };
    expect(await sentAll([429, 503], one, 'POST', keyed)).toEqual(each([429, 503], 2));
    const idempotent = { ...one, rules: [{ match: 'POST /*', idempotent: true }] };
    expect(await sentAll([429, 503], idempotent, 'POST')).toEqual(each([429, 503], 2));
    expect(await sentAll([503], { ...one, methods: ['POST'] }, 'POST')).toEqual({ 503: 2 });
  });

  test('unsafeMethods: never and unsent do not take the word of the server for it', async () => {
    for (const unsafeMethods of ['never', 'unsent'] as const) {
      expect(await sentAll(saysNotTaken, { ...one, unsafeMethods }, 'POST')).toEqual(each(saysNotTaken, 1));
    }
  });

  test('a PATCH is like a POST', async () => {
    expect(await sentAll([429, 503], one, 'PATCH')).toEqual({ 429: believed, 503: 1 });
  });

  test.each(['PUT', 'DELETE', 'OPTIONS', 'QUERY'])('%s is idempotent', async (method) => {
    expect(await sentAll([503], one, method)).toEqual({ 503: 2 });
  });

  test('no retries: the first answer is returned', async () => {
    for (const off of [{ maxRetries: 0 }, { retry: false } as const]) {
      expect(await sentAll([503], { ...soon, ...off })).toEqual({ 503: 1 });
    }
  });

  test('maxRetries is a count of retries; the last answer is returned, itself', async () => {
    const lab = await way.open(({ number }) => answer(503, `answer ${number}`));
    const { error } = await settled(retryingOver(way, lab.origin, { ...soon, maxRetries: 4 }).get('/'));
    expect(lab.requests).toHaveLength(5);
    expect((error as AxiosError).response).toMatchObject({ status: 503, data: 'answer 5' });
    expect(historyOf(error)?.map(({ decision }) => decision.reason)).toEqual([
      ...Array(4).fill('transient-status'),
      'retries-spent',
    ]);
  });

  test('a budget that is spent lets no more retries through', async () => {
    const lab = await way.open(answer(503));
    const retrier = createRetrier({ ...soon, budget: { capacity: 2, perSecond: 0, perSuccess: 0 } });
    const instance = retryingOver(way, lab.origin, retrier);
    await settled(instance.get('/'));
    const { error } = await settled(instance.get('/'));
    expect(lab.requests).toHaveLength(4);
    expect(historyOf(error)?.map(({ decision }) => decision.reason)).toEqual(['budget-spent']);
    expect((error as AxiosError).response?.status).toBe(503);
  });

  describe.each([
    ['always true', () => true],
    ['null', null],
    ['only for 5xx false', (status: number) => status < 500],
  ])('validateStatus is %s', (_, validateStatus) => {
    const get = async (instance: AxiosInstance): Promise<AxiosResponse> => {
      const { value, error } = await settled(instance.get('/', { validateStatus }));
      return value ?? ((error as AxiosError).response as AxiosResponse);
    };

    test.each([429, 503])('a %i is retried nevertheless', async (status) => {
      const lab = await way.open([answer(status), answer(status), answer(200, 'yes')]);
      expect(await get(retryingOver(way, lab.origin, soon))).toMatchObject({ status: 200, data: 'yes' });
      expect(lab.requests).toHaveLength(3);
    });

    test('and at the end, the last one is what axios makes of it', async () => {
      const lab = await way.open(({ number }) => answer(503, `answer ${number}`));
      const instance = retryingOver(way, lab.origin, { ...soon, maxRetries: 2 });
      const { value, error } = await settled(instance.get('/', { validateStatus }));
      const isAccepted = validateStatus?.(503) ?? true;
      expect(value === undefined).toBe(!isAccepted);
      expect(value ?? (error as AxiosError).response).toMatchObject({ status: 503, data: 'answer 3' });
      expect(historyOf(value ?? error)).toHaveLength(3);
    });

    test('a POST that resolves with a 503 is sent once', async () => {
      const lab = await way.open(answer(503));
      await settled(retryingOver(way, lab.origin, soon).post('/', 'pay', { validateStatus }));
      expect(lab.requests).toHaveLength(1);
    });
  });
});
