import { describe, expect, test } from 'vitest';
import * as decide from '../../../src/core/decide/decide.js';
import { readFailure } from '../../../src/core/decide/failures/read.js';
import { fillSchedule } from '../../../src/core/decide/schedule.js';
import * as ask from '../../../src/core/limits/ask.js';
import { slidingWindow } from '../../../src/core/limits/budget/window.js';
import { defaults } from '../../../src/core/policy/defaults.js';
import type { PolicyOptions, SettingsOptions } from '../../../src/core/policy/options.js';
import type { Settings } from '../../../src/core/policy/settings.js';
import { bodyHints, defaultSettings, definePolicy, fillIn } from '../../../src/parts/all.js';
import { settingsOf } from '../../kit.js';

/** The settings of a rule with `own` in a policy with `inherited`. */
function inRule(own: SettingsOptions, inherited: PolicyOptions = {}): Settings {
  const settings = definePolicy({ ...inherited, rules: [{ match: '/x', ...own }] }).rules[0]?.settings;
  if (settings === undefined) throw new Error('No rule');
  return settings;
}

describe('settings', () => {
  test('of an empty policy are made once, since each new override is checked with them', () => {
    expect(defaultSettings()).toBe(defaultSettings());
  });

  test('of an empty policy are the defaults', () => {
    const { statuses, methods, hints, hintedSuccesses, bodies, failures, forbids, goesAgain, ...plain } =
      settingsOf();
    expect(bodies).toBe(bodyHints.bodies);
    expect(failures).toBe(readFailure);
    expect(goesAgain).toBe(decide.goesAgain);
    expect(forbids).toBe(ask.forbids);
    expect(plain).toEqual({
      maxRetries: 3,
      deadlineMs: undefined,
      deadlineCovers: 'head',
      attemptTimeoutMs: undefined,
      wholeBodyBytes: 0,
      wholeBodyMs: 500,
      streamStart: false,
      idempotent: false,
      unsafeMethods: 'refused',
      idempotencyKey: false,
      credentials: false,
      schedule: defaults.schedule,
      throttledSchedule: defaults.throttledSchedule,
      bodyHintBytes: 0,
      maxHintMs: 60_000,
      hintJitter: 0.1,
      budget: defaults.budget,
      gate: false,
      hedge: false,
      tail: undefined,
      hold: false,
      concurrency: false,
      needsAdmission: false,
      awaitsBody: false,
      keepsUntilWhole: false,
      repeatsGet: true,
      scope: 'origin',
      bufferBodyBytes: 65_536,
      resume: true,
      unref: false,
      attemptHeader: false,
      retryIf: undefined,
      beforeRetry: undefined,
      observe: undefined,
    });
    expect([...methods]).toEqual(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY']);
    expect(statuses.retried.size).toBe(3 + 100 - 6);
    expect(statuses.lowest).toBe(408);
    expect([...statuses.never]).toEqual([501, 505, 506, 508, 510, 511]);
    expect(hints).toBeTypeOf('function');
    expect(hintedSuccesses).toEqual([]);
  });

  const every: SettingsOptions = {
    maxRetries: 1,
    deadlineMs: 2_000,
    deadlineCovers: 'body',
    attemptTimeoutMs: 3,
    wholeBodyBytes: 9,
    wholeBodyMs: 10,
    streamStart: { maxMs: 11, maxBytes: 12 },
    statuses: [418],
    methods: ['GET', 'post'],
    idempotent: true,
    idempotencyKey: true,
    schedule: { kind: 'fixed', waitMs: 1, jitter: 'none' },
    throttledSchedule: { kind: 'fixed', waitMs: 2, jitter: 'none' },
    hints: 'shopify',
    bodyHintBytes: 4,
    maxHintMs: 5_000,
    hintJitter: 0.6,
    budget: { capacity: 7 },
    gate: true,
    hold: true,
    scope: 'named',
    bufferBodyBytes: 8,
    resume: false,
    unref: true,
    attemptHeader: true,
    retryIf: () => undefined,
    beforeRetry: () => {},
    observe: () => {},
  };

  test('of an empty rule are those of the policy, the same objects', () => {
    const { rules, fallback } = definePolicy({ ...every, rules: [{ match: '/x' }] });
    const settings = rules[0]?.settings as Settings;
    for (const key of Object.keys(settings) as (keyof Settings)[]) {
      expect(settings[key]).toBe(fallback.settings[key]);
    }
  });

  test('of a rule that sets everything are its own', () => {
    expect(inRule(every)).toEqual(settingsOf(every));
    expect(inRule(every)).toMatchObject({
      maxRetries: 1,
      deadlineCovers: 'body',
      idempotent: true,
      hintedSuccesses: [{ status: 200, method: 'POST', pathEnd: '/graphql.json' }],
      maxHintMs: 5_000,
      budget: { capacity: 7, perSuccess: 0.15, kind: 'bucket' },
      gate: defaults.gate,
      hold: defaults.hold,
      idempotencyKey: defaults.idempotencyKey,
      attemptHeader: 'retry-attempt',
      resume: false,
      unref: true,
    });
    expect([...inRule(every).methods]).toEqual(['GET', 'POST']);
    expect([...inRule(every).statuses.retried]).toEqual([418]);
  });

  test('of a hedge are filled in, with methods in upper case', () => {
    expect(inRule({ hedge: true }).hedge).toEqual(defaults.hedge);
    const methods = ['get', 'Query'];
    expect(inRule({ hedge: { afterMs: 80, methods } }).hedge).toEqual({
      ...defaults.hedge,
      afterMs: 80,
      methods: ['GET', 'QUERY'],
    });
    expect(inRule({}, { hedge: true }).hedge).toEqual(defaults.hedge);
    expect(inRule({ hedge: false }, { hedge: true }).hedge).toBe(false);
  });

  test('of an adaptive timeout are filled in, and the longest one is the attempt timeout', () => {
    const { attemptTimeoutMs, tail } = inRule({ attemptTimeoutMs: { factor: 3, maxMs: 5_000 } });
    expect(attemptTimeoutMs).toBe(5_000);
    const timeout = { quantile: 0.95, factor: 3, minMs: 50, maxMs: 5_000 };
    expect(tail).toEqual({ hedge: false, timeout });
  });

  test('say what has to be learnt, where anything asks for it', () => {
    const timeout = { ...defaults.learntTimeout, maxMs: 5_000 };
    const learnt = { attemptTimeoutMs: { maxMs: 5_000 } };
    expect(inRule({}).tail).toBeUndefined();
    expect(inRule({ attemptTimeoutMs: 100 }).tail).toBeUndefined();
    expect(inRule({ hedge: true }).tail).toEqual({ hedge: defaults.hedge, timeout: undefined });
    expect(inRule({ hedge: true }, learnt).tail).toEqual({ hedge: defaults.hedge, timeout });
    expect(inRule(learnt, { hedge: true }).tail).toEqual({ hedge: defaults.hedge, timeout });
    expect(inRule({ attemptTimeoutMs: 100 }, { hedge: true, ...learnt }).tail).toEqual({
      hedge: defaults.hedge,
      timeout: undefined,
    });
    expect(inRule({ attemptTimeoutMs: 100 }, learnt)).toMatchObject({
      attemptTimeoutMs: 100,
      tail: undefined,
    });
    expect(inRule({ hedge: false }, { hedge: true }).tail).toBeUndefined();
  });

  test.each<[string, number, SettingsOptions, PolicyOptions]>([
    ['nothing that reads bodies', 0, {}, {}],
    ['a set that reads headers', 0, { hints: ['auth0', 'common'] }, {}],
    ['a set that reads bodies', 16_384, { hints: 'github' }, {}],
    ['one of several', 16_384, { hints: ['auth0', 'telegram'] }, {}],
    ['one that is inherited', 16_384, {}, { hints: 'shopify' }],
    ['another that reads none', 0, { hints: 'common' }, { hints: 'shopify' }],
    ['no hints', 0, { hints: false }, { hints: 'shopify' }],
    ['a size of its own', 100, { hints: 'github', bodyHintBytes: 100 }, {}],
    ['a size that is inherited', 100, { hints: 'github' }, { bodyHintBytes: 100 }],
    ['none, by its own word', 0, { hints: 'github', bodyHintBytes: 0 }, {}],
    ['none, by the word of the policy', 0, { hints: 'github' }, { bodyHintBytes: 0 }],
    ['none of what is inherited', 0, { bodyHintBytes: 0 }, { hints: 'github' }],
  ])('bodyHintBytes of %s: %d', (_, bytes, own, inherited) => {
    expect(inRule(own, inherited).bodyHintBytes).toBe(bytes);
  });

  test('treat undefined as absent', () => {
    const inherited = settingsOf({ maxRetries: 7, gate: true, hints: 'github', retryIf: () => true });
    const silent = { maxRetries: undefined, gate: undefined, hints: undefined, retryIf: undefined };
    expect(fillIn(silent as object, inherited)).toEqual(inherited);
  });

  test('take the functions of the rule before those of the policy', () => {
    const own = { retryIf: () => true, beforeRetry: () => {}, observe: () => {} };
    const inherited = { retryIf: () => false, beforeRetry: () => {}, observe: () => {} };
    const settings = inRule(own, inherited);
    expect([settings.retryIf, settings.beforeRetry, settings.observe]).toEqual([
      own.retryIf,
      own.beforeRetry,
      own.observe,
    ]);
    expect(settings.beforeRetry).toBe(own.beforeRetry);
    expect(settings.observe).toBe(own.observe);
    expect(inRule({}, inherited).observe).toBe(inherited.observe);
  });

  test('can be switched off where they are inherited', () => {
    const off = inRule(
      { hints: false, budget: false, gate: false, hold: false, idempotencyKey: false, attemptHeader: false },
      { gate: true, hints: 'github', idempotencyKey: true, attemptHeader: 'X-Try' },
    );
    expect(off).toMatchObject({
      hints: undefined,
      budget: false,
      gate: false,
      hold: false,
      idempotencyKey: false,
      attemptHeader: false,
    });
    expect(inRule({ attemptHeader: true }, {}).attemptHeader).toBe('retry-attempt');
    expect(inRule({ hints: [] }).hints).toBeUndefined();
  });

  test.each<[SettingsOptions, PolicyOptions, number]>([
    [{ retry: false }, {}, 0],
    [{ retry: false }, { maxRetries: 5 }, 0],
    [{}, { retry: false }, 0],
    [{ maxRetries: 2 }, { retry: false }, 2],
    [{}, { maxRetries: 5 }, 5],
  ])('retry: %j in %j is maxRetries: %i', (own, inherited, maxRetries) => {
    expect(inRule(own, inherited).maxRetries).toBe(maxRetries);
  });

  test('retry: false beside a number of retries leaves the number', () => {
    expect(fillIn({ maxRetries: 2, retry: false }, settingsOf()).maxRetries).toBe(2);
    expect(fillIn({ retry: false, maxRetries: 2 }, settingsOf()).maxRetries).toBe(2);
  });
});

describe('nested settings', () => {
  test('replace the inherited ones whole: a key that they leave out has the default', () => {
    const inherited: PolicyOptions = {
      schedule: { kind: 'exponential', firstMs: 7, factor: 3, maxMs: 70, jitter: 'none', slotMs: 7 },
      budget: { capacity: 9, perSuccess: 0.9 },
      gate: { failures: 5, probeMs: 50 },
      hold: { minMs: 100, spacingMs: 3 },
      idempotencyKey: { header: 'X-Key', quoted: true },
    };
    const settings = inRule(
      {
        schedule: { kind: 'exponential', firstMs: 8 },
        budget: { perSecond: 2 },
        gate: { failures: 6 },
        hold: { minMs: 200 },
        idempotencyKey: { quoted: true },
      },
      inherited,
    );
    expect(settings.schedule).toEqual({ ...defaults.schedule, firstMs: 8 });
    expect(settings.budget).toEqual({ ...defaults.budget, perSecond: 2 });
    expect(settings.gate).toEqual({ ...defaults.gate, failures: 6 });
    expect(settings.hold).toEqual({ ...defaults.hold, minMs: 200 });
    expect(settings.idempotencyKey).toEqual({ ...defaults.idempotencyKey, quoted: true });
  });

  test('a throttled schedule is filled in like any other', () => {
    expect(settingsOf({ throttledSchedule: { kind: 'exponential', firstMs: 9 } }).throttledSchedule).toEqual({
      ...defaults.schedule,
      firstMs: 9,
    });
  });

  test('a throttled schedule has a default of its own', () => {
    const { throttledSchedule, schedule } = settingsOf({
      schedule: { kind: 'exponential', maxMs: 5_000 },
      throttledSchedule: { kind: 'exponential', maxMs: 5_000 },
    });
    expect(schedule).toEqual({ ...defaults.schedule, maxMs: 5_000 });
    expect(throttledSchedule).toEqual({ ...defaults.throttledSchedule, maxMs: 5_000 });
    expect(throttledSchedule).toMatchObject({ firstMs: 1_000 });
  });

  test.each([
    [
      { kind: 'table', waitsMs: [1, 2] },
      { kind: 'table', waitsMs: [1, 2], jitter: 'none' },
    ],
    [
      { kind: 'table', waitsMs: [1, 2], jitter: 'full' },
      { kind: 'table', waitsMs: [1, 2], jitter: 'full' },
    ],
    [
      { kind: 'fixed', waitMs: 1_000 },
      { kind: 'fixed', waitMs: 1_000, jitter: 'none' },
    ],
    [
      { kind: 'fixed', waitMs: 1, jitter: { addMs: 2 } },
      { kind: 'fixed', waitMs: 1, jitter: { addMs: 2 } },
    ],
  ] as const)('%j is %j', (options, filled) => {
    expect(fillSchedule(options)).toEqual(filled);
  });

  test('a function is its own schedule', () => {
    const own = (): number => 1;
    expect(fillSchedule(own)).toBe(own);
  });

  test('a cost is one number for all failures, or one for each kind; a timeout without a price costs what others do', () => {
    expect(settingsOf({ budget: { cost: 3 } }).budget).toMatchObject({
      cost: { transient: 3, throttled: 3, timeout: 3 },
    });
    const cost = { transient: 1, throttled: 2, timeout: 3 };
    expect(settingsOf({ budget: { cost } }).budget).toMatchObject({ cost });
    expect(settingsOf({ budget: { cost: { transient: 1, throttled: 2 } } }).budget).toMatchObject({
      cost: { transient: 1, throttled: 2, timeout: 1 },
    });
    expect(settingsOf({ budget: { kind: 'window', cost: 3 } }).budget).toEqual({
      ...defaults.windowBudget,
      cost: { transient: 3, throttled: 3, timeout: 3 },
      operations: slidingWindow,
    });
    expect(settingsOf({ budget: { kind: 'window' } }).budget).toEqual({
      ...defaults.windowBudget,
      operations: slidingWindow,
    });
  });

  test.each([
    [{ capacity: 50 }, 2],
    [{ capacity: 500 }, 2],
    [{ capacity: 1.5 }, 1.5],
    [{ capacity: 10, floor: 8 }, 2],
    [{ capacity: 1 }, 1],
    [{ capacity: 10, floor: 5, charge: 'failure' }, 1],
  ] as const)('a bucket of %o can pay for a timeout: %d', (budget, timeout) => {
    expect(settingsOf({ budget }).budget).toMatchObject({ cost: { transient: 1, throttled: 1, timeout } });
    expect(() => definePolicy({ budget })).not.toThrow();
  });

  test('header names are lower case', () => {
    expect(settingsOf({ idempotencyKey: { header: 'X-Key' } }).idempotencyKey).toMatchObject({
      header: 'x-key',
    });
    expect(settingsOf({ attemptHeader: 'X-Attempt' }).attemptHeader).toBe('x-attempt');
  });
});

describe('statuses', () => {
  test.each<[NonNullable<SettingsOptions['statuses']>, number[], number[]]>([
    [[503], [503], [502, 504]],
    [['503'], [503], [502, 504]],
    [['4xx'], [400, 499], [399, 500]],
    [
      ['5xx', '!503'],
      [500, 502, 504, 599],
      [503, 499, 600],
    ],
    [['!503', '5xx'], [500, 599], [503]],
    [['5xx', '4xx', '!500'], [400, 501], [500]],
  ])('%j', (statuses, retried, others) => {
    const compiled = settingsOf({ statuses: statuses as never }).statuses;
    for (const status of retried) expect(compiled.retried.has(status)).toBe(true);
    for (const status of others) expect(compiled.retried.has(status)).toBe(false);
  });
});
