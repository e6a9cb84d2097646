import { describe, expect, test } from 'vitest';
import { givePlaceBack, isPaced, takePlace, timeOf } from '../../../src/core/limits/hold/queue.js';
import { afterRefusal, isRefusal } from '../../../src/core/limits/hold/refusals.js';
import type { Sample } from '../../../src/core/limits/hold/sample.js';
import { afterAnswer, noSample } from '../../../src/core/limits/hold/sample.js';
import type { Hold } from '../../../src/core/limits/hold/setting.js';
import type { HoldState } from '../../../src/core/limits/hold/state.js';
import { noHold } from '../../../src/core/limits/hold/state.js';
import { judged } from '../../../src/core/limits/hold/trial.js';
import { defaults } from '../../../src/core/policy/defaults.js';
import type { Finding, ResponseFinding } from '../../../src/core/types.js';

const hold: Hold = { ...defaults.hold, refusedShare: 0 };
const never = Infinity;

function tooMuch(hintMs: number | null, more: Partial<ResponseFinding> = {}): ResponseFinding {
  const hint = { delayMs: hintMs, reason: 'retry-after' };
  return {
    kind: 'response',
    status: 429,
    class: 'throttled',
    evidence: 'refused',
    hint,
    aborted: false,
    ...more,
  };
}

function refused(state: HoldState, hintMs: number | null, now: number, sample = noSample): HoldState {
  return afterRefusal(hold, state, judged(hold, state, sample, now).sample, tooMuch(hintMs), now);
}

/** Successes at an even rate, from one time to another. */
function succeeding(perSecond: number, fromMs: number, toMs: number, from = noSample): Sample {
  const count = ((toMs - fromMs) * perSecond) / 1_000;
  const times = Array.from({ length: count }, (_, index) => fromMs + (index * 1_000) / perSecond);
  return times.reduce((sample, at) => {
    return afterAnswer(judged(hold, noHold, sample, at).sample, true, 'success', undefined, at);
  }, from);
}

/** The hold after this many more requests have taken a place. */
function queued(state: HoldState, now: number, count: number): HoldState {
  return Array.from({ length: count }).reduce<HoldState>((at) => takePlace(at, now).state, state);
}

/** The times at which the next attempts may go, if all ask at `now`. */
function places(state: HoldState, now: number, count: number): number[] {
  const found: number[] = [];
  for (let at = state, left = count; left > 0; left -= 1) {
    const taken = takePlace(at, now);
    found.push(timeOf(taken.state, taken.place));
    at = taken.state;
  }
  return found;
}

describe('which findings are refusals', () => {
  test.each<[string, Finding, number, boolean]>([
    ['a long hint', tooMuch(5_000), never, true],
    [
      'a long hint, whatever the failure was',
      tooMuch(5_000, { status: 503, class: 'transient' }),
      never,
      true,
    ],
    ['a short hint of a rate limited answer', tooMuch(1_000), never, true],
    ['a rate limited answer without a hint', tooMuch(null), never, true],
    ['a short hint of another failure', tooMuch(1_000, { status: 503, class: 'transient' }), never, false],
    ['no hint at all', { ...tooMuch(0), class: 'transient', hint: undefined }, never, false],
    ['a hint longer than maxHintMs', tooMuch(60_001), 60_000, false],
    ['a hint as long as maxHintMs', tooMuch(60_000), 60_000, true],
    [
      'an error',
      {
        kind: 'error',
        name: 'E',
        code: 'X',
        class: 'transient',
        evidence: 'unknown',
        hint: undefined,
        aborted: false,
      },
      never,
      false,
    ],
  ])('%s', (_, finding, maxHintMs, is) => {
    expect(isRefusal(hold, finding, maxHintMs)).toBe(is);
  });
});

test('the first refusal is enough, and its answer is kept', () => {
  const held = refused(noHold, 5_000, 1_000);
  expect(held).toMatchObject({ phase: 'obeyed', until: 6_000 });
  expect(held.asked).toEqual({ finding: tooMuch(5_000), at: 1_000 });
});

test('with a share, a single refusal changes nothing', () => {
  const shared = { ...hold, refusedShare: 0.5 };
  expect(afterRefusal(shared, noHold, noSample, tooMuch(5_000), 1_000)).toBe(noHold);
});

describe('a long hint', () => {
  test('lets no request into its window', () => {
    const held = refused(noHold, 5_000, 1_000);
    expect(held).toMatchObject({ until: 6_000, pacedSince: 6_000, spacingMs: 100 });
    const [first = 0, second = 0] = places(held, 1_000, 2);
    expect(first).toBe(6_000);
    expect(second).toBeCloseTo(6_100, -1);
  });

  test('that ends no later than another changes nothing; one that ends later moves the window and the queue', () => {
    const held = refused(noHold, 5_000, 0);
    expect(refused(held, 4_000, 1_000)).toBe(held);
    const { state, place } = takePlace(held, 500);
    const moved = refused(state, 5_000, 1_000);
    expect(moved).toMatchObject({ until: 6_000, pacedSince: 6_000 });
    expect(timeOf(moved, place)).toBe(6_000);
    expect(places(moved, 1_000, 1)[0]).toBeGreaterThan(6_000);
  });

  test('the queue does not move while the window lasts', () => {
    const held = refused(noHold, 5_000, 1_000, succeeding(10, 0, 1_000));
    expect(places(held, 1_000, 3)).toEqual(places(held, 5_900, 3));
  });
});

describe('a short hint', () => {
  test('opens no window, but sets the pace', () => {
    const held = refused(noHold, 1_999, 2_000, succeeding(20, 0, 2_000));
    expect(held).toMatchObject({ until: -Infinity, pacedSince: 2_000 });
    expect(places(held, 2_000, 1)).toEqual([2_000]);
  });
});

describe('the pace', () => {
  test.each<[string, Sample, number, number]>([
    ['both seconds', succeeding(10, 1_000, 1_500, succeeding(20, 0, 1_000)), 1_500, 1_500 / 25],
    ['a second that is over', succeeding(20, 0, 1_000), 1_800, 1_000 / 20],
    ['a short look', succeeding(40, 0, 500), 500, 1_000 / 20],
    ['too short a look', succeeding(10, 0, 500), 500, 100],
    ['successes of long ago', succeeding(20, 0, 1_000), 3_000, 80],
  ])('is a little less than the measured rate: %s', (_, sample, now, spacingMs) => {
    expect(refused(noHold, 5_000, now, sample).spacingMs * 0.8).toBeCloseTo(spacingMs, -0.7);
  });

  test('is spacingMs, if no rate was measured', () => {
    expect(refused(noHold, 5_000, 500).spacingMs).toBe(100);
    expect(refused(noHold, 5_000, 2_000, succeeding(20, 0, 1_000)).spacingMs).toBe(100);
  });

  test('grows by a fiftieth each second, and after four seconds by an eighth', () => {
    const held: HoldState = {
      ...refused(noHold, 1_000, 2_000, succeeding(100, 0, 2_000)),
      spacingMs: 10,
      phase: 'paced',
    };
    const times = places(held, 2_000, 3_000);
    const within = (second: number): number =>
      times.filter((at) => at >= (2 + second) * 1_000 && at < (3 + second) * 1_000).length;
    expect(within(0)).toBeCloseTo(101, -1);
    expect(within(3) / within(0)).toBeCloseTo(1.02 ** 3, 1);
    expect(within(14) / within(4)).toBeCloseTo(1.12 ** 10, 1);
  });

  test('is the same from place to time and from time to place', () => {
    const held = refused(noHold, 1_000, 2_000, succeeding(10, 0, 2_000));
    for (const phase of ['paced', 'obeyed', 'trial'] as const) {
      for (const now of [2_500, 5_999, 6_001, 12_000]) {
        const { place, state } = takePlace({ ...held, phase }, now);
        expect(timeOf(state, place)).toBeCloseTo(now, 6);
      }
    }
  });

  test('is not lowered again for requests that were sent before', () => {
    const answers = succeeding(10, 0, 2_000);
    const held = refused(noHold, 1_000, 2_000, answers);
    expect(refused(held, 1_000, 3_499, answers)).toBe(held);
    expect(refused(held, 1_000, 3_500, answers)).not.toBe(held);
    expect(refused(held, 5_000, 2_100, answers)).toMatchObject({ until: 7_100, spacingMs: held.spacingMs });
  });

  test('is never raised by a refusal', () => {
    const held: HoldState = { ...refused(noHold, 1_000, 0), spacingMs: 100 };
    const faster = refused(held, 1_000, 2_000, succeeding(100, 0, 2_000));
    expect(faster.spacingMs).toBeCloseTo(100 / 1.1 ** 2);
  });

  test('stays as it was if nothing succeeded at it', () => {
    const held: HoldState = { ...refused(noHold, 2_000, 0), spacingMs: 40 };
    expect(refused(held, 2_000, 4_000).spacingMs).toBe(40);
  });

  test('changes for all requests in the queue, and their order stays', () => {
    const fast = refused(noHold, 1_000, 2_000, succeeding(100, 0, 2_000));
    const { state, place } = takePlace(queued(fast, 2_000, 400), 2_000);
    const slow = refused(state, 1_000, 3_600, succeeding(4, 1_600, 3_600));
    expect(slow.spacingMs).toBeGreaterThan(10 * fast.spacingMs);
    expect(places(slow, 3_600, 1)[0]).toBeGreaterThan(timeOf(slow, place));
  });
});

describe('a place that is given back', () => {
  const held = refused(noHold, 5_000, 0);

  test('in the middle: requests behind it move up, requests before it do not', () => {
    const state = queued(held, 0, 5);
    const after = givePlaceBack(state, 2, 0);
    expect([0, 1].map((place) => timeOf(after, place))).toEqual([0, 1].map((place) => timeOf(state, place)));
    expect([3, 4].map((place) => timeOf(after, place))).toEqual([2, 3].map((place) => timeOf(state, place)));
    expect(places(after, 0, 1)[0]).toBe(timeOf(state, 4));
  });

  test('by every request: the next one comes as if they had never queued', () => {
    const state = queued(held, 0, 500);
    for (const order of [1, -1, 7]) {
      const numbers = Array.from({ length: 500 }, (_, index) => (((index * order) % 500) + 500) % 500);
      const after = numbers.reduce((at, place) => givePlaceBack(at, place, 0), state);
      expect(places(after, 0, 1)).toEqual([5_000]);
      expect(after.gaps).toEqual([]);
    }
  });

  test('after its time has come: the next request may go', () => {
    const state = queued(held, 0, 3);
    const after = givePlaceBack(state, 0, 5_050);
    expect(timeOf(after, 1)).toBe(5_000);
    expect(timeOf(after, 2)).toBeCloseTo(timeOf(state, 1));
  });

  test('once the others have gone, gaps are forgotten', () => {
    const state = [2, 4, 6].reduce((at, place) => givePlaceBack(at, place, 0), queued(held, 0, 9));
    expect(state.gaps).toEqual([2, 4, 6]);
    const later = givePlaceBack(state, 8, 5_000 + 350);
    expect(later.gaps).toEqual([6, 8]);
    expect(timeOf(later, 7)).toBeCloseTo(timeOf(state, 7));
  });

  test('is ignored if it was never taken', () => {
    const state = queued(held, 0, 3);
    expect(givePlaceBack(state, 3, 0)).toBe(state);
  });
});

describe('the end of it', () => {
  test('without a hold no request queues', () => {
    expect(isPaced(noHold, 0)).toBe(false);
  });

  test('after ten seconds, a request that finds no queue need not wait', () => {
    const held = refused(noHold, 2_000, 0);
    expect(isPaced(held, 11_999)).toBe(true);
    expect(isPaced(held, 12_000)).toBe(false);
  });

  test('a request that finds a queue joins it', () => {
    const queue = queued(refused(noHold, 2_000, 0), 2_000, 400);
    expect(isPaced(queue, 12_000)).toBe(true);
    expect(places(queue, 12_000, 1)[0]).toBeGreaterThan(12_000);
  });

  test('a place is never in the past', () => {
    const held = refused(noHold, 2_000, 0);
    expect(places(held, 2_500, 1)[0]).toBeCloseTo(2_500, 6);
  });
});
