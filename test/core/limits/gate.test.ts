import { describe, expect, test } from 'vitest';
import { afterSign, passGate } from '../../../src/core/limits/gate/gate.js';
import { kindOf, kindsIn, textOfKinds } from '../../../src/core/limits/gate/kinds.js';
import { afterStall, isHealthy } from '../../../src/core/limits/gate/open.js';
import { asOf } from '../../../src/core/limits/gate/ramping.js';
import type { Gate } from '../../../src/core/limits/gate/setting.js';
import { afterTurnedAway, isShut, noLease, unansweredMs } from '../../../src/core/limits/gate/shut.js';
import type { GateAnswer, GateState, GateTicket } from '../../../src/core/limits/gate/state.js';
import { noEpoch, openGate } from '../../../src/core/limits/gate/state.js';
import type { Sign } from '../../../src/core/limits/signs.js';
import { signOf, signOfStatus } from '../../../src/core/limits/signs.js';
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
/** Of the requests of every test that is not about kinds. */
const kind = 7;
const none = { longest: 0, at: 0 };

type Of<K extends GateState['kind']> = Extract<GateState, { kind: K }>;
type Passed = Extract<GateAnswer, { kind: 'go' }>;

const open: Of<'open'> = {
  kind: 'open',
  epoch: 4,
  openedAt: -Infinity,
  lives: 3,
  failures: 0,
  since: 0,
  lastAt: 0,
  kinds: [],
  survived: none,
};
const shut: Of<'shut'> = {
  kind: 'shut',
  epoch: 5,
  shutAt: 0,
  probeAt: 1_000,
  failures: 3,
  probes: [],
  idleSince: 0,
  turnedAway: 0,
  tried: [{ kind: 7, at: 0, trial: 'none', isNew: false }],
  failing: [7],
  survived: none,
};
/** … after a probe was sent, with the mean time until the next one. */
const probing: Of<'shut'> = { ...shut, probes: [1_000], probeAt: 2_000 };
const ramping: Of<'ramping'> = {
  kind: 'ramping',
  epoch: 6,
  since: 100,
  successes: 0,
  failures: 0,
  kinds: [],
  failing: [7],
  well: [],
  places: 3,
  placesBefore: 0,
  placesSince: 100,
  survived: none,
};

/** The gate after an attempt that was sent in the epoch of that state, just before it ended. */
function ended(state: GateState, sign: Sign, now: number, pass: Partial<GateTicket> = {}): GateState {
  return afterSign(gate, state, { epoch: state.epoch, sentAt: now, ...pass }, sign, kind, now, middle);
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
    expect(passGate(gate, openGate, kind, 0, middle)).toEqual({
      kind: 'go',
      state: openGate,
      epoch: openGate.epoch,
    });
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
    expect(afterSign(gate, row, { epoch: 4, sentAt: 1_500 }, 'dead', kind, 2_000, draw)).toEqual({
      ...shut,
      shutAt: 2_000,
      probeAt: 2_000 + soon,
      idleSince: 2_000,
      tried: [{ kind, at: 2_000, trial: 'none', isNew: false }],
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
  test('lets a probe through when its time has come, and turns all others away', () => {
    expect(passGate(gate, shut, kind, 999, middle)).toEqual({
      kind: 'shut',
      by: 'failures',
      retryInMs: 1 + 250,
    });
    expect(passGate(gate, shut, kind, 1_000, middle)).toEqual({
      kind: 'go',
      state: probing,
      epoch: probing.epoch,
    });
    expect(passGate(gate, probing, kind, 1_001, middle)).toEqual({
      kind: 'shut',
      by: 'probe',
      retryInMs: 250,
    });
    expect(isShut(gate, shut, 999)).toBe(true);
    expect(isShut(gate, shut, 1_000)).toBe(false);
    expect(isShut(gate, probing, 1_001)).toBe(true);
    const early = passGate(gate, shut, kind, 1_000, 0);
    expect(early).toMatchObject({ state: { probeAt: 1_500 } });
  });

  /** The gate after probes at these times, none of which is answered. The kind was seen to fail lately. */
  function hanging(times: readonly number[]): Of<'shut'> {
    const lately: Of<'shut'> = { ...shut, tried: [{ kind, at: 1e6, trial: 'none', isNew: false }] };
    return times.reduce<Of<'shut'>>((state, now) => {
      const passage = passGate(gate, state, kind, now, middle);
      expect(passage).toMatchObject({ kind: 'go', epoch: 5 });
      return (passage as Passed).state as Of<'shut'>;
    }, lately);
  }

  /** When the next probe may go, to ten milliseconds. */
  function nextProbeAt(state: GateState, from: number): number {
    for (let now = from; ; now += 10) {
      if (passGate(gate, state, kind, now, middle).kind === 'go') return now;
    }
  }

  test('a probe that is not answered holds back the next one only for an interval', () => {
    expect(passGate(gate, probing, kind, 1_999, middle).kind).toBe('shut');
    const second: GateState = { ...probing, probes: [1_000, 2_000], probeAt: 3_000 };
    expect(passGate(gate, probing, kind, 2_000, middle)).toEqual({
      kind: 'go',
      state: second,
      epoch: second.epoch,
    });
    expect(isShut(gate, probing, 1_999)).toBe(true);
    expect(isShut(gate, probing, 2_000)).toBe(false);
  });

  test('the end of an earlier probe changes nothing about the last one', () => {
    const second = hanging([1_000, 2_000]);
    for (const sign of ['dead', 'silent', 'neutral'] as const) {
      expect(ended(second, sign, 2_500, { sentAt: 1_000 })).toEqual({ ...second, probes: [2_000] });
    }
    // The server has begun to refuse. When the first probe is over, too, requests still do not wait for an answer.
    const refused = ended(second, 'dead', 2_005, { sentAt: 2_000 });
    expect(passGate(gate, refused, kind, 2_010, middle)).toMatchObject({ by: 'failures' });
    expect(passGate(gate, ended(refused, 'silent', 2_500, { sentAt: 1_000 }), kind, 2_510, middle)).toEqual(
      passGate(gate, refused, kind, 2_510, middle),
    );
  });

  test('the more probes are out, the further apart they are, up to five intervals', () => {
    const times = [1_000];
    while (times.length < 45) times.push(nextProbeAt(hanging(times), times.at(-1) ?? 0));
    const apart = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(apart.slice(0, 8)).toEqual(Array(8).fill(1_000));
    expect([apart[11], apart[15], apart[31], apart[39], apart[43]]).toEqual([
      1_500, 2_000, 4_000, 5_000, 5_000,
    ]);
    const many = hanging(times);
    const last = times.at(-1) ?? 0;
    expect([isShut(gate, many, last + 4_999), isShut(gate, many, last + 5_000)]).toEqual([true, false]);
    // If none of them ever ends, the oldest no longer counts. If one does, there is room.
    expect(many.probes).toEqual(times.slice(-40));
    const fewer = ended(many, 'silent', last + 1_000, { sentAt: times.at(-40) ?? 0 });
    expect(nextProbeAt(fewer, last)).toBe(last + 4_880);
  });

  test('requests wait for an answer only as long as it is likely to come', () => {
    const sixteen = hanging(Array.from({ length: 16 }, (_, index) => 1_000 + 2_000 * index));
    expect(passGate(gate, sixteen, kind, 31_999, middle)).toMatchObject({ by: 'probe' });
    expect(passGate(gate, sixteen, kind, 32_000, middle)).toMatchObject({ by: 'failures', retryInMs: 1_250 });
  });

  describe('where many are turned away', () => {
    function turningAway(state: GateState, count: number): GateState {
      return Array.from({ length: count }).reduce<GateState>(afterTurnedAway, state);
    }

    test('the next probe comes an eighth of an interval after the end of the last one', () => {
      const failed = ended(probing, 'dead', 1_100, { sentAt: 1_000 });
      expect(nextProbeAt(turningAway(failed, 19), 1_100)).toBe(2_000);
      expect(nextProbeAt(turningAway(failed, 20), 1_100)).toBe(1_230);
    });

    test('but not sooner than half an interval after one that is not answered', () => {
      expect(nextProbeAt(turningAway(probing, 19), 1_000)).toBe(2_000);
      const many = turningAway(probing, 20);
      expect(nextProbeAt(many, 1_000)).toBe(1_500);
      // Those that were turned away before the last probe do not count.
      expect(nextProbeAt((passGate(gate, many, kind, 1_500, middle) as Passed).state, 1_510)).toBe(2_500);
    });

    test('and further apart, the more are out', () => {
      const soon = (count: number): GateState =>
        turningAway(hanging(Array.from({ length: count }, (_, index) => 1_000 + 1_000 * index)), 20);
      expect(nextProbeAt(soon(4), 4_000)).toBe(4_500);
      expect(nextProbeAt(soon(6), 6_000)).toBe(6_750);
    });

    test('and further apart, the longer it has been shut, up to five intervals', () => {
      const probedAt = (sentAt: number): GateState => {
        return turningAway({ ...hanging([]), probes: [sentAt], probeAt: sentAt + 1_000 }, 20);
      };
      expect(nextProbeAt(probedAt(8_000), 8_000)).toBe(8_500);
      expect(nextProbeAt(probedAt(24_000), 24_000)).toBe(24_750);
      expect(nextProbeAt(probedAt(64_000), 64_000)).toBe(66_000);
      expect(nextProbeAt(probedAt(640_000), 640_000)).toBe(645_000);
      // Few ask.
      const few = { ...hanging([]), probes: [64_000], probeAt: 65_000 };
      expect(nextProbeAt(few, 64_000)).toBe(66_000);
      expect([2_000, 64_000, 1e6].map((ms) => unansweredMs(gate, 2_000, ms))).toEqual([500, 2_000, 5_000]);
    });

    test.each([
      [undefined, 5_000],
      [500, 500],
      [2_000, 500],
      [8_000, 1_000],
      [18_000, 1_500],
      [200_000, 5_000],
      [900_000, 5_000],
    ])('with a timeout of %s ms, those of a fleet are %i ms apart', (timeoutMs, ms) => {
      expect(unansweredMs(gate, timeoutMs)).toBe(ms);
      // As those of a single process, once as many begin as end.
      if (timeoutMs === undefined || ms === 500 || ms === 5_000) return;
      const out: number[] = [];
      let state: GateState = { ...hanging([]), shutAt: 1e6 };
      for (let now = 0; now < 200_000; now += 10) {
        const [first] = out;
        if (first !== undefined && now - first >= timeoutMs)
          state = ended(state, 'silent', now, { sentAt: first });
        if (first !== undefined && now - first >= timeoutMs) out.shift();
        const passage = passGate(gate, turningAway(state, 20), kind, now, middle);
        if (passage.kind !== 'go') continue;
        state = passage.state;
        out.push(now);
      }
      const apart = ((out.at(-1) ?? 0) - (out[0] ?? 0)) / (out.length - 1);
      expect(Math.abs(apart / ms - 1)).toBeLessThan(0.15);
    });

    test('not in a fleet, whose store says when', () => {
      const shared = turningAway({ ...probing, leaseUntil: noLease }, 20);
      expect(passGate(gate, shared, kind, 1_999, middle)).toMatchObject({ by: 'probe' });
      expect(passGate(gate, shared, kind, 2_000, middle)).toMatchObject({ by: 'lease' });
    });
  });

  test.each(['dead', 'still-dead'] as const)(
    'the next probe comes an interval after it was sent (%s)',
    (sign) => {
      expect(ended(probing, sign, 1_200, { sentAt: 1_000 })).toEqual({
        ...shut,
        probeAt: 2_000,
        idleSince: 1_200,
      });
    },
  );

  test('a probe that was given up leaves its place to the next at once', () => {
    expect(ended(probing, 'neutral', 1_200, { sentAt: 1_000 })).toEqual({
      ...shut,
      probeAt: 1_200,
      idleSince: 1_200,
    });
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
      well: sign === 'alive' ? [kind] : [],
      survived: { longest: 3, at: 1_200 },
    });
  });
});

describe('ramping', () => {
  const full: GateState = { ...ramping, places: 4 };

  test('lets in four at once', () => {
    expect(passGate(gate, ramping, kind, 100, middle)).toEqual({
      kind: 'go',
      state: full,
      epoch: full.epoch,
    });
    expect(passGate(gate, full, kind, 100, middle)).toEqual({ kind: 'shut', by: 'ramp', retryInMs: 100 });
    expect(isShut(gate, ramping, 100)).toBe(false);
  });

  test('lets in more with each success, and with time', () => {
    const one = ended(full, 'alive', 100);
    expect(one).toEqual({ ...ramping, successes: 1, well: [kind] });
    expect(passGate(gate, { ...ramping, places: 5, successes: 1 }, kind, 100, middle).kind).toBe('go');
    expect(passGate(gate, { ...ramping, places: 6, successes: 1 }, kind, 100, middle).kind).toBe('shut');
    // The limit doubles in an eighth of the ramp.
    expect(passGate(gate, { ...ramping, places: 7 }, kind, 349, middle).kind).toBe('shut');
    expect(passGate(gate, { ...ramping, places: 7 }, kind, 350, middle).kind).toBe('go');
    expect(passGate(gate, { ...ramping, places: 8 }, kind, 350, middle).kind).toBe('shut');
  });

  test.each(['dead', 'still-dead', 'answers', 'neutral'] as const)('%s gives its place back', (sign) => {
    expect(ended(ramping, sign, 110)).toMatchObject({ kind: 'ramping', places: 2, successes: 0 });
  });

  test('a place that is not given back expires', () => {
    const later = passGate(gate, full, kind, 1_100, middle);
    expect(later).toMatchObject({ state: { places: 1, placesBefore: 4, placesSince: 1_100 } });
    // A place of the interval before can still be given back, but later not a second time.
    const state = { ...ramping, rampMs: 9_000, places: 1, placesBefore: 4, placesSince: 1_100 };
    expect(ended(state, 'neutral', 1_200, { sentAt: 500 })).toMatchObject({ places: 1, placesBefore: 3 });
    const slow = { ...gate, rampMs: 9_000 };
    const pass = { epoch: 6, sentAt: 500 };
    expect(afterSign(slow, state, pass, 'neutral', kind, 2_100, middle)).toMatchObject({
      places: 0,
      placesBefore: 1,
    });
    expect(afterSign(slow, state, pass, 'neutral', kind, 3_100, middle)).toMatchObject({
      places: 0,
      placesBefore: 0,
    });
  });

  test('ten failures in a row shut it again, and a success clears nine', () => {
    const nine = failing(9, 10, { ...ramping, places: 9 }, 110);
    expect(nine).toMatchObject({ kind: 'ramping', failures: 9, places: 0 });
    expect(ended(nine, 'alive', 210)).toMatchObject({ failures: 0 });
    expect(ended(nine, 'dead', 210)).toEqual({
      ...shut,
      epoch: 7,
      shutAt: 210,
      probeAt: 1_210,
      failures: 10,
      idleSince: 210,
      tried: [{ kind, at: 210, trial: 'none', isNew: false }],
    });
  });

  test('after a longer row, half as many failures shut it again', () => {
    const shaky = { ...ramping, places: 30, survived: { longest: 40.1, at: 100 } };
    expect(failing(20, 10, shaky, 110).kind).toBe('ramping');
    expect(failing(21, 10, shaky, 110).kind).toBe('shut');
  });

  test('is over after its time, whatever has happened', () => {
    const opened = { ...open, epoch: 6, openedAt: 100, lives: 0 };
    expect(asOf(gate, full, 2_099)).toBe(full);
    expect(asOf(gate, full, 2_100)).toEqual(opened);
    expect(passGate(gate, full, kind, 2_100, middle)).toEqual({
      kind: 'go',
      state: opened,
      epoch: opened.epoch,
    });
    expect(ended(full, 'neutral', 2_100)).toEqual(opened);
    expect(asOf({ ...gate, rampMs: 0 }, full, 100)).toEqual(opened);
  });

  test('a probe that fails after a later one has reopened it says nothing any more', () => {
    const reopened = asOf(gate, ramping, 2_100);
    const alive = failing(0, 0, { ...reopened, lives: 3 } as GateState);
    for (const sign of ['dead', 'silent'] as const) {
      expect(ended(alive, sign, 5_000, { epoch: 5, sentAt: 99 })).toBe(alive);
      // One that was let through as a kind that had not failed, too.
      expect(ended(alive, sign, 5_000, { epoch: noEpoch, sentAt: 99 })).toBe(alive);
    }
    expect(ended(alive, 'silent', 5_000, { epoch: 6, sentAt: 100 })).toMatchObject({ failures: 1 });
  });

  test('attempts from before do not count', () => {
    expect(ended(ramping, 'dead', 110, { epoch: 4 })).toBe(ramping);
    expect(ended(ramping, 'alive', 110, { epoch: 4 })).toBe(ramping);
  });
});

describe('kinds of requests', () => {
  const other = 8;
  const noted = { kind, at: 0, trial: 'none', isNew: false } as const;

  function trying(state: GateState, what: number, now: number): GateState {
    const passage = passGate(gate, state, what, now, middle);
    return passage.kind === 'go' && passage.epoch === noEpoch ? passage.state : state;
  }

  test('all that have failed in the row are known to fail when the gate shuts', () => {
    const row = [kind, other, kind].reduce<GateState>(
      (state, what, index) =>
        afterSign(gate, state, { epoch: 4, sentAt: 0 }, 'dead', what, 1_000 * index, middle),
      open,
    );
    expect(row).toMatchObject({
      kind: 'shut',
      tried: [
        { kind, at: 2_000, trial: 'none' },
        { kind: other, at: 2_000, trial: 'none' },
      ],
    });
    expect(ended(failing(2, 100), 'alive', 300)).toMatchObject({ kinds: [] });
  });

  test('one that was not seen to fail may pass a gate that is shut, and its answer reopens the gate', () => {
    const passage = passGate(gate, shut, other, 500, middle);
    const tried = { ...shut, tried: [noted, { kind: other, at: 500, trial: 'out', isNew: true }] };
    // It is no probe, and has nothing to give back.
    expect(passage).toEqual({ kind: 'go', state: tried, epoch: noEpoch });
    expect(ended(tried as Of<'shut'>, 'alive', 550, { epoch: noEpoch, sentAt: 500 }).kind).toBe('ramping');
    expect(passGate(gate, shut, kind, 500, middle).kind).toBe('shut');
    // While a probe is out, too.
    expect(passGate(gate, { ...probing }, other, 1_100, middle)).toMatchObject({
      kind: 'go',
      epoch: noEpoch,
    });
  });

  test('others of its kind wait for its answer, and no longer once it has failed', () => {
    const tried = trying(shut, other, 500);
    expect(passGate(gate, tried, other, 600, middle)).toMatchObject({ kind: 'shut', by: 'trial' });
    expect(passGate(gate, tried, other, 2_500, middle)).not.toMatchObject({ by: 'trial' });
    const failed = afterSign(gate, tried, { epoch: noEpoch, sentAt: 500 }, 'dead', other, 550, middle);
    expect(passGate(gate, failed, other, 600, middle)).toMatchObject({ kind: 'shut', by: 'failures' });
  });

  describe('in a ramp,', () => {
    const third = 9;
    const answeredAt = 550;
    /** What goes on failing has taken every place. */
    const taken = (state: GateState): GateState => ({ ...(state as Of<'ramping'>), places: 40 });
    const reopened = (from: Of<'shut'> = shut, sentAt = 500, sign: Sign = 'alive'): GateState => {
      const tried = trying(from, other, sentAt);
      const ticket = { epoch: noEpoch, sentAt };
      return taken(afterSign(gate, tried, ticket, sign, other, answeredAt, middle));
    };
    const asks = (state: GateState, what: number, now = answeredAt): GateAnswer =>
      passGate(gate, state, what, now, middle);
    const hears = (state: GateState, sign: Sign, what: number): GateState =>
      taken(afterSign(gate, state, { epoch: state.epoch, sentAt: 560 }, sign, what, 560, middle));

    test('one that has succeeded, and not failed, waits for none that go on failing', () => {
      const state = reopened();
      expect(asks(state, kind)).toMatchObject({ kind: 'shut', by: 'ramp' });
      // Nothing is known of it.
      expect(asks(state, third)).toMatchObject({ kind: 'shut', by: 'ramp' });
      const all = [1, 2, 3, 4, 5, 6, 7, 8].reduce<GateState>(
        (before) => (asks(before, other) as Passed).state,
        state,
      );
      // They take places, like all others.
      expect(all).toMatchObject({ kind: 'ramping', places: 48 });
      expect(asks(hears(state, 'alive', third), third).kind).toBe('go');
    });

    test('one that has failed as well waits, whenever that was', () => {
      expect(asks(hears(reopened(), 'dead', other), other).kind).toBe('shut');
      // Before the gate was shut, and while it was.
      expect(asks(taken(ended(probing, 'alive', 1_200)), kind, 1_200).kind).toBe('shut');
      const late = { epoch: 4, sentAt: 0 };
      const failed = afterSign(gate, shut, late, 'dead', third, 400, middle) as Of<'shut'>;
      expect(asks(hears(reopened(failed), 'alive', third), third).kind).toBe('shut');
      // In the ramp before, which was shut again by others.
      const often = [third, ...Array.from({ length: 9 }, () => kind)];
      const again = often.reduce<GateState>((state, what) => hears(state, 'dead', what), reopened());
      expect(again).toMatchObject({ kind: 'shut', failing: [kind, third] });
      expect(asks(hears(reopened(again as Of<'shut'>), 'alive', third), third).kind).toBe('shut');
    });

    test('one that has not succeeded soon, or only with an error, waits', () => {
      expect(asks(reopened(shut, -450), other).kind).toBe('shut');
      expect(asks(reopened(shut, -449), other).kind).toBe('go');
      expect(asks(reopened(shut, 500, 'answers'), other).kind).toBe('shut');
    });

    test('all wait where more have failed than are remembered, or others know which', () => {
      const many = Array.from({ length: 64 }, (_, index) => 1_000 + index);
      expect(asks(reopened({ ...shut, failing: many }), other).kind).toBe('shut');
      expect(asks(reopened({ ...shut, failing: many.slice(1) }), other).kind).toBe('go');
      const shared = { ...shut, leaseUntil: noLease };
      expect(asks(reopened(shared), other).kind).toBe('shut');
      expect(asks(reopened({ ...shared, processes: 2 }), other).kind).toBe('go');
    });
  });

  test('it may be tried again after ten intervals, and so may one that failed before', () => {
    const failed = afterSign(
      gate,
      trying(shut, other, 500),
      { epoch: noEpoch, sentAt: 500 },
      'dead',
      other,
      550,
      middle,
    );
    const busy = { ...failed, probes: [10_000], probeAt: 11_000 } as GateState;
    expect(passGate(gate, busy, other, 10_499, middle).kind).toBe('shut');
    expect(passGate(gate, busy, other, 10_500, middle)).toMatchObject({ kind: 'go', epoch: noEpoch });
    expect(passGate(gate, busy, kind, 10_000, middle)).toMatchObject({ kind: 'go', epoch: noEpoch });
  });

  test('no more than eight within that time', () => {
    const eight = [11, 12, 13, 14, 15, 16, 17, 18].reduce<GateState>(
      (state, what) => trying(state, what, 500),
      shut,
    );
    expect(passGate(gate, eight, 19, 600, middle).kind).toBe('shut');
    expect(passGate(gate, { ...eight, probeAt: 11_000 } as GateState, 19, 10_500, middle).kind).toBe('go');
  });

  test('of a fleet, the processes share the eight', () => {
    const inFleet = (processes: number): GateState => ({ ...shut, leaseUntil: noLease, processes });
    const two = [11, 12, 13].reduce<GateState>((state, what) => trying(state, what, 500), inFleet(4));
    expect(two).toMatchObject({ tried: [noted, { kind: 11 }, { kind: 12 }] });
    const one = { ...trying(inFleet(80), 11, 500), probeAt: 101_000 } as GateState;
    expect(passGate(gate, one, 12, 100_499, middle).kind).toBe('shut');
    expect(passGate(gate, one, 12, 100_500, middle).kind).toBe('go');
  });

  test('one that fails while the gate is shut is known to fail, and only a failure says so', () => {
    const late = { epoch: 4, sentAt: 0 };
    expect(afterSign(gate, shut, late, 'silent', other, 500, middle)).toEqual({
      ...shut,
      tried: [noted, { kind: other, at: 500, trial: 'none', isNew: false }],
      failing: [kind, other],
    });
    expect(afterSign(gate, shut, late, 'neutral', other, 500, middle)).toBe(shut);
  });

  test('64 of them are remembered', () => {
    const many = Array.from({ length: 100 }, (_, index) => 1_000 + index);
    const row = many.reduce<GateState>(
      (state, what) => afterSign(gate, state, { epoch: 4, sentAt: 0 }, 'dead', what, 0, middle),
      open,
    );
    expect(row).toMatchObject({ failures: 100, kinds: many.slice(0, 64) });
    const shutLate = afterSign(gate, row, { epoch: 4, sentAt: 0 }, 'dead', 1_000, 2_000, middle);
    const after = many.reduce<GateState>(
      (state, what) => afterSign(gate, state, { epoch: 4, sentAt: 0 }, 'dead', what, 2_100, middle),
      shutLate,
    );
    expect((after as Of<'shut'>).tried).toHaveLength(64);
  });

  test('are told apart by rule, method and path, and not by what only one request has', () => {
    const poll = kindOf('default', 'GET', '/api/jobs/17/events');
    expect(kindOf('default', 'get', '/api/jobs/18/events')).toBe(poll);
    expect(kindOf('default', 'GET', 'http://api.example.com/api/jobs/18/events#top')).toBe(poll);
    expect(kindOf('default', 'GET', `/api/jobs/${'a'.repeat(41)}/events`)).toBe(poll);
    expect(kindOf('default', 'GET', 'http://api.example.com')).toBe(kindOf('default', 'GET', '/'));
    for (const [rule, method, path] of [
      ['polls', 'GET', '/api/jobs/17/events'],
      ['default', 'POST', '/api/jobs/17/events'],
      ['default', 'GET', '/api/jobs/17'],
      ['default', 'GET', '/api/jobs/all/events'],
      ['default', 'GET', '/v2/jobs/17/events'],
    ] as const) {
      expect(kindOf(rule, method, path)).not.toBe(poll);
    }
    expect(kindOf('default', 'GET', '/v1/a')).not.toBe(kindOf('default', 'GET', '/v2/a'));
  });

  test('are told apart by the names in the query, and not by their values or order', () => {
    const kindAt = (url: string): number => kindOf('default', 'GET', url);
    expect(kindAt('/poll?wait=0')).not.toBe(kindAt('/poll'));
    expect(kindAt('/poll?wait=0')).not.toBe(kindAt('/poll?since=0'));
    expect(kindAt('/poll?wait=0')).toBe(kindAt('http://api.example.com/poll?wait=30#top'));
    expect(kindAt('/poll?since=a&wait=0')).toBe(kindAt('/poll?wait=30&since=b&since=c'));
    // Names that are identifiers.
    expect(kindAt('/poll?1764102834')).toBe(kindAt('/poll?1764102835'));
    // No name, no kind of its own.
    expect(kindAt('/poll?')).toBe(kindAt('/poll'));
    // Only the first ones count.
    const eight = '/poll?a&b&c&d&e&f&g&h';
    expect(kindAt(`${eight}&i`)).toBe(kindAt(`${eight}&j`));
    expect(kindAt('/poll?a&b&c&d&e&f&g&h')).not.toBe(kindAt('/poll?a&b&c&d&e&f&g&i'));
  });

  test('are found as quickly in a URL that is very long', () => {
    const long = `/poll?${'a=1&'.repeat(50_000)}`;
    const begin = performance.now();
    for (let times = 0; times < 100; times += 1) kindOf('default', 'GET', long);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });

  test('travel as text', () => {
    const kinds = [kindOf('a', 'GET', '/'), 0, 2 ** 32 - 1];
    expect(kindsIn(textOfKinds(kinds))).toEqual(kinds);
    expect(kindsIn(undefined)).toEqual([]);
    expect(kindsIn('')).toEqual([]);
    expect(kindsIn('!! z -1')).toEqual([35]);
  });
});
