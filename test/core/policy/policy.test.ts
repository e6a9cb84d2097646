import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PolicyError } from '../../../src/core/errors.js';
import type { OverrideOptions, PolicyOptions } from '../../../src/core/policy/options.js';
import { isPolicy, type Policy } from '../../../src/core/policy/policy.js';
import type { RequestFacts } from '../../../src/core/types.js';
import { allParts, definePolicy, parsePolicy, retrierFor } from '../../../src/parts/all.js';
import { requestOf } from '../../kit.js';

/** A second copy of the package, as when a test runner loads both the CommonJS and the ES modules. */
async function anotherCopy(): Promise<{ definePolicy(options: PolicyOptions): Policy }> {
  const path = '../../../src/core/policy/policy.js?another-copy';
  const { policyOf } = (await import(path)) as typeof import('../../../src/core/policy/policy.js');
  return { definePolicy: (options) => policyOf(options, allParts) };
}

function errorOf(work: () => unknown): PolicyError {
  try {
    work();
  } catch (error) {
    return error as PolicyError;
  }
  throw new Error('It should have thrown');
}

describe('a policy that another copy of this package made', () => {
  test('is accepted, and is the same policy each time', async () => {
    const foreign = (await anotherCopy()).definePolicy({ maxRetries: 7, rules: [{ match: '/x' }] });
    const policy = definePolicy(foreign);
    expect(isPolicy(foreign)).toBe(false);
    expect(isPolicy(policy)).toBe(true);
    expect(policy.ruleFor(requestOf({ path: '/x' })).settings.maxRetries).toBe(7);
    expect(definePolicy(foreign)).toBe(policy);
    expect(parsePolicy(foreign)).toBe(policy);
  });

  test('keeps its functions', async () => {
    const retryIf = (): boolean => true;
    const foreign = (await anotherCopy()).definePolicy({ retryIf });
    expect(definePolicy(foreign).fallback.settings.retryIf).toBe(retryIf);
  });

  test('an object that only has the mark is not a policy', () => {
    const mark = { [Symbol.toStringTag]: 'Policy' as const };
    expect(() => definePolicy(mark)).toThrow(PolicyError);
    expect(() => definePolicy({ ...mark, toJSON: () => ({ maxRetry: 1 }) } as never)).toThrow(PolicyError);
  });
});

describe('definePolicy', () => {
  test('gives an instance, and a finished policy back as it is', () => {
    const policy = definePolicy({ maxRetries: 1 });
    expect(isPolicy(policy)).toBe(true);
    expect(policy[Symbol.toStringTag]).toBe('Policy');
    expect(definePolicy(policy)).toBe(policy);
    expect(definePolicy().fallback.settings.maxRetries).toBe(3);
  });

  test('throws all problems at once, and lists them in its message', () => {
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
    for (const { path, found, allowed } of problems.filter(({ path }) => path !== 'maxRetry')) {
      expect(message).toContain(`  - ${path}: found ${found}; allowed: ${allowed}`);
    }
    expect(message).toContain('  - maxRetry: unknown setting. Did you mean "maxRetries"?\n');
  });

  test("neither changes nor keeps the caller's objects", () => {
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

  test('is frozen, with everything in it', () => {
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

  test('without functions it survives JSON', () => {
    const folder = new URL('../../../fixtures/policies/valid/', import.meta.url);
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

/** An object whose properties have the first value when they are read first, and the second from then on. */
function fickle<T extends object>(first: T, then: object): T {
  const asked = new Set<string | symbol>();
  return new Proxy(first, {
    get(target, key) {
      const isFirst = !asked.has(key);
      asked.add(key);
      return Reflect.get(
        isFirst ? target : Object.assign(Array.isArray(target) ? [] : {}, target, then),
        key,
      );
    },
  });
}

describe('parsePolicy', () => {
  /** The type that TypeScript gives to an imported JSON file: strings are only strings. */
  const json = {
    maxRetries: 5,
    hints: 'github',
    rules: [{ match: '/x', schedule: { kind: 'fixed', waitMs: 1 } }],
  };

  test('makes a policy from data of any type', () => {
    const policy = parsePolicy(json);
    expect(isPolicy(policy)).toBe(true);
    expect(policy.toJSON()).toEqual(json);
    expect(JSON.stringify(parsePolicy(JSON.parse(JSON.stringify(policy))))).toBe(JSON.stringify(policy));
    expect(parsePolicy(policy)).toBe(policy);
  });

  test('of anything, also of functions, what definePolicy would make', () => {
    const retryIf = () => true;
    expect(parsePolicy({ retryIf }).fallback.settings.retryIf).toBe(retryIf);
    expect(() => parsePolicy({ maxRetry: 3 })).toThrow('Did you mean "maxRetries"?');
    expect(() => parsePolicy({ maxRetries: -1 })).toThrow(PolicyError);
  });

  test.each([undefined, null, 5, [], new Map()])('not of %o', (value) => {
    expect(() => parsePolicy(value)).toThrow(
      /^The policy has 1 problem:\n {2}- \(policy\): found .*; allowed: an object/,
    );
  });

  describe('not of what throws when it is looked at, and the error is ours:', () => {
    const no = (): never => {
      throw new Error('raw');
    };
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const traps = ['getPrototypeOf', 'get', 'has', 'ownKeys', 'getOwnPropertyDescriptor'] as const;

    test.each<[string, unknown]>([
      ['a revoked proxy', revoked],
      [
        'a proxy that throws on everything',
        new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, no]))),
      ],
      ...traps.map((trap): [string, unknown] => [`a proxy: ${trap}`, new Proxy({ a: 1 }, { [trap]: no })]),
      ['a mark', Object.defineProperty({ a: 1 }, Symbol.toStringTag, { get: no, enumerable: true })],
      ['a toJSON that throws', { [Symbol.toStringTag]: 'Policy', toJSON: no }],
      ['a toJSON that returns a revoked proxy', { [Symbol.toStringTag]: 'Policy', toJSON: () => revoked }],
      [
        'a toJSON that cannot be read',
        Object.defineProperty({ [Symbol.toStringTag]: 'Policy' }, 'toJSON', { get: no }),
      ],
      [
        'a getter',
        {
          get maxRetries(): never {
            return no();
          },
        },
      ],
      ['a list with one in it', { rules: [revoked, new Proxy([], { get: no })] }],
    ])('%s', (_, value) => {
      for (const take of [parsePolicy, definePolicy, retrierFor]) {
        expect(() => take(value as PolicyOptions)).toThrow(PolicyError);
      }
      const policy = definePolicy();
      expect(() => policy.override(policy.fallback, value as OverrideOptions)).toThrow(PolicyError);
    });
  });

  test('of 5,000 faults, it names a hundred', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => index);
    let reads = 0;
    const rule = {
      get match(): number {
        reads += 1;
        return 1;
      },
    };
    for (const value of [
      Object.fromEntries(many.map((index) => [`maxRetires${index}`, 1])),
      { deadlineMs: 1, rules: many.map(() => rule) },
      { rules: many.map(() => ({ match: '/x' })) },
      { rules: many.map((index) => ({ match: `/${index}`, retry: false, maxRetries: 1 })) },
    ]) {
      const error = errorOf(() => parsePolicy(value));
      expect(error.problems).toHaveLength(100);
      expect(error.message).toMatch(/^The policy has 100 problems or more:\n/);
      expect(error.message.length).toBeLessThan(30_000);
    }
    // The others are not even looked at.
    expect(reads).toBe(100);
    const policy = definePolicy();
    const override = { statuses: many.map(() => 0) };
    expect(errorOf(() => policy.override(policy.fallback, override)).problems).toHaveLength(100);
  });

  test.each([
    [3, 3],
    [-1, 2],
    [0.5, 2],
  ])('the number %d is not a policy, and the error says what to write', (value, count) => {
    const advice = `Write { maxRetries: ${count} }`;
    expect(() => parsePolicy(value)).toThrow(advice);
    const policy = definePolicy();
    expect(() => policy.override(policy.fallback, value as OverrideOptions)).toThrow(advice);
  });

  test('not of JSON that is still a string, whose content is not shown', () => {
    expect(() => parsePolicy('{"password":"x"}')).toThrow(
      new PolicyError([
        {
          path: '',
          found: 'a string',
          allowed: 'an object',
          advice: 'Parse the JSON first: parsePolicy(JSON.parse(text)).',
        },
      ]),
    );
  });
});

describe('what was checked is what takes effect', () => {
  /** A getter that returns one value the first time, and another from then on. */
  function answers(key: string, ...values: readonly unknown[]): object {
    let asked = 0;
    return Object.defineProperty({}, key, {
      enumerable: true,
      get: () => values[Math.min(asked++, values.length - 1)],
    });
  }

  test('a getter that changes its mind', () => {
    const policy = definePolicy(answers('maxRetries', 2, -5) as PolicyOptions);
    expect(policy.fallback.settings.maxRetries).toBe(2);
    expect(policy.toJSON()).toEqual({ maxRetries: 2 });
  });

  test('a getter in an override', () => {
    const policy = definePolicy();
    const settings = policy.override(policy.fallback, answers('maxRetries', 2, -5) as OverrideOptions);
    expect(settings.maxRetries).toBe(2);
  });

  test.each<[string, () => object, (policy: Policy) => unknown, unknown]>([
    [
      'a nested object',
      () => answers('schedule', { kind: 'fixed', waitMs: 7, jitter: 'none' }, { kind: 'fixed', waitMs: -1 }),
      ({ fallback }) => fallback.settings.schedule,
      { kind: 'fixed', waitMs: 7, jitter: 'none' },
    ],
    [
      'a getter in a nested object',
      () => ({ gate: answers('failures', 7, -1) }),
      ({ fallback }) => fallback.settings.gate,
      expect.objectContaining({ failures: 7 }),
    ],
    [
      'a proxy',
      () => fickle({ maxRetries: 2, rules: [{ match: '/x' }] }, { maxRetries: -5, rules: [] }),
      ({ fallback, rules }) => [fallback.settings.maxRetries, rules.length],
      [2, 1],
    ],
    [
      'a list',
      () => ({ methods: fickle(['GET'], { 0: 'not a method', length: 1 }) }),
      ({ fallback }) => [...fallback.settings.methods],
      ['GET'],
    ],
    [
      'a list of rules',
      () => ({ rules: fickle([{ match: '/x', maxRetries: 1 }], { 0: { match: 'GET', maxRetries: -1 } }) }),
      ({ rules }) => rules.map(({ name, settings }) => [name, settings.maxRetries]),
      [['/x', 1]],
    ],
    [
      'a rule',
      () => ({ rules: [fickle({ match: '/x', maxRetries: 1 }, { match: 'GET', maxRetries: -1 })] }),
      ({ rules }) => rules.map(({ name, settings }) => [name, settings.maxRetries]),
      [['/x', 1]],
    ],
    [
      'a match object',
      () => ({ rules: [{ match: fickle({ path: '/x', methods: 'GET' }, { path: 'x', methods: '*' }) }] }),
      (policy) => [policy.rules[0]?.name, policy.ruleFor(requestOf({ path: '/x' })).index],
      ['GET /x', 0],
    ],
    [
      'the list of methods in a match object',
      () => ({ rules: [{ match: { methods: fickle(['GET'], { 0: '*' }) } }] }),
      (policy) => policy.ruleFor(requestOf()).index,
      0,
    ],
    [
      'a key that is not listed',
      () => Object.defineProperty({}, 'maxRetries', { value: 2, enumerable: false }),
      ({ fallback }) => fallback.settings.maxRetries,
      2,
    ],
    [
      'a list with ways of its own',
      () => ({ statuses: Object.assign([503], { map: () => [], keys: () => [].keys() }) }),
      ({ fallback }) => [...fallback.settings.statuses.retried],
      [503],
    ],
  ])('%s', (_, optionsOf, read, expected) => {
    expect(read(definePolicy(optionsOf()))).toEqual(expected);
  });

  test('functions are kept as they are', () => {
    const retryIf = () => true;
    expect(definePolicy({ retryIf }).fallback.settings.retryIf).toBe(retryIf);
    expect(definePolicy({ retryIf }).toJSON().retryIf).toBe(retryIf);
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

  test('has its index', () => {
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

  test('overrides the rule, and is computed once for each rule', () => {
    const override = { attemptTimeoutMs: 30 } as const;
    const settings = policy.override(rule, override);
    expect(settings).toMatchObject({ maxRetries: 5, deadlineMs: 900, attemptTimeoutMs: 30 });
    expect(policy.override(rule, override)).toBe(settings);
    expect(policy.override(policy.fallback, override)).toMatchObject({ maxRetries: 4, attemptTimeoutMs: 30 });
    expect(policy.override(rule, override)).toBe(settings);
    expect(policy.override(rule, { ...override })).toBe(settings);
  });

  test.each<[string, OverrideOptions]>([
    ['a nested object', { schedule: { kind: 'exponential', firstMs: 5, jitter: { spread: 0.2 } } }],
    ['a list', { statuses: [503, '5xx', '!501'], methods: ['GET'] }],
    ['a function', { retryIf: () => true }],
    ['nothing', {}],
    ['what is undefined', { deadlineMs: undefined, maxRetries: 1 } as object],
  ])('with %s in it is recognised in a copy', (_what, override) => {
    const settings = policy.override(rule, override);
    const copy = Object.fromEntries(
      Object.entries(override).map(([key, value]) => [
        key,
        typeof value === 'function' ? value : structuredClone(value),
      ]),
    );
    expect(policy.override(rule, copy)).toBe(settings);
    expect(policy.override(rule, Object.assign(Object.create(null), copy))).toBe(settings);
    expect(policy.override(policy.fallback, copy)).not.toBe(settings);
  });

  test.each<[string, OverrideOptions, object]>([
    ['another value', { maxRetries: 1 }, { maxRetries: 2 }],
    ['one key more', { maxRetries: 1 }, { maxRetries: 1, deadlineMs: 9 }],
    ['one key less', { maxRetries: 1, deadlineMs: 900 }, { maxRetries: 1 }],
    ['another key', { maxRetries: 1 }, { attemptTimeoutMs: 1 }],
    ['a longer list', { statuses: [500] }, { statuses: [500, 503] }],
    ['another list', { statuses: [500] }, { statuses: [503] }],
    ['another function', { retryIf: () => true }, { retryIf: () => true }],
    [
      'another schedule',
      { schedule: { kind: 'fixed', waitMs: 1 } },
      { schedule: { kind: 'fixed', waitMs: 2 } },
    ],
    ['no object any more', { schedule: { kind: 'fixed', waitMs: 1 } }, { schedule: () => 5 }],
  ])('with %s has its own settings', (_what, override, changed) => {
    const object = { ...override };
    const settings = policy.override(rule, object);
    for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
    Object.assign(object, changed);
    expect(policy.override(rule, object)).not.toBe(settings);
    expect(policy.override(rule, object)).toEqual(definePolicy({ rules: [] }).override(rule, changed));
  });

  test('that is known, with an invalid key added, is checked', () => {
    policy.override(rule, { maxRetries: 2 });
    for (const wrong of [
      { maxRetries: 2, [Symbol('odd')]: 1 },
      Object.defineProperty({ maxRetries: 2 }, 'hidden', { value: 1 }),
      Object.assign(Object.create({ deadlineMs: 1 }), { maxRetries: 2 }),
      new Proxy(
        { maxRetries: 2 },
        {
          ownKeys: () => {
            throw new Error('no');
          },
        },
      ),
      [2],
      null,
      'maxRetries',
    ]) {
      expect(() => policy.override(rule, wrong as never)).toThrow(PolicyError);
    }
  });

  test('is forgotten among many others, and has the same settings when it comes back', () => {
    const first = policy.override(rule, { deadlineMs: 1_000 });
    for (let deadlineMs = 1_001; deadlineMs < 1_100; deadlineMs += 1) {
      expect(policy.override(rule, { deadlineMs }).deadlineMs).toBe(deadlineMs);
    }
    expect(policy.override(rule, { deadlineMs: 1_000 })).toEqual(first);
  });

  test('treats undefined as absent', () => {
    const schedule = { kind: 'exponential', firstMs: undefined, maxMs: 900 };
    expect(policy.override(rule, { schedule } as never).schedule).toMatchObject({ firstMs: 100, maxMs: 900 });
    expect(
      policy.override(rule, { idempotencyKey: { header: undefined } } as never).idempotencyKey,
    ).toMatchObject({
      header: 'idempotency-key',
    });
  });

  test('is checked like a rule, and cannot set shared state', () => {
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

test('a finished policy behind a proxy is refused where it is given', () => {
  expect(() => definePolicy(new Proxy(definePolicy(), {}))).toThrow(
    '(policy): found an object that cannot be read',
  );
});
