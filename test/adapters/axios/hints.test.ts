/** What a server's answer asks for, through the headers as each adapter has them. */

import type { AxiosAdapter, AxiosError } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, historyOf, type Stop } from '../../../src/index.js';
import { answer, type HeaderFields } from '../../faults/lab.js';
import { openLab, settled } from '../kit.js';
import { Waits } from '../waits.js';
import { axios, axiosEsm, truncatedHasResponse } from './client.js';
import { retryingInstance } from './kit.js';
import { overHttp1, retryingOver, ways } from './ways.js';

const exact: PolicyOptions = { hintJitter: 0, maxRetries: 1 };
const date = 'Tue, 10 Mar 2026 12:00:00 GMT';
const sevenLater = 'Tue, 10 Mar 2026 12:00:07 GMT';

describe.each(ways)('$name', (way) => {
  /** The wait after an answer like this. */
  async function waitAfter(
    status: number,
    headers: HeaderFields,
    policy = exact,
    body = '',
  ): Promise<number> {
    const lab = await way.open([answer(status, body, headers), answer(200)]);
    const waits = new Waits();
    await retryingOver(way, lab.origin, createRetrier(policy, { sleep: waits.sleep, random: () => 0 })).get(
      '/',
    );
    expect(lab.requests).toHaveLength(2);
    expect(waits.delays).toHaveLength(1);
    return waits.delays[0] ?? -1;
  }

  /** The decision that ends a request whose only answer is like this. */
  async function stopAfter(headers: HeaderFields, policy: PolicyOptions): Promise<Stop> {
    const lab = await way.open(answer(503, 'busy', headers));
    const { error } = await settled(retryingOver(way, lab.origin, policy).get('/'));
    expect((error as AxiosError).response).toMatchObject({ status: 503, data: 'busy' });
    expect(lab.requests).toHaveLength(1);
    return historyOf(error)?.at(-1)?.decision as Stop;
  }

  test.each([408, 425, 429, 500, 503])('Retry-After in seconds, on a %i', async (status) => {
    expect(await waitAfter(status, { 'retry-after': '7' })).toBe(7_000);
  });

  test('Retry-After as a date counts from the date of the answer', async () => {
    expect(await waitAfter(503, { date, 'retry-after': sevenLater })).toBe(7_000);
  });

  test.each(['Retry-After', 'RETRY-AFTER', 'rEtRy-AfTeR'])('%s is the same header', async (name) => {
    expect(await waitAfter(503, { [name]: '7' })).toBe(7_000);
  });

  test('without a usable hint, the schedule is asked', async () => {
    const fixed = { jitter: 'none', kind: 'fixed' } as const;
    const schedule = { ...fixed, waitMs: 11 };
    const policy = { ...exact, schedule, throttledSchedule: { ...fixed, waitMs: 22 } };
    expect(await waitAfter(503, {}, policy)).toBe(11);
    expect(await waitAfter(429, {}, policy)).toBe(22);
    expect(await waitAfter(503, { 'retry-after': 'soon' }, policy)).toBe(11);
    expect(await waitAfter(503, { 'retry-after': '0' }, policy)).toBe(11);
  });

  test('the common headers of vendors', async () => {
    expect(await waitAfter(503, { 'Retry-After-Ms': '70' })).toBe(70);
    expect(await waitAfter(429, { RateLimit: '"default";r=0;t=7' })).toBe(7_000);
  });

  test('a hint in the body, where it is asked for', async () => {
    const body = JSON.stringify({
      error: { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }] },
    });
    const json = { 'content-type': 'application/json' };
    const policy: PolicyOptions = { ...exact, hints: 'google', bodyHintBytes: 1_000 };
    expect(await waitAfter(503, json, policy, body)).toBe(7_000);
  });

  test('a hint that is too long ends it at once, with the answer', async () => {
    expect(await stopAfter({ 'retry-after': '61' }, {})).toMatchObject({
      reason: 'hint-too-long',
      delayMs: 61_000,
      limit: 60_000,
    });
    const days = { 'retry-after': '2592000' };
    expect(await stopAfter(days, {})).toMatchObject({ reason: 'hint-too-long' });
    expect(await stopAfter({ 'retry-after': '2' }, { maxHintMs: 1_999 })).toMatchObject({ limit: 1_999 });
  });

  test('so does one that the deadline forbids', async () => {
    expect(await stopAfter({ 'retry-after': '7' }, { deadlineMs: 7_000 })).toMatchObject({
      reason: 'hint-past-deadline',
      delayMs: 7_000,
      limit: 7_000,
    });
  });

  test('a server may forbid it', async () => {
    expect(await stopAfter({ 'X-Should-Retry': 'false' }, {})).toMatchObject({ reason: 'server-forbids' });
  });
});

/** An adapter that sends nothing, and answers with these headers. */
function answering(headers: unknown): AxiosAdapter {
  let isFirst = true;
  return async (config) => {
    const response = { status: isFirst ? 503 : 200, statusText: '', data: '', headers, config };
    isFirst = false;
    return response as Awaited<ReturnType<AxiosAdapter>>;
  };
}

const { AxiosHeaders } = axios as unknown as { AxiosHeaders: new (from: object) => unknown };
const { AxiosHeaders: EsmHeaders } = axiosEsm as unknown as { AxiosHeaders: new (from: object) => unknown };

test.each([
  ['a plain object with capitals', { 'Retry-After': '7' }],
  ['a plain object in upper case', { 'RETRY-AFTER': '7' }],
  ['an object without a prototype', Object.assign(Object.create(null), { 'retry-After': '7' })],
  ['a number', { 'retry-after': 7 }],
  ['a list', { 'Retry-After': ['7'] }],
  ['AxiosHeaders with capitals', new AxiosHeaders({ 'Retry-After': '7' })],
  ['AxiosHeaders of the other build', new EsmHeaders({ 'RETRY-after': '7' })],
  ['Headers of fetch', new Headers({ 'Retry-After': '7' })],
  ['a Map, which has get()', new Map([['retry-after', '7']])],
])('Retry-After from an adapter of the caller: %s', async (_, headers) => {
  const waits = new Waits();
  const instance = retryingInstance(createRetrier(exact, { sleep: waits.sleep }), {
    adapter: answering(headers),
  });
  expect((await instance.get('/')).status).toBe(200);
  expect(waits.delays).toEqual([7_000]);
});

test.each([undefined, null, 'retry-after: 7', 7])(
  'headers that are none (%s) are no hint',
  async (headers) => {
    const waits = new Waits();
    const policy: PolicyOptions = { ...exact, schedule: { kind: 'fixed', waitMs: 3, jitter: 'none' } };
    const instance = retryingInstance(createRetrier(policy, { sleep: waits.sleep }), {
      adapter: answering(headers),
    });
    expect((await instance.get('/')).status).toBe(200);
    expect(waits.delays).toEqual([3]);
  },
);

test.each(overHttp1)('of two Retry-After no shorter wait is made than the first asks: $name', async (way) => {
  const lab = await way.open([answer(503, '', { 'retry-after': ['9', '9'] }), answer(200)]);
  const waits = new Waits();
  await retryingOver(way, lab.origin, createRetrier(exact, { sleep: waits.sleep })).get('/');
  expect(waits.delays).toEqual([9_000]);
});

const cut = {
  steps: [
    { do: 'head', status: 503, headers: { 'content-length': '100', 'retry-after': '7' } },
    { do: 'body', text: 'half' },
    { do: 'fin' },
  ],
} as const;

test.skipIf(!truncatedHasResponse)(
  'an error page that is cut off has a hint still (since axios 1.16 the error has the response)',
  async () => {
    const waits = new Waits();
    const lab = await openLab([cut, answer(200)]);
    const retrier = createRetrier(exact, { sleep: waits.sleep });
    await retryingInstance(retrier, { baseURL: lab.origin, adapter: 'http' }).get('/');
    expect(waits.delays).toEqual([7_000]);
  },
);
