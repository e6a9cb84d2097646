import { describe, expect, test } from 'vitest';
import { fillSchedule, longestWait, scheduledWait } from '../../../src/core/decide/schedule.js';
import { defaults } from '../../../src/core/policy/defaults.js';
import type { ExponentialSchedule, PlainJitter, Schedule } from '../../../src/core/policy/schedules.js';

/** The greatest number that `Math.random` can return. */
const lastDraw = 1 - 2 ** -53;

const doubling: ExponentialSchedule = {
  kind: 'exponential',
  firstMs: 100,
  factor: 2,
  maxMs: 1_000,
  jitter: 'none',
};

function fixed(waitMs: number, jitter: PlainJitter = 'none'): Schedule {
  return { kind: 'fixed', waitMs, jitter };
}

/** The waits before retries 1 to `count`, each given the one before it, all with the same draw. */
function waits(schedule: Schedule, count: number, draw: number): number[] {
  const series: number[] = [];
  for (let retry = 1; retry <= count; retry++) {
    series.push(scheduledWait(schedule, retry, series.at(-1), draw));
  }
  return series;
}

describe('the wait before jitter', () => {
  const table: Schedule = { kind: 'table', waitsMs: [0, 10, 500], jitter: 'none' };
  const cases: [what: string, schedule: Schedule, expected: number[]][] = [
    ['doubles until the cap', doubling, [100, 200, 400, 800, 1_000, 1_000]],
    ['meets the cap exactly', { ...doubling, maxMs: 400 }, [100, 200, 400, 400]],
    ['is capped from the first on', { ...doubling, maxMs: 50 }, [50, 50]],
    ['stays with a factor of 1', { ...doubling, factor: 1 }, [100, 100, 100]],
    ['shrinks with a factor below 1', { ...doubling, factor: 0.5 }, [100, 50, 25]],
    ['keeps fractions', { ...doubling, firstMs: 0.25, factor: 1.5 }, [0.25, 0.375, 0.5625]],
    ['is 0 if the first is', { ...doubling, firstMs: 0 }, [0, 0, 0]],
    ['is read off a table, whose last is repeated', table, [0, 10, 500, 500, 500]],
    ['is always the same', fixed(70), [70, 70, 70]],
  ];
  test.each(cases)('%s', (_, schedule, expected) => {
    expect(waits(schedule, expected.length, 0.3)).toEqual(expected);
  });

  test.each([
    ['grows to the cap', doubling, 1_000],
    ['stays 0 where the power is infinite', { ...doubling, firstMs: 0 }, 0],
    ['vanishes', { ...doubling, factor: 0.5 }, 0],
    ['is the last of the table', table, 500],
  ] as const)('after a million retries it %s', (_, schedule, expected) => {
    expect(scheduledWait(schedule, 1_000_000, undefined, 0.3)).toBe(expected);
  });

  test.each([0, 0.13, 0.5, lastDraw])(
    'is the wait where no jitter is asked for, whatever the draw: %d',
    (draw) => {
      expect(waits(fillSchedule({ kind: 'fixed', waitMs: 1_000 }), 3, draw)).toEqual([1_000, 1_000, 1_000]);
      expect(waits(fillSchedule({ kind: 'table', waitsMs: [0, 10, 500] }), 4, draw)).toEqual([
        0, 10, 500, 500,
      ]);
      expect(waits(fillSchedule({ kind: 'fixed', waitMs: 1_000, jitter: 'full' }), 1, draw)).toEqual([
        1_000 * draw,
      ]);
      expect(waits(fillSchedule({ kind: 'exponential' }), 2, draw)).toEqual([100 * draw, 200 * draw]);
    },
  );

  test('a table without waits does not make a busy loop', () => {
    const empty: Schedule = { kind: 'table', waitsMs: [], jitter: 'none' };
    expect(waits(empty, 3, 0)).toEqual([100, 200, 400]);
  });
});

describe('jitter', () => {
  const cases: [jitter: ExponentialSchedule['jitter'], atDraw: [draw: number, waitMs: number][]][] = [
    ['none', [[0, 400], [0.5, 400], [0.999, 400]]],
    ['full', [[0, 0], [0.25, 100], [0.5, 200]]],
    ['equal', [[0, 200], [0.25, 250], [0.5, 300]]],
    [{ spread: 0.5 }, [[0, 200], [0.25, 300], [0.5, 400], [0.75, 500]]],
    [{ spread: 1 }, [[0, 0], [0.5, 400], [0.75, 600]]],
    [{ spread: 2 }, [[0, 0], [0.125, 0], [0.25, 0], [0.375, 200], [0.5, 400]]],
    [{ addMs: 1_000 }, [[0, 400], [0.25, 650], [0.5, 900]]],
    [{ normal: 0.1 }, [[0, 240], [0.5, 400], [lastDraw, 560]]],
    [{ normal: 0.5 }, [[0, 0], [0.5, 400], [lastDraw, 1_200]]],
  ]; // biome-ignore format: one case a line
  test.each(cases)('%j of a capped wait of 400', (jitter, atDraw) => {
    for (const [draw, expected] of atDraw) {
      expect(scheduledWait({ ...doubling, maxMs: 400, jitter }, 9, undefined, draw)).toBe(expected);
    }
  });

  test('comes close to its upper end, but does not reach it', () => {
    const almostOne = 1 - 2 ** -40;
    expect(scheduledWait(fixed(400, 'full'), 1, undefined, almostOne)).toBeLessThan(400);
    expect(scheduledWait(fixed(400, { spread: 0.5 }), 1, undefined, almostOne)).toBeLessThan(600);
    expect(scheduledWait(fixed(400, { spread: 0.5 }), 1, undefined, almostOne)).toBeGreaterThan(599.99);
  });

  test('of tables and fixed waits is the same', () => {
    const table: Schedule = { kind: 'table', waitsMs: [10, 20], jitter: 'equal' };
    expect(waits(table, 3, 0.5)).toEqual([7.5, 15, 15]);
    expect(waits(fixed(20, { addMs: 4 }), 2, 0.5)).toEqual([22, 22]);
  });

  test.each([
    [0.000031671241833, -4],
    [0.0013498980316301, -3],
    [0.0227501319481792, -2],
    [0.1, -1.2815515655446],
    [0.1586552539314571, -1],
    [0.25, -0.67448975019608],
    [0.4, -0.2533471031358],
    [0.6, 0.2533471031358],
    [0.75, 0.67448975019608],
    [0.8413447460685429, 1],
    [0.9, 1.2815515655446],
    [0.975, 1.9599639845401],
    [0.9986501019683699, 3],
    [0.999968328758167, 4],
  ])('normal: the quantile of %d is %d standard deviations', (draw, deviations) => {
    const waitMs = scheduledWait(fixed(1_000, { normal: 0.1 }), 1, undefined, draw);
    expect(Math.abs((waitMs - 1_000) / 100 - deviations)).toBeLessThan(0.01);
  });
});

describe('decorrelated jitter', () => {
  const walk: ExponentialSchedule = { ...doubling, firstMs: 10, maxMs: 200, jitter: 'decorrelated' };

  test.each([
    ['starts between the first wait and three times it', undefined, 0.5, 20],
    ['is the first wait at the least', 100, 0, 10],
    ['goes up to three times the previous wait', 50, 0.5, 80],
    ['is capped', 100, 0.999, 200],
    ['stays at the first wait after one of a third of it', 10 / 3, 0.5, 10],
    ['never falls below the first wait', 0, 0.999, 10],
  ])('%s', (_, previousMs, draw, expected) => {
    expect(scheduledWait(walk, 2, previousMs, draw)).toBe(expected);
  });

  test('looks at the previous wait, not at the number of the retry', () => {
    expect(scheduledWait(walk, 1, 30, 0.5)).toBe(scheduledWait(walk, 100, 30, 0.5));
  });
});

describe('slots', () => {
  const slotted: Schedule = { kind: 'fixed', waitMs: 100, jitter: 'full', slotMs: 30 };

  test.each([
    [0, 0],
    [0.29, 0],
    [0.31, 30],
    [0.61, 60],
    [0.99, 90],
  ])('a draw of %d is rounded down to %d ms', (draw, expected) => {
    expect(scheduledWait(slotted, 1, undefined, draw)).toBe(expected);
  });

  test('a wait of whole slots stays; one of less than a slot becomes 0', () => {
    expect(waits({ ...doubling, slotMs: 100 }, 5, 0)).toEqual([100, 200, 400, 800, 1_000]);
    expect(waits({ ...doubling, slotMs: 101 }, 2, 0)).toEqual([0, 101]);
  });

  test('decorrelated waits are rounded too', () => {
    const walk: Schedule = { ...doubling, jitter: 'decorrelated', slotMs: 64 };
    expect(waits(walk, 3, 0.5)).toEqual([192, 320, 512]);
  });
});

describe('a function', () => {
  test('is given the number, the previous wait and the draw', () => {
    const seen: unknown[] = [];
    const schedule: Schedule = (...all) => {
      seen.push(all);
      return 12.5;
    };
    expect(scheduledWait(schedule, 3, 40, 0.25)).toBe(12.5);
    expect(scheduledWait(schedule, 1, undefined, 0)).toBe(12.5);
    expect(seen).toEqual([[3, 40, 0.25, undefined], [1, undefined, 0, undefined]]); // biome-ignore format: two calls
  });

  test.each([0, 1e-9, 1e12])('may return %d', (waitMs) => {
    expect(scheduledWait(() => waitMs, 1, undefined, 0.5)).toBe(waitMs);
  });

  test.each([-1, -Number.MIN_VALUE, Number.NaN, Infinity, -Infinity, undefined, null, '100', {}, 100n])(
    'that returns %s gives the default schedule',
    (nonsense) => {
      const broken = (() => nonsense) as unknown as Schedule;
      expect(waits(broken, 4, 0.5)).toEqual(waits(defaults.schedule, 4, 0.5));
      expect(waits(broken, 3, 0.5)).toEqual([50, 100, 200]);
    },
  );

  test('that is async is an error: its result would come too late', () => {
    const broken = (async () => 100) as unknown as Schedule;
    expect(() => scheduledWait(broken, 1, undefined, 0.5)).toThrow(
      new TypeError(
        'undaunted: schedule returned a promise; it must return a number of milliseconds, and cannot be async',
      ),
    );
  });

  test('that throws fails the request', () => {
    const broken: Schedule = () => {
      throw new RangeError('mine');
    };
    expect(() => scheduledWait(broken, 1, undefined, 0)).toThrow('mine');
  });
});

describe('the longest wait', () => {
  const cases: [what: string, schedule: Schedule, expected: number[]][] = [
    ['no jitter', doubling, [100, 200, 400, 800, 1_000]],
    ['full', { ...doubling, jitter: 'full' }, [100, 200, 400, 800, 1_000]],
    ['equal', { ...doubling, jitter: 'equal' }, [100, 200, 400, 800, 1_000]],
    ['a spread goes over the cap', { ...doubling, jitter: { spread: 0.5 } }, [150, 300, 600, 1_200, 1_500]],
    ['so does an addition', { ...doubling, jitter: { addMs: 7 } }, [107, 207, 407, 807, 1_007]],
    ['normal: four deviations', { ...doubling, jitter: { normal: 0.25 } }, [200, 400, 800, 1_600, 2_000]],
    ['decorrelated: tripling', { ...doubling, jitter: 'decorrelated' }, [300, 900, 1_000, 1_000]],
    ['decorrelated, capped at once', { ...doubling, maxMs: 200, jitter: 'decorrelated' }, [200, 200]],
    ['a table', { kind: 'table', waitsMs: [5, 1], jitter: 'full' }, [5, 1, 1]],
    ['a fixed wait', fixed(70, { spread: 1 }), [140, 140]],
    ['in slots', { ...doubling, slotMs: 150 }, [0, 150, 300, 750, 900]],
    ['a function', () => 1, [Infinity]],
  ];
  test.each(cases)('%s', (_, schedule, expected) => {
    expect(expected.map((_each, index) => longestWait(schedule, index + 1))).toEqual(expected);
  });
});
