/** What the hold of a scope counts of real sessions, and what it shows. */

import { describe, expect, test } from 'vitest';
import type { HeldError } from '../../../src/core/limits/hold/error.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { LiveSession } from '../../../src/kernel/live-session.js';
import { answered } from '../../kit.js';
import { Stage, succeeds } from './stage.js';

const told = answered(429, { 'retry-after': '5' });
const alone: PolicyOptions = { budget: false, gate: false, hintJitter: 0, maxRetries: 9 };
const obeying: PolicyOptions = { ...alone, hold: { refusedShare: 0 } };
const learning: PolicyOptions = { ...alone, hold: true };

describe('what is shown', () => {
  test('is for how long requests are still held', () => {
    const stage = new Stage(obeying);
    stage.ends(told);
    stage.now += 1_000;
    expect(stage.scope?.holds).toEqual([{ forMs: 4_000 }]);
    stage.now += 5_000;
    expect(stage.scope?.holds).toEqual([{ forMs: 0 }]);
  });

  test.each<[string, (stage: Stage) => void]>([
    ['a success', (stage) => stage.succeed(1)],
    ['a failure', (stage) => void stage.ends(answered(503))],
    ['one refusal among others', (stage) => void stage.ends(told)],
    ['a request that gave up', (stage) => stage.open().abandon()],
  ])('is no hold after %s', (_, happens) => {
    const stage = new Stage(learning);
    happens(stage);
    expect(stage.scope?.holds).toEqual([]);
  });
});

describe('the error of a refused request', () => {
  const impatient: PolicyOptions = { ...alone, hold: { refusedShare: 0, maxQueueMs: 10 } };
  const asked = (stage: Stage) => (stage.open().limits.refusal('held') as HeldError).asked;

  test('says how long ago the server asked', () => {
    const stage = new Stage(impatient);
    stage.ends(told);
    stage.now += 350;
    expect(stage.open().admit()).toEqual({ kind: 'refuse', reason: 'held' });
    expect(asked(stage)).toEqual({ status: 429, delayMs: 5_000, agoMs: 350 });
  });

  test('says that it named no time', () => {
    const stage = new Stage(impatient);
    stage.ends(answered(429));
    expect(asked(stage)).toEqual({ status: 429, delayMs: null, agoMs: 0 });
  });
});

describe('after a reset', () => {
  test('requests that wait can go, and the next refusal holds them again', () => {
    const stage = new Stage(obeying);
    const [waiting, late, last] = [stage.open(), stage.sent(), stage.open()];
    stage.ends(told);
    expect(waiting.admit()).toMatchObject({ kind: 'wait', delayMs: 5_000 });
    stage.retrier.reset();
    expect(waiting.admit()).toEqual({ kind: 'go' });
    late.next(told, { replayable: false });
    expect(last.admit()).toMatchObject({ kind: 'wait', delayMs: 5_000, why: 'hold' });
  });
});

describe('an answer that is learnt from', () => {
  const counted = (session: LiveSession) => {
    const { firsts = 0, refusals = 0, successes = 0 } = session.limits.hold?.sample ?? {};
    return [firsts, refusals, successes];
  };

  test.each<[string, (stage: Stage, session: LiveSession) => void, readonly number[]]>([
    ['a success', (_, session) => succeeds(session), [1, 0, 1]],
    ['a refusal', (_, session) => void session.next(told, { replayable: false }), [1, 1, 0]],
    ['another answer', (_, session) => void session.next(answered(503), { replayable: false }), [1, 0, 0]],
    [
      'the refusals of its retries as well',
      (_, session) => {
        for (let attempt = 0; attempt < 3; attempt += 1) {
          session.next(told, { replayable: true });
          session.admit();
        }
      },
      [1, 1, 0],
    ],
    [
      'the success of a retry',
      (_, session) => {
        session.next(told, { replayable: true });
        session.admit();
        session.next(answered(200), { replayable: true });
      },
      [1, 1, 1],
    ],
  ])('is that to a first attempt, or a success: %s', (_, end, expected) => {
    const stage = new Stage(learning);
    const session = stage.sent();
    end(stage, session);
    expect(counted(session)).toEqual(expected);
  });

  test('is each of many successes, with its time, until the next sample begins after a second', () => {
    const stage = new Stage(learning);
    for (let each = 0; each < 40; each += 1) {
      stage.succeed(1);
      stage.now += 20;
    }
    const { hold } = stage.open().limits;
    expect(hold?.sample).toMatchObject({ since: 1_000, at: 1_780, firsts: 40, successes: 40, refusals: 0 });
    stage.now = 1_999.5;
    stage.succeed(1);
    const last = stage.sent();
    expect(hold?.sample).toMatchObject({ since: 1_000, at: 1_999.5, firsts: 41, successes: 41 });
    stage.now = 2_000;
    succeeds(last);
    const before = { firsts: 41, refusals: 0, successes: 41, forMs: 1_000 };
    expect(hold?.sample).toMatchObject({ since: 2_000, at: 2_000, firsts: 1, successes: 1, before });
  });

  test('is one to what was sent since the pace has changed', () => {
    const stage = new Stage(obeying);
    const [early, other] = [stage.sent(), stage.sent()];
    const late = stage.open();
    stage.ends(told);
    early.next(answered(404), { replayable: false });
    expect(counted(late)).toEqual([1, 1, 1]);
    stage.now += 5_000;
    expect(late.admit()).toEqual({ kind: 'go' });
    expect(counted(late)).toEqual([0, 0, 0]);
    other.next(answered(503), { replayable: false });
    expect(counted(late)).toEqual([0, 0, 0]);
    late.next(answered(503), { replayable: false });
    expect(counted(late)).toEqual([1, 0, 0]);
  });

  test('is that to a retry, too, while requests queue', () => {
    const stage = new Stage(obeying);
    const session = stage.sent();
    session.next(told, { replayable: true });
    stage.now += 5_000;
    expect(session.admit()).toEqual({ kind: 'go' });
    session.next(answered(503), { replayable: true });
    expect(counted(session)).toEqual([1, 0, 0]);
  });
});
