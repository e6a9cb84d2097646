import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PolicyError } from '../../src/core/errors.js';
import type { PolicyOptions } from '../../src/core/options.js';
import { definePolicy, Policy } from '../../src/core/policy.js';
import type { RequestFacts } from '../../src/core/types.js';
import { requestOf } from '../kit.js';

describe('definePolicy', () => {
  test('gives an instance, and a finished policy back as it is', () => {
    const policy = definePolicy({ maxRetries: 1 });
    expect(policy).toBeInstanceOf(Policy);
    expect(definePolicy(policy)).toBe(policy);
    expect(definePolicy().fallback.settings.maxRetries).toBe(3);
  });

  test('throws all problems at once, and says them in its message', () => {
    const faulty = { maxRetry: 1, deadlineMs: -1, rules: [{ match: 'https://x.example/' }] };
    const fault = (() => {
      try {
        return definePolicy(faulty as never);
      } catch (error) {
        return error;
      }
    })();
    expect(fault).toBeInstanceOf(PolicyError);
    const { problems, message, code, name } = fault as PolicyError;
    expect([name, code]).toEqual(['PolicyError', 'ERR_UNDAUNTED_POLICY']);
    expect(problems.map(({ path }) => path).sort()).toEqual(['deadlineMs', 'maxRetry', 'rules[0].match']);
    expect(message).toMatch(/^The policy has 3 problems:\n {2}- /);
    for (const { path, found, allowed } of problems) {
      expect(message).toContain(`  - ${path}: found ${found}; allowed: ${allowed}`);
    }
    expect(message).toContain('Did you mean "maxRetries"?');
  });

  test('neither changes nor keeps what the caller wrote', () => {
    const rule = { match: '/x', maxRetries: 2, statuses: [503] };
    const options = { maxRetries: 1, deadlineMs: undefined, rules: [rule] };
    const policy = definePolicy(options as unknown as PolicyOptions);
    expect(Object.isFrozen(options)).toBe(false);
    expect(Object.isFrozen(rule.statuses)).toBe(false);
    rule.maxRetries = 9;
    rule.statuses.push(500);
    expect(policy.rules[0]?.settings.maxRetries).toBe(2);
    expect(policy.toJSON()).toEqual({
      maxRetries: 1,
      rules: [{ match: '/x', maxRetries: 2, statuses: [503] }],
    });
  });

  test('is frozen, with all that is in it', () => {
    const policy = definePolicy({
      gate: true,
      rules: [{ match: '/x', schedule: { kind: 'fixed', waitMs: 1 } }],
    });
    const [rule] = policy.rules;
    const parts = [policy, policy.rules, rule, rule?.settings, rule?.settings.schedule, policy.fallback];
    for (const part of [...parts, policy.fallback.settings, policy.toJSON(), policy.toJSON().rules?.[0]]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  test('without functions it is JSON, and comes back from it the same', () => {
    const folder = new URL('../../fixtures/policies/valid/', import.meta.url);
    const files = readdirSync(folder);
    expect(files.length).toBeGreaterThanOrEqual(25);
    for (const file of files) {
      const text = readFileSync(new URL(file, folder), 'utf8');
      const policy = definePolicy(JSON.parse(text) as PolicyOptions);
      expect(JSON.parse(JSON.stringify(policy))).toEqual(JSON.parse(text));
      expect(JSON.stringify(definePolicy(JSON.parse(JSON.stringify(policy))))).toBe(JSON.stringify(policy));
    }
  });
});

describe('the rule of a request', () => {
  const policy = definePolicy({
    maxRetries: 7,
    rules: [
      { match: 'GET api.example.com/search/*', name: 'search' },
      { match: 'POST /payments/:id' },
      { match: { methods: ['PUT', 'PATCH'], host: '*.example.com' } },
      { match: { test: ({ keyed }: RequestFacts) => keyed } },
    ],
  });

  test.each<[string, Partial<RequestFacts>]>([
    ['search', { path: '/search/a/b?q=1' }],
    ['POST /payments/:id', { method: 'POST', path: '/payments/7' }],
    ['PUT,PATCH *.example.com', { method: 'PATCH', path: '/anything' }],
    ['(test)', { keyed: true }],
    ['default', {}],
  ])('%s', (name, facts) => {
    expect(policy.ruleFor(requestOf(facts)).name).toBe(name);
  });

  test('knows its place', () => {
    expect(policy.rules.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(policy.fallback.index).toBe(-1);
  });

  test.each([
    [{ methods: 'GET', path: '/x' }, 'GET /x'],
    [{ host: 'a.example', path: '/x' }, 'a.example/x'],
    [{ path: '/x' }, '/x'],
    [{ methods: ['GET'] }, 'GET'],
    [{ methods: ['GET'], test: () => true }, 'GET'],
  ])('%j is called %s', (match, name) => {
    expect(definePolicy({ rules: [{ match }] }).rules[0]?.name).toBe(name);
  });
});

describe('an override', () => {
  const policy = definePolicy({ maxRetries: 4, rules: [{ match: '/a', maxRetries: 5, deadlineMs: 900 }] });
  const [rule] = policy.rules;
  if (rule === undefined) throw new Error('No rule');

  test('lies over the rule, and is worked out once for each', () => {
    const override = { attemptTimeoutMs: 30 } as const;
    const settings = policy.override(rule, override);
    expect(settings).toMatchObject({ maxRetries: 5, deadlineMs: 900, attemptTimeoutMs: 30 });
    expect(policy.override(rule, override)).toBe(settings);
    expect(policy.override(policy.fallback, override)).toMatchObject({ maxRetries: 4, attemptTimeoutMs: 30 });
    expect(policy.override(rule, override)).toBe(settings);
    expect(policy.override(rule, { ...override })).not.toBe(settings);
  });

  test('takes what is undefined as not said', () => {
    const schedule = { kind: 'exponential', firstMs: undefined, maxMs: 900 };
    expect(policy.override(rule, { schedule } as never).schedule).toMatchObject({ firstMs: 100, maxMs: 900 });
    expect(
      policy.override(rule, { idempotencyKey: { header: undefined } } as never).idempotencyKey,
    ).toMatchObject({
      header: 'idempotency-key',
    });
  });

  test('is checked like everything else; shared state is not its business', () => {
    expect(() => policy.override(rule, { maxRetrys: 1 } as never)).toThrow('Did you mean "maxRetries"?');
    expect(() => policy.override(rule, { budget: { capacity: 1 } } as never)).toThrow(PolicyError);
    expect(policy.override(rule, { budget: false, gate: false, hold: false }).budget).toBe(false);
  });
});

describe('limits of the policy', () => {
  test('have defaults', () => {
    expect(definePolicy()).toMatchObject({ maxScopes: 1_000, scopeIdleMs: 600_000 });
    expect(definePolicy({ maxScopes: 5, scopeIdleMs: 7 })).toMatchObject({ maxScopes: 5, scopeIdleMs: 7 });
  });
});
