/** The request's own time: nothing is sent, awaited or begun after it. */

import { getEventListeners } from 'node:events';
import type { AxiosAdapter, AxiosError } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { AttemptTimeoutError, createRetrier, DeadlineError, historyOf } from '../../../src/index.js';
import { answer, dripBody, rst, silence, stallAfterHead } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled } from '../kit.js';
import { axios, axiosEsm } from './client.js';
import { retryingInstance } from './kit.js';
import { retryingOver, ways } from './ways.js';

/** Waits of a second, and ten for everything. */
const policy: PolicyOptions = {
  deadlineMs: 10_000,
  schedule: { kind: 'fixed', waitMs: 1_000, jitter: 'none' },
};

describe.each(ways)('$name', (way) => {
  test.each([
    ['says nothing', silence()],
    ['stalls after the head', stallAfterHead()],
    ['drips its body', dripBody('x'.repeat(100_000), 5)],
  ] as const)('a server that %s', async (_, play) => {
    const lab = await way.open(play);
    const time = new HandTime();
    const { signal } = new AbortController();
    const asked = settled(
      retryingOver(way, lab.origin, createRetrier(policy, time.ports)).get('/', { signal }),
    );
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(10_000);
    const { error } = await asked;
    expect(error).toBeInstanceOf(DeadlineError);
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_DEADLINE', deadlineMs: 10_000 });
    expect([axios.isAxiosError(error), axiosEsm.isAxiosError(error)]).toEqual([true, true]);
    expect((error as AxiosError).config).toMatchObject({ url: '/', signal });
    expect('cause' in (error as Error)).toBe(false);
    expect(lab.requests).toHaveLength(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(time.pending).toEqual([]);
  });

  test('it runs on over all attempts, and its error has the last outcome that there was', async () => {
    const lab = await way.open([answer(503, 'busy'), silence()]);
    const time = new HandTime();
    const asked = settled(retryingOver(way, lab.origin, createRetrier(policy, time.ports)).get('/'));
    await time.fire(1_000);
    await lab.until(({ requests }) => requests.length === 2);
    // What is left of it.
    await time.fire(9_000);
    const { error } = await asked;
    expect(error).toBeInstanceOf(DeadlineError);
    expect((error as Error).cause).toMatchObject({ response: { status: 503, data: 'busy' } });
    expect(time.now).toBe(10_000);
    expect(time.pending).toEqual([]);
    expect(lab.requests).toHaveLength(2);
  });

  test('no wait begins that cannot end before it: the answer itself is returned', async () => {
    const lab = await way.open(({ number }) => answer(503, `answer ${number}`));
    const time = new HandTime();
    const schedule = { kind: 'table', waitsMs: [10, 990], jitter: 'none' } as const;
    const retrier = createRetrier({ deadlineMs: 1_000, schedule }, time.ports);
    const asked = settled(retryingOver(way, lab.origin, retrier).get('/'));
    await time.fire(10);
    const { error } = await asked;
    expect((error as AxiosError).response).toMatchObject({ status: 503, data: 'answer 2' });
    expect(historyOf(error)?.at(-1)?.decision).toMatchObject({ reason: 'wait-past-deadline', delayMs: 990 });
    expect(time.pending).toEqual([]);
    expect(lab.requests).toHaveLength(2);
  });
});

test('the last outcome may be a response that the caller would have accepted', async () => {
  const lab = await openLab([answer(503, 'busy', { 'x-why': 'tired' }), silence()]);
  const time = new HandTime();
  const instance = retryingInstance(createRetrier(policy, time.ports), { baseURL: lab.origin });
  const asked = settled(instance.get('/', { validateStatus: () => true }));
  await time.fire(1_000);
  await lab.until(({ requests }) => requests.length === 2);
  await time.fire(9_000);
  const { error } = await asked;
  expect((error as Error).cause).toMatchObject({ status: 503, headers: { 'x-why': 'tired' } });
});

test('or an error of the transport', async () => {
  const lab = await openLab([rst(), silence()]);
  const time = new HandTime();
  const instance = retryingInstance(createRetrier(policy, time.ports), { baseURL: lab.origin });
  const asked = settled(instance.get('/', { adapter: 'http' }));
  await time.fire(1_000);
  await time.fire(9_000);
  expect((await asked).error).toMatchObject({
    code: 'ERR_UNDAUNTED_DEADLINE',
    cause: { code: 'ECONNRESET', isAxiosError: true },
  });
});

test('or an attempt whose own time was up; the last one has no more than what is left', async () => {
  const lab = await openLab(silence());
  const time = new HandTime();
  const retrier = createRetrier({ ...policy, attemptTimeoutMs: 6_000 }, time.ports);
  const asked = settled(retryingInstance(retrier, { baseURL: lab.origin, adapter: 'http' }).get('/'));
  await time.fire(6_000);
  await time.fire(1_000);
  await time.fire(3_000);
  const { error } = await asked;
  expect(error).toBeInstanceOf(DeadlineError);
  expect((error as Error).cause).toBeInstanceOf(AttemptTimeoutError);
  expect(time.now).toBe(10_000);
});

test('an attempt is not sent when the wait before it took longer than it was to', async () => {
  const lab = await openLab(answer(503));
  const time = new HandTime();
  const retrier = createRetrier(policy, time.ports);
  const asked = settled(retryingInstance(retrier, { baseURL: lab.origin, adapter: 'http' }).get('/'));
  await time.until(({ pending }) => pending.includes(1_000));
  // The process was busy, or asleep.
  time.now = 60_000;
  await time.fire(1_000);
  const first = await Promise.race([asked, time.until(({ pending }) => pending.length > 0)]);
  expect(first).toMatchObject({ error: { code: 'ERR_UNDAUNTED_DEADLINE', isAxiosError: true } });
  expect((first as { error: Error }).error.cause).toMatchObject({ response: { status: 503 } });
  expect(lab.requests).toHaveLength(1);
});

test('nor when a hook took longer', async () => {
  const lab = await openLab(answer(503));
  const time = new HandTime();
  const beforeRetry = (): void => {
    time.now = 60_000;
  };
  const retrier = createRetrier({ ...policy, beforeRetry }, time.ports);
  const asked = settled(retryingInstance(retrier, { baseURL: lab.origin, adapter: 'http' }).get('/'));
  await time.fire(1_000);
  const first = await Promise.race([asked, time.until(({ pending }) => pending.length > 0)]);
  expect(first).toMatchObject({ error: { code: 'ERR_UNDAUNTED_DEADLINE' } });
  expect(lab.requests).toHaveLength(1);
});

test('an adapter that never settles ends with it', async () => {
  const time = new HandTime();
  const adapter: AxiosAdapter = () => new Promise(() => undefined);
  const asked = settled(retryingInstance(createRetrier(policy, time.ports), { adapter }).get('/'));
  await time.fire(10_000);
  expect((await asked).error).toBeInstanceOf(DeadlineError);
});

test('a policy’s deadline may be another for one request', async () => {
  const time = new HandTime();
  const adapter: AxiosAdapter = () => new Promise(() => undefined);
  const instance = retryingInstance(createRetrier(policy, time.ports), { adapter });
  const asked = settled(instance.get('/', { retry: { deadlineMs: 70 } }));
  await time.fire(70);
  expect((await asked).error).toMatchObject({ deadlineMs: 70 });
  expect(time.pending).toEqual([]);
});
