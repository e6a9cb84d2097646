import { expect, test } from 'vitest';
import { fillSchedule } from '../../../src/core/decide/schedule.js';
import { presets } from '../../../src/core/policy/presets.js';
import { waitsOf } from '../../../src/tools/pages/waits.js';

test('without jitter, all waits are the wait', () => {
  const waits = waitsOf(
    fillSchedule({ kind: 'exponential', firstMs: 100, factor: 2, maxMs: 300, jitter: 'none' }),
    3,
  );
  expect(waits.map(({ ms }) => ms)).toEqual(
    [100, 200, 300].map((wait) => ({ shortest: wait, median: wait, longest: wait })),
  );
  expect(waits.map(({ sumMs }) => sumMs.median)).toEqual([100, 300, 600]);
});

test('full jitter goes from nothing to the wait, with half of it in the middle', () => {
  const [, second] = waitsOf(fillSchedule({ kind: 'exponential', jitter: 'full' }), 2);
  expect(second?.ms).toMatchObject({ shortest: 0, longest: 200 });
  expect(second?.sumMs).toMatchObject({ shortest: 0, longest: 300 });
  expect(second?.ms.median).toBeGreaterThan(90);
  expect(second?.ms.median).toBeLessThan(110);
});

test('a decorrelated wait grows out of the one before', () => {
  const waits = waitsOf(fillSchedule(presets.schedules.awsDecorrelatedJitter), 3);
  expect(waits.map(({ ms }) => [ms.shortest, ms.longest])).toEqual([
    [5, 15],
    [5, 45],
    [5, 135],
  ]);
  const medians = waits.map(({ ms }) => ms.median);
  expect(medians).toEqual(medians.toSorted((one, other) => one - other));
});

test('the same schedule has the same waits every time', () => {
  const schedule = fillSchedule({ kind: 'exponential' });
  expect(waitsOf(schedule, 5)).toEqual(waitsOf(schedule, 5));
});

test('no retries, no waits', () => {
  expect(waitsOf(fillSchedule({ kind: 'exponential' }), 0)).toEqual([]);
});
