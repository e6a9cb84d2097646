import { describe, expect, test } from 'vitest';
import { Counts } from '../../../../src/tools/cli/outage/counts.js';
import type { Course } from '../../../../src/tools/cli/outage/play.js';
import { printSummary, recoveryOf } from '../../../../src/tools/cli/outage/summary.js';
import { Printer } from '../../../../src/tools/cli/printer.js';

/** Good ones in each second, ten attempts everywhere. */
function counted(good: readonly number[]): Counts {
  let now = 0;
  const counts = new Counts(good.length * 1_000, () => now);
  for (const [second, count] of good.entries()) {
    now = second * 1_000 + 500;
    for (let index = 0; index < count; index += 1) counts.add('good');
    for (let index = 0; index < 10; index += 1) counts.add('attempts');
  }
  return counts;
}

function course(stoppedAt: number | undefined, resumedAt: number | undefined, endedAt: number): Course {
  return { stoppedAt, resumedAt, endedAt, cutShort: undefined };
}

describe('the recovery', () => {
  const before = [10, 10, 10];
  const calm = Array.from({ length: 10 }, () => 10);

  test.each<[string, readonly number[], object]>([
    [
      'at once',
      [...before, 0, ...calm],
      {
        recovered: true,
        line: 'service: the server is back to normal at once; during the outage it gets 10 attempts a second.',
      },
    ],
    [
      'later',
      [...before, 0, 0, 0, 0, ...calm],
      {
        recovered: true,
        line: 'service: the server is back to normal 2 s after the outage; during the outage it gets 10 attempts a second.',
      },
    ],
    [
      'never',
      [...before, 0, ...calm.map(() => 8)],
      {
        recovered: false,
        line: 'service: the server is not back to normal 10 s after the outage: it still gets 10 attempts a second, and 8 requests a second succeed (before: 10).',
      },
    ],
    [
      'never, and hardly an answer',
      [...before, 0, ...calm.map(() => 1)],
      {
        recovered: false,
        line: 'service: the server does not recover: 10 s after the outage, it still gets 10 attempts a second, and 1 requests a second succeed (before: 10).',
      },
    ],
  ])('%s', (_, good, recovery) => {
    expect(recoveryOf(counted(good), course(3_004, 4_009, good.length * 1_000), 'service')).toEqual(recovery);
  });

  test('is none without a stop, or when too little was seen after it', () => {
    const counts = counted(before);
    expect(recoveryOf(counts, course(undefined, undefined, 3_000), 'service')).toBeUndefined();
    expect(recoveryOf(counts, course(1_000, undefined, 3_000), 'service')).toBeUndefined();
    expect(recoveryOf(counts, course(1_000, 2_900, 3_000), 'service')).toBeUndefined();
  });
});

describe('the summary', () => {
  function printed(counts: Counts, course: Course): string[] {
    let text = '';
    const out = new Printer({ write: (more) => (text += more) }, {});
    printSummary(out, counts, course);
    return text.split('\n').slice(1, -1);
  }

  test('has a column for each part that was long enough', () => {
    const counts = counted([8, 10, 0, 0, 6, 6]);
    expect(printed(counts, course(2_010, 4_020, 6_000)).slice(0, 3)).toEqual([
      'per second         before  stopped  after  in all',
      'OK                    9.0      0.0    6.0     5.0',
      'attempts             10.0     10.0   10.0    10.0',
    ]);
    expect(printed(counts, course(2_010, undefined, 3_000))[0]).toBe(
      'per second         before  stopped  in all',
    );
    expect(printed(counts, course(undefined, undefined, 3_000))[0]).toBe('per second         all the time');
    expect(printed(counts, course(undefined, undefined, 300))).toEqual([]);
  });

  test('shows the ten seconds after the stop apart', () => {
    const good = [10, 10, 0, 0, ...Array.from({ length: 10 }, () => 3), 10, 10];
    expect(printed(counted(good), course(2_000, 4_000, 16_000)).slice(0, 2)).toEqual([
      'per second         before  stopped  10 s after  later  in all',
      'OK                   10.0      0.0         3.0   10.0     4.4',
    ]);
  });

  test('what comes after the end is not counted', () => {
    let now = 0;
    const counts = new Counts(1_000, () => now);
    now = 1_500;
    counts.add('good');
    expect(counts.perSecond('good', 0, 1_000)).toBe(0);
  });
});
