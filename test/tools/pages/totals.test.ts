import { describe, expect, test } from 'vitest';
import type { Entry, RunReport } from '../../../src/tools/pages/report.js';
import { totalsRows } from '../../../src/tools/pages/totals.js';
import { reportOf, smallOutage } from './runs.js';

const { entries } = reportOf(smallOutage, [{ name: 'none' }, { name: 'default' }]);
const [none, ours] = entries as [Entry, Entry];

function withTotals(entry: Entry, totals: Partial<RunReport['totals']>): Entry {
  return { ...entry, run: { ...entry.run, totals: { ...entry.run.totals, ...totals } } };
}

function cells(title: string, of: readonly Entry[], scenario = smallOutage) {
  return totalsRows({ scenario, entries: of }).find((row) => row.title === title)?.cells;
}

describe('the better one', () => {
  test('is the one that has more of what is good', () => {
    const row = cells('Success rate', [
      withTotals(none, { offered: 100, good: 50 }),
      withTotals(none, { offered: 100, good: 75 }),
    ]);
    expect(row).toEqual([
      { text: '50.0 %', isBest: false },
      { text: '75.0 %', isBest: true },
    ]);
  });

  test('is the one that has less of what is not', () => {
    const row = cells('Attempts per request', [
      withTotals(none, { amplification: 3 }),
      withTotals(none, { amplification: 1.5 }),
    ]);
    expect(row?.map(({ isBest }) => isBest)).toEqual([false, true]);
  });

  test('is each of those that read the same', () => {
    const three = [1.501, 1.499, 2].map((amplification) => withTotals(none, { amplification }));
    expect(cells('Attempts per request', three)?.map(({ isBest }) => isBest)).toEqual([true, true, false]);
  });

  test('is none where all are the same, or where there is one only', () => {
    expect(cells('Success rate', [none, none])?.some(({ isBest }) => isBest)).toBe(false);
    expect(cells('Success rate', [none])?.some(({ isBest }) => isBest)).toBe(false);
  });

  test('is never marked for times: a policy that gives up the slow requests is quick', () => {
    const row = cells('99th percentile of successes', [
      withTotals(none, { p99Ms: 100 }),
      withTotals(none, { p99Ms: 20 }),
    ]);
    expect(row).toEqual([
      { text: '100 ms', isBest: false },
      { text: '20 ms', isBest: false },
    ]);
  });
});

describe('the recovery', () => {
  const back = 'Time to recover';

  test('is told in words where it took no time, or did not come', () => {
    const row = cells(back, [
      withTotals(none, { recoveredAfterMs: 0 }),
      withTotals(none, { recoveredAfterMs: 3_000 }),
      withTotals(none, { recoveredAfterMs: undefined }),
    ]);
    expect(row).toEqual([
      { text: 'at once', isBest: true },
      { text: '3 s', isBest: false },
      { text: 'not in this run', isBest: false },
    ]);
  });

  test('does not matter if nothing was wrong', () => {
    const [service] = smallOutage.world.services;
    const calm = {
      ...smallOutage,
      world: { durationMs: 30_000, services: [{ server: service.server }] as const },
    };
    expect(cells(back, [none, ours], calm)).toBeUndefined();
  });
});

test('what happened with no policy has no row', () => {
  const titles = (of: readonly Entry[]) =>
    totalsRows({ scenario: smallOutage, entries: of }).map(({ title }) => title);
  expect(titles([none])).not.toContain('Duplicate writes');
  expect(titles([none, withTotals(none, { duplicateWrites: 1 })])).toContain('Duplicate writes');
});

test('a request that is not over is neither good nor failed', () => {
  const row = cells('Still pending at the end', [
    withTotals(none, { offered: 10, good: 5, failed: 2, refused: 1 }),
  ]);
  expect(row?.[0]?.text).toBe('2');
});

test('a number that is missing stays missing in JSON', () => {
  const read = JSON.parse(JSON.stringify(withTotals(none, { recoveredAfterMs: Number.NaN }))) as Entry;
  expect(cells('Time to recover', [read])?.[0]?.text).toBe('not in this run');
});
