/** What the gate of a scope hears of real sessions, what it asks of the clock and dice, and what it tells. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answered } from '../../kit.js';
import { Stage, succeeds } from './stage.js';

const gate = { failures: 2, deadForMs: 0, probeMs: 1_000, rampMs: 2_000 };
const alone: PolicyOptions = { budget: false, hold: false, gate, maxRetries: 9 };
const dead = answered(503);

/** A gate that has shut, and whose first probe was answered. */
function ramping(policy: PolicyOptions = alone): Stage {
  const stage = new Stage(policy);
  stage.ends(dead);
  stage.ends(dead);
  expect(stage.gate).toBe('shut');
  stage.now += 250;
  succeeds(stage.sent());
  expect(stage.gate).toBe('ramping');
  return stage;
}

describe('on the way of a request that succeeds', () => {
  test('an open gate draws nothing, although it has seen a failure', () => {
    const stage = new Stage(alone);
    stage.ends(dead);
    const session = stage.open();
    stage.draws = 0;
    expect(session.admit()).toEqual({ kind: 'go' });
    expect(stage.draws).toBe(0);
  });

  test('a healthy gate reads no clock for the answer', () => {
    const stage = new Stage(alone);
    stage.succeed(3);
    const session = stage.sent();
    stage.reads = 0;
    expect(session.acceptAtOnce(200)).toBe(true);
    expect(stage.reads).toBe(0);
  });
});

describe('the retries of one request', () => {
  const patient = { ...alone, gate: { ...gate, failures: 3, deadForMs: 100 } };

  function healthy(): Stage {
    const stage = new Stage(patient);
    stage.succeed(3);
    return stage;
  }

  test('count once more after deadForMs, however often they fail', () => {
    const stage = healthy();
    const session = stage.sent();
    for (let retries = 0; retries < 9; retries += 1) {
      session.next(dead, { replayable: true });
      stage.now += 50;
      expect(session.admit()).toEqual({ kind: 'go' });
    }
    expect(stage.gate).toBe('open');
  });

  test('do not count again before that', () => {
    const stage = healthy();
    const sessions = [stage.sent(), stage.sent()];
    for (let ms = 0; ms <= 100; ms += 50) {
      expect(stage.gate ?? 'open').toBe('open');
      for (const session of sessions) {
        session.next(dead, { replayable: true });
        session.admit();
      }
      stage.now += 50;
    }
    expect(stage.gate).toBe('shut');
  });
});

describe('what is shown', () => {
  test.each([429, 408, 500])('is no gate as long as a %i says nothing', (status) => {
    const stage = new Stage(alone);
    stage.ends(answered(status));
    expect(stage.scope?.gates).toEqual([]);
    stage.ends(dead);
    expect(stage.scope?.gates).toEqual([{ state: 'open' }]);
  });

  test('is none after a reset of a scope in which none was used', () => {
    const stage = new Stage(alone);
    const session = stage.open();
    stage.retrier.reset();
    expect(session.admit()).toEqual({ kind: 'go' });
    expect(session.limits.gate?.snapshot(stage.now)).toBeUndefined();
  });
});

describe('why requests are refused', () => {
  test('is still the outage while the gate is ramping, and is over with it', () => {
    const stage = ramping();
    const cause = (): unknown => stage.open().limits.refusal('gate-shut').cause;
    expect(cause()).toMatchObject({ status: 503 });
    stage.now += 2_000;
    succeeds(stage.sent());
    expect(stage.gate).toBe('open');
    expect(cause()).toBeUndefined();
  });

  test('has no cause, not even an empty one, where nothing has failed', () => {
    const error = new Stage(alone).open().limits.refusal('gate-shut');
    expect(error.name).toBe('GateShutError');
    expect(error).not.toHaveProperty('cause');
  });
});

describe('what an attempt took while the gate was not open', () => {
  test('is given back when the request is abandoned, and not a second time', () => {
    const stage = ramping();
    const out = Array.from({ length: 4 }, () => stage.sent());
    const refused = (): boolean => {
      const session = stage.open();
      const isRefused = session.admit().kind !== 'go';
      session.abandon();
      return isRefused;
    };
    expect(refused()).toBe(true);
    out[0]?.abandon();
    out[0]?.abandon();
    stage.sent();
    expect(refused()).toBe(true);
  });
});
