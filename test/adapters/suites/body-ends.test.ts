/**
 * What a limit on the attempts in flight has to know: that the body of the answer is over. A session that waits for it is
 * told once, on every way out.
 */

import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { createRetrier } from '../../../src/index.js';
import {
  answer,
  cutBody,
  type Lab,
  type LabScript,
  refusedOrigin,
  rst,
  silence,
  stallInBody,
} from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { type ToldEnd, toldEnds } from '../told-ends.js';
import { hedgeMs, onCue, retryMs, warmedUp } from './hedged.js';
import { type Asked, theSubject, type Way } from './subject.js';

const subject = await theSubject();

interface Exit {
  readonly plays: LabScript;
  readonly policy?: PolicyOptions;
  readonly asked?: Asked;
}

const throws = (): never => {
  throw new Error('of the caller');
};

const exits: readonly (readonly [string, Exit])[] = [
  ['an answer that is read', { plays: answer(200, 'ok') }],
  ['an answer without a body', { plays: answer(200) }],
  ['204', { plays: answer(204) }],
  ['304', { plays: answer(304) }],
  ['HEAD', { plays: answer(200, '', { 'content-length': '10' }), asked: { method: 'HEAD' } }],
  ['a final status', { plays: answer(404, 'not here') }],
  ['a retry that succeeds', { plays: [answer(503, 'busy'), answer(200, 'ok')] }],
  ['retries that all fail', { plays: answer(503, 'busy') }],
  ['a reset', { plays: rst() }],
  ['a body that breaks off', { plays: cutBody(100, 10, 'rst') }],
  ['an attempt timeout', { plays: silence(), policy: { attemptTimeoutMs: 20, maxRetries: 1 } }],
  ['a deadline', { plays: silence(), policy: { deadlineMs: 30 } }],
  [
    'a hint that is longer than the deadline',
    { plays: answer(503, 'busy', { 'retry-after': '30' }), policy: { deadlineMs: 500 } },
  ],
  ['retryIf that throws', { plays: answer(503, 'busy'), policy: { retryIf: throws } }],
  ['beforeRetry that throws', { plays: answer(503, 'busy'), policy: { beforeRetry: throws } }],
  ['a schedule that throws', { plays: answer(503, 'busy'), policy: { schedule: throws } }],
  ['a body that throws', { plays: answer(200), asked: { method: 'PUT', body: throws } }],
];

const once: Partial<ToldEnd> = { ends: 1 };

describe.each(subject.ways)('over $name', (way) => {
  test.each(exits)('%s', async (_name, { plays, policy, asked }) => {
    const lab = await openLab(plays);
    const { told, send } = spied(way, { ...soon, maxRetries: 2, ...policy });
    await settled(send(lab.origin, asked));
    expect(await comesTrue(() => told[0]?.ends === 1)).toBe(true);
    await new Promise(setImmediate);
    expect(told).toMatchObject([once]);
  });

  test('a connection that is refused', async () => {
    const { told, send } = spied(way, soon);
    await settled(send(await refusedOrigin()));
    expect(told).toMatchObject([once]);
  });

  test.each(['before the head', 'in the body'])('an abort %s', async (when) => {
    const isSilent = when === 'before the head';
    const lab = await openLab(isSilent ? silence() : stallInBody(100));
    const { told, send } = spied(way, { ...soon, deadlineMs: 5_000 });
    const caller = new AbortController();
    const asked = settled(send(lab.origin, { signal: caller.signal }));
    await lab.until(({ requests, bytesSent }) => requests.length === 1 && (isSilent || bytesSent > 100));
    caller.abort();
    await asked;
    expect(await comesTrue(() => told[0]?.ends === 1)).toBe(true);
    expect(told).toMatchObject([once]);
  });

  test('an abort in a wait', async () => {
    const lab = await openLab(answer(503, 'busy'));
    const time = new HandTime();
    const retrier = createRetrier({ schedule: { kind: 'fixed', waitMs: 5, jitter: 'none' } }, time.ports);
    const told = toldEnds(retrier);
    const caller = new AbortController();
    const asked = settled(way.client(retrier)(lab.origin, { signal: caller.signal }));
    await time.until(({ pending }) => pending.includes(5));
    caller.abort();
    await asked;
    expect(await comesTrue(() => told[0]?.ends === 1)).toBe(true);
    expect(told).toMatchObject([once]);
  });

  test('not before the end: nothing is told of a head', async () => {
    const lab = await openLab({
      steps: [
        ...answer(200, 'ok').steps.slice(0, 1),
        { do: 'cue', name: 'rest' },
        ...answer(200, 'ok').steps.slice(1),
      ],
    });
    const { told, send } = spied(way, soon);
    const asked = settled(send(lab.origin));
    await lab.until(({ bytesSent }) => bytesSent > 0);
    await setTimeout(20);
    const early = told.map(({ ends }) => ends);
    lab.cue('rest');
    await asked;
    expect(early).toEqual([0]);
    expect(await comesTrue(() => told[0]?.ends === 1)).toBe(true);
  });

  test('nothing is told if no limit waits for it', async () => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const retrier = createRetrier(soon);
    const told = toldEnds(retrier, { isAwaited: false });
    await way.client(retrier)(lab.origin);
    expect(told).toMatchObject([{ ends: 0 }]);
  });
});

describe.each(subject.ways)('two attempts over $name', (way) => {
  beforeEach(({ skip }) => skip(subject.hedges !== true));

  test.each([
    ['the hedge wins, and the first is left to run', ['hedge', 'first']],
    ['the first wins, and the hedge is left to run', ['first', 'hedge']],
  ] as const)('%s', async (_name, [winner, loser]) => {
    const lab = await openLab([onCue('first', answer(200, 'one')), onCue('hedge', answer(200, 'two'))]);
    const { told, asked } = await twoOut(way, lab);
    lab.cue(winner);
    await asked;
    expect(await comesTrue(() => told[0]?.ends === 1)).toBe(true);
    expect(told).toMatchObject([{ losersLeft: 1, losersGone: 0 }]);
    lab.cue(loser);
    expect(await comesTrue(() => told[0]?.losersGone === 1)).toBe(true);
    expect(told).toMatchObject([{ ends: 1, losersLeft: 1, losersGone: 1 }]);
  });

  test('both fail, and a retry follows', async () => {
    const lab = await openLab([onCue('first', answer(503)), onCue('hedge', answer(503)), answer(200, 'ok')]);
    const { time, told, asked } = await twoOut(way, lab);
    lab.cue('first');
    lab.cue('hedge');
    await time.fire(retryMs);
    await asked;
    expect(await comesTrue(() => told[0]?.ends === 1)).toBe(true);
    expect(told).toMatchObject([once]);
  });
});

function spied(way: Way, policy: PolicyOptions) {
  const retrier = createRetrier(policy);
  const told = toldEnds(retrier);
  return { told, send: way.client(retrier) };
}

async function twoOut(way: Way, lab: Lab) {
  const { time, retrier } = warmedUp();
  const told = toldEnds(retrier);
  const asked = settled(way.client(retrier)(lab.origin));
  await lab.until(({ requests }) => requests.length === 1);
  await time.fire(hedgeMs);
  await lab.until(({ requests }) => requests.length === 2);
  return { time, told, asked };
}
