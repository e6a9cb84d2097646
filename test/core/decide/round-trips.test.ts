import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RoundTripScheme, RoundTrips } from '../../../src/core/decide/round-trips.js';
import {
  afterExpiry,
  afterRoundTrip,
  noRoundTrips,
  roundTripTimeoutMs,
} from '../../../src/core/decide/round-trips.js';
import { schemes as shelf } from '../../../src/core/policy/schemes.js';

// The compiler checks that each preset has the type that a user's own value would have.
const schemes: Readonly<Record<keyof typeof shelf.roundTrips, RoundTripScheme>> = shelf.roundTrips;
const { rfc6298, stevens } = schemes;
/** Without bounds, so that every number shows. */
const bare: RoundTripScheme = { ...rfc6298, minMs: 0 };

function measured(scheme: RoundTripScheme, ...times: readonly number[]): RoundTrips {
  return times.reduce((trips, ms) => afterRoundTrip(scheme, trips, ms), noRoundTrips);
}

function timeout(scheme: RoundTripScheme, ...times: readonly number[]): number {
  return roundTripTimeoutMs(scheme, measured(scheme, ...times));
}

describe('RFC 6298', () => {
  test('has these numbers', () => {
    expect(rfc6298).toEqual({
      firstMs: 1_000,
      firstAnswer: 'replace',
      gain: 1 / 8,
      deviationGain: 1 / 4,
      deviations: 4,
      granularityMs: 1,
      minMs: 1_000,
      maxMs: 60_000,
    });
  });

  test('waits a second before anything is measured (2.1)', () => {
    expect(timeout(rfc6298)).toBe(1_000);
  });

  test('takes the first time as the mean, and half of it as the deviation (2.2)', () => {
    expect(measured(rfc6298, 500)).toEqual({ meanMs: 500, deviationMs: 250, doubledMs: 0 });
    expect(timeout(rfc6298, 500)).toBe(500 + 4 * 250);
  });

  test('moves the deviation first, by a quarter, then the mean, by an eighth (2.3)', () => {
    // RTTVAR = 3/4 * 250 + 1/4 * |500 - 900|, SRTT = 7/8 * 500 + 1/8 * 900.
    expect(measured(rfc6298, 500, 900)).toEqual({ meanMs: 550, deviationMs: 287.5, doubledMs: 0 });
    expect(timeout(rfc6298, 500, 900)).toBe(550 + 4 * 287.5);
    expect(measured(rfc6298, 500, 100)).toEqual({ meanMs: 450, deviationMs: 287.5, doubledMs: 0 });
  });

  test('adds at least the granularity of the clock (2.2)', () => {
    const steady = new Array<number>(100).fill(40);
    expect(timeout(bare, ...steady)).toBeCloseTo(41);
  });

  test('waits a second at least (2.4) and a minute at most (2.5)', () => {
    expect(timeout(rfc6298, 20)).toBe(1_000);
    expect(timeout(rfc6298, 50_000)).toBe(60_000);
  });
});

describe('Stevens', () => {
  test('has these numbers: RTT_RXTMIN 2 s, RTT_RXTMAX 60 s', () => {
    expect(stevens).toEqual({
      firstMs: 3_000,
      firstAnswer: 'smooth',
      gain: 1 / 8,
      deviationGain: 1 / 4,
      deviations: 4,
      granularityMs: 0,
      minMs: 2_000,
      maxMs: 60_000,
    });
  });

  test('waits three seconds first: a mean of 0, and a deviation of 0.75 s (rtt_init)', () => {
    expect(timeout(stevens)).toBe(3_000);
  });

  test('moves both with the first time already (rtt_stop)', () => {
    // delta = 1; srtt = 0 + 1/8; rttvar = 0.75 + (1 - 0.75) / 4; rto = srtt + 4 * rttvar.
    expect(measured(stevens, 1_000)).toEqual({ meanMs: 125, deviationMs: 812.5, doubledMs: 0 });
    expect(timeout(stevens, 1_000)).toBe(3_375);
    // delta = 0.875; srtt = 0.125 + 0.875/8; rttvar = 0.8125 + (0.875 - 0.8125) / 4.
    expect(timeout(stevens, 1_000, 1_000)).toBe(234.375 + 4 * 828.125);
  });

  test('waits two seconds at least (rtt_minmax)', () => {
    expect(timeout(stevens, ...new Array<number>(50).fill(10))).toBe(2_000);
  });
});

describe('an expiry', () => {
  test('doubles the timeout (5.5), up to the longest', () => {
    const waits: number[] = [];
    let trips: RoundTrips = noRoundTrips;
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      const ms = roundTripTimeoutMs(rfc6298, trips);
      waits.push(ms);
      trips = afterExpiry(rfc6298, trips, ms);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(afterExpiry(rfc6298, trips, 60_000)).toBe(trips);
  });

  test('doubles it once for messages that were sent together', () => {
    const once = afterExpiry(bare, measured(bare, 100), 300);
    expect(afterExpiry(bare, once, 300)).toBe(once);
    expect(roundTripTimeoutMs(bare, once)).toBe(600);
    expect(afterExpiry(bare, once, 200)).toBe(once);
  });

  test('keeps what was measured, and is over with the next measured time', () => {
    const expired = afterExpiry(bare, measured(bare, 100), 300);
    expect(expired).toEqual({ meanMs: 100, deviationMs: 50, doubledMs: 600 });
    expect(roundTripTimeoutMs(bare, afterRoundTrip(bare, expired, 100))).toBe(100 + 4 * 37.5);
  });

  test('is not over with the answer to a message that was sent again (Karn)', () => {
    const expired = afterExpiry(bare, measured(bare, 100), 300);
    expect(afterRoundTrip(bare, expired, 350, true)).toBe(expired);
  });
});

test('the timeout is never shorter than the mean, and stays between its bounds', () => {
  const step = fc.oneof(
    fc.record({ ms: fc.integer({ min: 0, max: 100_000 }), isRepeated: fc.boolean() }),
    fc.constant('expiry' as const),
  );
  fc.assert(
    fc.property(fc.constantFrom(rfc6298, stevens, bare), fc.array(step), (scheme, steps) => {
      let trips: RoundTrips = noRoundTrips;
      for (const one of steps) {
        const before = roundTripTimeoutMs(scheme, trips);
        trips =
          one === 'expiry'
            ? afterExpiry(scheme, trips, before)
            : afterRoundTrip(scheme, trips, one.ms, one.isRepeated);
        const now = roundTripTimeoutMs(scheme, trips);
        expect(now).toBeGreaterThanOrEqual(Math.min(scheme.maxMs, Math.max(scheme.minMs, trips.meanMs ?? 0)));
        expect(now).toBeLessThanOrEqual(scheme.maxMs);
        if (one === 'expiry') expect(now).toBe(Math.min(scheme.maxMs, 2 * before));
      }
    }),
  );
});
