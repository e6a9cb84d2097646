/** A server's hint reaches the decision, and its answer still reaches the caller. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, historyOf, type Stop } from '../../../src/index.js';
import type { HeaderFields } from '../../faults/lab.js';
import { answer } from '../../faults/plays.js';
import { Waits } from '../waits.js';
import { type Asked, theSubject } from './subject.js';

const subject = await theSubject();

const now = Date.UTC(2026, 2, 10, 12, 0, 0);
const http = (ms: number): string => new Date(ms).toUTCString();
const fixed = (waitMs: number) => ({ kind: 'fixed', waitMs, jitter: 'none' }) as const;
const scheduled: PolicyOptions = { schedule: fixed(11), throttledSchedule: fixed(22) };
const google = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' };

describe.each([...subject.ways, ...subject.overH2])('over $name', ({ client, open }) => {
  function waiting(policy: PolicyOptions, random = 0) {
    const waits = new Waits();
    const ports = { random: () => random, date: () => now, sleep: waits.sleep };
    return { send: client(createRetrier(policy, ports)), delays: waits.delays };
  }

  async function waitsAfter(
    status: number,
    headers: HeaderFields,
    policy: PolicyOptions,
    body = '',
  ): Promise<readonly number[]> {
    const lab = await open([answer(status, body, headers), answer(200, 'ok')]);
    const { send, delays } = waiting({ maxRetries: 1, ...policy });
    expect(await send(lab.origin)).toMatchObject({ status: 200, text: 'ok' });
    expect(lab.requests).toHaveLength(2);
    return delays;
  }

  describe('how long to wait', () => {
    test.each<[string, number, HeaderFields, PolicyOptions, number]>([
      ...[408, 425, 429, 500, 503].map(
        (status) =>
          [`Retry-After in seconds, on a ${status}`, status, { 'retry-after': '7' }, {}, 7_000] as [
            string,
            number,
            HeaderFields,
            PolicyOptions,
            number,
          ],
      ),
      ['413 with a hint', 413, { 'retry-after': '1' }, {}, 1_000],
      [
        'Retry-After as a date, by the clock of the server',
        503,
        { 'retry-after': http(now + 100_000), date: http(now + 95_000) },
        {},
        5_000,
      ],
      ['retry-after-ms', 503, { 'retry-after-ms': '250', 'retry-after': '1' }, {}, 250],
      ['RateLimit', 429, { ratelimit: '"default";r=0;t=7' }, {}, 7_000],
      [
        "a vendor's header, where a rule names the vendor",
        403,
        { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1_000 + 30) },
        { rules: [{ match: '127.0.0.1', hints: 'github' }] },
        30_000,
      ],
      ['no hint on a 503: the schedule', 503, {}, scheduled, 11],
      ['no hint on a 429: the other one', 429, {}, scheduled, 22],
      ['a hint that is not read', 503, { 'retry-after': '7' }, { hints: false, ...scheduled }, 11],
      ['a hint that makes no sense', 503, { 'retry-after': 'soon' }, scheduled, 11],
      ['a hint of zero', 503, { 'retry-after': '0' }, scheduled, 11],
    ])('%s', async (_from, status, headers, policy, delayMs) => {
      expect(await waitsAfter(status, headers, policy)).toEqual([delayMs]);
    });

    test.each(['Retry-After', 'RETRY-AFTER', 'rEtRy-AfTeR'])('%s is the same header', async (name) => {
      expect(await waitsAfter(503, { [name]: '7' }, {})).toEqual([7_000]);
    });

    test('jitter goes upwards only', async () => {
      const lab = await open([answer(503, '', { 'retry-after': '10' }), answer(200, 'ok')]);
      const { send, delays } = waiting({ hintJitter: 0.5 }, 0.999);
      await send(lab.origin);
      expect(delays[0]).toBeCloseTo(14_995, 0);
    });

    test('a hint in the body, where it is asked for', async () => {
      const body = JSON.stringify({ error: { details: [google] } });
      const json = { 'content-type': 'application/json' };
      const policy: PolicyOptions = { hints: 'google', throttledSchedule: fixed(5) };
      expect(await waitsAfter(429, json, { ...policy, bodyHintBytes: 1_000 }, body)).toEqual([7_000]);
      expect(await waitsAfter(429, json, { ...policy, bodyHintBytes: 0 }, body)).toEqual([5]);
    });
  });

  describe('ends it at once, with the answer', () => {
    test.each<[string, HeaderFields, PolicyOptions, Partial<Stop>]>([
      [
        'a hint that is too long',
        { 'retry-after': '61' },
        {},
        { reason: 'hint-too-long', delayMs: 61_000, limit: 60_000 },
      ],
      ['a hint of a month', { 'retry-after': '2592000' }, {}, { reason: 'hint-too-long' }],
      [
        'longer than maxHintMs',
        { 'retry-after': '2' },
        { maxHintMs: 1_999 },
        { reason: 'hint-too-long', limit: 1_999 },
      ],
      [
        'a hint that the deadline forbids',
        { 'retry-after': '7' },
        { deadlineMs: 7_000 },
        { reason: 'hint-past-deadline', delayMs: 7_000, limit: 7_000 },
      ],
      ['a veto', { 'x-should-retry': 'false' }, {}, { reason: 'server-forbids' }],
    ])('%s', async (_what, headers, policy, stop) => {
      const lab = await open(answer(503, 'busy', headers));
      const decisions: unknown[] = [];
      const observe: PolicyOptions['observe'] = (event) => {
        if (event.type === 'decision') decisions.push(event.decision);
      };
      const { send, delays } = waiting({ ...policy, observe });
      expect(await send(lab.origin)).toMatchObject({ status: 503, text: 'busy' });
      expect(decisions).toMatchObject([{ action: 'stop', ...stop }]);
      expect(delays).toEqual([]);
      expect(lab.requests).toHaveLength(1);
    });
  });
});

describe.each(subject.ways)('over $name', ({ client, open }) => {
  async function waitAfter(headers: HeaderFields): Promise<number | undefined> {
    const lab = await open([answer(503, '', headers), answer(200)]);
    const waits = new Waits();
    const policy: PolicyOptions = { hintJitter: 0, schedule: fixed(60_000) };
    const ports = { date: () => now, sleep: waits.sleep };
    await client(createRetrier(policy, ports))(lab.origin);
    return waits.delays[0];
  }

  // Over HTTP/2, Node adds a `date` to every answer.
  test('Retry-After as a date, where the server has no clock: by ours', async () => {
    expect(await waitAfter({ 'retry-after': http(now + 5_000) })).toBe(5_000);
  });

  test('with two Retry-After headers, the wait is never shorter than the first one asks', async () => {
    expect(await waitAfter({ 'retry-after': ['9', '9'] })).toBeGreaterThanOrEqual(9_000);
  });

  test('of two Retry-After that contradict each other, the wait is the longer, or none of theirs', async () => {
    expect(await waitAfter({ 'retry-after': ['3', '9'] })).toBeGreaterThanOrEqual(9_000);
  });
});

test('maxHintMs of one request', async () => {
  const lab = await subject.ways[0].open(answer(429, 'come back later', { 'retry-after': '6' }));
  const { status, text, given } = await subject.client()(lab.origin, { retry: { maxHintMs: 1_000 } });
  expect([status, text]).toEqual([429, 'come back later']);
  expect(historyOf(given)).toMatchObject([{ decision: { reason: 'hint-too-long', limit: 1_000 } }]);
});

describe('statuses and methods by rule', () => {
  test.each<[string, PolicyOptions, Asked['method'], number, number]>([
    ['another status', { statuses: [404] }, 'GET', 404, 2],
    ['a success that counts as a failure', { statuses: [202] }, 'GET', 202, 2],
    ['a status taken out', { statuses: ['5xx', '!503'] }, 'GET', 503, 1],
    ['only where the rule is', { statuses: [404] }, 'GET', 503, 1],
    ['another method', { methods: ['POST'] }, 'POST', 503, 2],
    ['a method taken out', { methods: ['GET'] }, 'PUT', 503, 1],
    ['every request is idempotent', { idempotent: true }, 'PATCH', 503, 2],
    ['POST as it is', {}, 'POST', 503, 1],
    ['POST that the server did not take', {}, 'POST', 429, 2],
    ['POST, never', { unsafeMethods: 'never' }, 'POST', 429, 1],
    ['413 without a hint', {}, 'GET', 413, 1],
  ])('%s', async (_what, settings, method = 'GET', status, sent) => {
    const lab = await subject.ways[0].open([answer(status), answer(200)]);
    const waits = new Waits();
    const retrier = createRetrier({ rules: [{ match: '/here', ...settings }] }, { sleep: waits.sleep });
    await subject.client(retrier)(`${lab.origin}/here`, { method });
    expect(lab.requests).toHaveLength(sent);
  });
});
