/** So many attempts of a scope are in flight, and the other requests wait in order: over real sockets, on every way out. */

import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolicyOptions, RequestEvent, Retrier } from '../../../src/index.js';
import { ConcurrencyError, createRetrier } from '../../../src/index.js';
import {
  answer,
  cutBody,
  type LabScript,
  refusedOrigin,
  rst,
  silence,
  stallInBody,
} from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { headIn } from './causes.js';
import { hedgeMs, onCue, warmedUp } from './hedged.js';
import { type Asked, theSubject } from './subject.js';

const subject = await theSubject();

interface Counts {
  readonly inFlight: number;
  readonly waiting: number;
}

/** Of all scopes. */
function countsOf(retrier: Retrier): Counts {
  const all = retrier.snapshot().scopes.flatMap(({ concurrencies }) => concurrencies ?? []);
  const sum = (of: keyof Counts): number => all.reduce((so, one) => so + one[of], 0);
  return { inFlight: sum('inFlight'), waiting: sum('waiting') };
}

const none: Counts = { inFlight: 0, waiting: 0 };

function isEmpty(retrier: Retrier): Promise<boolean> {
  return comesTrue(() => {
    const { inFlight, waiting } = countsOf(retrier);
    return inFlight === 0 && waiting === 0;
  });
}

const throws = (): never => {
  throw new Error('of the caller');
};

interface Exit {
  readonly plays: LabScript;
  readonly policy?: PolicyOptions;
  readonly asked?: Asked;
}

const exits: readonly (readonly [string, Exit])[] = [
  ['an answer that is read', { plays: answer(200, 'ok') }],
  ['an answer without a body', { plays: answer(204) }],
  ['HEAD', { plays: answer(200, '', { 'content-length': '10' }), asked: { method: 'HEAD' } }],
  ['a final status', { plays: answer(404, 'not here') }],
  ['retries that all fail', { plays: answer(503, 'busy') }],
  ['a server that closes', { plays: rst() }],
  ['a body that breaks off', { plays: cutBody(100, 10, 'rst') }],
  ['an attempt timeout', { plays: silence(), policy: { attemptTimeoutMs: 20, maxRetries: 1 } }],
  ['a deadline', { plays: silence(), policy: { deadlineMs: 30 } }],
  ['retryIf that throws', { plays: answer(503, 'busy'), policy: { retryIf: throws } }],
  ['beforeRetry that throws', { plays: answer(503, 'busy'), policy: { beforeRetry: throws } }],
  ['a schedule that throws', { plays: answer(503, 'busy'), policy: { schedule: throws } }],
  ['a body that throws', { plays: answer(200), asked: { method: 'PUT', body: throws } }],
];

describe.each(subject.ways)('over $name', (way) => {
  test('no more are in flight, and the others go in order, each as soon as there is room', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const lab = await openLab(names.map((name) => onCue(name, answer(200, name))));
    const retrier = createRetrier({ ...soon, concurrency: 2 });
    const send = way.client(retrier);
    const ended: number[] = [];
    const all = names.map(async (_, index) => {
      await send(`${lab.origin}/${index}`);
      ended.push(index);
    });
    const arrive = (count: number): Promise<void> => lab.until(({ requests }) => requests.length === count);
    await arrive(way.sendsOneAtATime === true ? 1 : 2);
    expect(countsOf(retrier)).toEqual({ inFlight: 2, waiting: 3 });
    for (const name of names) lab.cue(name);
    await Promise.all(all);
    expect(lab.requests.map(({ path }) => path)).toEqual(['/0', '/1', '/2', '/3', '/4']);
    expect(await isEmpty(retrier)).toBe(true);
  });

  test('one that was called no longer watches how long it waits', async () => {
    const lab = await openLab(answer(200, 'ok'));
    const time = new HandTime();
    const send = way.client(createRetrier({ ...soon, concurrency: 1 }, time.ports));
    await Promise.all([send(lab.origin), send(lab.origin)]);
    expect(time.timers.length).toBeGreaterThan(0);
    expect(await comesTrue(() => time.pending.length === 0)).toBe(true);
  });

  test.each(exits)('the next one goes after %s', async (_, { plays, policy, asked }) => {
    const lab = await openLab(plays);
    const retrier = createRetrier({ ...soon, maxRetries: 2, ...policy, concurrency: 1 });
    const send = way.client(retrier);
    const both = [settled(send(lab.origin, asked)), settled(send(lab.origin, asked))];
    expect((await both[0])?.error).not.toBeInstanceOf(ConcurrencyError);
    await both[1];
    expect(await isEmpty(retrier)).toBe(true);
  });

  test('the next one goes after a connection that is refused', async () => {
    const retrier = createRetrier({ ...soon, concurrency: 1 });
    const send = way.client(retrier);
    const origin = await refusedOrigin();
    await Promise.all([settled(send(origin)), settled(send(origin))]);
    expect(await isEmpty(retrier)).toBe(true);
  });

  test.each(['before the head', 'in the body'])('the next one goes after an abort %s', async (when) => {
    const isSilent = when === 'before the head';
    const lab = await openLab([isSilent ? silence() : stallInBody(100), answer(200, 'ok')]);
    const retrier = createRetrier({ ...soon, concurrency: 1 });
    const send = way.client(retrier);
    const caller = new AbortController();
    const first = settled(send(lab.origin, { signal: caller.signal }));
    await lab.until(({ requests, bytesSent }) => requests.length === 1 && (isSilent || bytesSent > 100));
    const next = send(lab.origin);
    await setTimeout(10);
    expect(lab.requests).toHaveLength(1);
    caller.abort();
    await first;
    expect((await next).text).toBe('ok');
    expect(await isEmpty(retrier)).toBe(true);
  });

  test('one that is aborted while it waits ends at once, and gives its place up', async () => {
    const lab = await openLab([onCue('first', answer(200)), answer(200, 'third')]);
    const retrier = createRetrier({ ...soon, concurrency: 1 });
    const send = way.client(retrier);
    const caller = new AbortController();
    const first = send(lab.origin);
    const second = settled(send(lab.origin, { signal: caller.signal }));
    const third = send(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    expect(countsOf(retrier)).toEqual({ inFlight: 1, waiting: 2 });
    caller.abort();
    const { error } = await second;
    expect(String((error as { readonly code: unknown }).code)).toBe(subject.abortCode);
    expect(countsOf(retrier)).toEqual({ inFlight: 1, waiting: 1 });
    lab.cue('first');
    await first;
    expect((await third).text).toBe('third');
    expect(lab.requests).toHaveLength(2);
    expect(await isEmpty(retrier)).toBe(true);
  });

  test('a retry that waits takes no room', async () => {
    const lab = await openLab([answer(503), answer(200, 'other'), answer(200, 'retry')]);
    const schedule = { kind: 'fixed', waitMs: 100, jitter: 'none' } as const;
    const retrier = createRetrier({ schedule, concurrency: 1 });
    const send = way.client(retrier);
    const first = send(lab.origin);
    const other = send(lab.origin);
    expect((await other).text).toBe('other');
    expect((await first).text).toBe('retry');
    expect(await isEmpty(retrier)).toBe(true);
  });
});

test('one that waits too long is refused, and was never sent', async () => {
  const lab = await openLab([onCue('first', answer(200))]);
  const retrier = createRetrier({ ...soon, concurrency: { limit: 1, maxQueueMs: 20 } });
  const send = subject.client(retrier);
  const first = send(lab.origin);
  const { error } = await settled(send(lab.origin));
  expect(error).toBeInstanceOf(ConcurrencyError);
  expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_CONCURRENCY', scope: lab.origin, limit: 1 });
  expect((error as Error).cause).toBeUndefined();
  subject.expectOwn(error, {});
  lab.cue('first');
  await first;
  expect(lab.requests).toHaveLength(1);
  expect(await isEmpty(retrier)).toBe(true);
});

test('one more than may wait is refused at once', async () => {
  const lab = await openLab([onCue('first', answer(200)), answer(200)]);
  const retrier = createRetrier({ ...soon, concurrency: { limit: 1, maxWaiting: 1 } });
  const send = subject.client(retrier);
  const two = [send(lab.origin), send(lab.origin)];
  const { error } = await settled(send(lab.origin));
  expect(error).toBeInstanceOf(ConcurrencyError);
  lab.cue('first');
  await Promise.all(two);
  expect(await isEmpty(retrier)).toBe(true);
});

test('a retry that is refused says how the request was answered before', async () => {
  const lab = await openLab([answer(503), onCue('second', answer(200))]);
  const schedule = { kind: 'fixed', waitMs: 500, jitter: 'none' } as const;
  let hasFailed = false;
  const observe = ({ type }: RequestEvent): void => {
    if (type === 'decision') hasFailed = true;
  };
  const retrier = createRetrier({ schedule, observe, concurrency: { limit: 1, maxQueueMs: 20 } });
  const send = subject.client(retrier);
  const first = settled(send(lab.origin));
  expect(await comesTrue(() => hasFailed)).toBe(true);
  const second = settled(send(lab.origin));
  const { error } = await first;
  expect(error).toBeInstanceOf(ConcurrencyError);
  expect(headIn(error)).toMatchObject({ status: 503 });
  lab.cue('second');
  await second;
  expect(await isEmpty(retrier)).toBe(true);
});

test('a deadline ends the wait of one that would wait on', async () => {
  const lab = await openLab([onCue('first', answer(200))]);
  const retrier = createRetrier({ ...soon, concurrency: { limit: 1, maxQueueMs: 10_000 } });
  const send = subject.client(retrier);
  const first = send(lab.origin);
  const { error } = await settled(send(lab.origin, { retry: { deadlineMs: 30 } }));
  expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_DEADLINE' });
  expect(countsOf(retrier)).toEqual({ inFlight: 1, waiting: 0 });
  lab.cue('first');
  await first;
  expect(await isEmpty(retrier)).toBe(true);
});

test('an override turns it off for a request', async () => {
  const lab = await openLab([onCue('first', answer(200)), answer(200, 'ok')]);
  const retrier = createRetrier({ ...soon, concurrency: 1 });
  const send = subject.client(retrier);
  const first = send(lab.origin);
  await lab.until(({ requests }) => requests.length === 1);
  expect((await send(lab.origin, { retry: { concurrency: false } })).text).toBe('ok');
  lab.cue('first');
  await first;
  expect(await isEmpty(retrier)).toBe(true);
});

describe.each(subject.ways)('two attempts over $name', (way) => {
  beforeEach(({ skip }) => skip(subject.hedges !== true));

  test.each([
    ['the hedge wins, and the first is left to run', ['hedge', 'first']],
    ['the first wins, and the hedge is left to run', ['first', 'hedge']],
  ] as const)('%s: both take room', async (_, [winner, loser]) => {
    const lab = await openLab([onCue('first', answer(200, 'one')), onCue('hedge', answer(200, 'two'))]);
    const { time, retrier } = warmedUp({ concurrency: 500 });
    // Nothing ends the bodies of what it has learnt from.
    const before = countsOf(retrier).inFlight;
    const asked = settled(way.client(retrier)(lab.origin));
    await lab.until(({ requests }) => requests.length === 1);
    expect(countsOf(retrier).inFlight).toBe(before + 1);
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    expect(countsOf(retrier).inFlight).toBe(before + 2);
    lab.cue(winner);
    await asked;
    expect(await comesTrue(() => countsOf(retrier).inFlight === before + 1)).toBe(true);
    lab.cue(loser);
    expect(await comesTrue(() => countsOf(retrier).inFlight === before)).toBe(true);
  });
});

test('nothing is counted where it is off', async () => {
  const lab = await openLab(answer(200, 'ok'));
  const retrier = createRetrier(soon);
  await subject.client(retrier)(lab.origin);
  expect(countsOf(retrier)).toEqual(none);
  expect(retrier.snapshot().scopes[0]).not.toHaveProperty('concurrencies');
});
