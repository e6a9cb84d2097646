import { expect, test } from 'vitest';
import { implausibleTimes } from '../../../../src/core/policy/check/remarks.js';
import { defaultOptions } from '../../../../src/core/policy/defaults.js';
import type { PolicyOptions } from '../../../../src/core/policy/options.js';
import { presets } from '../../../../src/core/policy/presets.js';
import { schemes } from '../../../../src/core/policy/schemes.js';
import { definePolicy } from '../../../../src/parts/all.js';

test('30 ms: did you mean 30 s?', () => {
  expect(implausibleTimes({ deadlineMs: 30 })).toEqual([
    {
      path: 'deadlineMs',
      says: '30 ms is very short',
      advice: 'Did you mean 30 s? Times are in milliseconds: 30 s is 30000.',
    },
  ]);
});

test('such a time is valid, and causes no warning at run time', () => {
  expect(definePolicy({ deadlineMs: 30 }).remarks).toEqual([]);
});

test.each<[string, PolicyOptions, string]>([
  ['attemptTimeoutMs', { attemptTimeoutMs: 60 }, '60 s'],
  ['attemptTimeoutMs.maxMs', { attemptTimeoutMs: { minMs: 1, maxMs: 5 } }, '5 s'],
  ['hedge.afterMs', { hedge: { afterMs: 1 } }, '1 s'],
  ['maxHintMs', { maxHintMs: 120 }, '2 min'],
  ['scopeIdleMs', { scopeIdleMs: 600 }, '10 min'],
  ['schedule.firstMs', { schedule: { kind: 'exponential', firstMs: 1 } }, '1 s'],
  ['schedule.maxMs', { schedule: { kind: 'exponential', firstMs: 5, maxMs: 30 } }, '30 s'],
  ['throttledSchedule.waitMs', { throttledSchedule: { kind: 'fixed', waitMs: 2 } }, '2 s'],
  ['schedule.waitsMs', { schedule: { kind: 'table', waitsMs: [0, 1, 5] } }, '5 s'],
  ['budget.windowMs', { budget: { kind: 'window', windowMs: 10 } }, '10 s'],
  ['gate.deadForMs', { gate: { deadForMs: 5 } }, '5 s'],
  ['gate.probeMs', { gate: { probeMs: 1 } }, '1 s'],
  ['gate.rampMs', { gate: { rampMs: 10 } }, '10 s'],
  ['hold.minMs', { hold: { minMs: 2 } }, '2 s'],
  ['hold.maxQueueMs', { hold: { maxQueueMs: 30 } }, '30 s'],
  ['rules[1].deadlineMs', { rules: [{ match: '/a' }, { match: '/b', deadlineMs: 10 }] }, '10 s'],
  ['rules[0].gate.probeMs', { rules: [{ match: '/a', gate: { probeMs: 30 } }] }, '30 s'],
  // The other way round.
  ['deadlineMs', { deadlineMs: 90_000_000 }, '90 s'],
  ['schedule.waitsMs', { schedule: { kind: 'table', waitsMs: [1, 700_000_000] } }, '11.7 min'],
])('%s of %o: did you mean %s?', (path, options, meant) => {
  definePolicy(options);
  expect(implausibleTimes(options)).toEqual([
    expect.objectContaining({
      path,
      advice: expect.stringMatching(new RegExp(`^Did you mean ${meant}\\?`)),
    }),
  ]);
});

const plausible: readonly PolicyOptions[] = [
  {},
  defaultOptions as PolicyOptions,
  { maxRetries: 5, hintJitter: 0, bufferBodyBytes: 10 },
  { deadlineMs: 100, attemptTimeoutMs: 61, maxHintMs: 0 },
  { hedge: { afterMs: 5 }, attemptTimeoutMs: { minMs: 1, maxMs: 61 } },
  { hints: ['common'], gate: true, budget: false, scope: 'a' },
  { gate: { failures: 5, deadForMs: 0, rampMs: 0, maxWaiting: 1 } },
  { schedule: { kind: 'fixed', waitMs: 0 }, throttledSchedule: { kind: 'table', waitsMs: [0] } },
  { schedule: () => 1 },
  ...Object.values({ ...presets.schedules, ...schemes.schedules }).map((schedule) => ({ schedule })),
  ...Object.values(presets.budgets).map((budget) => ({ budget })),
  ...Object.values(presets.policies),
  ...Object.values(schemes.policies),
];

test.each(plausible.map((options) => [options] as const))('no remark on %o', (options) => {
  expect(implausibleTimes(options)).toEqual([]);
});
