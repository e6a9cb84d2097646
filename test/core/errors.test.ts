import { describe, expect, test } from 'vitest';
import { AttemptTimeoutError, DeadlineError, PolicyError } from '../../src/core/errors.js';
import { GateShutError } from '../../src/core/limits/gate/error.js';

const cause = new Error('before');

describe('errors say what happened, where, and what came before', () => {
  test.each([
    [
      new DeadlineError(30, { cause }),
      'DeadlineError',
      'ERR_UNDAUNTED_DEADLINE',
      'The request did not finish within its deadline of 30 ms',
      { deadlineMs: 30 },
    ],
    [
      new AttemptTimeoutError(20, { cause }),
      'AttemptTimeoutError',
      'ERR_UNDAUNTED_ATTEMPT_TIMEOUT',
      'No answer within the attempt timeout of 20 ms',
      { attemptTimeoutMs: 20 },
    ],
    [
      new GateShutError('https://a.example', { cause }),
      'GateShutError',
      'ERR_UNDAUNTED_GATE_SHUT',
      'Not sent: the gate (circuit breaker) of https://a.example is shut after repeated failures',
      { scope: 'https://a.example' },
    ],
  ])('%s', (error, name, code, message, fields) => {
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name, code, message, cause, ...fields });
    expect(error.stack).toContain('errors.test');
  });

  test('a policy error lists its problems, with advice where there is some', () => {
    const one = { path: 'a.b', found: 'x', allowed: 'y' };
    expect(new PolicyError([one]).message).toBe('The policy has 1 problem:\n  - a.b: found x; allowed: y');
    expect(new PolicyError([one, { ...one, path: '', advice: 'Do z.' }]).message).toBe(
      'The policy has 2 problems:\n  - a.b: found x; allowed: y\n  - (policy): found x; allowed: y. Do z.',
    );
  });

  test('a policy error about an override names its place', () => {
    const problems = ['', 'a.b', '["x-y"]'].map((path) => ({ path, found: 'x', allowed: 'y' }));
    expect(new PolicyError(problems, 'init.retry').message.split('\n')).toEqual([
      'init.retry has 3 problems:',
      '  - init.retry: found x; allowed: y',
      '  - init.retry.a.b: found x; allowed: y',
      '  - init.retry["x-y"]: found x; allowed: y',
    ]);
  });
});
