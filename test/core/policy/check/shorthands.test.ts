import { describe, expect, test } from 'vitest';
import { checkOverride, checkPolicy } from '../../../../src/parts/all.js';

describe('a value that another library would take says how to write it here', () => {
  test.each<[object, string, string]>([
    [{ schedule: 100 }, 'schedule', 'Write { kind: "fixed", waitMs: … }.'],
    [{ throttledSchedule: 100 }, 'throttledSchedule', 'Write { kind: "fixed", waitMs: … }.'],
    [{ deadlineMs: '30s' }, 'deadlineMs', 'Write 30000.'],
    [{ deadlineMs: '5000ms' }, 'deadlineMs', 'Write 5000.'],
    [{ deadlineMs: '5000' }, 'deadlineMs', 'Write 5000.'],
    [{ maxHintMs: '120s' }, 'maxHintMs', 'Write 120000.'],
    [{ rules: [{ match: '/a', gate: { probeMs: '1s' } }] }, 'rules[0].gate.probeMs', 'Write 1000.'],
  ])('%o', (policy, path, advice) => {
    expect(checkPolicy(policy)).toMatchObject([{ path, advice }]);
  });

  test('also for a single request', () => {
    expect(checkOverride({ deadlineMs: '2s' })).toMatchObject([
      { path: 'deadlineMs', advice: 'Write 2000.' },
    ]);
  });

  test.each<object>([
    { deadlineMs: 'soon' },
    { deadlineMs: -1 },
    { rules: [{ match: null }] },
    { schedule: true },
    { maxRetries: '3' },
  ])('but not where the meaning is unclear: %o', (policy) => {
    const [problem] = checkPolicy(policy);
    expect(problem?.advice).toBeUndefined();
  });
});
