import { describe, expect, test } from 'vitest';
import type { AdmissionRequest, QueuePlace } from '../../../src/core/limits/admission.js';
import { noQueuePlace } from '../../../src/core/limits/admission.js';
import { admit } from '../../../src/core/limits/ask.js';
import type { GateState } from '../../../src/core/limits/gate/state.js';
import { openGate } from '../../../src/core/limits/gate/state.js';
import { queueMs } from '../../../src/core/limits/hold/admit.js';
import type { Hold } from '../../../src/core/limits/hold/setting.js';
import type { HoldState } from '../../../src/core/limits/hold/state.js';
import { noHold } from '../../../src/core/limits/hold/state.js';
import { defaults } from '../../../src/core/policy/defaults.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { Admission } from '../../../src/core/types.js';
import { settingsOf } from '../../kit.js';

const shut: GateState = {
  kind: 'shut',
  epoch: 3,
  shutAt: 0,
  probeAt: 1_000,
  failures: 20,
  probes: [],
  idleSince: 0,
  turnedAway: 0,
  tried: [{ kind: 7, at: 0, trial: 'none', isNew: false }],
  failing: [7],
  survived: { longest: 0, at: 0 },
};
/** A hold whose window ends at 5,000, and whose queue is empty. */
const held: HoldState = { ...noHold, phase: 'paced', until: 5_000, pacedSince: 5_000, spacingMs: 100 };
/** A request has taken the first place. */
const first: QueuePlace = { ...noQueuePlace, place: 0 };
/** … and the hold after that. */
const queue: HoldState = { ...held, nextPlace: 1 };

function request(differences: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    gate: openGate,
    hold: noHold,
    kind: 7,
    waiting: 0,
    queued: 0,
    queuePlace: noQueuePlace,
    isRetry: false,
    ...differences,
  };
}

function ask(
  options: PolicyOptions,
  state: AdmissionRequest,
  now: number,
  deadlineAt = Infinity,
): ReturnType<typeof admit> {
  return admit(settingsOf(options), state, now, deadlineAt, 0.5);
}

const waiting: PolicyOptions = { gate: { whenShut: 'wait', maxWaiting: 2 }, deadlineMs: 60_000 };

describe('the gate', () => {
  test('open or not asked for: go, in its epoch', () => {
    expect(ask({ gate: true }, request(), 0)).toMatchObject({ admission: { kind: 'go' }, epoch: 0 });
    expect(ask({}, request({ gate: shut }), 0)).toMatchObject({ admission: { kind: 'go' }, gate: shut });
  });

  test('shut: fails fast, or waits', () => {
    const refusal: Admission = { kind: 'refuse', reason: 'gate-shut' };
    expect(ask({ gate: true }, request({ gate: shut }), 0)).toMatchObject({
      admission: refusal,
      gate: { ...shut, turnedAway: 1 },
    });
    expect(ask(waiting, request({ gate: shut }), 0).admission).toEqual({
      kind: 'wait',
      delayMs: 1_250,
      why: 'gate',
    });
  });

  test('a wait that cannot end before the deadline does not start', () => {
    expect(ask(waiting, request({ gate: shut }), 0, 1_250).admission.kind).toBe('refuse');
    expect(ask(waiting, request({ gate: shut }), 0, 1_251).admission.kind).toBe('wait');
  });

  test('no more wait than may', () => {
    expect(ask(waiting, request({ gate: shut, waiting: 1 }), 0).admission.kind).toBe('wait');
    expect(ask(waiting, request({ gate: shut, waiting: 2 }), 0).admission).toEqual({
      kind: 'refuse',
      reason: 'gate-full',
    });
  });

  test('a probe takes its place', () => {
    const admitted = ask({ gate: true }, request({ gate: shut }), 1_000);
    expect(admitted).toMatchObject({ admission: { kind: 'go' }, epoch: 3, gate: { probes: [1_000] } });
  });
});

describe('a request that comes when the gate will open soon', () => {
  const probing: GateState = { ...shut, probes: [1_000], probeAt: 2_000 } as GateState;
  const ramping: GateState = {
    kind: 'ramping',
    epoch: 4,
    since: 1_000,
    successes: 0,
    failures: 0,
    kinds: [],
    failing: [],
    well: [],
    places: 4,
    placesBefore: 0,
    placesSince: 1_000,
    survived: { longest: 0, at: 0 },
  };

  /** The times at which a request asks, until it is let through or refused. */
  function timesOf(options: PolicyOptions, gate: GateState, deadlineAt?: number): readonly number[] {
    const times = [1_000];
    let queuePlace = noQueuePlace;
    for (;;) {
      const now = times.at(-1) ?? 0;
      const asked = ask(options, request({ gate, queuePlace }), now, deadlineAt);
      if (asked.admission.kind !== 'wait') return times;
      times.push(now + asked.admission.delayMs);
      queuePlace = asked.queuePlace;
    }
  }

  test("waits 0.35 seconds for a probe's answer, and asks only a few times", () => {
    expect(timesOf({ gate: true }, probing)).toEqual([
      1_000, 1_010, 1_020, 1_040, 1_080, 1_160, 1_260, 1_350,
    ]);
  });

  test('waits two seconds for a place in the ramp', () => {
    const long = { gate: { rampMs: 1e9 } };
    expect(timesOf(long, ramping).at(-1)).toBe(3_000);
    expect(timesOf(long, ramping)).toHaveLength(25);
  });

  test('waits no longer than its deadline, and not if too many wait already', () => {
    expect(timesOf({ gate: true }, probing, 1_100)).toEqual([1_000, 1_010, 1_020, 1_040, 1_080]);
    const full = request({ gate: probing, waiting: 1_000 });
    expect(ask({ gate: true }, full, 1_000).admission).toEqual({ kind: 'refuse', reason: 'gate-full' });
  });

  test('waits until it may be the next probe itself with whenShut: wait', () => {
    const times = timesOf(waiting, probing, 5_000);
    expect(times.length).toBeGreaterThan(10);
    expect(times.at(-2)).toBeLessThan(2_000);
    expect(times.at(-1)).toBeGreaterThanOrEqual(2_000);
  });
});

describe('a limit that is not enforced', () => {
  test('is reported, and the request is sent', () => {
    const gate = ask({ gate: { enforce: false } }, request({ gate: shut }), 0);
    expect(gate).toMatchObject({ admission: { kind: 'go' }, unenforced: 'gate-shut', epoch: -1, gate: shut });
    const hold = ask({ hold: { enforce: false } }, request({ hold: held }), 1_000, 2_000);
    expect(hold).toMatchObject({ admission: { kind: 'go' }, unenforced: 'held', hold: held });
  });

  test('is not reported for a request that would only have had to wait', () => {
    const probing = { ...shut, probes: [1_000], probeAt: 2_000 } as GateState;
    expect(ask({ gate: { enforce: false } }, request({ gate: probing }), 1_000).unenforced).toBeUndefined();
    const hold = ask({ hold: { enforce: false } }, request({ hold: held }), 1_000);
    expect(hold).toMatchObject({ admission: { kind: 'go' }, hold: queue, queuePlace: noQueuePlace });
    expect(hold.unenforced).toBeUndefined();
  });
});

describe('the hold', () => {
  test('not asked for, or nothing held: go', () => {
    expect(ask({}, request({ hold: held }), 0)).toMatchObject({ admission: { kind: 'go' }, hold: held });
    expect(ask({ hold: true }, request(), 0)).toMatchObject({ admission: { kind: 'go' }, hold: noHold });
  });

  test('gives a place after the window, and lets the request through at that time', () => {
    const waits = ask({ hold: true }, request({ hold: held }), 1_000);
    expect(waits).toMatchObject({
      admission: { kind: 'wait', delayMs: 4_000, why: 'hold' },
      queuePlace: { place: 0 },
      hold: queue,
    });
    const again = ask({ hold: true }, request({ hold: queue, queuePlace: first }), 5_000);
    expect(again).toMatchObject({ admission: { kind: 'go' }, hold: queue });
  });

  test('a request that is sent has used its place', () => {
    const gone = ask({ hold: true }, request({ hold: queue, queuePlace: first }), 5_000);
    expect(gone.queuePlace).toBe(noQueuePlace);
    const both = ask({ hold: true, gate: true }, request({ hold: queue, queuePlace: first }), 5_000);
    expect(both).toMatchObject({ admission: { kind: 'go' }, queuePlace: noQueuePlace });
  });

  test('a request that asks too early waits for its place', () => {
    const early = ask({ hold: true }, request({ hold: queue, queuePlace: first }), 4_000);
    expect(early).toMatchObject({
      admission: { kind: 'wait', delayMs: 1_000 },
      hold: queue,
      queuePlace: first,
    });
  });

  test('a place moves with the window', () => {
    const moved: HoldState = { ...queue, until: 8_000, pacedSince: 8_000 };
    const again = ask({ hold: true }, request({ hold: moved, queuePlace: first }), 5_000);
    expect(again).toMatchObject({
      admission: { kind: 'wait', delayMs: 3_000 },
      queuePlace: first,
      hold: moved,
    });
  });

  test('a request without a place of the fleet asks 20 times a second whether the store has given one', () => {
    const open = { ...held, until: 1_000, pacedSince: 1_000, leased: [] };
    expect(ask({ hold: true }, request({ hold: open }), 1_000).admission).toMatchObject({ delayMs: 50 });
  });

  test('a place of the fleet can be taken for half a second after it has come up', () => {
    const leased: HoldState = { ...held, until: 1_000, pacedSince: 1_000, nextPlace: 1, leased: [0] };
    const at = (now: number) => ask({ hold: true }, request({ hold: leased }), now);
    expect(at(1_450)).toMatchObject({ admission: { kind: 'go' }, hold: { leased: [] } });
    expect(at(1_550)).toMatchObject({ admission: { kind: 'wait' }, hold: { leased: [] } });
  });

  test('a request far behind asks from time to time whether it has moved up, but not within the window', () => {
    const queuePlace: QueuePlace = { ...noQueuePlace, place: 100 };
    const far = ask({ hold: true }, request({ hold: { ...held, nextPlace: 101 }, queuePlace }), 1_000);
    const { delayMs = 0 } = far.admission as { delayMs?: number };
    expect(delayMs).toBeGreaterThan(5_000);
    expect(delayMs).toBeLessThan(5_250);
  });

  test('no request queues for more than half of its time, or longer than maxQueueMs', () => {
    const refused = ask({ hold: true }, request({ hold: held }), 1_000, 8_999);
    expect(refused).toMatchObject({
      admission: { kind: 'refuse', reason: 'held' },
      hold: held,
      queuePlace: noQueuePlace,
    });
    expect(ask({ hold: true }, request({ hold: held }), 1_000, 9_000).admission.kind).toBe('wait');
    const short = { hold: { maxQueueMs: 3_999 } };
    expect(ask(short, request({ hold: held }), 1_000).admission.kind).toBe('refuse');
    expect(ask({ hold: { maxQueueMs: 4_000 } }, request({ hold: held }), 1_000).admission.kind).toBe('wait');
    // The deadline ends the wait, whatever the setting says.
    expect(ask({ hold: { maxQueueMs: 9_000 } }, request({ hold: held }), 1_000, 5_000).admission.kind).toBe(
      'refuse',
    );
  });

  test('without a deadline, no request queues for longer than 30 s, not counting a time that the server named', () => {
    const behind = (places: number) => ({ ...held, spacingMs: 1_000, nextPlace: places, places: 0 });
    const waits = (places: number) => ask({ hold: true }, request({ hold: behind(places) }), 1_000).admission;
    const [last, tooLate] = [20, 2_000].map((places) => waits(places).kind);
    expect([last, tooLate]).toEqual(['wait', 'refuse']);
    const { until } = held;
    const { queuePlace } = ask({ hold: true }, request({ hold: behind(1) }), 1_000);
    expect(queuePlace.queuesUntil).toBe(until + 30_000);
  });

  test('a request with a place is refused when its time is over, and gives the place back', () => {
    const late: QueuePlace = {
      place: 0,
      queuesUntil: 4_500,
      metProbeAt: undefined,
      metRampAt: undefined,
      kind: undefined,
    };
    const waits = ask({ hold: true }, request({ hold: queue, queuePlace: late }), 4_400);
    expect(waits.admission).toMatchObject({ kind: 'wait', delayMs: 100 });
    const refused = ask({ hold: true }, request({ hold: queue, queuePlace: late }), 4_500);
    expect(refused).toMatchObject({
      admission: { kind: 'refuse', reason: 'held' },
      queuePlace: noQueuePlace,
    });
    expect(ask({ hold: true }, request({ hold: refused.hold }), 4_500).admission).toMatchObject({
      delayMs: 500,
    });
  });

  test('comes before the gate: a request that has to queue takes no probe', () => {
    const state = request({ hold: held, gate: { ...shut, probeAt: 0 } as GateState });
    expect(ask({ hold: true, gate: true }, state, 1_000)).toMatchObject({
      admission: { kind: 'wait', why: 'hold' },
      gate: { probes: [] },
    });
  });

  test('a place is kept while the request waits for the gate, and given back if the gate refuses', () => {
    const state = request({ hold: queue, queuePlace: first, gate: { ...shut, probeAt: 9_000 } as GateState });
    expect(ask({ ...waiting, hold: true }, state, 5_000)).toMatchObject({
      admission: { kind: 'wait', why: 'gate', delayMs: 4_250 },
      queuePlace: { place: 0 },
      hold: queue,
    });
    const refused = ask({ gate: true, hold: true }, state, 5_000);
    expect(refused).toMatchObject({
      admission: { kind: 'refuse', reason: 'gate-shut' },
      queuePlace: noQueuePlace,
    });
    expect(ask({ hold: true }, request({ hold: refused.hold }), 5_000).admission.kind).toBe('go');
  });
});

describe('a retry', () => {
  const hold: Hold = { ...defaults.hold };

  test('waits for its place for as long as its deadline allows', () => {
    const retry = request({ hold: held, isRetry: true });
    expect(ask({ hold: { maxQueueMs: 0 } }, retry, 1_000, 5_001)).toMatchObject({
      admission: { kind: 'wait', delayMs: 4_000 },
      queuePlace: { queuesUntil: Infinity },
    });
    expect(ask({ hold: true }, retry, 1_000, 5_000).admission).toEqual({ kind: 'refuse', reason: 'held' });
  });

  test('is told beforehand how long it would have to queue', () => {
    expect(queueMs(hold, held, 1_000)).toBe(4_000);
    expect(queueMs(hold, { ...held, nextPlace: 1 }, 1_000)).toBeGreaterThan(4_090);
    expect(queueMs(hold, noHold, 1_000)).toBe(0);
    expect(queueMs({ ...hold, enforce: false }, held, 1_000)).toBe(0);
  });
});
