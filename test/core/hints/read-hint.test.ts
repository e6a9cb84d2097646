import { describe, expect, test } from 'vitest';
import { allHintSets, readHint } from '../../../src/core/hints/all-sets.js';
import { compileHints } from '../../../src/core/hints/compile.js';
import { unreadable } from '../../../src/core/hints/content.js';
import { type HintSetName, hintSetNames } from '../../../src/core/hints/sets.js';
import { bodyBytesOf, successesOf } from '../../../src/core/hints/worth-reading.js';
import { again, epoch, hintOf, never, noon, type Row, unusable, wait } from './hint-of.js';

const five = { 'retry-after': '5' };
const fiveSeconds = wait(5_000, 'delay-seconds');
const notRetryable = unusable('not-retryable-status');
const forbidden = never('server-forbids-retry');
const requested = again(null, 'server-requests-retry');

describe("the platform's Headers", () => {
  test('of any spelling, with a known name among others', () => {
    const headers = new Headers({ date: 'today', 'Retry-After': '5', server: 'one' });
    expect(hintOf('common', 503, headers)).toEqual(fiveSeconds);
    headers.delete('retry-after');
    expect(hintOf('common', 503, headers)).toBeUndefined();
  });

  test('a class or an object of them that knows more than it lists', () => {
    class Knowing extends Headers {
      override get(name: string): string | null {
        return name === 'retry-after' ? '5' : super.get(name);
      }
    }
    expect(hintOf('common', 503, new Knowing({ server: 'one' }))).toEqual(fiveSeconds);
    const own = Object.assign(new Headers(), {
      get: (name: string) => (name === 'retry-after' ? '5' : null),
    });
    expect(hintOf('common', 503, own)).toEqual(fiveSeconds);
  });

  test('what has their prototype and nothing else', () => {
    expect(hintOf('common', 503, Object.create(Headers.prototype) as Headers)).toBeUndefined();
  });
});

describe('statuses', () => {
  test.each([408, 413, 421, 425, 429, 500, 502, 503, 504, 506, 508, 529, 599])('%i is read', (status) => {
    expect(hintOf('standard', status, five)).toEqual(fiveSeconds);
  });

  test.each([
    0,
    100,
    200,
    202,
    299,
    300,
    304,
    305,
    306,
    309,
    400,
    403,
    404,
    407,
    409,
    412,
    414,
    420,
    422,
    424,
    426,
    428,
    430,
    499,
    501,
    505,
    600,
    Number.NaN,
  ])('%i is not', (status) => {
    expect(hintOf('standard', status, five)).toEqual(notRetryable);
    expect(hintOf('common', status, { 'x-other': '5' })).toBeUndefined();
  });

  test.each([301, 302, 303, 307, 308])('%i is a redirect', (status) => {
    expect(hintOf('standard', status, five)).toEqual(wait(5_000, 'redirect-min-wait'));
    expect(hintOf('standard', status, { 'retry-after': '0' })).toEqual(wait(0, 'redirect-min-wait'));
    expect(hintOf('standard', status, { 'retry-after': 'soon' })).toEqual(unusable('malformed'));
    expect(hintOf('common', status, { 'retry-after-ms': '5' })).toEqual(notRetryable);
    expect(hintOf('common', status, {})).toBeUndefined();
  });

  test('any field that the set knows gives a hint that says why it is not read', () => {
    for (const header of [
      'x-should-retry',
      'retry-after-ms',
      'x-ms-retry-after-ms',
      'x-retry-after',
      'ratelimit',
      'ratelimit-reset',
    ]) {
      expect(hintOf('common', 404, { [header]: 'x' })).toEqual(notRetryable);
      expect(hintOf('standard', 404, { [header]: 'x' })).toBeUndefined();
    }
  });

  test('which successes are read is data', () => {
    expect(successesOf(['common', 'stripe'], allHintSets)).toEqual([]);
    expect(successesOf(['grpc-web', 'shopify', 'github', 'shopify'], allHintSets)).toEqual([
      { status: 200 },
      { status: 200, method: 'POST', pathEnd: '/graphql.json' },
      { status: 200, method: 'POST', pathEnd: '/graphql' },
    ]);
  });

  test('which sets look into bodies is data, too', () => {
    const reading = hintSetNames.filter((name) => bodyBytesOf([name], allHintSets) > 0);
    expect(reading).toEqual([
      'anthropic',
      'aws',
      'discord',
      'dropbox',
      'elasticsearch',
      'github',
      'google',
      'google-analytics',
      'hubspot',
      'kubernetes',
      'linear',
      'microsoft-graph',
      'openai',
      'salesforce',
      'shopify',
      'telegram',
    ]);
    expect(bodyBytesOf(['common', 'github'], allHintSets)).toBe(16_384);
    expect(bodyBytesOf([], allHintSets)).toBe(0);
  });

  test('a body that cannot be read is reported, unless there is another hint', () => {
    expect(hintOf('github', 429, {}, unreadable)).toEqual(unusable('body-unreadable'));
    expect(hintOf('common', 503, {}, unreadable)).toEqual(unusable('body-unreadable'));
    expect(hintOf('github', 429, { 'retry-after': '5' }, unreadable)).toEqual(wait(5_000, 'delay-seconds'));
    expect(hintOf([], 429, {}, unreadable)).toBeUndefined();
  });
});

const rows: readonly Row[] = [
  // Sets
  ['no set at all', [], 429, five, undefined, undefined],
  ['nor on a redirect', [], 301, five, undefined, undefined],
  ['a list of one', ['common'], 429, { 'retry-after-ms': '5' }, undefined, wait(5, 'retry-after-ms')],
  [
    'standard twice is standard',
    ['standard', 'standard'],
    429,
    { 'retry-after-ms': '5' },
    undefined,
    undefined,
  ],
  ['a vendor has common', 'github', 429, { 'retry-after-ms': '5' }, undefined, wait(5, 'retry-after-ms')],
  ['a vendor’s own is its own', 'common', 429, { 'x-ratelimit-reset': '5' }, undefined, undefined],
  [
    'later names add',
    ['standard', 'reddit'],
    429,
    { 'x-ratelimit-reset': '5' },
    undefined,
    wait(5_000, 'x-ratelimit-reset-delta-s'),
  ],
  [
    'the earlier set is asked first',
    ['prisjakt', 'twitter'],
    429,
    { 'x-rate-limit-reset': epoch(5) },
    undefined,
    wait(1_773_144_005, 'x-ratelimit-reset-delta-ms'),
  ],
  [
    'and then the later one',
    ['twitter', 'prisjakt'],
    429,
    { 'x-rate-limit-reset': '70' },
    undefined,
    wait(70, 'x-ratelimit-reset-delta-ms'),
  ],

  // Precedence, from the last to the first
  ...precedence(),

  // A source without a usable wait
  [
    '0 goes on to the next',
    'common',
    429,
    { 'retry-after': '0', 'x-retry-after': '7' },
    undefined,
    wait(7_000, 'x-retry-after'),
  ],
  [
    'the past too',
    'common',
    503,
    { 'retry-after': 'Tue, 10 Mar 2026 11:00:00 GMT', ratelimit: 'a;r=0;t=7' },
    undefined,
    wait(7_000, 'ratelimit-t'),
  ],
  [
    'of zeros the first is told',
    'common',
    429,
    { 'retry-after-ms': '0', 'retry-after': '0' },
    undefined,
    wait(0, 'retry-after-ms'),
  ],
  [
    'a zero is more than nothing',
    'common',
    429,
    { 'retry-after-ms': 'x', 'retry-after': '0' },
    undefined,
    wait(0, 'delay-seconds-zero'),
  ],
  [
    'also when it comes first',
    'common',
    429,
    { 'retry-after-ms': '0', 'retry-after': 'x' },
    undefined,
    wait(0, 'retry-after-ms'),
  ],
  [
    'of the unusable the first is told',
    'common',
    429,
    { 'retry-after-ms': '', 'retry-after': 'x' },
    undefined,
    unusable('empty'),
  ],
  [
    'malformed goes on',
    'common',
    429,
    { 'retry-after': 'x', 'ratelimit-reset': '7' },
    undefined,
    wait(7_000, 'ratelimit-reset-delta'),
  ],

  // Milliseconds
  ...['-1', '1e3', '+5', '0x10', '.5', '5.', '1,000', 'Tue, 10 Mar 2026 12:00:30 GMT'].map(
    (value): Row => [
      `retry-after-ms: ${value}`,
      'common',
      429,
      { 'retry-after-ms': value },
      undefined,
      unusable('malformed'),
    ],
  ),
  [
    'retry-after-ms: huge',
    'common',
    429,
    { 'retry-after-ms': '9'.repeat(400) },
    undefined,
    wait(2_147_483_648_000, 'retry-after-ms'),
  ],
  [
    'retry-after-ms: the longest of two',
    'common',
    429,
    { 'retry-after-ms': ['5', '7', '6'] },
    undefined,
    wait(7, 'retry-after-ms'),
  ],
  [
    'retry-after-ms: a fraction',
    'common',
    429,
    { 'retry-after-ms': '0.001' },
    undefined,
    wait(1, 'retry-after-ms'),
  ],
  [
    'x-retry-after takes no date',
    'common',
    429,
    { 'x-retry-after': 'Tue, 10 Mar 2026 12:00:30 GMT' },
    undefined,
    unusable('malformed'),
  ],

  // x-should-retry
  ['true on a 400', 'common', 400, { 'x-should-retry': 'true' }, undefined, requested],
  [
    'true on a 501, with a wait',
    'common',
    501,
    { 'x-should-retry': 'true', ...five },
    undefined,
    again(5_000, 'delay-seconds'),
  ],
  [
    'true with an unusable wait',
    'common',
    429,
    { 'x-should-retry': 'true', 'retry-after': 'x' },
    undefined,
    requested,
  ],
  [
    'true with a wait of 0',
    'common',
    429,
    { 'x-should-retry': 'true', 'retry-after': '0' },
    undefined,
    again(0, 'delay-seconds-zero'),
  ],
  ['true on a 200', 'common', 200, { 'x-should-retry': 'true' }, undefined, notRetryable],
  ['true on a 399', 'common', 399, { 'x-should-retry': 'true' }, undefined, notRetryable],
  ['false on a 400', 'common', 400, { 'x-should-retry': 'false' }, undefined, forbidden],
  ['false on a 399', 'common', 399, { 'x-should-retry': 'false' }, undefined, notRetryable],
  ['false on a 200 that is read', 'shopify', 200, { 'x-should-retry': 'false' }, undefined, notRetryable],
  ['in white space', 'common', 429, { 'x-should-retry': ' \tfalse ' }, undefined, forbidden],
  ['FALSE', 'common', 429, { 'x-should-retry': 'FALSE' }, undefined, unusable('no-hint')],
  ['blank', 'common', 429, { 'x-should-retry': '' }, undefined, unusable('no-hint')],
  ['garbage beside a wait', 'common', 429, { 'x-should-retry': 'maybe', ...five }, undefined, fiveSeconds],
  [
    'garbage beside garbage',
    'common',
    429,
    { 'x-should-retry': 'maybe', 'retry-after': 'x' },
    undefined,
    unusable('malformed'),
  ],
  ['true and false', 'common', 429, { 'x-should-retry': ['true', 'false'] }, undefined, forbidden],
  ['true, false', 'common', 429, { 'x-should-retry': 'true, false' }, undefined, forbidden],
  ['true twice', 'common', 429, { 'x-should-retry': ['true', 'true'] }, undefined, requested],
  ['true and maybe', 'common', 429, { 'x-should-retry': ['true', 'maybe'] }, undefined, unusable('no-hint')],
  ['not in standard', 'standard', 429, { 'x-should-retry': 'false' }, undefined, undefined],
  [
    'one vetoes, one asks',
    'stripe',
    409,
    { 'x-should-retry': 'true', 'stripe-should-retry': 'false' },
    undefined,
    forbidden,
  ],
  [
    'one is garbage, one asks',
    'stripe',
    409,
    { 'x-should-retry': 'x', 'stripe-should-retry': 'true' },
    undefined,
    requested,
  ],
  [
    'one is garbage, the other absent',
    'stripe',
    429,
    { 'x-should-retry': 'x' },
    undefined,
    unusable('no-hint'),
  ],

  // 408
  ['408 and close', 'standard', 408, { connection: 'close' }, undefined, again(null, 'request-timeout')],
  [
    '408 and Close among others',
    'standard',
    408,
    { connection: 'foo, Close' },
    undefined,
    again(null, 'request-timeout'),
  ],
  [
    '408 and close on a second line',
    'standard',
    408,
    { connection: ['foo', 'close'] },
    undefined,
    again(null, 'request-timeout'),
  ],
  ['408 and keep-alive', 'standard', 408, { connection: 'keep-alive' }, undefined, undefined],
  ['408 alone', 'standard', 408, {}, undefined, undefined],
  [
    '408, close and a wait',
    'standard',
    408,
    { connection: 'close', ...five },
    undefined,
    again(5_000, 'delay-seconds'),
  ],
  ['503 and close', 'standard', 503, { connection: 'close' }, undefined, undefined],

  // Problem documents
  [
    '409 by type',
    'standard',
    409,
    {},
    { type: 'https://example.com/Idempotency' },
    again(null, 'idempotency-key-in-flight'),
  ],
  [
    '409 by title, and a wait',
    'standard',
    409,
    five,
    { title: 'the idempotency-key is in use' },
    again(5_000, 'delay-seconds'),
  ],
  ['409 about something else', 'standard', 409, {}, { title: 'Conflict', type: 'about:blank' }, undefined],
  ['409 with an empty body', 'standard', 409, {}, {}, undefined],
  [
    '422 by type',
    'standard',
    422,
    {},
    { type: 'https://example.com/idempotency' },
    never('idempotency-key-reuse'),
  ],
  [
    '400 by type',
    'standard',
    400,
    {},
    { type: 'https://example.com/idempotency' },
    never('idempotency-key-missing'),
  ],
  ['403 by type', 'standard', 403, {}, { type: 'https://example.com/idempotency' }, undefined],
  ['titles that are not text', 'standard', 409, {}, { title: 7, type: ['idempotency'] }, undefined],
  [
    'abnormal usage',
    'common',
    429,
    five,
    { type: 'https://www.iana.org/assignments/http-problem-types#abnormal-usage-detected' },
    forbidden,
  ],
  ['abnormal usage on a 404', 'common', 404, {}, { type: 'x#abnormal-usage-detected' }, undefined],
  ['not in standard', 'standard', 429, five, { type: 'x#abnormal-usage-detected' }, fiveSeconds],
  ['another problem', 'common', 429, five, { type: 'x#abnormal-usage-detected-not' }, fiveSeconds],

  // Bodies
  ...[
    '',
    '   ',
    'null',
    '5',
    '"{"',
    '<html>',
    '{',
    '{"retry_after": 7',
    '[}',
    '{"retry_after": 7} x',
    '\u00a0{"retry_after":7}',
    '{"a":'.repeat(10_000),
  ].map(
    (body): Row => [`the body ${JSON.stringify(body.slice(0, 30))}`, 'discord', 429, {}, body, undefined],
  ),
  ...[null, 7, true, [], {}, 'x', Symbol.iterator, () => 7].map(
    (body): Row => [`the body ${String(body)}`, 'discord', 429, {}, body, undefined],
  ),
  ['text of JSON', 'discord', 429, {}, ' \t\r\n{"retry_after": 7}\n', wait(7_000, 'body-retry-after')],
  [
    'text of a list',
    'salesforce',
    403,
    {},
    '[{"errorCode":"REQUEST_LIMIT_EXCEEDED"}]',
    again(null, 'salesforce-request-limit'),
  ],
  [
    '10,000 levels',
    'discord',
    429,
    {},
    `{"retry_after":7,"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    wait(7_000, 'body-retry-after'),
  ],
  ['an inherited value', 'discord', 429, {}, Object.create({ retry_after: 7 }), undefined],
  [
    'a getter that throws',
    'discord',
    429,
    {},
    {
      get retry_after() {
        throw new Error('no');
      },
    },
    undefined,
  ],
  ['a proxy that throws', 'google', 429, {}, hostile(), undefined],
];

function precedence(): readonly Row[] {
  const headers: readonly (readonly [string, string, string])[] = [
    ['x-ratelimit-reset', '19', 'x-ratelimit-reset-delta-s'],
    ['ratelimit-reset', '18', 'ratelimit-reset-delta'],
    ['ratelimit', 'a;r=0;t=17', 'ratelimit-t'],
    ['x-ratelimit-retry-after', '15', 'x-ratelimit-retry-after'],
    ['x-retry-after', '14', 'x-retry-after'],
    ['retry-after', '13', 'delay-seconds'],
    ['x-amz-retry-after', '12000', 'x-amz-retry-after'],
    ['x-ms-retry-after-ms', '11000', 'x-ms-retry-after-ms'],
    ['retry-after-ms', '10000', 'retry-after-ms'],
  ];
  const seconds = [19, 18, 17, 15, 14, 13, 12, 11, 10];
  const sets: readonly HintSetName[] = ['reddit', 'aws', 'mailerlite', 'dropbox'];
  const rows = headers.map(([header, , reason], index): Row => {
    const present = Object.fromEntries(headers.slice(0, index + 1));
    return [
      `${header} before what follows it`,
      sets,
      429,
      present,
      undefined,
      wait((seconds[index] ?? 0) * 1000, reason),
    ];
  });
  const body = { error: { retry_after: 16 } };
  const withBody = (count: number): Record<string, string> => Object.fromEntries(headers.slice(0, count));
  return [
    ...rows,
    ['a body before RateLimit', sets, 429, withBody(3), body, wait(16_000, 'body-retry-after')],
    [
      'a header that says how long before a body',
      sets,
      429,
      withBody(4),
      body,
      wait(15_000, 'x-ratelimit-retry-after'),
    ],
  ];
}

function hostile(): unknown {
  const trap = (): never => {
    throw new Error('no');
  };
  return new Proxy({}, { get: trap, has: trap, ownKeys: trap, getOwnPropertyDescriptor: trap });
}

test.each(rows)('%s', (_, hints, status, headers, body, hint) => {
  expect(hintOf(hints, status, headers, body)).toEqual(hint);
});

test('headers may be left out, and the method does not matter', () => {
  expect(readHint({ status: 429 }, { hints: 'common', date: noon })).toBeUndefined();
  expect(readHint({ status: 429, headers: five, method: 'POST' }, { hints: 'common', date: noon })).toEqual(
    fiveSeconds,
  );
});

test('a compiled reader reads the same', () => {
  const read = compileHints(['common', 'discord'], allHintSets);
  expect(read(429, five, undefined, noon)).toEqual(fiveSeconds);
  expect(read(429, undefined, '{"retry_after":7}', noon)).toEqual(wait(7_000, 'body-retry-after'));
  expect(read(429, {}, undefined, noon)).toBeUndefined();
});

test('lists of the same sets share a reader, and only so many are kept for those that come', () => {
  const lists = hintSetNames.flatMap((one) => hintSetNames.map((other) => [one, other] as const));
  const [first = ['common'], ...others] = lists;
  const reader = compileHints(first, allHintSets);
  expect(compileHints([...first, ...first], allHintSets)).toBe(reader);
  const kept = others.map((list) => [list, compileHints(list, allHintSets)] as const);
  expect(compileHints(first, allHintSets)).not.toBe(reader);
  expect(kept.filter(([list, one]) => compileHints(list, allHintSets) === one).length).toBeLessThan(100);
  // A policy keeps the one that it was made with.
  expect(reader(429, five, undefined, noon)).toEqual(fiveSeconds);
});

test('hints that many answers share are one frozen value', () => {
  for (const hint of [
    hintOf('common', 404, five),
    hintOf('common', 429, { 'retry-after': 'x' }),
    hintOf('common', 429, { 'x-should-retry': 'false' }),
  ]) {
    expect(Object.isFrozen(hint)).toBe(true);
  }
});

test('an unknown set throws', () => {
  const name = 'toString' as HintSetName;
  expect(() => compileHints([name], allHintSets)).toThrow(
    new RangeError('There is no hint set named "toString"'),
  );
  expect(() => hintOf(name, 429, five)).toThrow(RangeError);
});
