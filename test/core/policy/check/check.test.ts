import { runInNewContext } from 'node:vm';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test, vi } from 'vitest';
import type { Problem } from '../../../../src/core/errors.js';
import { PolicyError } from '../../../../src/core/errors.js';
import { hintSetNames } from '../../../../src/core/hints/sets.js';
import { policySchema } from '../../../../src/core/policy/check/schema.js';
import { presets } from '../../../../src/core/policy/presets.js';
import { checkOverride, checkPolicy } from '../../../../src/parts/all.js';
import { invalidPolicies, validPolicies } from '../../policies.js';

const satisfiesSchema = new Ajv2020({ strict: true }).compile(policySchema());

/** The problems as people read them. */
function messageOf(problem: Problem): string {
  return new PolicyError([problem]).message;
}

/** `path: found`, in the order of the check. */
function brief(problems: readonly Problem[]): string[] {
  return problems.map(({ path, found }) => `${path}: ${found}`);
}

function paths(problems: readonly Pick<Problem, 'path'>[]): string[] {
  return problems.map(({ path }) => path);
}

describe('valid policies', () => {
  test('are enough of them', () => expect(validPolicies.length).toBeGreaterThanOrEqual(25));

  test.each(validPolicies)('%s', (_, policy) => {
    expect(satisfiesSchema(policy), JSON.stringify(satisfiesSchema.errors)).toBe(true);
    expect(checkPolicy(policy)).toEqual([]);
  });

  const { schedules, budgets } = presets;
  test.each(Object.entries(schedules))('the schedule preset %s', (_, schedule) => {
    expect(checkPolicy({ schedule, throttledSchedule: schedule })).toEqual([]);
  });

  test.each(Object.entries(budgets))('the budget preset %s', (_, budget) => {
    expect(checkPolicy({ budget })).toEqual([]);
  });
});

describe('invalid policies', () => {
  test('are enough of them', () => expect(invalidPolicies.length).toBeGreaterThanOrEqual(25));

  test.each(invalidPolicies)('%s', (_, { by, problems, policy }) => {
    const found = checkPolicy(policy);
    expect(paths(found).sort()).toEqual(paths(problems).sort());
    for (const { path, says } of problems) {
      const messages = found.filter((problem) => problem.path === path).map(messageOf);
      expect(messages, path).toContainEqual(expect.stringContaining(says));
    }
    expect(satisfiesSchema(policy)).toBe(by === 'check');
  });
});

describe('functions', () => {
  const f = () => 0;

  test('are accepted where they are allowed, in the policy and in rules', () => {
    const settings = {
      schedule: f,
      throttledSchedule: f,
      scope: f,
      idempotencyKey: { generate: f },
      credentials: { headers: f, renew: f },
      retryIf: f,
      beforeRetry: f,
      observe: f,
    };
    expect(checkPolicy({ ...settings, rules: [{ match: { test: f }, ...settings }] })).toEqual([]);
    expect(checkOverride(settings)).toEqual([]);
  });

  test('are refused everywhere else', () => {
    const policy = {
      maxRetries: f,
      hints: f,
      gate: { whenShut: f },
      idempotencyKey: f,
      budget: f,
      rules: [{ match: f, name: f, schedule: { kind: 'fixed', waitMs: f } }, f],
      test: f,
      generate: f,
      'match.test': f,
      'idempotencyKey.generate': f,
      match: { test: f },
    };
    expect(brief(checkPolicy(policy))).toEqual([
      'maxRetries: a function',
      'hints: a function',
      'gate.whenShut: a function',
      'idempotencyKey: a function',
      'budget: a function',
      'test: unknown setting',
      'generate: unknown setting',
      '["match.test"]: unknown setting',
      '["idempotencyKey.generate"]: unknown setting',
      'match: unknown setting',
      'rules[0].match: a function',
      'rules[0].name: a function',
      'rules[0].schedule.waitMs: a function',
      'rules[1]: a function',
    ]);
  });

  test.each([
    [{}, ['credentials.headers: nothing, a function', 'credentials.renew: nothing, a function']],
    [{ headers: f }, ['credentials.renew: nothing, a function']],
    [{ headers: f, renew: 'logIn' }, ['credentials.renew: a string "logIn", a function']],
    [true, ['credentials: true, false, or an object with the functions "headers" and "renew"']],
    [f, ['credentials: a function, false, or an object with the functions "headers" and "renew"']],
    [
      { headers: f, renew: f, statuses: [] },
      ['credentials.statuses: an empty list, a list of statuses from 400 to 499'],
    ],
    [
      { headers: f, renew: f, statuses: [200], timeoutMs: 0 },
      [
        'credentials.statuses[0]: the number 200, a whole number from 400 to 499',
        'credentials.timeoutMs: the number 0, milliseconds, from 1 up to 10 years',
      ],
    ],
  ])('of credentials belong together: %o', (credentials, says) => {
    const told = (problems: ReturnType<typeof checkPolicy>) =>
      problems.map(({ path, found, allowed }) => `${path}: ${found}, ${allowed}`);
    expect(told(checkPolicy({ credentials }))).toEqual(says);
    expect(told(checkOverride({ credentials }))).toEqual(says);
  });

  test('of credentials are known by other names', () => {
    const advised = checkPolicy({ credentials: { headers: f, renew: f, statusCodes: [401], refresh: f } });
    expect(advised.map(({ advice }) => advice)).toEqual([
      'Did you mean "statuses"?',
      'Did you mean "renew"?',
    ]);
    expect(checkPolicy({ refreshToken: f })[0]?.advice).toBe('Did you mean "credentials.renew"?');
  });

  test.each([
    ['schedule', 'fast', 'an object or a function'],
    ['throttledSchedule', [], 'an object or a function'],
    ['scope', 5, '"origin" or a name that is not blank or a function'],
    ['retryIf', 'yes', 'a function'],
    ['beforeRetry', {}, 'a function'],
    ['observe', null, 'a function'],
  ])('are offered for %s', (key, value, allowed) => {
    expect(checkPolicy({ [key]: value })).toEqual([expect.objectContaining({ path: key, allowed })]);
    expect(checkPolicy({ rules: [{ match: '/x', [key]: value }] })).toEqual([
      expect.objectContaining({ path: `rules[0].${key}`, allowed }),
    ]);
  });

  test.each([
    [{ retyIf: f }, 'retryIf'],
    [{ rules: [{ match: '/x', beforRetry: f }] }, 'beforeRetry'],
    [{ idempotencyKey: { generator: f } }, 'generate'],
    [{ rules: [{ match: { tset: f } }] }, 'test'],
  ])('are suggested by name: %o', (policy, name) => {
    expect(checkPolicy(policy)).toContainEqual(
      expect.objectContaining({ advice: `Did you mean "${name}"?` }),
    );
  });

  test('are not called by the check', () => {
    const uncalled = vi.fn(() => 1_000);
    expect(checkPolicy({ deadlineMs: 1, schedule: uncalled, throttledSchedule: uncalled })).toEqual([]);
    expect(uncalled).not.toHaveBeenCalled();
    expect(checkPolicy({ rules: [{ match: { path: '/*', test: f } }, { match: '/x' }] })).toEqual([]);
  });
});

describe('an override', () => {
  test.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [true, 'true'],
    [[], 'an empty list'],
  ])('is an object: %o', (options, found) => {
    const advice = Array.isArray(options) ? { advice: expect.stringContaining('a plain object') } : {};
    expect(checkOverride(options)).toEqual([{ path: '', found, allowed: 'an object', ...advice }]);
  });

  test('can have settings only', () => {
    const problems = checkOverride({ rules: [], maxScopes: 1, scopeIdleMs: 1, match: '/x', name: 'x' });
    expect(problems.map(({ path, advice }) => `${path}: ${advice}`)).toEqual([
      'rules: It belongs to the policy itself.',
      'maxScopes: It belongs to the policy itself.',
      'scopeIdleMs: It belongs to the policy itself.',
      'match: It belongs to a rule.',
      'name: It belongs to a rule.',
    ]);
  });

  test('cannot change shared state', () => {
    expect(checkOverride({ budget: false, gate: false, hold: false })).toEqual([]);
    const allowed = 'false (only a rule or the policy can set what requests share)';
    expect(checkOverride({ budget: { capacity: 1 }, gate: true, hold: {} })).toEqual([
      { path: 'budget', found: 'an object', allowed },
      { path: 'gate', found: 'true', allowed },
      { path: 'hold', found: 'an object', allowed },
    ]);
  });

  test.each([
    { retry: false },
    { deadlineCovers: 'body' },
    { unsafeMethods: 'never' },
    { attemptTimeoutMs: 5_000 },
    { attemptHeader: 'idempotency-key' },
    { bodyHintBytes: 100 },
    { hints: false },
  ])('may have half of a pair that the rule completes: %o', (options) => {
    expect(checkOverride(options)).toEqual([]);
  });

  test('may not contradict itself', () => {
    expect(
      brief(
        checkOverride({
          retry: false,
          maxRetries: 1,
          deadlineMs: 1,
          attemptTimeoutMs: 2,
          hints: false,
          bodyHintBytes: 3,
          schedule: { kind: 'exponential', firstMs: 8, maxMs: 7 },
        }),
      ),
    ).toEqual([
      'maxRetries: the number 1',
      'attemptTimeoutMs: the number 2',
      'bodyHintBytes: the number 3',
      'schedule.firstMs: the number 8',
    ]);
  });

  test('is checked for contradictions only if it is sound', () => {
    expect(paths(checkOverride({ deadlineMs: 'x', attemptTimeoutMs: 5 }))).toEqual(['deadlineMs']);
  });
});

describe('contradictions', () => {
  test('of the policy are reported once, not in every rule', () => {
    const rules = [{ match: '/a' }, { match: '/b' }];
    expect(paths(checkPolicy({ deadlineMs: 1, attemptTimeoutMs: 2, rules }))).toEqual(['attemptTimeoutMs']);
    expect(paths(checkPolicy({ retry: false, maxRetries: 1, rules }))).toEqual(['maxRetries']);
  });

  test('are looked for only in a rule that is sound itself', () => {
    const rules = [{ match: '/a', attemptTimeoutMs: 5, deadlineMs: 'x' }];
    expect(paths(checkPolicy({ deadlineMs: 1, rules }))).toEqual(['rules[0].deadlineMs']);
  });

  test('are looked for only if the inherited settings are sound, unless the rule has its own', () => {
    const rules = [
      { match: '/a', attemptTimeoutMs: 5 },
      { match: '/b', attemptTimeoutMs: 5, deadlineMs: 4 },
    ];
    expect(paths(checkPolicy({ deadlineMs: 'x', rules }))).toEqual([
      'deadlineMs',
      'rules[1].attemptTimeoutMs',
    ]);
  });

  test('are looked for in every other case', () => {
    const policy = { ' deadlineMs': 1, deadlineMs: 1, attemptTimeoutMs: 2 };
    expect(paths(checkPolicy(policy))).toEqual(['[" deadlineMs"]', 'attemptTimeoutMs']);
  });

  test.each([
    { deadlineCovers: 'head' },
    { idempotent: true, unsafeMethods: 'refused' },
    { idempotent: false, unsafeMethods: 'never' },
    { gate: false },
    { gate: true },
    { gate: { whenShut: 'fail' } },
    { hints: false, hold: false, bodyHintBytes: 0 },
    { maxHintMs: 0, hold: false },
    { attemptHeader: true, idempotencyKey: true },
    { attemptHeader: false, idempotencyKey: false },
    { attemptHeader: 'idempotency-key', idempotencyKey: false },
    { budget: { charge: 'retry', refund: true } },
    { budget: { charge: 'failure', refund: false } },
  ])('have harmless neighbours: %o', (settings) => {
    expect(checkPolicy(settings)).toEqual([]);
    expect(checkPolicy({ rules: [{ match: '/x', ...settings }] })).toEqual([]);
  });

  test.each([
    [{ floor: 50 }, 'budget.floor', 'a floor of 50', 'less than capacity, which is 50'],
    [
      { floor: 49.5 },
      'budget.floor',
      'a cost of 1',
      'at most what a full budget can spend (capacity 50, floor 49.5)',
    ],
    [
      { capacity: 0.5 },
      'budget.capacity',
      'a cost of 1',
      'at most what a full budget can spend (capacity 0.5, floor 0)',
    ],
  ])('are reported at the key that was written: %o', (budget, path, found, allowed) => {
    expect(checkPolicy({ budget })).toEqual([{ path, found, allowed }]);
  });

  test('do not exist with an inherited "off"', () => {
    const schedule = { kind: 'fixed', waitMs: 10, jitter: 'none' };
    const rules = [{ match: '/a', deadlineMs: 5, schedule }];
    expect(checkPolicy({ retry: false, rules })).toEqual([]);
    expect(paths(checkPolicy({ maxRetries: 1, rules }))).toEqual(['rules[0].schedule']);
  });

  test.each([
    ['none', 10],
    ['equal', 5],
    [{ spread: 0.2 }, 8],
    [{ addMs: 5 }, 10],
  ])('of deadline and first wait consider how short jitter %o can make a wait', (jitter, shortest) => {
    const schedule = { kind: 'fixed', waitMs: 10, jitter };
    expect(checkPolicy({ deadlineMs: shortest + 1, schedule })).toEqual([]);
    expect(brief(checkPolicy({ deadlineMs: shortest, schedule }))).toEqual([
      `schedule: a first wait of ${shortest} ms or more`,
    ]);
  });

  test.each([
    [{ kind: 'fixed', waitMs: 10, jitter: 'none', slotMs: 10 }, true],
    [{ kind: 'fixed', waitMs: 10, jitter: 'none', slotMs: 11 }, false],
    [{ kind: 'fixed', waitMs: 10, jitter: { addMs: 1 }, slotMs: 11 }, true],
    [{ kind: 'exponential', firstMs: 1, factor: 1.01, maxMs: 64, jitter: 'full', slotMs: 64 }, true],
    [{ kind: 'exponential', firstMs: 1, factor: 1, maxMs: 64, jitter: 'full', slotMs: 2 }, false],
    [{ kind: 'exponential', firstMs: 1, maxMs: 64, jitter: 'decorrelated', slotMs: 64 }, true],
    [{ kind: 'exponential', firstMs: 1, maxMs: 64, jitter: 'decorrelated', slotMs: 65 }, false],
    [{ kind: 'table', waitsMs: [1, 5, 1], jitter: 'none', slotMs: 5 }, true],
    [{ kind: 'table', waitsMs: [5, 1], jitter: 'none', slotMs: 5 }, true],
    [{ kind: 'table', waitsMs: [1, 4, 1], jitter: 'none', slotMs: 5 }, false],
  ])('of slots and waits: %o', (schedule, sound) => {
    expect(paths(checkPolicy({ schedule }))).toEqual(sound ? [] : ['schedule.slotMs']);
  });

  test('in rules are found in addition to the same one in the policy', () => {
    const gate = { whenShut: 'wait' };
    const problems = checkPolicy({ gate, rules: [{ match: '/a', gate }] });
    expect(paths(problems)).toEqual(['gate.whenShut', 'rules[0].gate.whenShut']);
  });

  test('that rules resolve are not reported, unless these rules have one of their own', () => {
    const hints = 'github';
    expect(paths(checkPolicy({ hints: false, hold: true, rules: [{ match: '/a', hints }] }))).toEqual([]);
    expect(
      paths(checkPolicy({ hints: false, hold: true, rules: [{ match: '/a', hints, hold: {} }] })),
    ).toEqual(['hold']);
    expect(paths(checkPolicy({ hints: false, hold: true, rules: [{ match: '/a' }] }))).toEqual(['hold']);
  });

  test.each([
    [{ kind: 'bucket', capacity: 10, cost: 10 }, true],
    [{ kind: 'bucket', capacity: 10, floor: 4, cost: 6 }, true],
    [{ kind: 'bucket', capacity: 10, floor: 4, cost: 6.001 }, false],
    [{ kind: 'bucket', capacity: 10, floor: 4, cost: 6, charge: 'failure' }, false],
    [{ kind: 'bucket', capacity: 10, floor: 4, cost: 5.999, charge: 'failure' }, true],
    [{ kind: 'window', reserve: 10, perSuccess: 0, cost: 10 }, true],
    [{ kind: 'window', reserve: 10, perSuccess: 0, cost: 10.001 }, false],
    [{ kind: 'window', reserve: 10, perSuccess: 0.001, cost: 11 }, true],
  ])('of a budget and its cost: %o', (budget, sound) => {
    expect(paths(checkPolicy({ budget }))).toEqual(sound ? [] : ['budget.cost']);
  });

  test('are reported for each cost that is too high, and once for one number', () => {
    expect(paths(checkPolicy({ budget: { capacity: 1, cost: 2 } }))).toEqual(['budget.cost']);
    expect(paths(checkPolicy({ budget: { capacity: 1, cost: { transient: 2, throttled: 3 } } }))).toEqual([
      'budget.cost.transient',
      'budget.cost.throttled',
    ]);
    const dearTimeout = { transient: 1, throttled: 1, timeout: 2 };
    expect(paths(checkPolicy({ budget: { capacity: 1, cost: dearTimeout } }))).toEqual([
      'budget.cost.timeout',
    ]);
  });
});

describe('what JavaScript can put into an object', () => {
  class Settings {
    readonly maxRetries = 1;
  }

  test.each([
    ['undefined', undefined, 'nothing'],
    ['a Map', new Map(), 'an instance of a class'],
    ['a class', new Settings(), 'an instance of a class'],
    ['an inheriting object', Object.create({ maxRetries: 1 }), 'an instance of a class'],
    ['a promise', Promise.resolve({}), 'an instance of a class'],
    ['a date', new Date(0), 'an instance of a class'],
    ['a boxed number', Object(1), 'an instance of a class'],
    ['a function', () => ({}), 'a function'],
    ['a symbol', Symbol('x'), 'a symbol'],
    ['a bigint', 5n, 'the bigint 5n'],
    ['a list', [1], 'a list'],
  ])('%s is not a policy', (_, value, found) => {
    const isObject = typeof value === 'function' || (typeof value === 'object' && value !== null);
    const advice = isObject
      ? { advice: expect.stringContaining('Write the settings as a plain object.') }
      : {};
    expect(checkPolicy(value)).toEqual([{ path: '', found, allowed: 'an object', ...advice }]);
  });

  test.each([
    ['without a prototype', Object.assign(Object.create(null), { maxRetries: -1 })],
    ['of another realm', runInNewContext('({ maxRetries: -1 })')],
    ['with a hidden key', Object.defineProperty({}, 'maxRetries', { value: -1, enumerable: false })],
    ['frozen', Object.freeze({ maxRetries: -1 })],
    [
      'with a getter',
      {
        get maxRetries() {
          return -1;
        },
      },
    ],
  ])('an object %s is checked like any other', (_, policy) => {
    expect(brief(checkPolicy(policy))).toEqual(['maxRetries: the number -1']);
  });

  test.each([
    [Number.NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [-Infinity, '-Infinity'],
    [Number.MAX_VALUE, 'the number 1.7976931348623157e+308'],
    [3n, 'the bigint 3n'],
    ['3', 'a string "3"'],
    [Object(3), 'an instance of a class'],
    [null, 'null'],
    [[3], 'a list'],
    [{}, 'an object'],
    [Symbol('3'), 'a symbol'],
    [true, 'true'],
  ])('%s is not a number', (value, found) => {
    const rules = [{ match: '/x', schedule: { kind: 'exponential', factor: value } }];
    expect(brief(checkPolicy({ maxRetries: value, deadlineMs: value, rules }))).toEqual([
      `maxRetries: ${found}`,
      `deadlineMs: ${found}`,
      `rules[0].schedule.factor: ${found}`,
    ]);
  });

  test('minus zero is zero', () => expect(checkPolicy({ maxRetries: -0, hintJitter: -0 })).toEqual([]));

  test('undefined is absent, wherever it is', () => {
    const nothing = undefined;
    expect(
      checkPolicy({
        maxRetries: nothing,
        rules: [{ match: '/x', name: nothing, observe: nothing }],
        schedule: { kind: 'exponential', firstMs: nothing, jitter: { spread: 0.5, addMs: nothing } },
        budget: { kind: nothing, cost: nothing },
      }),
    ).toEqual([]);
    expect(brief(checkPolicy({ rules: [{ match: nothing }], schedule: { kind: nothing } }))).toEqual([
      'schedule.kind: nothing',
      'rules[0].match: nothing',
    ]);
    expect(brief(checkPolicy({ schedule: { kind: 'exponential', jitter: { spread: nothing } } }))).toEqual([
      'schedule.jitter: an object with 0 of them',
    ]);
  });

  test('a misspelt key is reported even if its value is undefined', () => {
    expect(brief(checkPolicy({ maxRetires: undefined }))).toEqual(['maxRetires: unknown setting']);
  });

  test('getters that throw', () => {
    const policy = {
      get maxRetries(): number {
        throw new Error('no');
      },
      get observe(): never {
        throw new Error('no');
      },
      rules: [
        {
          get match(): never {
            throw new Error('no');
          },
        },
      ],
      statuses: Object.defineProperty([503], 0, {
        get() {
          throw new Error('no');
        },
      }),
    };
    expect(checkPolicy(policy)).toEqual([
      { path: 'maxRetries', found: 'a getter that throws', allowed: 'a whole number from 0 to 1,000,000' },
      { path: 'observe', found: 'a getter that throws', allowed: 'a function' },
      expect.objectContaining({ path: 'statuses[0]', found: 'a getter that throws' }),
      expect.objectContaining({ path: 'rules[0].match', found: 'a getter that throws' }),
    ]);
  });

  test('proxies that throw', () => {
    const no = (): never => {
      throw new Error('no');
    };
    const revoked = Proxy.revocable([], {});
    revoked.revoke();
    const policy = {
      schedule: new Proxy({}, { ownKeys: no }),
      gate: new Proxy({}, { getPrototypeOf: no }),
      statuses: revoked.proxy,
      methods: new Proxy([], { get: no }),
      hints: new Proxy([], { ownKeys: no }),
      observe: revoked.proxy,
    };
    expect(brief(checkPolicy(policy))).toEqual(
      Object.keys(policy).map((key) => `${key}: an object that cannot be read`),
    );
    expect(brief(checkPolicy(revoked.proxy))).toEqual([': an object that cannot be read']);
    expect(brief(checkOverride(revoked.proxy))).toEqual([': an object that cannot be read']);
  });

  test.each([Number.NaN, -1, 0.5, '1', 2 ** 40, undefined])('a list that calls its length %s', (length) => {
    const list = new Proxy([503], {
      get: (target, key) => (key === 'length' ? length : Reflect.get(target, key)),
    });
    expect(paths(checkPolicy({ statuses: list }))).toEqual(['statuses']);
  });

  test('getters are read only once', () => {
    let asked = 0;
    const policy = {
      get deadlineMs(): unknown {
        asked++;
        return asked === 1 ? 100 : 'later';
      },
      attemptTimeoutMs: 200,
    };
    expect(paths(checkPolicy(policy))).toEqual(['attemptTimeoutMs']);
    expect(asked).toBe(1);
  });

  test('cycles', () => {
    const policy: Record<string, unknown> = { budget: {}, rules: [] };
    policy['schedule'] = policy;
    policy['gate'] = policy['gate'] = { gate: policy };
    policy['rules'] = [policy, { match: policy }];
    const found = paths(checkPolicy(policy));
    expect(found).toContain('schedule.kind');
    expect(found).toContain('gate.gate');
    expect(found).toContain('rules[1].match.schedule');
  });

  test('keys of all sorts', () => {
    const policy = JSON.parse('{"__proto__":1,"constructor":2,"a-b":3,"":4,"0":5,"Aÿ":6}') as object;
    const long = 'x'.repeat(70);
    Object.assign(policy, { [Symbol('s')]: 7, [long]: 8 });
    expect(paths(checkPolicy(policy)).sort()).toEqual(
      [
        '["0"]',
        '[""]',
        '["a-b"]',
        '["Aÿ"]',
        `["${'x'.repeat(60)}…"]`,
        '[Symbol(s)]',
        '__proto__',
        'constructor',
      ].sort(),
    );
  });

  test('lists with holes, also very long ones', () => {
    const holes = [503];
    holes[2] = 504;
    const long: unknown[] = [];
    long.length = 4_294_967_295;
    expect(checkPolicy({ statuses: holes, methods: long })).toEqual([
      { path: 'statuses', found: 'a list with holes', allowed: 'a list' },
      { path: 'methods', found: 'a list with holes', allowed: 'a list' },
    ]);
    expect(brief(checkPolicy({ statuses: [503, undefined] }))).toEqual(['statuses[1]: nothing']);
  });

  test('strings of 100 kB are checked and cut', () => {
    const long = 'a'.repeat(100_000);
    const [first, second, ...rest] = checkPolicy({
      methods: [`${long} `],
      hints: long,
      [long]: 1,
      scope: ' '.repeat(100_000),
    });
    expect(first?.found).toBe(`a string "${'a'.repeat(60)}…"`);
    expect(second?.found).toBe(`a string "${'a'.repeat(60)}…"`);
    expect(rest.map(({ found }) => found.length)).toEqual([15, 72]);
  });

  test('quotes are escaped', () => {
    expect(brief(checkPolicy({ unsafeMethods: 'a"\n\u0000' }))).toEqual([
      'unsafeMethods: a string "a\\"\\n\\u0000"',
    ]);
  });
});

describe('an unknown key', () => {
  test.each([
    ['in an idempotency key', { idempotencyKey: { x: 1 } }, '"header", "quoted", "generate"'],
    ['in a pattern', { rules: [{ match: { x: 1 } }] }, '"methods", "host", "path", "test"'],
    [
      'in a gate',
      { gate: { kind: 'window' } },
      '"failures", "deadForMs", "probeMs", "rampMs", "whenShut", "maxWaiting", "enforce"',
    ],
    [
      'in a bucket',
      { budget: { x: 1 } },
      '"kind", "capacity", "perSuccess", "perSecond", "cost", "refund", "charge", "floor"',
    ],
  ])('%s: all known keys are listed if there are few', (_, policy, names) => {
    expect(checkPolicy(policy).map(({ allowed }) => allowed)).toEqual([`one of the keys ${names}`]);
  });

  test('among many: not all known keys are listed', () => {
    const allowed = 'the name of a setting';
    const found = 'unknown setting';
    expect(checkPolicy({ x: 1, rules: [{ match: '/x', y: 1 }] })).toEqual([
      { path: 'x', found, allowed },
      { path: 'rules[0].y', found, allowed },
    ]);
    expect(checkOverride({ x: 1 })).toEqual([{ path: 'x', found, allowed }]);
  });

  test('is offered the names of functions only where they are allowed', () => {
    const adviceFor = (policy: unknown) => checkPolicy(policy).map(({ advice }) => advice);
    expect(adviceFor({ generat: 1, tests: 1 })).toEqual([undefined, undefined]);
    expect(adviceFor({ gate: { observ: 1 } })).toEqual([undefined]);
    expect(adviceFor({ rules: [{ match: { observ: 1, generat: 1 } }] })).toEqual([undefined, undefined]);
  });

  test('does not count as the name of a value', () => {
    expect(checkPolicy({ maxRetries: 'Stryker' })).toEqual([
      { path: 'maxRetries', found: 'a string "Stryker"', allowed: 'a whole number from 0 to 1,000,000' },
    ]);
  });

  test('of 60 characters is written out, of 61 is cut', () => {
    expect(paths(checkPolicy({ ['x'.repeat(60)]: 1 }))).toEqual(['x'.repeat(60)]);
    expect(paths(checkPolicy({ ['x'.repeat(61)]: 1 }))).toEqual([`["${'x'.repeat(60)}…"]`]);
    expect(brief(checkPolicy({ hints: 'x'.repeat(60) }))).toEqual([`hints: a string "${'x'.repeat(60)}"`]);
    expect(brief(checkPolicy({ hints: 'x'.repeat(61) }))).toEqual([`hints: a string "${'x'.repeat(60)}…"`]);
  });
});

test('the eleventh rule is like the first', () => {
  const rules = Array.from({ length: 11 }, (_, index) => ({ match: `/${index}`, scope: () => 'x' }));
  expect(checkPolicy({ rules })).toEqual([]);
  const faulty = rules.map((rule) => ({ ...rule, deadlineMs: 0, attemptTimeoutMs: 500 }));
  expect(paths(checkPolicy({ deadlineMs: 100, rules: faulty }))).toEqual(
    rules.map((_, index) => `rules[${index}].deadlineMs`),
  );
});

test('problems come in the order of the policy: its own, then rule by rule', () => {
  const rules = Array.from({ length: 11 }, (_, index) => ({ match: `/${index}`, maxRetries: -1 }));
  const [first, second, third, ...others] = rules;
  const policy = {
    rules: [
      { ...first, maxRetries: 1, retry: false },
      { ...second, match: 'GET' },
      { ...third, match: '/0' },
      ...others,
    ],
    attemptTimeoutMs: 200,
    deadlineMs: 100,
  };
  expect(paths(checkPolicy(policy))).toEqual([
    'attemptTimeoutMs',
    'rules[0].maxRetries',
    'rules[1].maxRetries',
    'rules[1].match',
    'rules[2].maxRetries',
    'rules[2].match',
    ...others.map((_, index) => `rules[${index + 3}].maxRetries`),
  ]);
});

describe('a name among many', () => {
  const own = 'an object with hints of your own';
  const known = `a known name, ${own}, a list or false`;

  test('that is misspelt gets the nearest name, and not all of them', () => {
    expect(checkPolicy({ hints: 'githup', rules: [{ match: '/a', hints: ['standart'] }] })).toEqual([
      { path: 'hints', found: 'a string "githup"', allowed: known, advice: 'Did you mean "github"?' },
      {
        path: 'rules[0].hints[0]',
        found: 'a string "standart"',
        allowed: `a known name or ${own}`,
        advice: 'Did you mean "standard"?',
      },
    ]);
  });

  test('that is like none of them gets all of them', () => {
    const [problem] = checkPolicy({ hints: 'acme-weather' });
    expect(problem?.allowed).toBe(
      `one of ${hintSetNames.map((name) => `"${name}"`).join(', ')}, ${own}, a list or false`,
    );
    expect(problem?.advice).toBeUndefined();
  });

  test('that is one of few gets all of them', () => {
    expect(checkPolicy({ unsafeMethods: 'unsend' })).toEqual([
      {
        path: 'unsafeMethods',
        found: 'a string "unsend"',
        allowed: 'one of "never", "unsent", "refused"',
        advice: 'Did you mean "unsent"?',
      },
    ]);
  });
});

describe('a great many problems', () => {
  test('are reported until there are a hundred', () => {
    const rules = Array.from({ length: 1_000 }, (_, index) => ({
      match: `/${index}`,
      maxRetries: -index - 1,
    }));
    const problems = checkPolicy({ rules });
    expect(problems).toHaveLength(100);
    expect(problems[99]).toEqual({
      path: 'rules[99].maxRetries',
      found: 'the number -100',
      allowed: 'a whole number from 0 to 1,000,000',
    });
  });

  test.each([
    ['unknown keys', (index: number) => ({ match: `/${index}`, [`unknown${index}`]: 1 })],
    ['contradictions', (index: number) => ({ match: `/${index}`, retry: false, maxRetries: 1 })],
    ['shadowed rules', () => ({ match: '/x' })],
  ])('take no more reads per problem than the first: %s', (_, ruleOf) => {
    // The work is counted, not timed: the keys of each rule are read a fixed number of times.
    const readsOf = (count: number) => {
      let reads = 0;
      const rules = Array.from({ length: count }, (_, index) =>
        Object.defineProperties(
          {},
          Object.fromEntries(
            Object.entries(ruleOf(index)).map(([key, value]) => [
              key,
              {
                enumerable: true,
                get: () => {
                  reads++;
                  return value;
                },
              },
            ]),
          ),
        ),
      );
      expect(checkPolicy({ rules }).length).toBeGreaterThanOrEqual(count - 1);
      return reads;
    };
    expect(readsOf(100)).toBe(10 * readsOf(10));
  });
});
