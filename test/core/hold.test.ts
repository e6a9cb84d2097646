import { describe, expect, test } from 'vitest';
import { afterFailure, afterSuccess, isPaced, noHold, takePlace, timeOf } from '../../src/core/hold.js';
import type { Finding, Hold, HoldState } from '../../src/core/types.js';

const hold: Hold = { minMs: 2_000, spacingMs: 100 };
const never = Number.POSITIVE_INFINITY;

function tooMuch(hintMs: number | null, more: Partial<Finding> = {}): Finding {
  const hint = { delayMs: hintMs, reason: 'retry-after' };
  return { kind: 'response', status: 429, class: 'throttled', evidence: 'refused', hint, ...more } as Finding;
}

function refused(state: HoldState, hintMs: number | null, now: number): HoldState {
  return afterFailure(hold, state, tooMuch(hintMs), never, now);
}

/** So many a second, evenly, from one time to another. */
function afterSuccesses(perSecond: number, fromMs: number, toMs: number, state = noHold): HoldState {
  const count = ((toMs - fromMs) * perSecond) / 1_000;
  const times = Array.from({ length: count }, (_, index) => fromMs + (index * 1_000) / perSecond);
  return times.reduce(afterSuccess, state);
}

/** The times at which the next attempts may go, all asked for at `now`. */
function places(state: HoldState, now: number, count: number): number[] {
  const found: number[] = [];
  for (let at = state, left = count; left > 0; left -= 1) {
    const taken = takePlace(at, now);
    found.push(timeOf(taken.state, taken.place));
    at = taken.state;
  }
  return found;
}

describe('a long hint', () => {
  test('keeps everybody out of its window', () => {
    const held = refused(noHold, 5_000, 1_000);
    expect(held).toMatchObject({ until: 6_000, pacedSince: 6_000, spacingMs: 100 });
    const [first = 0, second = 0] = places(held, 1_000, 2);
    expect(first).toBe(6_000);
    expect(second).toBeCloseTo(6_100, -1);
  });

  test('counts whatever the failure was', () => {
    const unavailable = tooMuch(5_000, { status: 503, class: 'transient' });
    expect(afterFailure(hold, noHold, unavailable, never, 0)).toMatchObject({ until: 5_000 });
  });

  test('that is longer than anybody would wait changes nothing', () => {
    expect(afterFailure(hold, noHold, tooMuch(60_001), 60_000, 0)).toBe(noHold);
    expect(afterFailure(hold, noHold, tooMuch(60_000), 60_000, 0)).not.toBe(noHold);
  });

  test('that ends no later than another changes nothing; a later end moves the window and who queues behind it', () => {
    const held = refused(noHold, 5_000, 0);
    expect(refused(held, 4_000, 1_000)).toBe(held);
    const queued = takePlace(held, 500);
    const moved = refused(queued.state, 5_000, 1_000);
    expect(moved).toMatchObject({ until: 6_000, pacedSince: 6_000 });
    expect(timeOf(moved, queued.place)).toBe(6_000);
    expect(places(moved, 1_000, 1)[0]).toBeGreaterThan(6_000);
  });

  test('nobody gets on while it lasts', () => {
    const held = refused(afterSuccesses(10, 0, 1_000), 5_000, 1_000);
    expect(places(held, 1_000, 3)).toEqual(places(held, 5_900, 3));
  });
});

describe('a short hint', () => {
  test('keeps nobody out, but sets the pace', () => {
    const held = refused(afterSuccesses(20, 0, 2_000), 1_999, 2_000);
    expect(held).toMatchObject({ until: Number.NEGATIVE_INFINITY, pacedSince: 2_000 });
    expect(places(held, 2_000, 1)).toEqual([2_000]);
  });

  test('is not needed, where the answer says that it was too much', () => {
    expect(refused(noHold, null, 0)).toMatchObject({ pacedSince: 0, spacingMs: 100 });
    expect(refused(noHold, 0, 0)).toMatchObject({ pacedSince: 0 });
    const throttled: Finding = { ...tooMuch(null), hint: undefined } as Finding;
    expect(afterFailure(hold, noHold, throttled, never, 0)).toMatchObject({ pacedSince: 0 });
  });

  test('says nothing with another failure', () => {
    const failed = tooMuch(1_000, { status: 503, class: 'transient' });
    expect(afterFailure(hold, noHold, failed, never, 0)).toBe(noHold);
    const reset: Finding = {
      kind: 'error',
      name: 'Error',
      code: 'ECONNRESET',
      class: 'transient',
      evidence: 'unknown',
      aborted: false,
    };
    expect(afterFailure(hold, noHold, reset, never, 0)).toBe(noHold);
  });
});

describe('the pace', () => {
  test.each<[string, HoldState, number, number]>([
    ['both slices', afterSuccesses(10, 1_000, 1_500, afterSuccesses(20, 0, 1_000)), 1_500, 1_500 / 25],
    ['a slice that was long enough', afterSuccesses(20, 0, 1_000), 1_800, 1_800 / 20],
    ['a short look that shows much', afterSuccesses(40, 0, 500), 500, 1_000 / 20],
    ['a short look that shows little', afterSuccesses(4, 0, 500), 500, 100 * 0.8],
    ['nothing yet', noHold, 500, 100 * 0.8],
    ['successes of long ago', afterSuccesses(20, 0, 1_000), 2_000, 100 * 0.8],
  ])('is four fifths of the rate that was seen: %s', (_, state, now, spacingMs) => {
    expect(refused(state, 5_000, now).spacingMs * 0.8).toBeCloseTo(spacingMs);
  });

  test('is counted by the second', () => {
    const gap = afterSuccess(afterSuccesses(4, 0, 1_000), 2_000);
    expect(gap).toMatchObject({ successes: 1, successesBefore: 0 });
    const next = afterSuccess(afterSuccesses(4, 0, 1_000), 1_999);
    expect(next).toMatchObject({ successes: 1, successesBefore: 4 });
  });

  test('grows by a tenth each second', () => {
    const held = refused(afterSuccesses(10, 0, 2_000), 1_000, 2_000);
    const times = places(held, 2_000, 200);
    const within = (fromMs: number): number =>
      times.filter((at) => at >= 2_000 + fromMs && at < 3_000 + fromMs).length;
    // 8 a second at first, which is 8.4 in the mean of the first second.
    expect(within(0)).toBe(9);
    expect(within(7_000) / 8.4).toBeCloseTo(1.1 ** 7, 0);
    expect(within(7_000)).toBe(16);
  });

  test('is not lowered again for what was sent before', () => {
    const held = refused(afterSuccesses(10, 0, 2_000), 1_000, 2_000);
    expect(refused(held, 1_000, 3_499)).toBe(held);
    expect(refused(held, 1_000, 3_500)).not.toBe(held);
    const shut = refused(held, 5_000, 2_100);
    expect(shut).toMatchObject({ until: 7_100, spacingMs: held.spacingMs });
  });

  test('stays as it was where nothing succeeded at it', () => {
    const held: HoldState = { ...refused(noHold, 2_000, 0), spacingMs: 40 };
    expect(refused(held, 2_000, 4_000).spacingMs).toBe(40);
  });

  test('changes for all that queue, and their order stays', () => {
    const fast = refused(afterSuccesses(100, 0, 2_000), 1_000, 2_000);
    const first = takePlace(fast, 2_000);
    const queued = Array.from({ length: 200 }).reduce<HoldState>(
      (at) => takePlace(at, 2_000).state,
      first.state,
    );
    const last = takePlace(queued, 2_000);
    const before = timeOf(last.state, last.place);
    const slow = refused(
      { ...last.state, successes: 4, successesBefore: 4, countingSince: 3_000 },
      1_000,
      3_500,
    );
    expect(slow.spacingMs).toBeGreaterThan(10 * fast.spacingMs);
    expect(timeOf(slow, last.place)).toBeGreaterThan(before + 5_000);
    expect(places(slow, 3_500, 1)[0]).toBeGreaterThan(timeOf(slow, last.place));
  });
});

describe('the end of it', () => {
  test('without a hold nobody queues', () => {
    expect(isPaced(noHold, 0)).toBe(false);
  });

  test('after ten seconds nobody queues who finds no queue', () => {
    const held = refused(noHold, 2_000, 0);
    expect(isPaced(held, 11_999)).toBe(true);
    expect(isPaced(held, 12_000)).toBe(false);
  });

  test('who finds one queues behind it', () => {
    const held = refused(noHold, 2_000, 0);
    const queue = Array.from({ length: 400 }).reduce<HoldState>((at) => takePlace(at, 2_000).state, held);
    expect(isPaced(queue, 12_000)).toBe(true);
    expect(places(queue, 12_000, 1)[0]).toBeGreaterThan(12_000);
  });

  test('a place is never in the past', () => {
    const held = refused(noHold, 2_000, 0);
    expect(places(held, 2_500, 1)[0]).toBeCloseTo(2_500, 6);
  });
});
