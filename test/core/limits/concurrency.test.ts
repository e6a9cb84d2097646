/** Whether there is room for an attempt, and what happens to one for which there is none. */

import { describe, expect, test } from 'vitest';
import { type AdmissionRequest, noQueuePlace } from '../../../src/core/limits/admission.js';
import { admit } from '../../../src/core/limits/ask.js';
import { isTooCrowded } from '../../../src/core/limits/concurrency/admit.js';
import { ConcurrencyError } from '../../../src/core/limits/concurrency/error.js';
import type { Room } from '../../../src/core/limits/concurrency/state.js';
import { openGate, shut } from '../../../src/core/limits/gate/state.js';
import { noHold } from '../../../src/core/limits/hold/state.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { settingsOf } from '../../kit.js';

const now = 1_000;
const none = Infinity;
const full: Room = { free: 0, ahead: 0, waiting: 0, until: undefined };

function asks(
  concurrency: PolicyOptions['concurrency'],
  room: Partial<Room>,
  deadlineAt: number = none,
  more: { readonly policy?: PolicyOptions; readonly found?: Partial<AdmissionRequest> } = {},
) {
  const found: AdmissionRequest = {
    gate: openGate,
    hold: noHold,
    kind: 7,
    waiting: 0,
    queued: 0,
    room: { ...full, ...room },
    queuePlace: noQueuePlace,
    isRetry: false,
    ...more.found,
  };
  const settings = settingsOf({ ...(concurrency !== undefined && { concurrency }), ...more.policy });
  return admit(settings, found, now, deadlineAt, 0.5);
}

const waits = (delayMs: number) => ({ kind: 'wait', delayMs, why: 'concurrency', isCalled: true });
const go = { kind: 'go' };
const refused = { kind: 'refuse', reason: 'crowded' };

describe('an attempt', () => {
  test.each<[string, Partial<Room>, object]>([
    ['goes where there is room', { free: 1 }, go],
    ['goes if it is its turn', { free: 2, ahead: 1, waiting: 5, until: 2_000 }, go],
    ['does not overtake those that wait', { free: 1, ahead: 1, waiting: 1 }, waits(30_000)],
    ['waits for 30 s at most, without a deadline', {}, waits(30_000)],
    ['waits on for as long as it may', { ahead: 3, waiting: 9, until: 1_400 }, waits(400)],
    ['is refused when that time is over', { until: 1_000 }, refused],
    ['goes if it is its turn, although that time is over', { free: 1, until: 1_000 }, go],
    ['is refused if as many wait as may', { ahead: 1_000, waiting: 1_000 }, refused],
    ['is not refused while it waits itself', { ahead: 1, waiting: 1_000, until: 1_001 }, waits(1)],
  ])('%s', (_, room, admission) => {
    expect(asks(5, room).admission).toEqual(admission);
  });

  test.each<[string, PolicyOptions['concurrency'], number, object]>([
    ['half of what is left', 5, now + 800, waits(400)],
    ['`maxQueueMs`', { limit: 5, maxQueueMs: 700 }, now + 800, waits(700)],
    ['no longer than the deadline', { limit: 5, maxQueueMs: 700 }, now + 500, waits(500)],
    ['`maxQueueMs`, without a deadline', { limit: 5, maxQueueMs: 60_000 }, none, waits(60_000)],
    ['not at all with `maxQueueMs: 0`', { limit: 5, maxQueueMs: 0 }, none, refused],
    ['not at all with `maxWaiting: 0`', { limit: 5, maxWaiting: 0 }, none, refused],
    ['not after the deadline', 5, now, refused],
  ])('waits %s', (_, concurrency, deadlineAt, admission) => {
    expect(asks(concurrency, {}, deadlineAt).admission).toEqual(admission);
  });

  test('that is a retry waits no longer', () => {
    expect(asks(5, {}, now + 800, { found: { isRetry: true } }).admission).toEqual(waits(400));
  });
});

describe('a retry is refused at once', () => {
  const limited = { limit: 5, maxQueueMs: undefined, maxWaiting: 3 };

  test.each<[string, number, number, boolean]>([
    ['if as many wait as may', 3, 0, true],
    ['if the first in line has waited for longer than it could after its own wait', 2, 401, true],
    ['and not if it could wait as long', 2, 400, false],
  ])('%s', (_, waiting, waitedMs, isRefused) => {
    expect(isTooCrowded(limited, { waiting, waitedMs }, 200, 1_000)).toBe(isRefused);
  });
});

describe('beside a gate', () => {
  const dead = shut(openGate, now + 60_000, 20, [7], now);

  test('that is shut: a request does not stand in line', () => {
    const { admission, gate } = asks(5, {}, none, { policy: { gate: true }, found: { gate: dead } });
    expect(admission).toEqual({ kind: 'refuse', reason: 'gate-shut' });
    // It has been turned away there.
    expect(gate).not.toEqual(dead);
  });

  test('that it may wait for: it waits there', () => {
    const policy: PolicyOptions = { gate: { whenShut: 'wait' }, deadlineMs: 10_000 };
    const gate = shut(openGate, now + 2_000, 20, [7], now);
    const { admission } = asks(5, {}, now + 10_000, { policy, found: { gate } });
    expect(admission).toMatchObject({ kind: 'wait', why: 'gate' });
  });

  test('that would let it pass: it takes nothing there before it is its turn', () => {
    const due = shut(openGate, now, 20, [7], now - 60_000);
    const found = { gate: due };
    const { admission, gate } = asks(5, {}, none, { policy: { gate: true }, found });
    expect(admission).toEqual(waits(30_000));
    expect(gate).toBe(due);
    const sent = asks(5, { free: 1 }, none, { policy: { gate: true }, found });
    expect(sent.admission).toEqual(go);
    expect(sent.gate).not.toEqual(due);
  });

  test('that is shut: one that there is room for asks it', () => {
    const { admission } = asks(5, { free: 1 }, none, { policy: { gate: true }, found: { gate: dead } });
    expect(admission).toEqual({ kind: 'refuse', reason: 'gate-shut' });
  });
});

describe('beside a hold', () => {
  const pacedSince = now - 1_000;
  const hold = { ...noHold, phase: 'obeyed', until: 0, pacedSince, spacingMs: 100, nextPlace: 8 } as const;
  const policy: PolicyOptions = { hold: { refusedShare: 0 } };

  test('that made it wait: it waits there, and not for room', () => {
    const { admission, queuePlace } = asks(5, {}, none, {
      policy,
      found: { hold: { ...hold, nextPlace: 40 } },
    });
    expect(admission).toMatchObject({ kind: 'wait', why: 'hold' });
    expect(queuePlace.place).toBeDefined();
  });

  test('whose place has come up: it keeps the place while it waits for room', () => {
    const { admission, queuePlace } = asks(5, {}, none, { policy, found: { hold } });
    expect(admission).toEqual(waits(30_000));
    expect(queuePlace.place).toBeDefined();
  });

  test('whose place has come up: it gives the place back if it is refused', () => {
    const before = asks(5, {}, none, { policy, found: { hold } });
    const waited = { hold: before.hold, queuePlace: before.queuePlace };
    const after = asks(5, { until: now }, none, { policy, found: waited });
    expect(after.admission).toEqual(refused);
    expect(after.queuePlace).toEqual(noQueuePlace);
  });
});

describe('the error', () => {
  test('says how many are in flight, and where', () => {
    const cause = { status: 503 };
    const error = new ConcurrencyError('https://api.example.com', 20, { cause });
    expect(error).toMatchObject({
      name: 'ConcurrencyError',
      code: 'ERR_UNDAUNTED_CONCURRENCY',
      scope: 'https://api.example.com',
      limit: 20,
      cause,
    });
    expect(error.message).toBe(
      'Not sent: 20 attempts are in flight to https://api.example.com (concurrency), and the line of waiting requests is too long',
    );
    expect(new ConcurrencyError('tenant a', 1).message).toContain('an attempt is in flight to tenant a');
  });
});
