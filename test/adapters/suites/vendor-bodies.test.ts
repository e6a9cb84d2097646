/** Hints in bodies are obeyed if their vendor is named, and the caller still gets every byte. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, historyOf } from '../../../src/index.js';
import { schemes } from '../../../src/schemes.js';
import { answer } from '../../faults/plays.js';
import { openLab } from '../kit.js';
import { packed, packers, plain, textOf, vendorAnswers } from '../vendor-answers.js';
import { Waits } from '../waits.js';
import { type Asked, theSubject, type Way } from './subject.js';

const subject = await theSubject();

const fixed = (waitMs: number) => ({ kind: 'fixed', waitMs, jitter: 'none' }) as const;

/** With fixed dice; every request may be repeated, also a query sent by POST. */
function waiting({ client }: Pick<Way, 'client'>, policy: PolicyOptions) {
  const waits = new Waits();
  const ports = { random: () => 0, sleep: waits.sleep };
  const exact = { hintJitter: 0, idempotent: true, throttledSchedule: fixed(3), schedule: fixed(2) };
  return { send: client(createRetrier({ ...exact, ...policy }, ports)), delays: waits.delays };
}

const named = vendorAnswers.map((row) => ({ ...row, name: `${row.hints}, ${row.status}, ${row.waitMs} ms` }));
// Older clients do not unpack zstd.
const codings = Object.keys(packers).filter((coding) => coding !== 'zstd');
const readable = subject.ways.filter(({ packedBodies }) => packedBodies !== 'broken');

describe.each(readable)('over $name', (way) => {
  describe.each(named)('$name', ({ hints, status, body, waitMs, method = 'GET', path = '/' }) => {
    const asked: Asked = method === 'POST' ? { method, body: '{}' } : { method };
    const playIn = (coding: string) => (coding === '' ? plain(status, body) : packed(status, body, coding));
    const ofServer = (coding: string) => ({
      status,
      text: way.packedBodies === 'unpacked' ? JSON.stringify(body) : textOf(playIn(coding)),
    });

    test.each(['', ...codings])('is obeyed: %s', async (coding) => {
      const lab = await openLab([playIn(coding), answer(200, 'ok')]);
      const { send, delays } = waiting(way, { hints });
      const reply = await send(lab.origin + path, asked);
      expect(reply).toMatchObject(waitMs === null ? ofServer(coding) : { status: 200, text: 'ok' });
      expect(delays).toEqual(waitMs === null ? [] : [waitMs]);
    });

    test.each(['', 'gzip'])('reaches the caller as it came, when it ends there: %s', async (coding) => {
      const lab = await openLab(playIn(coding));
      const { send, delays } = waiting(way, { hints, maxHintMs: 1 });
      expect(await send(lab.origin + path, asked)).toMatchObject(ofServer(coding));
      expect(delays).toEqual([]);
      expect(lab.requests).toHaveLength(1);
    });

    test('is not read with bodyHintBytes: 0', async () => {
      const lab = await openLab([plain(status, body), answer(200, 'ok')]);
      const { send, delays } = waiting(way, { hints, bodyHintBytes: 0 });
      await send(lab.origin + path, asked);
      expect(delays).toEqual(status === 429 ? [3] : status === 503 ? [2] : []);
    });
  });

  test("Google's Core Reporting flow, with the reasons in the body", async () => {
    const says = (reason: string): object => ({ error: { errors: [{ domain: 'usageLimits', reason }] } });
    const lab = await openLab([
      packed(403, says('userRateLimitExceeded'), 'gzip'),
      plain(503, says('backendError')),
      plain(403, says('dailyLimitExceeded')),
    ]);
    const waits = new Waits();
    const ports = { random: () => 0, sleep: waits.sleep };
    const send = way.client(createRetrier(schemes.policies.googleCoreReporting, ports));
    const text = JSON.stringify(says('dailyLimitExceeded'));
    expect(await send(lab.origin)).toMatchObject({ status: 403, text });
    expect(waits.delays).toEqual([1_000, 2_000]);
  });
});

test('a GraphQL POST is not sent again unless a rule allows it: the caller gets GitHub’s answer', async () => {
  const limited = { errors: [{ type: 'RATE_LIMITED' }] };
  const lab = await openLab(plain(200, limited));
  const { send, delays } = waiting(subject, { hints: 'github', idempotent: false });
  const { text, given } = await send(`${lab.origin}/graphql`, { method: 'POST', body: '{}' });
  expect(text).toBe(JSON.stringify(limited));
  expect(delays).toEqual([]);
  expect(historyOf(given)).toMatchObject([
    { decision: { action: 'stop', reason: 'unsafe-method', finding: { class: 'throttled' } } },
  ]);
});

test('no success is looked into but that of GraphQL', async () => {
  const limited = { errors: [{ type: 'RATE_LIMITED' }] };
  const lab = await openLab([plain(503, {}), plain(200, limited)]);
  const { send, delays } = waiting(subject, { hints: 'github' });
  expect((await send(`${lab.origin}/graphql`)).text).toBe(JSON.stringify(limited));
  expect(delays).toEqual([2]);
});
