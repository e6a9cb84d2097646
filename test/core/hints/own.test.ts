import { describe, expect, test } from 'vitest';
import { classify } from '../../../src/core/decide/classify.js';
import { decide } from '../../../src/core/decide/decide.js';
import { readHint } from '../../../src/core/hints/all-sets.js';
import type { OwnHints } from '../../../src/core/hints/own.js';
import type { OverrideOptions, PolicyOptions } from '../../../src/core/policy/options.js';
import type { HeadersLike, Hint } from '../../../src/core/types.js';
import { definePolicy, parsePolicy } from '../../../src/index.js';
import { epoch, noon } from './hint-of.js';

const acme: OwnHints = {
  name: 'acme',
  statuses: [200, 403],
  headers: [{ name: 'X-Acme-Reset', unit: 'epoch-s' }],
  body: [
    { at: '/errors/*/extensions/code', is: ['THROTTLED', 'BUSY'], means: 'throttled' },
    { at: '/error/retry_after_ms', unit: 'ms' },
    { at: '/error/type', is: ['insufficient_quota'], means: 'never' },
    { at: '/error/type', is: ['maintenance'], means: 'transient', evidence: 'refused' },
    { at: '/error/type', is: ['bad_input', 404], means: 'final' },
    { at: '/items/~1a~0b/1', is: [true], means: 'transient' },
    { at: '/partial', means: 'transient', evenWithData: true },
  ],
};

function hintOf(
  status: number,
  headers: HeadersLike,
  body?: unknown,
  own: OwnHints = acme,
): Hint | undefined {
  return readHint({ status, headers, body }, { hints: ['common', own], date: noon });
}

const busy = { errors: [{ message: 'x' }, { extensions: { code: 'BUSY' } }] };
const code = 'acme:/errors/*/extensions/code';

test.each<[string, number, HeadersLike, unknown, Hint | undefined]>([
  ['a header', 503, { 'x-acme-reset': epoch(9) }, undefined, { delayMs: 9_000, reason: 'acme:x-acme-reset' }],
  [
    'a header at a status that was added',
    403,
    { 'x-acme-reset': epoch(9) },
    undefined,
    { delayMs: 9_000, reason: 'acme:x-acme-reset' },
  ],
  ['a header of a success', 200, { 'x-acme-reset': epoch(9) }, undefined, notRetryable()],
  ['a header at another status', 404, { 'x-acme-reset': epoch(9) }, undefined, notRetryable()],
  ['any element', 403, {}, busy, { delayMs: null, retry: true, means: 'throttled', reason: code }],
  [
    'the same as text',
    200,
    {},
    JSON.stringify(busy),
    {
      delayMs: null,
      retry: true,
      means: 'throttled',
      reason: code,
    },
  ],
  ['a verdict at another status', 404, {}, busy, undefined],
  [
    'a verdict with a wait',
    403,
    { 'x-acme-reset': epoch(2) },
    busy,
    {
      delayMs: 2_000,
      retry: true,
      means: 'throttled',
      reason: 'acme:x-acme-reset',
    },
  ],
  [
    'a wait in the body',
    503,
    {},
    { error: { retry_after_ms: 120 } },
    {
      delayMs: 120,
      reason: 'acme:/error/retry_after_ms',
    },
  ],
  [
    'as text',
    503,
    {},
    { error: { retry_after_ms: '120' } },
    {
      delayMs: 120,
      reason: 'acme:/error/retry_after_ms',
    },
  ],
  ['no number', 503, {}, { error: { retry_after_ms: 'soon' } }, { delayMs: null, reason: 'malformed' }],
  ['a negative number', 503, {}, { error: { retry_after_ms: -1 } }, { delayMs: null, reason: 'malformed' }],
  ['an object in its place', 503, {}, { error: { retry_after_ms: {} } }, undefined],
  [
    'a veto before a verdict that stands first',
    429,
    { 'x-should-retry': 'true' },
    { ...busy, error: { type: 'insufficient_quota' } },
    { delayMs: null, retry: false, reason: 'acme:/error/type' },
  ],
  [
    'a veto of another set before a verdict',
    429,
    { 'x-should-retry': 'false' },
    busy,
    {
      delayMs: null,
      retry: false,
      reason: 'server-forbids-retry',
    },
  ],
  [
    'a final one before a header',
    503,
    { 'x-should-retry': 'true' },
    { error: { type: 'bad_input' } },
    {
      delayMs: null,
      means: 'final',
      reason: 'acme:/error/type',
    },
  ],
  [
    'a number',
    503,
    {},
    { error: { type: 404 } },
    { delayMs: null, means: 'final', reason: 'acme:/error/type' },
  ],
  ['another type', 503, {}, { error: { type: '404' } }, undefined],
  [
    'a proof',
    500,
    {},
    { error: { type: 'maintenance' } },
    {
      delayMs: null,
      retry: true,
      means: 'transient',
      evidence: 'refused',
      reason: 'acme:/error/type',
    },
  ],
  [
    'escapes, and an index',
    403,
    {},
    { items: { '/a~b': [false, true] } },
    {
      delayMs: null,
      retry: true,
      means: 'transient',
      reason: 'acme:/items/~1a~0b/1',
    },
  ],
  ['beside data that is not null', 200, {}, { ...busy, data: { a: null } }, undefined],
  [
    'beside data that is null',
    200,
    {},
    { ...busy, data: null },
    {
      delayMs: null,
      retry: true,
      means: 'throttled',
      reason: code,
    },
  ],
  [
    'even with data',
    200,
    {},
    { partial: 1, data: {} },
    {
      delayMs: null,
      retry: true,
      means: 'transient',
      reason: 'acme:/partial',
    },
  ],
  ['a value that is empty', 200, {}, { partial: [] }, undefined],
  ['a value that is false', 200, {}, { partial: false }, undefined],
  ['no JSON', 200, {}, 'partial', undefined],
])('%s', (_, status, headers, body, hint) => {
  expect(hintOf(status, headers, body)).toEqual(hint);
});

function notRetryable(): Hint {
  return { delayMs: null, reason: 'not-retryable-status' };
}

test.each(['/length', '/*/length'])('%s is no member of a list', (at) => {
  const own: OwnHints = { name: 'lists', body: [{ at, is: [2], means: 'never' }] };
  const list = [1, 2];
  expect(hintOf(503, {}, at.includes('*') ? { list } : list, own)).toBeUndefined();
  const object = { length: 2 };
  expect(hintOf(503, {}, at.includes('*') ? { object } : object, own)).toMatchObject({ retry: false });
});

test('an answer of a batch that has data', () => {
  const own: OwnHints = {
    name: 'batch',
    statuses: [200],
    body: [{ at: '/*/errors/*/code', is: ['BUSY'], means: 'throttled' }],
  };
  const refused = { data: null, errors: [{ code: 'BUSY' }] };
  expect(hintOf(200, {}, [refused], own)?.retry).toBe(true);
  const answers = [...Array.from({ length: 300 }, () => refused), { data: { done: true } }];
  expect(hintOf(200, {}, answers, own)).toBeUndefined();
});

test.each<[OwnHints['headers'], string, number]>([
  [[{ name: 'x-wait', unit: 's' }], '1.5', 1_500],
  [[{ name: 'x-wait', unit: 'ms' }], '1.5', 2],
  [[{ name: 'x-wait', unit: 'epoch-s' }], epoch(3), 3_000],
  [[{ name: 'x-wait', unit: 'epoch-ms' }], `${noon + 7}`, 7],
  [[{ name: 'x-wait', unit: 'date' }], 'Tue, 10 Mar 2026 12:00:04 GMT', 4_000],
  [[{ name: 'x-wait', unit: 'date' }], '2026-03-10T12:00:05Z', 5_000],
  [[{ name: 'x-wait', unit: 'go-duration' }], '1m2s', 62_000],
  [[{ name: 'x-wait', unit: 'by-magnitude' }], epoch(6), 6_000],
  [[{ name: 'x-wait', unit: 'by-magnitude' }], '6', 6_000],
])('%j: %s', (headers = [], text, delayMs) => {
  const inHeader = { name: 'a', headers };
  expect(hintOf(503, { 'x-wait': text }, undefined, inHeader)?.delayMs).toBe(delayMs);
  const [{ unit } = { unit: 's' as const }] = headers;
  const inBody: OwnHints = { name: 'a', body: [{ at: '/*/wait', unit }] };
  expect(hintOf(503, {}, { a: { wait: text }, b: 1 }, inBody)?.delayMs).toBe(delayMs);
});

test('times count from the answer’s own date', () => {
  const headers = { 'x-acme-reset': epoch(100), date: 'Tue, 10 Mar 2026 12:01:30 GMT' };
  expect(hintOf(503, headers)?.delayMs).toBe(10_000);
});

test('a row takes the place of those of other sets for the same header', () => {
  const own: OwnHints = { name: 'own', headers: [{ name: 'Retry-After', unit: 'ms' }] };
  expect(hintOf(503, { 'retry-after': '300' }, undefined, own)).toEqual({
    delayMs: 300,
    reason: 'own:retry-after',
  });
});

test('the longest of several waits in the body', () => {
  const own: OwnHints = { name: 'own', body: [{ at: '/limits/*/in', unit: 's' }] };
  expect(hintOf(503, {}, { limits: [{ in: 1 }, { in: 3 }, { in: 'x' }, {}] }, own)?.delayMs).toBe(3_000);
});

test('without a list of values beside a wait, the wait says it', () => {
  const own: OwnHints = {
    name: 'own',
    statuses: [409],
    body: [{ at: '/in', unit: 's', means: 'throttled' }],
  };
  expect(hintOf(409, {}, { in: 2 }, own)).toEqual({
    delayMs: 2_000,
    retry: true,
    means: 'throttled',
    reason: 'own:/in',
  });
  expect(hintOf(409, {}, { in: 'x' }, own)).toEqual({ delayMs: null, reason: 'malformed' });
});

test('whatever the body is, nothing is thrown', () => {
  const trap = {
    get errors(): unknown {
      throw new Error('no');
    },
  };
  const list = {
    errors: [
      null,
      1,
      'x',
      { extensions: null },
      {
        get extensions(): unknown {
          throw new Error('no');
        },
      },
    ],
  };
  for (const body of [trap, list, null, 0, 'x', [], Symbol('x')])
    expect(hintOf(403, {}, body)).toBeUndefined();
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [index, { extensions: {} }]));
  expect(hintOf(403, {}, { errors: wide })).toBeUndefined();
});

describe('in a policy', () => {
  const policy = parsePolicy(JSON.parse(JSON.stringify({ hints: ['common', acme], hintJitter: 0 })));
  const { settings } = policy.fallback;
  const world = {
    request: { method: 'POST', keyed: false },
    replayable: true,
    startedAt: 0,
    now: 0,
    date: noon,
    random: 0,
    budget: undefined,
    verdict: undefined,
  };
  const decided = (status: number, content: unknown, method = 'GET', using: PolicyOptions = {}) =>
    decide(
      definePolicy({ hints: ['common', acme], hintJitter: 0, budget: false, ...using }).fallback.settings,
      [],
      { kind: 'response', status, headers: {}, content },
      { ...world, request: { method, keyed: false } } as never,
    );

  test('bodies are read, as of a set that reads them', () => {
    expect(settings.bodyHintBytes).toBe(16_384);
    expect(settings.hintedSuccesses).toEqual([{ status: 200, readsBody: true }]);
    expect(
      definePolicy({ hints: { name: 'a', headers: acme.headers ?? [] } }).fallback.settings.bodyHintBytes,
    ).toBe(0);
  });

  test('a verdict decides of the class and of what follows', () => {
    expect(decided(200, busy)).toMatchObject({ action: 'retry', reason: 'throttled' });
    expect(decided(403, { error: { type: 'maintenance' } })).toMatchObject({ reason: 'server-asks' });
    expect(decided(503, { error: { type: 'bad_input' } })).toMatchObject({ reason: 'final-status' });
    expect(decided(503, { error: { type: 'insufficient_quota' } })).toMatchObject({
      reason: 'server-forbids',
    });
    expect(decided(200, { data: 1 })).toMatchObject({ reason: 'success' });
    expect(decided(403, {})).toMatchObject({ reason: 'final-status' });
  });

  test('says that a retry is worth it, and not that it is safe, unless it proves that', () => {
    expect(decided(200, busy, 'POST')).toMatchObject({ reason: 'unsafe-method' });
    expect(decided(500, { error: { type: 'maintenance' } }, 'POST')).toMatchObject({ action: 'retry' });
    expect(
      decided(500, { error: { type: 'maintenance' } }, 'POST', { unsafeMethods: 'never' }),
    ).toMatchObject({
      reason: 'unsafe-method',
    });
  });

  test('what the client knows of the evidence comes first', () => {
    const finding = classify(
      settings,
      { kind: 'response', status: 500, content: { error: { type: 'maintenance' } }, evidence: 'unknown' },
      noon,
    );
    expect(finding.evidence).toBe('unknown');
  });

  test('a negated status is never retried', () => {
    expect(decided(403, busy, 'GET', { statuses: ['5xx', '!403'] })).toMatchObject({
      reason: 'final-status',
    });
  });

  test('in rules and overrides', () => {
    const ruled = definePolicy({ rules: [{ match: '/a', hints: acme }] });
    const rule = ruled.ruleFor({ method: 'GET', origin: undefined, path: '/a', keyed: false });
    expect(rule.settings.hintedSuccesses).toHaveLength(1);
    const override: OverrideOptions = { hints: [acme] };
    expect(ruled.override(ruled.fallback, override).hints?.(403, {}, busy, noon)?.means).toBe('throttled');
  });

  test('two objects of one name are read as what they hold', () => {
    const read = (unit: 's' | 'ms') =>
      readHint(
        { status: 503, headers: { 'x-w': '5' } },
        { hints: { name: 'a', headers: [{ name: 'x-w', unit }] }, date: noon },
      )?.delayMs;
    expect([read('s'), read('ms'), read('s')]).toEqual([5_000, 5, 5_000]);
  });
});

test('a unit that does not exist is an error, also without the check', () => {
  const own = { name: 'a', headers: [{ name: 'x-w', unit: 'weeks' }] } as unknown as OwnHints;
  expect(() => hintOf(503, {}, undefined, own)).toThrow('no unit of hints named "weeks"');
});
