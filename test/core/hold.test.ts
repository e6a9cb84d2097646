import { describe, expect, test } from 'vitest';
import { afterHint, afterSuccess, noHold, placeHolds, takePlace } from '../../src/core/hold.js';
import type { Hold, HoldState } from '../../src/core/types.js';

const hold: Hold = { minMs: 2_000, spacingMs: 100 };

function afterSuccesses(...times: number[]): HoldState {
  return times.reduce(afterSuccess, noHold);
}

/** The times at which the next attempts may go, all asked for at `now`. */
function places(state: HoldState, now: number, count: number): number[] {
  const found: number[] = [];
  for (let at = state, left = count; left > 0; left -= 1) {
    const place = takePlace(at, now);
    found.push(place.at);
    at = place.state;
  }
  return found;
}

describe('a hint', () => {
  test('keeps everybody out of its window', () => {
    const held = afterHint(hold, noHold, 5_000, 1_000);
    expect(held).toMatchObject({ until: 6_000, nextAt: 6_000, spacingMs: 100 });
    expect(places(held, 1_000, 2)).toEqual([6_000, 6_100]);
  });

  test('that is short delays nobody else', () => {
    expect(afterHint(hold, noHold, 1_999, 0)).toBe(noHold);
    expect(afterHint(hold, noHold, 2_000, 0)).not.toBe(noHold);
  });

  test('that ends no later than another changes nothing; a later end moves the window', () => {
    const held = afterHint(hold, noHold, 5_000, 0);
    expect(afterHint(hold, held, 4_000, 1_000)).toBe(held);
    const moved = afterHint(hold, held, 5_000, 1_000);
    expect(moved).toMatchObject({ until: 6_000, nextAt: 6_000 });
    expect(placeHolds(moved, 5_999)).toBe(false);
    expect(placeHolds(moved, 6_000)).toBe(true);
  });
});

describe('behind the window', () => {
  test('requests queue at the rate of successes seen before', () => {
    // 20 successes in the second before, 10 in this half: 20 in a second.
    const before = Array.from({ length: 20 }, (_, index) => index * 50);
    const now = Array.from({ length: 10 }, (_, index) => 1_000 + index * 50);
    const held = afterHint(hold, afterSuccesses(...before, ...now), 5_000, 1_500);
    expect(held.spacingMs).toBe(50);
  });

  test('successes of long ago are not the rate of today', () => {
    const old = afterSuccesses(0, 1, 2, 3);
    expect(afterHint(hold, old, 5_000, 1_999).spacingMs).toBeCloseTo(2_999 / 4);
    expect(afterHint(hold, old, 5_000, 2_000).spacingMs).toBe(100);
    const gap = afterSuccesses(0, 1, 2, 3, 2_000);
    expect(gap).toMatchObject({ successes: 1, successesBefore: 0 });
    const next = afterSuccesses(0, 1, 2, 3, 1_999);
    expect(next).toMatchObject({ successes: 1, successesBefore: 4 });
  });

  test('the rate grows by half each second', () => {
    const held = { ...afterHint(hold, noHold, 2_000, 0), spacingMs: 1_000 };
    const [first, second, third] = places(held, 0, 3);
    expect(first).toBe(2_000);
    expect(second).toBe(3_000);
    expect(third).toBeCloseTo(3_000 + 1_000 / 1.5);
  });

  test('a place is never in the past, and nobody queues when it is long over', () => {
    const held = afterHint(hold, noHold, 2_000, 0);
    expect(places(held, 2_500, 1)).toEqual([2_500]);
    expect(takePlace(held, 11_999).state).not.toBe(held);
    expect(takePlace(held, 12_000)).toEqual({ at: 12_000, state: held });
  });

  test('another refusal while the first is being lived down keeps the old rate', () => {
    const held = { ...afterHint(hold, noHold, 2_000, 0), spacingMs: 40 };
    expect(afterHint(hold, held, 2_000, 11_999).spacingMs).toBe(40);
    expect(afterHint(hold, held, 2_000, 12_000).spacingMs).toBe(100);
  });

  test('without a hold everybody goes at once', () => {
    expect(takePlace(noHold, 7)).toEqual({ at: 7, state: noHold });
  });
});
