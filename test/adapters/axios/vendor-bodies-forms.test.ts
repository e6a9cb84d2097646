/** Bodies with a hint in every form that axios gives: text, bytes, streams, and data that an adapter has parsed. */

import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, historyOf } from '../../../src/index.js';
import { latin1, packed, plain } from '../vendor-answers.js';
import { Waits } from '../waits.js';
import { retryingInstance } from './kit.js';
import { overHttp1, retryingOver, type Way } from './ways.js';

const fixed = (waitMs: number) => ({ kind: 'fixed', waitMs, jitter: 'none' }) as const;

function watched(policy: PolicyOptions) {
  const waits = new Waits();
  const exact = {
    hintJitter: 0,
    idempotent: true,
    throttledSchedule: fixed(3),
    schedule: fixed(2),
    ...policy,
  };
  return { retrier: createRetrier(exact, { random: () => 0, sleep: waits.sleep }), delays: waits.delays };
}

/** One adapter unpacks with zlib, one with the platform's means; both give the text in the end. */
const unpacking: readonly Way[] = overHttp1.filter(({ name }) => name !== 'an adapter of the caller');

describe.each(unpacking)('$name', (way) => {
  test.each(['', 'gzip'])('bytes are read, too, where axios was asked for them: %s', async (coding) => {
    const body = { parameters: { retry_after: 7 } };
    const lab = await way.open([
      coding === '' ? plain(429, body) : packed(429, body, coding),
      plain(404, { gone: true }),
    ]);
    const { retrier, delays } = watched({ hints: 'telegram' });
    const config: AxiosRequestConfig = { responseType: 'arraybuffer', validateStatus: null };
    const { data } = await retryingOver(way, lab.origin, retrier, config).get('/');
    expect(delays).toEqual([7_000]);
    expect(latin1(data)).toBe('{"gone":true}');
  });
});

describe('a body that cannot be read is reported as unreadable', () => {
  const body = { parameters: { retry_after: 7 } };
  const http = unpacking.find(({ name }) => name === 'http') as Way;

  async function hintOf(config: AxiosRequestConfig, policy: PolicyOptions = {}): Promise<unknown> {
    const lab = await http.open(packed(429, body, 'gzip'));
    const { retrier } = watched({ hints: 'telegram', maxRetries: 0, ...policy });
    const response = await retryingOver(http, lab.origin, retrier, { validateStatus: null, ...config }).get(
      '/',
    );
    if (config.responseType === 'stream') response.data.destroy();
    const finding = historyOf(response)?.[0]?.decision.finding;
    return finding?.kind === 'response' ? finding.hint : undefined;
  }

  test('a stream, which is for the caller to read', async () => {
    expect(await hintOf({ responseType: 'stream' })).toEqual({ delayMs: null, reason: 'body-unreadable' });
  });

  test('bytes that were to stay compressed, as text', async () => {
    expect(await hintOf({ decompress: false })).toEqual({ delayMs: null, reason: 'body-unreadable' });
  });

  test('but not if no body was to be read', async () => {
    expect(await hintOf({ responseType: 'stream' }, { bodyHintBytes: 0 })).toBeUndefined();
  });

  test('nor bytes that stay compressed: those can be read', async () => {
    expect(await hintOf({ decompress: false, responseType: 'arraybuffer' })).toMatchObject({
      delayMs: 7_000,
    });
  });

  test('nor a body that is longer than the limit, which is not read', async () => {
    expect(await hintOf({}, { bodyHintBytes: 5 })).toBeUndefined();
    expect(await hintOf({ responseType: 'arraybuffer' }, { bodyHintBytes: 5 })).toBeUndefined();
  });
});

test('data that an adapter has parsed is read as it is', async () => {
  const data = { parameters: { retry_after: 7 } };
  const { retrier, delays } = watched({ hints: 'telegram' });
  let isFirst = true;
  const instance = retryingInstance(retrier, {
    adapter: async (config) => {
      const status = isFirst ? 429 : 200;
      isFirst = false;
      return { status, statusText: '', headers: {}, data, config } as never;
    },
  });
  expect((await instance.get('/')).data).toBe(data);
  expect(delays).toEqual([7_000]);
});

test('a Blob is for the caller to read', async () => {
  const { retrier } = watched({ hints: 'telegram', maxRetries: 0 });
  const instance = retryingInstance(retrier, {
    adapter: async (config) =>
      ({ status: 429, statusText: '', headers: {}, data: new Blob(['{}']), config }) as never,
  });
  const finding = historyOf(await instance.get('/'))?.[0]?.decision.finding;
  expect(finding).toMatchObject({ hint: { reason: 'body-unreadable' } });
});
