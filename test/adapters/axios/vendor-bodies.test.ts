/** Vendors whose words stand in the body are obeyed when they are named, and the caller gets every byte of it. */

import type { AxiosError, AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, historyOf, presets } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { settled } from '../kit.js';
import { latin1, packed, packers, plain, vendorAnswers } from '../vendor-answers.js';
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

function whatCame(result: { readonly value?: unknown; readonly error?: unknown }): unknown {
  return result.value ?? (result.error as AxiosError).response;
}

/** One adapter that unpacks with zlib, one with what the platform has; both have the text in the end. */
const unpacking: readonly Way[] = overHttp1.filter(({ name }) => name !== 'an adapter of the caller');
// Older ones leave zstd as it is.
const codings = Object.keys(packers).filter((coding) => coding !== 'zstd');

describe.each(unpacking)('$name', (way) => {
  const named = vendorAnswers.map((row) => ({
    ...row,
    name: `${row.hints}, ${row.status}, ${row.waitMs} ms`,
  }));

  describe.each(named)('$name', ({ hints, status, body, waitMs, method = 'GET', path = '/' }) => {
    const data = method === 'POST' ? '{}' : undefined;

    test.each(['', ...codings])('is obeyed: %s', async (coding) => {
      const lab = await way.open([
        coding === '' ? plain(status, body) : packed(status, body, coding),
        answer(200, 'ok'),
      ]);
      const { retrier, delays } = watched({ hints });
      const sent = retryingOver(way, lab.origin, retrier).request({ url: path, method, data });
      const came = whatCame(await settled(sent));
      expect(came).toMatchObject(waitMs === null ? { status, data: body } : { status: 200, data: 'ok' });
      expect(delays).toEqual(waitMs === null ? [] : [waitMs]);
    });

    test('reaches the caller as it came, when it ends there', async () => {
      const lab = await way.open(packed(status, body, 'gzip'));
      const { retrier, delays } = watched({ hints, maxHintMs: 1 });
      const sent = retryingOver(way, lab.origin, retrier).request({ url: path, method, data });
      expect(whatCame(await settled(sent))).toMatchObject({ status, data: body });
      expect(delays).toEqual([]);
    });
  });

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

describe('what cannot be read is said to be so', () => {
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

  test('but not where nothing was to be read', async () => {
    expect(await hintOf({ responseType: 'stream' }, { bodyHintBytes: 0 })).toBeUndefined();
  });

  test('nor bytes that stay compressed as bytes: those are', async () => {
    expect(await hintOf({ decompress: false, responseType: 'arraybuffer' })).toMatchObject({
      delayMs: 7_000,
    });
  });

  test('nor what is longer than may be read, which is not looked at', async () => {
    expect(await hintOf({}, { bodyHintBytes: 5 })).toBeUndefined();
    expect(await hintOf({ responseType: 'arraybuffer' }, { bodyHintBytes: 5 })).toBeUndefined();
  });
});

test('what an adapter has parsed already is read as it is', async () => {
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

test('no success is looked into but that of GraphQL', async () => {
  const http = unpacking.find(({ name }) => name === 'http') as Way;
  const limited = { errors: [{ type: 'RATE_LIMITED' }] };
  const lab = await http.open([plain(503, {}), plain(200, limited)]);
  const { retrier, delays } = watched({ hints: 'github' });
  const { data } = await retryingOver(http, lab.origin, retrier).get('/graphql');
  expect(data).toEqual(limited);
  expect(delays).toEqual([2]);
});

test.each(unpacking)("Google's Core Reporting flow, with the reasons in the body: $name", async (way) => {
  const says = (reason: string): object => ({ error: { errors: [{ domain: 'usageLimits', reason }] } });
  const lab = await way.open([
    packed(403, says('userRateLimitExceeded'), 'gzip'),
    plain(503, says('backendError')),
    plain(403, says('dailyLimitExceeded')),
  ]);
  const waits = new Waits();
  const ports = { random: () => 0, sleep: waits.sleep };
  const retrier = createRetrier(presets.policies.googleCoreReporting, ports);
  const { error } = await settled(retryingOver(way, lab.origin, retrier).get('/'));
  expect((error as AxiosError).response).toMatchObject({ status: 403, data: says('dailyLimitExceeded') });
  expect(waits.delays).toEqual([1_000, 2_000]);
});
