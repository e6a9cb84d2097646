import { describe, expect, test } from 'vitest';
import { afterSign, passGate } from '../../../src/core/limits/gate/gate.js';
import { afterStall, isHealthy } from '../../../src/core/limits/gate/open.js';
import { asOf } from '../../../src/core/limits/gate/ramping.js';
import { isShut } from '../../../src/core/limits/gate/shut.js';
import type { Sign } from '../../../src/core/limits/gate/signs.js';
import { signOf, signOfStatus } from '../../../src/core/limits/gate/signs.js';
import type { GateState, Pass } from '../../../src/core/limits/gate/state.js';
import { openGate } from '../../../src/core/limits/gate/state.js';
import type { Gate } from '../../../src/core/policy/limits.js';
import { serverError } from '../../kit.js';

const gate: Gate = {
  failures: 3,
  deadForMs: 2_000,
  probeMs: 1_000,
  rampMs: 2_000,
  whenShut: 'fail',
  maxWaiting: 10,
  enforce: true,
};
const middle = 0.5;
const none = { longest: 0, at: 0 };

type Of<K extends GateState['kind']> = Extract<GateState, { kind: K }>;

const open: Of<'open'> = {
  kind: 'open',
  epoch: 4,
  lives: 3,
  failures: 0,
  since: 0,
  lastAt: 0,
  survived: none,
};
const shut: Of<'shut'> = {
  kind: 'shut',
  epoch: 5,
  probeAt: 1_000,
  probingSince: undefined,
  failures: 3,
  survived: none,
};
const probing: Of<'shut'> = { ...shut, probingSince: 1_000 };
const ramping: Of<'ramping'> = {
  kind: 'ramping',
  epoch: 6,
  since: 100,
  successes: 0,
  failures: 0,
  places: 3,
  placesBefore: 0,
  placesSince: 100,
  survived: none,
};

/** The gate after an attempt that was sent in the epoch of that state, just before it ended. */
function ended(state: GateState, sign: Sign, now: number, pass: Partial<Pass> = {}): GateState {
  return afterSign(gate, state, { epoch: state.epoch, sentAt: now, ...pass }, sign, now, middle);
}

/** The gate after `count` failures, this far apart. */
function failing(count: number, everyMs: number, from: GateState = open, firstAt = 0): GateState {
  return Array.from({ length: count }).reduce<GateState>(
    (state, _, index) => ended(state, 'dead', firstAt + index * everyMs),
    from,
  );
}

describe('what an outcome says about the health of the server', () => {
  test.each<[number, Sign]>([
    [200, 'alive'],
    [304, 'alive'],
    [404, 'alive'],
    [407, 'alive'],
    [408, 'neutral'],
    [409, 'alive'],
    [425, 'neutral'],
    [428, 'alive'],
    [429, 'neutral'],
    [430, 'alive'],
    [499, 'alive'],
    [500, 'answers'],
    [501, 'answers'],
    [502, 'dead'],
    [503, 'dead'],
    [504, 'dead'],
    [505, 'answers'],
    [511, 'answers'],
    [599, 'answers'],
  ])('%i: %s', (status, sign) => {
    expect(signOfStatus(status)).toBe(sign);
    expect(signOf({ ...serverError, kind: 'response', status } as never)).toBe(sign);
  });

  test('errors', () => {
    const error = { kind: 'error', name: 'Error', code: 'X', evidence: 'unknown', hint: undefined } as const;
    expect(signOf({ ...error, class: 'transient', aborted: false })).toBe('dead');
    expect(signOf({ ...error, class: 'throttled', aborted: false })).toBe('dead');
    expect(signOf({ ...error, class: 'final', aborted: false })).toBe('neutral');
    expect(signOf({ ...error, class: 'transient', aborted: true })).toBe('neutral');
    const timeout = { ...error, code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT', class: 'transient' } as const;
    expect(signOf({ ...timeout, aborted: false })).toBe('silent');
    expect(signOf({ ...timeout, aborted: true })).toBe('neutral');
    // The server was not reached at all, so the duration does not say how long it has been silent.
    expect(signOf({ ...timeout, evidence: 'unsent', aborted: false })).toBe('dead');
  });

  test('a time that is over says nothing about the time for which this process stood still', () => {
    const stalled = {
      kind: 'error',
      name: 'Error',
      class: 'transient',
      evidence: 'unknown',
      hint: undefined,
      aborted: false,
      stalled: true,
    } as const;
    expect(signOf({ ...stalled, code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' })).toBe('dead');
    expect(signOf({ ...stalled, code: 'ERR_UNDAUNTED_DEADLINE' })).toBe('neutral');
  });
});

describe('open', () => {
  test('the healthy path changes nothing', () => {
    for (const sign of ['alive', 'answers', 'neutral', 'still-dead'] as const) {
      expect(ended(open, sign, 0)).toBe(open);
    }
    expect(isHealthy(gate, open)).toBe(true);
    expect(isHealthy(gate, openGate)).toBe(false);
    expect(passGate(gate, openGate, 0, middle)).toEqual({ kind: 'go', state: openGate });
    expect(isShut(gate, openGate, 0)).toBe(false);
  });

  test('a sign of life ends a row of failures, whose length is remembered; a neutral sign does not', () => {
    const row = failing(2, 100);
    expect(row).toMatchObject({ failures: 2, since: 0, lastAt: 100 });
    expect(ended(row, 'alive', 150)).toEqual({
      ...open,
      lives: 1,
      survived: { longest: 2, at: 150 },
    });
    for (const sign of ['answers', 'neutral', 'still-dead'] as const) expect(ended(row, sign, 150)).toBe(row);
  });

  test('many failures at once do not shut it: the row has to last, too', () => {
    expect(failing(1_000, 1)).toMatchObject({ kind: 'open', failures: 1_000 });
    expect(failing(2, 2_000).kind).toBe('open');
    expect(failing(3, 999).kind).toBe('open');
    expect(failing(3, 1_000).kind).toBe('shut');
  });

  test('a row that begins with a timeout began when that attempt was sent', () => {
    const silent = (count: number, from: GateState): GateState =>
      Array.from({ length: count }).reduce<GateState>(
        (state) => ended(state, 'silent', 2_000, { sentAt: 0 }),
        from,
      );
    expect(silent(2, open)).toMatchObject({ kind: 'open', failures: 2, since: 0, lastAt: 2_000 });
    expect(silent(3, open).kind).toBe('shut');
    // Only a row that begins with a timeout counts back: here a reset came first and says when the row began.
    expect(silent(2, failing(1, 0, open, 1_000))).toMatchObject({ kind: 'open', failures: 3, since: 1_000 });
    // A connection that is reset after a long time says nothing about the time before.
    expect(ended(open, 'dead', 2_000, { sentAt: 0 })).toMatchObject({ since: 2_000 });
  });

  test('the time for which this process stood still is not part of a row', () => {
    const row = failing(2, 100);
    expect(afterStall(row as typeof open, 2_500)).toMatchObject({ failures: 2, since: 2_500, lastAt: 2_600 });
    expect(ended(afterStall(row as typeof open, 2_500), 'dead', 4_499).kind).toBe('open');
    expect(ended(afterStall(row as typeof open, 2_500), 'dead', 4_500).kind).toBe('shut');
    expect(afterStall(open, 0)).toBe(open);
  });

  test.each([
    [0, 125],
    [0.5, 250],
    [0.999, 374.75],
  ])('shuts at the last one, and the first probe comes soon (draw %d)', (draw, soon) => {
    const row = failing(2, 1_000);
    expect(afterSign(gate, row, { epoch: 4, sentAt: 1_500 }, 'dead', 2_000, draw)).toEqual({
      ...shut,
      probeAt: 2_000 + soon,
    });
  });

  test('after ten seconds without an attempt, a new row begins', () => {
    const row = failing(2, 1_000);
    expect(ended(row, 'dead', 11_001)).toMatchObject({ failures: 1, since: 11_001 });
    // The attempt was sent in time, and took long.
    expect(ended(row, 'dead', 15_000, { sentAt: 11_000 }).kind).toBe('shut');
  });

  test('if the server has survived rows of failures, only a much longer one shuts it', () => {
    const lately = { ...open, survived: { longest: 4, at: 0 } };
    expect(failing(11, 250, lately).kind).toBe('open');
    expect(failing(12, 250, lately).kind).toBe('shut');
    // Nine minutes later, the survived row counts an eighth.
    expect(failing(3, 1_000, { ...open, survived: { longest: 7.9, at: 0 } }, 540_000).kind).toBe('shut');
  });

  test('without enough signs of life before it, a row has to be five times as long', () => {
    const doubtful = { ...open, lives: 2 };
    expect(failing(14, 1_000, doubtful).kind).toBe('open');
    expect(failing(15, 1_000, doubtful).kind).toBe('shut');
    expect(failing(100, 90, doubtful).kind).toBe('open');
    // If the server has never answered, the row has to last five times as long, but needs no more failures.
    expect(failing(3, 4_999, openGate).kind).toBe('open');
    expect(failing(3, 5_000, openGate).kind).toBe('shut');
  });

  test('an answer to an attempt from before the row ends the row, but does not make the next one doubtful', () => {
    // A server that shuts down answers what it has and takes nothing new: at first, answers and refused connections are
    // mixed.
    const draining = [0, 10, 20].reduce<GateState>(
      (state, at) => ended(failing(2, 1, state, at), 'alive', at + 5, { sentAt: -20 }),
      open,
    );
    expect(draining).toEqual(open);
    expect(failing(3, 1_000, draining, 30).kind).toBe('shut');
    // An answer to a later attempt means that failures and answers are normally mixed.
    expect(ended(failing(2, 1), 'alive', 5, { sentAt: 0 })).toMatchObject({
      lives: 1,
      survived: { longest: 2 },
    });
  });

  test('signs of life are counted only up to the number that matters', () => {
    const counted = [1, 2, 3, 3].reduce<GateState>((state, lives) => {
      const next = ended(state, 'alive', 0);
      expect(next).toMatchObject({ lives });
      return next;
    }, openGate);
    expect(ended(counted, 'alive', 0)).toBe(counted);
    const many = { ...gate, failures: 1_000 };
    expect(isHealthy(many, { ...open, lives: 19 })).toBe(false);
    expect(isHealthy(many, { ...open, lives: 20 })).toBe(true);
  });

  test('the longest row is remembered, not the last one', () => {
    const lately = { ...open, survived: { longest: 5, at: 0 } };
    expect(ended(failing(2, 10, lately), 'alive', 30)).toMatchObject({ survived: { longest: 5, at: 0 } });
    expect(ended(failing(2, 10, lately, 320_000), 'alive', 320_030)).toMatchObject({
      survived: { longest: 2, at: 320_030 },
    });
  });
});

describe('shut', () => {
  test('lets one probe through when its time has come, and turns all others away', () => {
    expect(passGate(gate, shut, 999, middle)).toEqual({ kind: 'shut', by: 'failures', retryInMs: 1 + 250 });
    expect(passGate(gate, shut, 1_000, middle)).toEqual({ kind: 'go', state: probing });
    expect(passGate(gate, probing, 1_001, middle)).toEqual({ kind: 'shut', by: 'probe', retryInMs: 250 });
    expect(isShut(gate, shut, 999)).toBe(true);
    expect(isShut(gate, shut, 1_000)).toBe(false);
    expect(isShut(gate, probing, 1_001)).toBe(true);
  });

  test('a probe that hangs does not keep it shut forever', () => {
    expect(passGate(gate, probing, 5_999, middle).kind).toBe('shut');
    const second: GateState = { ...probing, probingSince: 6_000 };
    expect(passGate(gate, probing, 6_000, middle)).toEqual({ kind: 'go', state: second });
    expect(isShut(gate, probing, 5_999)).toBe(true);
    expect(isShut(gate, probing, 6_000)).toBe(false);
    // The end of the first probe is not the end of the second.
    expect(ended(second, 'dead', 6_500, { sentAt: 1_000 })).toBe(second);
    expect(ended(second, 'neutral', 6_500, { sentAt: 1_000 })).toBe(second);
  });

  test.each(['dead', 'still-dead'] as const)('the next probe comes after the interval (%s)', (sign) => {
    expect(ended(probing, sign, 1_200, { sentAt: 1_000 })).toEqual({ ...shut, probeAt: 2_200 });
  });

  test('with jitter', () => {
    const pass = { epoch: 5, sentAt: 1_000 };
    expect(afterSign(gate, probing, pass, 'dead', 1_200, 0)).toEqual({ ...shut, probeAt: 1_700 });
  });

  test('a probe that was given up leaves its place to the next at once', () => {
    expect(ended(probing, 'neutral', 1_200, { sentAt: 1_000 })).toEqual({ ...shut, probeAt: 1_200 });
  });

  test('a late failure of the outage changes nothing', () => {
    expect(ended(probing, 'dead', 1_200, { epoch: 4, sentAt: 1_000 })).toBe(probing);
    expect(ended(probing, 'neutral', 1_200, { epoch: 4, sentAt: 1_000 })).toBe(probing);
    expect(ended(shut, 'dead', 1_200)).toBe(shut);
  });

  test.each<[Sign, number]>([
    ['alive', 4],
    ['alive', 5],
    ['answers', 5],
  ])('any sign of life reopens it, gradually (%s, epoch %i)', (sign, epoch) => {
    expect(ended(probing, sign, 1_200, { epoch })).toEqual({
      ...ramping,
      since: 1_200,
      placesSince: 1_200,
      places: 0,
      survived: { longest: 3, at: 1_200 },
    });
  });
});

describe('ramping', () => {
  const full: GateState = { ...ramping, places: 4 };

  test('lets in four at once', () => {
    expect(passGate(gate, ramping, 100, middle)).toEqual({ kind: 'go', state: full });
    expect(passGate(gate, full, 100, middle)).toEqual({ kind: 'shut', by: 'ramp', retryInMs: 100 });
    expect(isShut(gate, ramping, 100)).toBe(false);
  });

  test('lets in more with each success, and with time', () => {
    const one = ended(full, 'alive', 100);
    expect(one).toEqual({ ...ramping, successes: 1 });
    expect(passGate(gate, { ...ramping, places: 5, successes: 1 }, 100, middle).kind).toBe('shut');
    // The limit doubles in an eighth of the ramp.
    expect(passGate(gate, { ...ramping, places: 7 }, 349, middle).kind).toBe('shut');
    expect(passGate(gate, { ...ramping, places: 7 }, 350, middle).kind).toBe('go');
    expect(passGate(gate, { ...ramping, places: 8 }, 350, middle).kind).toBe('shut');
  });

  test.each(['dead', 'still-dead', 'answers', 'neutral'] as const)('%s gives its place back', (sign) => {
    expect(ended(ramping, sign, 110)).toMatchObject({ kind: 'ramping', places: 2, successes: 0 });
  });

  test('a place that is not given back expires', () => {
    const later = passGate(gate, full, 1_100, middle);
    expect(later).toMatchObject({ state: { places: 1, placesBefore: 4, placesSince: 1_100 } });
    // A place of the interval before can still be given back, but later not a second time.
    const state = { ...ramping, rampMs: 9_000, places: 1, placesBefore: 4, placesSince: 1_100 };
    expect(ended(state, 'neutral', 1_200, { sentAt: 500 })).toMatchObject({ places: 1, placesBefore: 3 });
    const slow = { ...gate, rampMs: 9_000 };
    const pass = { epoch: 6, sentAt: 500 };
    expect(afterSign(slow, state, pass, 'neutral', 2_100, middle)).toMatchObject({
      places: 0,
      placesBefore: 1,
    });
    expect(afterSign(slow, state, pass, 'neutral', 3_100, middle)).toMatchObject({
      places: 0,
      placesBefore: 0,
    });
  });

  test('ten failures in a row shut it again, and a success clears nine', () => {
    const nine = failing(9, 10, { ...ramping, places: 9 }, 110);
    expect(nine).toMatchObject({ kind: 'ramping', failures: 9, places: 0 });
    expect(ended(nine, 'alive', 210)).toMatchObject({ failures: 0 });
    expect(ended(nine, 'dead', 210)).toEqual({ ...shut, epoch: 7, probeAt: 1_210, failures: 10 });
  });

  test('after a longer row, half as many failures shut it again', () => {
    const shaky = { ...ramping, places: 30, survived: { longest: 40.1, at: 100 } };
    expect(failing(20, 10, shaky, 110).kind).toBe('ramping');
    expect(failing(21, 10, shaky, 110).kind).toBe('shut');
  });

  test('is over after its time, whatever has happened', () => {
    const opened = { ...open, epoch: 6, lives: 0 };
    expect(asOf(gate, full, 2_099)).toBe(full);
    expect(asOf(gate, full, 2_100)).toEqual(opened);
    expect(passGate(gate, full, 2_100, middle)).toEqual({ kind: 'go', state: opened });
    expect(ended(full, 'neutral', 2_100)).toEqual(opened);
    expect(asOf({ ...gate, rampMs: 0 }, full, 100)).toEqual(opened);
  });

  test('attempts from before do not count', () => {
    expect(ended(ramping, 'dead', 110, { epoch: 4 })).toBe(ramping);
    expect(ended(ramping, 'alive', 110, { epoch: 4 })).toBe(ramping);
  });
});
