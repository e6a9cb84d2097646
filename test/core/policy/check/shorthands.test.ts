import { describe, expect, test } from 'vitest';
import { checkOverride, checkPolicy } from '../../../../src/core/policy/check/check.js';

describe('a value that another library would take says how to write it here', () => {
  test.each<[object, string, string]>([
    [{ schedule: 100 }, 'schedule', 'Write { kind: "fixed", waitMs: … }.'],
    [{ schedule: [100, 200] }, 'schedule', 'Write { kind: "table", waitsMs: […] }.'],
    [{ throttledSchedule: 'exponential' }, 'throttledSchedule', 'Write { kind: "exponential" }.'],
    [{ schedule: { kind: 'exponential', jitter: true } }, 'schedule.jitter', 'Write "full".'],
    [{ schedule: { kind: 'exponential', jitter: false } }, 'schedule.jitter', 'Write "none".'],
    [
      { schedule: { kind: 'exponential', jitter: 0.5 } },
      'schedule.jitter',
      'Write { spread: … } for a share of the wait.',
    ],
    [{ deadlineMs: '30s' }, 'deadlineMs', 'Write 30000.'],
    [{ deadlineMs: '5000' }, 'deadlineMs', 'Write 5000.'],
    [{ deadlineMs: 0 }, 'deadlineMs', 'Leave it out for no limit.'],
    [{ attemptTimeoutMs: Number.POSITIVE_INFINITY }, 'attemptTimeoutMs', 'Leave it out for no limit.'],
    [{ maxHintMs: '2 m' }, 'maxHintMs', 'Write 120000.'],
    [{ budget: true }, 'budget', 'Leave it out: it is on by default.'],
    [{ hints: true }, 'hints', 'Leave it out: it is on by default.'],
    [{ idempotencyKey: 'x-key' }, 'idempotencyKey', 'Write { header: … }.'],
    [
      { unsafeMethods: 'always' },
      'unsafeMethods',
      'For requests that may always be repeated, write idempotent: true.',
    ],
    [{ rules: [{ match: /users/ }] }, 'rules[0].match', 'Write { test: … }, a function of the request.'],
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
    { schedule: { kind: 'table', waitsMs: '1s' } },
  ])('but not where the meaning is unclear: %o', (policy) => {
    const [problem] = checkPolicy(policy);
    expect(problem?.advice).toBeUndefined();
  });
});
