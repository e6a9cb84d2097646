import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ln, power } from '../../../src/tools/sim/elementary.js';

const positive = fc.double({ min: 1e-300, max: 1e300, noNaN: true });

describe('the logarithm', () => {
  test('is that of the engine, except for the last digits', () => {
    const check = fc.property(positive, (x) => {
      expect(Math.abs(ln(x) - Math.log(x))).toBeLessThanOrEqual(4e-16 * Math.max(1, Math.abs(Math.log(x))));
    });
    fc.assert(check, { seed: 1, numRuns: 2_000 });
  });

  test('is exact where it can be', () => {
    expect(ln(1)).toBe(0);
    expect(ln(2)).toBe(Math.LN2);
    expect(ln(0.5)).toBe(-Math.LN2);
  });
});

describe('the power', () => {
  test('is that of the engine, except for the last digits', () => {
    const check = fc.property(
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      fc.double({ min: -20, max: 20, noNaN: true }),
      (base, exponent) => {
        expect(power(base, exponent) / base ** exponent).toBeCloseTo(1, 12);
      },
    );
    fc.assert(check, { seed: 1, numRuns: 2_000 });
  });

  test('saturates', () => {
    expect(power(10, 400)).toBe(Number.MAX_VALUE);
    expect(power(10, -400)).toBe(0);
  });
});
