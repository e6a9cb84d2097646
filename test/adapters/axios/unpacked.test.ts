/** An error beside an answer: the error's own code says what failed, not the answer's status. */

import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { AxiosAdapter } from 'axios';
import { describe, expect, test } from 'vitest';
import { createRetrier } from '../../../src/index.js';
import { answer, type Play } from '../../faults/lab.js';
import { reasons } from '../decisions.js';
import { openLab, settled, soon } from '../kit.js';
import { axios, truncatedHasResponse } from './client.js';
import { retryingInstance } from './kit.js';

/** An answer that claims to be compressed, and cannot be unpacked. */
function corrupt(encoding: string, status = 200, headers = {}): Play {
  return answer(status, 'what was packed here once', { 'content-encoding': encoding, ...headers });
}

describe.each(['http', 'fetch'])('an answer that cannot be unpacked, over %s', (adapter) => {
  test.each([
    ['gzip', gzipSync('whole')],
    ['deflate', undefined],
    ['br', brotliCompressSync('whole')],
  ] as const)('%s: is fetched anew', async (encoding, whole) => {
    const good =
      whole === undefined
        ? answer(200, 'whole')
        : answer(200, whole.toString('latin1'), { 'content-encoding': encoding });
    const lab = await openLab([corrupt(encoding), good]);
    const response = await retryingInstance(soon, { adapter }).get(lab.origin);
    expect(response.data).toBe('whole');
    expect(reasons(response)).toEqual(['1 transport-error', '2 success']);
  });

  test('to a POST is not: the server has acted', async () => {
    const lab = await openLab(corrupt('gzip'));
    const { error } = await settled(retryingInstance(soon, { adapter }).post(lab.origin, 'x'));
    expect(reasons(error)).toEqual(['1 unsafe-method']);
  });

  test('is not a success: it does not fill the budget', async () => {
    const lab = await openLab(corrupt('gzip'));
    const budget = { capacity: 10, perSuccess: 1, perSecond: 0, cost: 1 } as const;
    const retrier = createRetrier({ ...soon, maxRetries: 1, budget });
    const instance = retryingInstance(retrier, { adapter });
    for (const left of [9, 8]) {
      await settled(instance.get(lab.origin));
      expect(retrier.snapshot().scopes).toMatchObject([{ budgets: [{ tokens: left }] }]);
    }
    await settled(instance.post(lab.origin));
    expect(retrier.snapshot().scopes).toMatchObject([{ budgets: [{ tokens: 8 }] }]);
  });

  test('is not a sign of life', async () => {
    const lab = await openLab([answer(503), corrupt('gzip'), answer(503)]);
    const retrier = createRetrier({ maxRetries: 0, budget: false, gate: { failures: 3, deadForMs: 0 } });
    const instance = retryingInstance(retrier, { adapter });
    for (const state of ['open', 'open', 'shut']) {
      await settled(instance.get(lab.origin));
      expect(retrier.snapshot().scopes).toMatchObject([{ gates: [{ state }] }]);
    }
  });
});

describe.skipIf(!truncatedHasResponse)(
  'over http, the status of a refusal stands, whatever became of its body',
  () => {
    test('its hint is obeyed', async () => {
      const lab = await openLab(corrupt('gzip', 429, { 'retry-after': '1' }));
      const { error } = await settled(retryingInstance({ maxHintMs: 500 }).post(lab.origin));
      expect(reasons(error)).toEqual(['1 hint-too-long']);
      expect(error).toMatchObject({ code: 'Z_DATA_ERROR', response: { status: 429 } });
    });

    test('404 is final', async () => {
      const lab = await openLab(corrupt('gzip', 404));
      const { error } = await settled(retryingInstance(soon).get(lab.origin));
      expect(reasons(error)).toEqual(['1 final-status']);
    });
  },
);

describe('of an adapter by hand', () => {
  const rejectingWith =
    (code: string | undefined, status: number): AxiosAdapter =>
    async (config) => {
      const response = { data: '', status, statusText: '', headers: {}, config };
      throw new axios.AxiosError('no', code, config, {}, response);
    };

  test.each([
    // axios's own error for a status that `validateStatus` rejects, and errors that callers often throw instead.
    ['ERR_BAD_RESPONSE', 200, 'success'],
    ['ERR_BAD_REQUEST', 304, 'success'],
    [undefined, 200, 'success'],
    [undefined, 503, 'retries-spent'],
    ['ERR_BAD_RESPONSE', 503, 'retries-spent'],
    ['E_MINE', 503, 'retries-spent'],
    ['E_MINE', 200, 'final-error'],
    ['ERR_STRING_TOO_LONG', 200, 'final-error'],
    ['ECONNRESET', 200, 'retries-spent'],
  ])('%s beside %i: %s', async (code, status, last) => {
    const instance = retryingInstance({ ...soon, maxRetries: 1 }, { adapter: rejectingWith(code, status) });
    const { error } = await settled(instance.get('http://a.example/'));
    expect(reasons(error)?.at(-1)).toContain(last);
  });
});
