import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestWait, scheduledWait } from '../../src/core/decide/schedule.js';
import type { ExponentialSchedule, Jitter, PlainJitter, Schedule } from '../../src/core/policy/schedules.js';

const lastDraw = 1 - 2 ** -53;
const draw = fc.double({ min: 0, max: lastDraw, noNaN: true });
const ms = fc.oneof(fc.double({ min: 0, max: 3.2e11, noNaN: true }), fc.nat(100_000));
const share = fc.double({ min: 0, max: 2, noNaN: true });
const slot = fc.option(fc.record({ slotMs: fc.double({ min: 0.001, max: 100_000, noNaN: true }) }), {
  nil: {},
});
const plainJitter: fc.Arbitrary<PlainJitter> = fc.oneof(
  fc.constantFrom<PlainJitter>('none', 'full', 'equal'),
  fc.record({ spread: share }),
  fc.record({ addMs: ms }),
  fc.record({ normal: share }),
);
const jitter: fc.Arbitrary<Jitter> = fc.oneof(plainJitter, fc.constant<Jitter>('decorrelated'));

const exponential: fc.Arbitrary<ExponentialSchedule> = fc
  .tuple(ms, fc.double({ min: 0, max: 1_000, noNaN: true }), ms, jitter, slot)
  .map(([firstMs, factor, maxMs, scatter, slots]) => ({
    kind: 'exponential',
    firstMs,
    factor,
    maxMs,
    jitter: scatter,
    ...slots,
  }));
const schedule: fc.Arbitrary<Exclude<Schedule, (...all: never) => number>> = fc.oneof(
  exponential,
  fc
    .tuple(fc.array(ms, { maxLength: 12 }), plainJitter, slot)
    .map(([waitsMs, scatter, slots]) => ({ kind: 'table' as const, waitsMs, jitter: scatter, ...slots })),
  fc
    .tuple(ms, plainJitter, slot)
    .map(([waitMs, scatter, slots]) => ({ kind: 'fixed' as const, waitMs, jitter: scatter, ...slots })),
);
const draws = fc.array(draw, { minLength: 1, maxLength: 40 });

function series(plan: Schedule, random: readonly number[]): number[] {
  const waits: number[] = [];
  for (const one of random) waits.push(scheduledWait(plan, waits.length + 1, waits.at(-1), one));
  return waits;
}

describe('a scheduled wait', () => {
  test('is finite, never negative, and never above the longest one', () => {
    fc.assert(
      fc.property(schedule, draws, (plan, random) => {
        series(plan, random).forEach((waitMs, index) => {
          expect(Number.isFinite(waitMs)).toBe(true);
          expect(waitMs).toBeGreaterThanOrEqual(0);
          expect(waitMs).toBeLessThanOrEqual(longestWait(plan, index + 1));
        });
      }),
    );
  });

  test('is also that after any number of retries and any previous wait', () => {
    const retry = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(schedule, retry, fc.option(ms, { nil: undefined }), draw, (plan, number, previous, one) => {
        const waitMs = scheduledWait(plan, number, previous, one);
        expect(Number.isFinite(waitMs)).toBe(true);
        expect(waitMs).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('comes as close to the longest one as a draw comes to 1', () => {
    fc.assert(
      fc.property(schedule, fc.integer({ min: 1, max: 30 }), ({ slotMs: _, ...plan }, count) => {
        const last = series(plan, new Array<number>(count).fill(lastDraw)).at(-1);
        expect(last).toBeGreaterThanOrEqual(longestWait(plan, count) * (1 - 1e-9));
      }),
    );
  });

  test('does not grow when the cap shrinks', () => {
    fc.assert(
      fc.property(exponential, ms, draws, (plan, otherMs, random) => {
        const low = series({ ...plan, maxMs: Math.min(plan.maxMs, otherMs) }, random);
        const high = series({ ...plan, maxMs: Math.max(plan.maxMs, otherMs) }, random);
        low.forEach((waitMs, index) => {
          expect(waitMs).toBeLessThanOrEqual(high[index] ?? Number.NaN);
        });
      }),
    );
  });

  test('stays below the cap where jitter adds nothing', () => {
    const within = fc.constantFrom<Jitter>('none', 'full', 'equal', 'decorrelated');
    fc.assert(
      fc.property(exponential, within, draws, (plan, scatter, random) => {
        for (const waitMs of series({ ...plan, jitter: scatter }, random)) {
          // The product of slots and their length may be off in the last digit.
          expect(waitMs).toBeLessThanOrEqual(plan.maxMs * (1 + Number.EPSILON));
        }
      }),
    );
  });

  test('is a whole number of slots, and the greatest one below the wait', () => {
    const slotMs = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(schedule, slotMs, draw, ({ slotMs: _, ...plan }, length, one) => {
        const waitMs = scheduledWait(plan, 1, undefined, one);
        const slotted = scheduledWait({ ...plan, slotMs: length }, 1, undefined, one);
        expect(slotted % length).toBe(0);
        expect(slotted).toBeLessThanOrEqual(waitMs);
        expect(waitMs - slotted).toBeLessThan(length);
      }),
    );
  });

  test('is usable whatever a function returns', () => {
    fc.assert(
      fc.property(fc.anything(), draws, (result, random) => {
        for (const waitMs of series((() => result) as unknown as Schedule, random)) {
          expect(Number.isFinite(waitMs)).toBe(true);
          expect(waitMs).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});
