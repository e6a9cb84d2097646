/** The request's deadline, waits included: nothing is sent, awaited or begun after it. */

import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { AttemptTimeoutError, DeadlineError } from '../../../src/index.js';
import {
  type Answer,
  answer,
  dripBody,
  dripHead,
  fin,
  halfHead,
  informational,
  type Play,
  rst,
  silence,
  stallAfterHead,
} from '../../faults/lab.js';
import { thinker } from '../abort-moments.js';
import { openFullBacklog, openLab } from '../kit.js';
import { headIn } from './causes.js';
import { theSubject } from './subject.js';
import { expectForgotten, reasonsOf, timed } from './timed.js';

const subject = await theSubject();
const [plain] = subject.ways;

/** Different from every time that the library uses itself. */
const wait = 1_100;
/** Ten seconds for the whole request. */
const policy: PolicyOptions = {
  deadlineMs: 10_000,
  schedule: { kind: 'fixed', waitMs: wait, jitter: 'none' },
};

describe.each([...subject.ways, ...subject.overH2])('$name', (way) => {
  test.each<[string, Answer]>([
    ['says nothing', silence()],
    ['stalls after the head', stallAfterHead()],
    ['drips its body', dripBody('x'.repeat(100_000), 5)],
  ])('a server that %s', async (_, play) => {
    const lab = await way.open(play);
    const { time, ask } = timed(way, { ...policy, deadlineCovers: 'body' });
    const { signal } = new AbortController();
    const asked = ask(lab.origin, { signal });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(10_000);
    const { error } = await asked;
    expect(error).toBeInstanceOf(DeadlineError);
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_DEADLINE', deadlineMs: 10_000 });
    expect(error).not.toHaveProperty('cause');
    subject.expectOwn(error, { signal });
    expect(lab.requests).toHaveLength(1);
    await expectForgotten(way, signal);
    expect(time.pending).toEqual([]);
  });

  test('it runs on over all attempts, and its error has the last outcome that there was', async () => {
    const lab = await way.open([answer(500), answer(503, 'busy', { 'x-why': 'tired' }), silence()]);
    const { time, ask } = timed(way, policy);
    const asked = ask(lab.origin);
    await time.fire(wait);
    await time.fire(wait);
    await lab.until(({ requests }) => requests.length === 3);
    await time.fireAt(10_000);
    const { error } = await asked;
    expect(error).toBeInstanceOf(DeadlineError);
    expect(headIn(error)).toMatchObject({ status: 503, headers: { 'x-why': 'tired' } });
    expect(time.now).toBe(10_000);
    expect(time.pending).toEqual([]);
    expect(lab.requests).toHaveLength(3);
  });

  test('no wait begins that cannot end before it: the answer itself is returned', async () => {
    const lab = await way.open(({ number }) => answer(503, `answer ${number}`));
    const schedule = { kind: 'table', waitsMs: [10, 990], jitter: 'none' } as const;
    const { time, decisions, ask } = timed(way, { deadlineMs: 1_000, schedule });
    const asked = ask(lab.origin);
    await time.fire(10);
    expect((await asked).value).toMatchObject({ status: 503, text: 'answer 2' });
    expect(reasonsOf(decisions)).toEqual(['transient-status', 'wait-past-deadline']);
    expect(decisions.at(-1)).toMatchObject({ delayMs: 990 });
    expect(time.pending).toEqual([]);
    expect(lab.requests).toHaveLength(2);
  });

  test('a POST is not sent again', async () => {
    const lab = await way.open([silence(), answer(200)]);
    const { time, ask } = timed(way, policy);
    const asked = ask(lab.origin, { method: 'POST', body: 'pay', headers: { 'x-id': 'write' } });
    await lab.until(({ requests }) => requests[0]?.complete === true);
    await time.fire(10_000);
    expect((await asked).error).toBeInstanceOf(DeadlineError);
    expect(lab.applied('write')).toBe(1);
    expect(time.pending).toEqual([]);
  });

  test('one time for all attempts, and no timer is left', async () => {
    const lab = await way.open([answer(503), answer(503), answer(200, 'yes')]);
    const { time, ask } = timed(way, policy);
    const asked = ask(lab.origin);
    await time.fire(wait);
    await time.fire(wait);
    expect((await asked).value?.text).toBe('yes');
    const watching = time.timers.filter(({ delayMs }) => delayMs > wait);
    expect(new Set(watching.map(({ at }) => at))).toEqual(new Set([10_000]));
    expect(time.pending).toEqual([]);
  });
});

describe.each(subject.ways)('$name', (way) => {
  test.each<[string, Play]>([
    ['says half a head', halfHead('stall')],
    ['drips its head', dripHead(20_000)],
    ['says something in the meantime, and no more', informational(103, { link: '</a>' }, silence())],
  ])('a server that %s', async (_, play) => {
    const lab = await openLab([play, answer(200)]);
    const { time, ask } = timed(way, policy);
    const asked = ask(lab.origin);
    await lab.until(({ bytesSent }) => bytesSent > 0);
    await time.fire(10_000);
    const { error } = await asked;
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_DEADLINE', deadlineMs: 10_000 });
    expect(error).not.toHaveProperty('cause');
    await lab.until(({ connections, openSockets }) => openSockets < connections);
    expect(lab.requests).toHaveLength(1);
    expect(time.pending).toEqual([]);
  });
});

test.each<[string, Play]>([
  ['a reset', rst()],
  ['an end', fin()],
])('its cause may be an error of the transport: %s', async (_, play) => {
  const lab = await openLab([play, silence()]);
  const { time, ask } = timed(plain, policy);
  const asked = ask(lab.origin);
  await time.fire(wait);
  await lab.until(({ requests }) => requests.length === 2);
  await time.fireAt(10_000);
  const { error } = await asked;
  const { cause } = error as Error;
  expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_DEADLINE' });
  expect(cause).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/) });
  subject.expectOwn(cause, {});
});

test('its cause may be an attempt that timed out; the last attempt has only the time that is left', async () => {
  const lab = await openLab(silence());
  const { time, ask } = timed(plain, { ...policy, attemptTimeoutMs: 6_000 });
  const asked = ask(lab.origin);
  await lab.until(({ requests }) => requests.length === 1);
  await time.fire(6_000);
  await time.fire(wait);
  await lab.until(({ requests }) => requests.length === 2);
  await time.fireAt(10_000);
  const { error } = await asked;
  expect(error).toBeInstanceOf(DeadlineError);
  expect((error as Error).cause).toBeInstanceOf(AttemptTimeoutError);
  expect(time.now).toBe(10_000);
  expect(time.pending).toEqual([]);
});

test('a connection that is never established ends with it', async () => {
  const { time, ask } = timed(plain, policy);
  const asked = ask(await openFullBacklog());
  await time.fire(10_000);
  expect((await asked).error).toBeInstanceOf(DeadlineError);
  expect(time.pending).toEqual([]);
});

test('it may be another for one request', async () => {
  const lab = await openLab(silence());
  const { time, ask } = timed(plain, policy);
  const asked = ask(lab.origin, { retry: { deadlineMs: 70 } });
  await time.fire(70);
  expect((await asked).error).toMatchObject({ deadlineMs: 70 });
  expect(time.pending).toEqual([]);
});

describe('an attempt is not sent', () => {
  const expectTooLate = async ({ time, ask }: ReturnType<typeof timed>): Promise<void> => {
    const lab = await openLab(answer(503));
    const asked = ask(lab.origin);
    await time.fire(wait);
    await Promise.race([asked, lab.until(({ requests }) => requests.length > 1)]);
    expect(lab.requests).toHaveLength(1);
    const { error } = await asked;
    expect(error).toBeInstanceOf(DeadlineError);
    const { cause } = error as Error;
    expect((cause as { response?: unknown }).response ?? cause).toMatchObject({ status: 503 });
  };

  test('when the wait before it took longer than it was to', async () => {
    const set = timed(plain, policy);
    // As if the process had been busy or suspended.
    void set.time.until(({ pending }) => pending.includes(wait)).then(() => (set.time.now = 60_000));
    await expectTooLate(set);
  });

  test('nor when a hook took longer', async () => {
    const set = timed(plain, {
      ...policy,
      beforeRetry: () => {
        set.time.now = 60_000;
      },
    });
    await expectTooLate(set);
  });
});

describe("while a function of the caller's thinks", () => {
  test('beforeRetry', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const { asked: isAsked, ask: beforeRetry } = thinker();
    const { time, ask } = timed(plain, { ...policy, beforeRetry });
    const asked = ask(lab.origin);
    await time.fire(wait);
    await isAsked;
    await time.fireAt(10_000);
    const { error } = await asked;
    expect(error).toBeInstanceOf(DeadlineError);
    const { cause } = error as Error;
    expect((cause as { response?: unknown }).response ?? cause).toMatchObject({ status: 503 });
    expect(lab.requests).toHaveLength(1);
  });

  test('beforeRetry that is done too late sends nothing', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    let done = (): void => undefined;
    const beforeRetry = (): Promise<void> =>
      new Promise((resolve) => {
        done = resolve;
      });
    const { time, ask } = timed(plain, { ...policy, beforeRetry });
    const asked = ask(lab.origin);
    await time.fire(wait);
    await time.fireAt(10_000);
    expect((await asked).error).toBeInstanceOf(DeadlineError);
    done();
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    expect(lab.requests).toHaveLength(1);
    expect(time.pending).toEqual([]);
  });

  test('retryIf', async () => {
    const lab = await openLab(answer(200, 'held'));
    const { asked: isAsked, ask: retryIf } = thinker();
    const { time, ask } = timed(plain, { ...policy, retryIf });
    const asked = ask(lab.origin);
    await isAsked;
    await time.fireAt(10_000);
    expect((await asked).error).toBeInstanceOf(DeadlineError);
    expect(lab.requests).toHaveLength(1);
    expect(time.pending).toEqual([]);
  });
});

describe('a wait that does not fit does not start: the answer comes at once', () => {
  test.each<[string, Play, PolicyOptions, string]>([
    ['of the schedule', answer(503, 'busy'), { schedule: () => 15_000 }, 'wait-past-deadline'],
    ['as long as the deadline', answer(503, 'busy'), { schedule: () => 10_000 }, 'wait-past-deadline'],
    ['that the server asks for', answer(503, 'busy', { 'retry-after': '11' }), {}, 'hint-past-deadline'],
    [
      'that the server asks for, 429',
      answer(429, 'busy', { 'retry-after-ms': '10001' }),
      {},
      'hint-past-deadline',
    ],
  ])('%s', async (_name, play, more, reason) => {
    const lab = await openLab(play);
    const { time, decisions, ask } = timed(plain, { ...policy, ...more });
    expect((await ask(lab.origin)).value?.text).toBe('busy');
    expect(reasonsOf(decisions)).toEqual([reason]);
    expect(lab.requests).toHaveLength(1);
    expect(time.pending).toEqual([]);
    expect(time.timers.map(({ delayMs }) => delayMs)).toEqual([10_000]);
  });

  test('an error comes itself', async () => {
    const lab = await openLab(rst());
    const { time, decisions, ask } = timed(plain, { ...policy, schedule: () => 15_000 });
    expect((await ask(lab.origin)).error).toMatchObject({ code: 'ECONNRESET' });
    expect(reasonsOf(decisions)).toEqual(['wait-past-deadline']);
    expect(time.pending).toEqual([]);
  });
});
