import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LatencyState } from '../../../../src/core/limits/latency/latency.js';
import {
  afterHedge,
  afterRace,
  afterSuccess,
  afterThrottled,
  afterWithdrawal,
  hedgeAfterMs,
  mayHedge,
  newLatency,
} from '../../../../src/core/limits/latency/latency.js';
import type { Tail } from '../../../../src/core/limits/latency/setting.js';
import { hedge, hedgesLeft, played, tail, times, withTokens } from './playing.js';

const fixed: Tail = { hedge: { ...hedge, afterMs: 80 }, timeout: undefined };
const none: Tail = { hedge: false, timeout: undefined };

describe('when a hedge is sent', () => {
  test('is after four times the median', () => {
    const state = withTokens(1, played(times(100, 20)));
    expect(hedgeAfterMs(tail, state, 1_000)).toBeGreaterThan(80 / 1.09);
    expect(hedgeAfterMs(tail, state, 1_000)).toBeLessThan(80 * 1.09);
  });

  test('is after a fixed time, which needs no answers', () => {
    expect(hedgeAfterMs(fixed, withTokens(1), 0)).toBe(80);
  });

  test('is not known before 50 answers', () => {
    const ready = withTokens(1);
    expect(hedgeAfterMs(tail, played(times(49, 20), { from: ready }), 500)).toBeUndefined();
    expect(hedgeAfterMs(tail, played(times(50, 20), { from: ready }), 500)).toBeDefined();
  });

  test('is not known while none may be sent', () => {
    const state = played(times(100, 20));
    expect(hedgeAfterMs(tail, state, 1_000)).toBeUndefined();
    expect(hedgeAfterMs(fixed, newLatency, 0)).toBeUndefined();
    expect(hedgeAfterMs(tail, afterThrottled(tail, withTokens(1, state), 1_000), 2_000)).toBeUndefined();
  });

  test('is never, where hedges are off', () => {
    const state = played(times(100, 20), { as: none });
    expect(hedgeAfterMs(none, state, 1_000)).toBeUndefined();
    expect(mayHedge(none, withTokens(5), 1_000)).toBe(false);
    expect(hedgeAfterMs(none, withTokens(5, played(times(100, 20))), 1_000)).toBeUndefined();
  });
});

describe('the bucket of hedges', () => {
  test('is empty at the start, and twenty successes fill one in', () => {
    expect(hedgesLeft(newLatency, 0)).toBe(0);
    let state: LatencyState = newLatency;
    for (let success = 0; success < 19; success += 1) state = afterSuccess(tail, state);
    expect(mayHedge(tail, state, 0)).toBe(false);
    expect(mayHedge(tail, afterSuccess(tail, state), 0)).toBe(true);
  });

  test('holds five', () => {
    expect(hedgesLeft(withTokens(100), 0)).toBe(5);
  });

  test('gives nothing to a full one, and to none: the state itself', () => {
    const full = withTokens(5);
    expect(afterSuccess(tail, full)).toBe(full);
    expect(afterWithdrawal(tail, full)).toBe(full);
    expect(afterSuccess(none, newLatency)).toBe(newLatency);
    expect(afterWithdrawal(none, newLatency)).toBe(newLatency);
    expect(afterThrottled(none, newLatency, 0)).toBe(newLatency);
  });

  test('gets the token of a withdrawn hedge back', () => {
    const state = afterHedge(withTokens(1), 0);
    expect(mayHedge(tail, state, 0)).toBe(false);
    expect(hedgesLeft(afterWithdrawal(tail, state), 0)).toBe(1);
  });

  test('never gives more than its share of the successes', () => {
    const step = fc.constantFrom('success', 'success', 'success', 'hedge', 'withdrawal', 'unasked');
    const share = fc.integer({ min: 1, max: 1_000 }).map((count) => count / 1_000);
    fc.assert(
      fc.property(
        share,
        fc.integer({ min: 1, max: 9 }),
        fc.array(step, { maxLength: 400 }),
        (share, capacity, steps) => {
          const as: Tail = { hedge: { ...hedge, share, capacity }, timeout: undefined };
          let state: LatencyState = newLatency;
          let successes = 0;
          let hedges = 0;
          let out = 0;
          for (const one of steps) {
            if (one === 'success') {
              state = afterSuccess(as, state);
              successes += 1;
            } else if (one === 'hedge' && mayHedge(as, state, 0)) {
              state = afterHedge(state, 0);
              hedges += 1;
              out += 1;
            } else if (one === 'withdrawal' && out > 0) {
              state = afterWithdrawal(as, state);
              hedges -= 1;
              out -= 1;
            }
            expect(hedges).toBeLessThanOrEqual(share * successes + 1e-9);
            expect(state.hedging.tokens).toBeGreaterThanOrEqual(0);
            expect(state.hedging.tokens).toBeLessThanOrEqual(capacity * 1_000);
          }
          expect(hedgesLeft(state, 0, as)).toBeLessThanOrEqual(capacity);
        },
      ),
    );
  });
});

describe('hedges stop', () => {
  test('for five seconds after a 429', () => {
    const state = afterThrottled(tail, withTokens(5), 1_000);
    expect(mayHedge(tail, state, 5_999)).toBe(false);
    expect(mayHedge(tail, state, 6_000)).toBe(true);
    expect(mayHedge(tail, afterThrottled(tail, state, 3_000), 7_999)).toBe(false);
  });

  test('except one a second, once fewer than half of the last fifty helped', () => {
    const lost = raced(25, false, raced(50, true, withTokens(5)));
    expect(hedgesLeft(lost, 0)).toBe(5);
    const sent = slowed(9, afterHedge(raced(1, false, lost), 10_000));
    expect(mayHedge(fixed, sent, 10_999)).toBe(false);
    expect(mayHedge(fixed, sent, 11_000)).toBe(true);
  });

  test('after fewer at the start: then, two of five count as lost', () => {
    expect(hedgesLeft(raced(9, false, withTokens(5)), 0)).toBe(5);
    expect(hedgesLeft(raced(10, false, withTokens(5)), 0)).toBe(0);
    expect(hedgesLeft(raced(1_000, false, raced(1, true, withTokens(5))), 0)).toBe(0);
  });

  test('and then for one in ten that could have been sent', () => {
    const sent = afterHedge(raced(26, false, withTokens(5)), 0);
    expect(mayHedge(fixed, slowed(8, sent), 100_000)).toBe(false);
    expect(mayHedge(fixed, slowed(9, sent), 100_000)).toBe(true);
    expect(mayHedge(fixed, played(times(9, 80), { from: sent, as: fixed }), 100_000)).toBe(false);
    expect(mayHedge(fixed, afterHedge(slowed(9, sent), 100_000), 200_000)).toBe(false);
  });

  test('until half of them win again', () => {
    const lost = raced(50, false, withTokens(5));
    const sent = afterHedge(lost, 0);
    expect(mayHedge(tail, raced(24, true, sent), 1)).toBe(false);
    expect(mayHedge(tail, raced(25, true, sent), 1)).toBe(true);
  });

  test('not while they win: the state itself', () => {
    const state = raced(50, true, withTokens(5));
    expect(raced(100, true, state)).toBe(state);
  });
});

/** This many attempts that took longer than the wait for a hedge. */
function slowed(count: number, from: LatencyState): LatencyState {
  return played(times(count, 81), { from, as: fixed });
}

function raced(count: number, hasHedgeWon: boolean, from: LatencyState): LatencyState {
  let state = from;
  for (let one = 0; one < count; one += 1) state = afterRace(state, hasHedgeWon);
  return state;
}
