/** Hints in headers, in every form that axios's adapters have them, and beside an error. */

import type { AxiosAdapter } from 'axios';
import { expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab } from '../kit.js';
import { Waits } from '../waits.js';
import { axios, axiosEsm, truncatedHasResponse } from './client.js';
import { retryingInstance } from './kit.js';

const exact: PolicyOptions = { hintJitter: 0, maxRetries: 1 };

/** An adapter that answers with these headers, without sending anything. */
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
  'missing or invalid headers (%s) give no hint',
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
