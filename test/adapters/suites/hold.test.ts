/** The hold of a scope: one request's hint keeps the others back. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, HeldError } from '../../../src/index.js';
import { answer } from '../../faults/plays.js';
import { Clock } from '../clock.js';
import { openLab, settled } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

const holding: PolicyOptions = { maxRetries: 1, hintJitter: 0, hold: { refusedShare: 0 } };
const inFive = answer(429, '', { 'retry-after': '5' });

describe.each(subject.ways)('over $name', ({ client }) => {
  test('that one request got delays the others of its scope, and not those of another', async () => {
    const lab = await openLab([inFive, answer(200)]);
    const other = await openLab(answer(200));
    const clock = new Clock();
    const retrier = createRetrier(holding, clock.ports);
    const send = client(retrier);
    const first = send(lab.origin);
    await clock.waits.until(1);
    clock.now = 1_000;
    const others = [send(lab.origin), send(lab.origin)];
    await clock.waits.until(3);
    expect((await send(other.origin)).status).toBe(200);

    expect(clock.waits.delays.map(Math.round)).toEqual([5_000, 4_000, 4_100]);
    expect(lab.requests).toHaveLength(1);
    expect(retrier.snapshot().scopes[0]?.holds).toEqual([{ forMs: 4_000 }]);

    clock.now = 30_000;
    clock.waits.wake();
    expect((await Promise.all([first, ...others])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(lab.requests).toHaveLength(4);
  });

  test('gets the place of an aborted request back: others move up', async () => {
    const lab = await openLab([inFive, answer(200)]);
    const clock = new Clock();
    const send = client(createRetrier({ ...holding, maxRetries: 0 }, clock.ports));
    await send(lab.origin);
    const aborter = new AbortController();
    const leaving = Array.from({ length: 50 }, () => settled(send(lab.origin, { signal: aborter.signal })));
    await clock.waits.until(50);
    aborter.abort();
    await Promise.all(leaving);
    const next = send(lab.origin);
    await clock.waits.until(51);
    expect(clock.waits.delays.at(-1)).toBe(5_000);
    clock.now = 5_000;
    clock.waits.wake();
    expect((await next).status).toBe(200);
  });
});

test('that would end after the deadline fails a request at once', async () => {
  const lab = await openLab([inFive, answer(200)]);
  const clock = new Clock();
  const send = subject.client(createRetrier({ ...holding, maxRetries: 0 }, clock.ports));
  expect((await send(lab.origin)).status).toBe(429);
  const { error } = await settled(send(lab.origin, { retry: { deadlineMs: 4_000 } }));
  expect(error).toBeInstanceOf(HeldError);
  expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_HELD', scope: lab.origin });
  subject.expectOwn(error, {});
  expect((error as HeldError).asked).toEqual({ status: 429, delayMs: 5_000, agoMs: 0 });
  expect((error as HeldError).cause).toMatchObject({ status: 429, hint: { delayMs: 5_000 } });
  expect(clock.waits.delays).toEqual([]);
  expect(lab.requests).toHaveLength(1);
});

test('is left by an abort at once', async () => {
  const lab = await openLab([inFive, answer(200)]);
  const clock = new Clock();
  const send = subject.client(createRetrier({ ...holding, maxRetries: 0 }, clock.ports));
  await send(lab.origin);
  const aborter = new AbortController();
  const held = settled(send(lab.origin, { signal: aborter.signal }));
  await clock.waits.until(1);
  aborter.abort();
  expect(String(((await held).error as { readonly code: unknown }).code)).toBe(subject.abortCode);
  expect(clock.waits.pending).toBe(0);
});

test('is not for short hints, which delay only the request that got them', async () => {
  const lab = await openLab([answer(429, '', { 'retry-after': '1' }), answer(200)]);
  const clock = new Clock();
  const send = subject.client(createRetrier({ ...holding, hold: true }, clock.ports));
  const first = send(lab.origin);
  await clock.waits.until(1);
  expect((await send(lab.origin)).status).toBe(200);
  clock.now = 2_000;
  clock.waits.wake();
  expect((await first).status).toBe(200);
});
