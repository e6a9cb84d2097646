import { describe, expect, test, vi } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import { createRetrier, definePolicy, retrierFor } from '../../src/parts/all.js';
import { answered, requestOf, VirtualTime } from '../kit.js';

const oneRetry: PolicyOptions['budget'] = { capacity: 1, perSuccess: 0, perSecond: 0 };

function scopeNames(retrier: Retrier): string[] {
  return retrier.snapshot().scopes.map(({ name }) => name);
}

function retrierWith(options: PolicyOptions): { retrier: Retrier; time: VirtualTime } {
  const time = new VirtualTime();
  return { retrier: createRetrier(options, time.ports()), time };
}

/** Whether a request like this may still be retried. */
function mayRetry(retrier: Retrier, facts = {}): boolean {
  return retrier.open(requestOf(facts)).next(answered(503), { replayable: true }).action === 'retry';
}

describe('who shares what', () => {
  test('a policy passed twice shares one retrier; options make their own', () => {
    const policy = definePolicy({ maxRetries: 1 });
    expect(retrierFor(policy)).toBe(retrierFor(policy));
    expect(retrierFor(definePolicy({ maxRetries: 1 }))).not.toBe(retrierFor(policy));
    const options = { maxRetries: 1 };
    expect(retrierFor(options)).not.toBe(retrierFor(options));
    expect(retrierFor()).not.toBe(retrierFor());
    // As another copy of this package would pass it.
    const foreign = { [Symbol.toStringTag]: 'Policy' as const, toJSON: () => ({ maxRetries: 7 }) };
    expect(retrierFor(foreign)).toBe(retrierFor(foreign));
    expect(retrierFor(foreign).policy.fallback.settings.maxRetries).toBe(7);
    const retrier = createRetrier(policy);
    expect(retrierFor(retrier)).toBe(retrier);
    expect(createRetrier(policy)).not.toBe(createRetrier(policy));
    expect(retrier[Symbol.toStringTag]).toBe('Retrier');
    expect(retrier.policy).toBe(policy);
  });

  test('a scope is an origin', () => {
    const { retrier } = retrierWith({ budget: oneRetry });
    expect(mayRetry(retrier)).toBe(true);
    expect(mayRetry(retrier)).toBe(false);
    expect(mayRetry(retrier, { origin: 'https://other.example' })).toBe(true);
    expect(scopeNames(retrier)).toEqual(['https://api.example.com', 'https://other.example']);
  });

  test('an unknown origin is the scope that the client names', () => {
    const { retrier } = retrierWith({ budget: oneRetry });
    retrier.open(requestOf({ origin: undefined }), undefined, 'client 7');
    retrier.open(requestOf({ origin: undefined }));
    expect(scopeNames(retrier)).toEqual(['client 7', 'unknown origin']);
  });

  test('a rule may name a scope, share it, or compute it', () => {
    const { retrier } = retrierWith({
      budget: oneRetry,
      rules: [
        { match: 'a.example', scope: 'shared' },
        { match: 'b.example', scope: 'shared' },
        { match: 'c.example', scope: ({ path }) => `tenant ${path.slice(1)}` },
      ],
    });
    expect(mayRetry(retrier, { origin: 'https://a.example' })).toBe(true);
    expect(mayRetry(retrier, { origin: 'https://b.example' })).toBe(false);
    expect(mayRetry(retrier, { origin: 'https://c.example', path: '/x' })).toBe(true);
    expect(mayRetry(retrier, { origin: 'https://c.example', path: '/y' })).toBe(true);
    expect(scopeNames(retrier)).toEqual(['shared', 'tenant x', 'tenant y']);
  });

  test('a scope that is computed may be the origin, as one that is named may', () => {
    const { retrier } = retrierWith({ scope: ({ path }) => (path === '/x' ? 'x' : 'origin') });
    retrier.open(requestOf({ path: '/x' }));
    retrier.open(requestOf({ path: '/y' }));
    retrier.open(requestOf({ path: '/y', origin: undefined }), undefined, 'client 7');
    expect(scopeNames(retrier)).toEqual(['x', 'https://api.example.com', 'client 7']);
  });

  test.each([undefined, null, '', ' ', 5, Promise.resolve('x')])(
    'a scope that is computed has a name: %o',
    (name) => {
      const { retrier } = retrierWith({ scope: () => name as never });
      expect(() => retrier.open(requestOf())).toThrow(/^undaunted: scope returned .*; it must return /);
      expect(scopeNames(retrier)).toEqual([]);
    },
  );

  test('rules that inherit a budget share it; a rule with its own has its own, in the same scope', () => {
    const { retrier } = retrierWith({
      budget: oneRetry,
      rules: [
        { match: '/inherits', maxRetries: 5 },
        { match: '/own', budget: { ...oneRetry } },
      ],
    });
    expect(mayRetry(retrier, { path: '/inherits' })).toBe(true);
    expect(mayRetry(retrier, { path: '/elsewhere' })).toBe(false);
    expect(mayRetry(retrier, { path: '/own' })).toBe(true);
    expect(mayRetry(retrier, { path: '/own' })).toBe(false);
    expect(retrier.snapshot().scopes).toHaveLength(1);
    expect(retrier.snapshot().scopes[0]?.budgets).toEqual([{ tokens: 0 }, { tokens: 0 }]);
  });

  test("no origin's name shows a password", () => {
    const { retrier } = retrierWith({});
    retrier.open(requestOf({ origin: 'https://user:secret@api.example.com' }));
    expect(scopeNames(retrier)).toEqual(['https://api.example.com']);
  });
});

describe('settings of one request', () => {
  const { retrier } = retrierWith({
    maxRetries: 4,
    rules: [{ match: '/slow/*', maxRetries: 7, name: 'slow' }],
  });

  test('come from the first rule that matches, or from the policy itself', () => {
    expect(retrier.open(requestOf({ path: '/slow/1' }))).toMatchObject({ rule: { name: 'slow', index: 0 } });
    expect(retrier.open(requestOf())).toMatchObject({ rule: { name: 'default', index: -1 } });
  });

  test('are those of the matched rule, with the override on top', () => {
    const session = retrier.open(requestOf({ path: '/slow/1' }), { deadlineMs: 50 });
    expect(session.settings).toMatchObject({ maxRetries: 7, deadlineMs: 50 });
    expect(retrier.open(requestOf({ path: '/slow/1' }), { retry: false }).settings.maxRetries).toBe(0);
    expect(session.rule.settings.deadlineMs).toBeUndefined();
  });
});

describe('scopes', () => {
  test('are bounded: the least recently used goes first', () => {
    const { retrier } = retrierWith({ maxScopes: 3 });
    for (const name of ['a', 'b', 'c', 'a', 'd']) retrier.open(requestOf({ origin: `https://${name}` }));
    expect(scopeNames(retrier)).toEqual(['https://c', 'https://a', 'https://d']);
    const { retrier: single } = retrierWith({ maxScopes: 1, budget: oneRetry });
    for (const name of ['a', 'b', 'a']) single.open(requestOf({ origin: `https://${name}` }));
    expect(scopeNames(single)).toEqual(['https://a']);
  });

  test('a request under way keeps the state of its scope', () => {
    const { retrier } = retrierWith({ maxScopes: 1, budget: { capacity: 2, perSuccess: 0, perSecond: 0 } });
    const session = retrier.open(requestOf({ origin: 'https://a' }));
    expect(session.next(answered(503), { replayable: true }).action).toBe('retry');
    retrier.open(requestOf({ origin: 'https://b' }));
    expect(session.next(answered(503), { replayable: true }).action).toBe('retry');
    expect(session.next(answered(503), { replayable: true })).toMatchObject({ reason: 'budget-spent' });
  });

  test('expire when idle, and not while they are used', () => {
    const { retrier, time } = retrierWith({ scopeIdleMs: 1_000 });
    retrier.open(requestOf({ origin: 'https://idle' }));
    retrier.open(requestOf({ origin: 'https://used' }));
    for (let step = 0; step < 6; step += 1) {
      time.now += 250;
      retrier.open(requestOf({ origin: 'https://used' }));
      retrier.snapshot();
    }
    expect(scopeNames(retrier)).toEqual(['https://used']);
    time.now += 999;
    expect(scopeNames(retrier)).toEqual(['https://used']);
    time.now += 1_250;
    expect(scopeNames(retrier)).toEqual([]);
    expect(retrier.open(requestOf({ origin: 'https://used' })).scope.name).toBe('https://used');
  });

  test('expire before a scope in use is evicted', () => {
    const { retrier, time } = retrierWith({ maxScopes: 2, scopeIdleMs: 1_000 });
    retrier.open(requestOf({ origin: 'https://a' }));
    retrier.open(requestOf({ origin: 'https://b' }));
    retrier.snapshot();
    time.now += 250;
    retrier.open(requestOf({ origin: 'https://a' }));
    retrier.snapshot();
    time.now += 900;
    retrier.open(requestOf({ origin: 'https://c' }));
    expect(scopeNames(retrier)).toEqual(['https://a', 'https://c']);
  });

  test('are found without reading a clock', () => {
    const now = vi.fn(() => 0);
    const retrier = createRetrier({}, { now });
    retrier.open(requestOf());
    now.mockClear();
    retrier.open(requestOf()).acceptAtOnce(200);
    expect(now).not.toHaveBeenCalled();
  });

  test('can be reset, one or all of them', () => {
    const { retrier } = retrierWith({ budget: oneRetry });
    for (const name of ['a', 'b']) mayRetry(retrier, { origin: `https://${name}` });
    retrier.reset('https://a');
    expect(mayRetry(retrier, { origin: 'https://a' })).toBe(true);
    expect(mayRetry(retrier, { origin: 'https://b' })).toBe(false);
    retrier.reset();
    expect(retrier.snapshot()).toEqual({ scopes: [] });
    expect(mayRetry(retrier, { origin: 'https://b' })).toBe(true);
  });

  test('show their state as plain data', () => {
    const { retrier } = retrierWith({
      budget: { capacity: 3 },
      gate: { failures: 1, deadForMs: 0 },
      hold: { refusedShare: 0 },
    });
    const session = retrier.open(requestOf());
    session.next(answered(503, { 'retry-after': '5' }), { replayable: true });
    const snapshot = retrier.snapshot();
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual({
      scopes: [
        {
          name: 'https://api.example.com',
          budgets: [{ tokens: 3 }],
          gates: [{ state: 'shut' }],
          holds: [{ forMs: 5_000 }],
          waiting: 0,
          refused: { 'gate-shut': 0, 'gate-full': 0, held: 0, crowded: 0 },
        },
      ],
    });
  });
});

describe('a pattern that is probably a mistake', () => {
  test('gives one warning when it is used, however many retriers there are', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const policy = definePolicy({ rules: [{ match: 'orders/*' }] });
    expect(warned).not.toHaveBeenCalled();
    createRetrier(policy);
    createRetrier(policy);
    retrierFor({ rules: [{ match: 'orders/*' }] });
    expect(warned.mock.calls.map(([warning]) => String(warning))).toEqual([
      expect.stringMatching(
        /^Error: undaunted: rules\[0\]\.match: "orders\/\*" means .* Write "\/orders\/\*" for a path/,
      ),
    ]);
    retrierFor({ rules: [{ match: 'baskets/*' }] });
    expect(warned).toHaveBeenCalledTimes(2);
    warned.mockRestore();
  });

  test('is warned of on the console where there is no process', () => {
    vi.stubGlobal('process', undefined);
    const warned = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    createRetrier({ rules: [{ match: 'carts/*' }] });
    vi.unstubAllGlobals();
    expect(warned).toHaveBeenCalledTimes(1);
    warned.mockRestore();
  });

  test('gives no more than 100 warnings, in case a program makes the patterns', async () => {
    // Modules of its own: what is told is told for the whole process.
    vi.resetModules();
    const { createRetrier: create } = await import('../../src/parts/all.js');
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    for (let index = 0; index < 200; index += 1) create({ rules: [{ match: `made${index}/*` }] });
    expect(warned).toHaveBeenCalledTimes(100);
    warned.mockRestore();
  });
});

describe('wrong arguments of createRetrier()', () => {
  test.each([
    ['service', 'Write presets.policies.service, with the presets of "undaunted", or settings.'],
    ['llm', 'Write presets.policies.llm, with the presets of "undaunted", or settings.'],
    ['default', 'Write presets.policies.service, with the presets of "undaunted", or settings.'],
  ])('the name of a preset: %s', (name, advice) => {
    for (const work of [createRetrier, retrierFor]) {
      expect(() => work(name as never)).toThrow(
        `(policy): found a string "${name}"; allowed: an object. ${advice}`,
      );
    }
  });

  test.each([
    ['a client', () => undefined, 'found a function'],
    ['a retrier', createRetrier(), 'found an instance of a class'],
  ])('%s instead of a policy', (_, given, found) => {
    expect(() => createRetrier(given as never)).toThrow(
      `(policy): ${found}; allowed: an object. Write the settings as a plain object.`,
    );
  });

  test.each([
    ['a client of Redis', { fleet: { get: () => 'value' } }, 'an object'],
    ['null', { fleet: null }, 'null'],
    ['a number', { fleet: 3 }, 'the number 3'],
    ['the fleet alone', { join: () => undefined }, 'a fleet without { }'],
  ])('%s instead of { fleet }', (_, options, got) => {
    expect(() => createRetrier({}, {}, options as never)).toThrow(
      `undaunted: createRetrier() takes { fleet: redisFleet(client) } as its third argument, but got ${got}`,
    );
  });

  test.each<[string, object, string]>([
    ['settings', { maxRetries: 3 }, 'got the number 3 for maxRetries'],
    ['a clock that has stopped', { now: 5 }, 'got the number 5 for now'],
    ['a port that does not exist', { now: undefined }, 'got nothing for now'],
    ['a fleet', { fleet: {} }, 'got an object for fleet'],
    ['a name that every object has', { toString: () => 'x' }, 'got a function for toString'],
    ['a list', [() => 0], 'got a list'],
    ['an instance of a class without ports', new Map(), 'got an instance of a class'],
    [
      'an instance of a class that has stopped',
      new (class {
        now = 5;
      })(),
      'got the number 5 for now',
    ],
  ])('%s instead of ports', (_, ports, got) => {
    expect(() => createRetrier({}, ports)).toThrow(
      `undaunted: createRetrier() takes its settings first, then its ports (the functions now, date, random, sleep), then { fleet }; it ${got}`,
    );
  });

  test('an instance of a class can be the ports, with its methods and whatever else it has', () => {
    class Clock {
      ms = 1_000;
      now(): number {
        return this.ms;
      }
    }
    const clock = new Clock();
    const retrier = createRetrier({ deadlineMs: 500 }, clock);
    const session = retrier.open(requestOf());
    clock.ms = 2_000;
    expect(session.deadlineAt).toBe(1_500);
  });
});
