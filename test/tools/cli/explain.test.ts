import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { Decision } from '../../../src/core/types.js';
import { definePolicy } from '../../../src/parts/all.js';
import type { Flip } from '../../../src/tools/cli/explain/flips.js';
import { flipsOf } from '../../../src/tools/cli/explain/flips.js';
import type { Question } from '../../../src/tools/cli/explain/question.js';
import { answer } from '../../../src/tools/cli/explain/question.js';
import { tailPlanFor } from '../../../src/tools/cli/explain/tail.js';
import { readError, readRequest, readResponse, suspicionOf } from '../../../src/tools/cli/explain/written.js';
import { undaunted } from './kit.js';

const policy: PolicyOptions = {
  maxRetries: 3,
  deadlineMs: 30_000,
  rules: [
    { match: 'GET api.example.com/search/*', maxRetries: 1, attemptTimeoutMs: 800 },
    { match: 'POST /payments/:id', idempotencyKey: true },
    { match: '*.github.com', hints: 'github', hold: true },
    { match: '/health', retry: false },
  ],
};

const stdin = JSON.stringify(policy);

interface Variation {
  readonly policy?: PolicyOptions;
  readonly request?: string;
  readonly outcome?: Question['outcome'];
  readonly attempt?: number;
  readonly keyed?: boolean;
  readonly elapsedMs?: number;
  readonly replayable?: boolean;
}

function question(varied: Variation): Question {
  return {
    policy: definePolicy(varied.policy),
    request: readRequest(varied.request ?? 'GET https://api.example.com/users/7', varied.keyed ?? false),
    outcome: varied.outcome ?? readResponse(503, []),
    attempt: varied.attempt ?? 1,
    elapsedMs: varied.elapsedMs,
    replayable: varied.replayable ?? true,
    date: 0,
  };
}

function flips(varied: Variation): readonly Flip[] {
  return flipsOf(question(varied), answer(question(varied)));
}

function texts(found: readonly Flip[]): readonly string[] {
  return found.map(({ changes }) => changes.map(({ text }) => text).join(' & '));
}

const post = 'POST https://api.example.com/orders';
const retryAfter = (seconds: number) => readResponse(503, [`Retry-After: ${seconds}`]);

// ---------------------------------------------------------------- what would have to change

describe('what would turn a stop into a retry', () => {
  test.each<[string, Variation, readonly string[]]>([
    [
      'a POST that may have been taken',
      { request: post },
      [
        'with an idempotency key',
        'as PUT',
        'with status 429',
        'with "idempotencyKey": true for all requests',
        'with "idempotent": true for all requests',
      ],
    ],
    [
      'a POST whose connection was cut',
      { request: post, outcome: readError('ECONNRESET') },
      [
        'with an idempotency key',
        'as PUT',
        'with the error ECONNREFUSED',
        'with "idempotencyKey": true for all requests',
        'with "idempotent": true for all requests',
      ],
    ],
    [
      'a POST that never left, where nothing may be sent again',
      { request: post, outcome: readError('ECONNREFUSED'), policy: { unsafeMethods: 'never' } },
      [
        'with an idempotency key',
        'as PUT',
        'with "idempotencyKey": true for all requests',
        'with "unsafeMethods": "unsent" for all requests',
      ],
    ],
    [
      'a body that has been sent',
      { request: 'PUT /files/7', replayable: false },
      ['with another body: one that can be sent again'],
    ],
    [
      'a status that is not retried',
      { outcome: readResponse(404, []) },
      ['with status 503', 'with 404 among the "statuses" for all requests'],
    ],
    [
      'a status that was excluded',
      { outcome: readResponse(501, []) },
      ['with status 503', 'with 501 among the "statuses" for all requests'],
    ],
    ['retries that are spent', { attempt: 4 }, ['after attempt 3', 'with "maxRetries": 4 for all requests']],
    [
      'retries that are off in a rule',
      { policy, request: 'GET /health' },
      ['without "retry": false in rules[3]'],
    ],
    [
      'retries that are off for all',
      { policy: { retry: false, rules: [{ match: '/users/*', maxHintMs: 1 }] } },
      ['without "retry": false for all requests', 'with "maxRetries": 1 in rules[0]'],
    ],
    [
      'a hint that is too long',
      { outcome: retryAfter(90) },
      [
        'without the header retry-after',
        'with "retry-after: 60" and no other header',
        'with "maxHintMs": 91000 for all requests',
        'with "hints": false for all requests',
      ],
    ],
    [
      'a hint past the deadline',
      { outcome: retryAfter(9), policy: { deadlineMs: 10_000 }, elapsedMs: 1_500 },
      [
        'without the header retry-after',
        'with "retry-after: 1" and no other header',
        '999 ms after the request began',
        'with "deadlineMs": 11000 for all requests',
        'with "hints": false for all requests',
      ],
    ],
    [
      'a server that forbids it',
      { outcome: readResponse(503, ['x-should-retry: false']) },
      [
        'without the header x-should-retry',
        'with "retry-after: 60" and no other header',
        'with "hints": false for all requests',
      ],
    ],
  ])('%s', (_, varied, expected) => {
    expect(answer(question(varied)).decision.action).toBe('stop');
    expect(texts(flips(varied))).toEqual(expected);
  });
});

describe('what would turn a retry into a stop', () => {
  test.each<[string, Variation, readonly string[]]>([
    [
      'a 503',
      {},
      [
        'as POST',
        'with status 404',
        'with "retry-after: 61"',
        'after attempt 4',
        'with "!503" among the "statuses" for all requests',
        'with "retry": false for all requests',
      ],
    ],
    [
      'a keyed POST with a deadline',
      { policy, request: 'POST /payments/7', outcome: retryAfter(3), attempt: 2 },
      [
        'with another body: a stream that was already sent',
        'with status 404',
        'with "retry-after: 61" and no other header',
        'after attempt 4',
        '27 s after the request began',
        'with "idempotencyKey": false in rules[1]',
        'with "!503" among the "statuses" in rules[1]',
        'with "maxHintMs": 2900 in rules[1]',
        'with "deadlineMs": 3000 in rules[1]',
        'with "maxRetries": 1 in rules[1]',
      ],
    ],
    [
      'a POST that the server did not take',
      { request: post, outcome: readResponse(429, []) },
      [
        'with another body: a stream that was already sent',
        'with status 404',
        'with "retry-after: 61"',
        'after attempt 4',
        'with "unsafeMethods": "unsent" for all requests',
        'with "!429" among the "statuses" for all requests',
        'with "retry": false for all requests',
      ],
    ],
  ])('%s', (_, varied, expected) => {
    expect(answer(question(varied)).decision.action).toBe('retry');
    expect(texts(flips(varied))).toEqual(expected);
  });
});

describe('what is said of the policy and of the attempt can be done, and helps', () => {
  test.each<[string, Variation]>([
    ['a POST that may have been taken', { request: post }],
    [
      'a POST that never left',
      { request: post, outcome: readError('ECONNREFUSED'), policy: { unsafeMethods: 'never' } },
    ],
    ['retries that are spent', { attempt: 4 }],
    ['a hint that is too long', { outcome: retryAfter(90) }],
    [
      'a hint past the deadline',
      { outcome: retryAfter(9), policy: { deadlineMs: 10_000 }, elapsedMs: 1_500 },
    ],
    ['a 503', { attempt: 2 }],
    ['a POST that was not taken', { request: post, outcome: readResponse(429, ['retry-after: 3']) }],
  ])('%s', (_, varied) => {
    const { action } = answer(question(varied)).decision;
    const done = texts(flips(varied)).flatMap((text) => {
      const [, setting] = /^with ("\w+": .+) for all requests$/.exec(text) ?? [];
      const [, attempt] = /^after attempt (\d+)$/.exec(text) ?? [];
      if (attempt !== undefined) return { ...varied, attempt: Number(attempt) };
      if (setting === undefined) return [];
      const own = JSON.parse(`{${setting}}`) as PolicyOptions;
      return { ...varied, policy: { ...varied.policy, ...own } };
    });
    expect(done.length).toBeGreaterThan(1);
    for (const other of done) expect(answer(question(other)).decision.action).not.toBe(action);
  });
});

test('where no single change is enough, two are', () => {
  const found = flips({ request: post, attempt: 4 });
  expect(texts(found)).toEqual([
    'with an idempotency key & after attempt 3',
    'with an idempotency key & with "maxRetries": 4 for all requests',
    'as PUT & after attempt 3',
  ]);
  expect(found[0]?.sentence).toBe('Retry 3 in 200 ms (schedule): the server answered 503 (transient).');
});

test('where two are not enough, that is said', async () => {
  const more = ['--status', '503', '--header', 'retry-after: 90', '--attempt', '9', '--body-spent'];
  const { stdout } = await undaunted(['explain', 'default', post, ...more]);
  expect(stdout).toContain('\nNothing that was tried would change that.\n');
});

// ---------------------------------------------------------------- what was typed

describe('a request', () => {
  test.each([
    ['GET https://a.example/b?c=1', 'GET', 'https://a.example', '/b?c=1'],
    ['https://a.example', 'GET', 'https://a.example', '/'],
    ['post http://u:p@a.example:8080/b', 'POST', 'http://a.example:8080', '/b'],
    ['/b', 'GET', undefined, '/b'],
    ['PATCH  /b', 'PATCH', undefined, '/b'],
  ])('%s', (text, method, origin, path) => {
    expect(readRequest(text, true)).toEqual({ method, origin, path, keyed: true });
  });

  test.each(['', 'GET', 'GET a b c', 'a.example/b', 'ftp://a.example/', 'GET https://'])(
    '%j is none',
    (text) => {
      expect(() => readRequest(text, false)).toThrow(/Write it like "POST https:/);
    },
  );
});

describe('an error', () => {
  test.each<[string, Partial<Decision['finding']>]>([
    ['ECONNREFUSED', { code: 'ECONNREFUSED', class: 'transient', evidence: 'unsent' }],
    ['ETIMEDOUT', { code: 'ETIMEDOUT', class: 'transient', evidence: 'unknown' }],
    ['connect ETIMEDOUT', { code: 'ETIMEDOUT', class: 'transient', evidence: 'unsent' }],
    ['connect ECONNREFUSED 127.0.0.1:80', { code: 'ECONNREFUSED', class: 'transient' }],
    ['CERT_HAS_EXPIRED', { code: 'CERT_HAS_EXPIRED', class: 'final' }],
    ['timeout', { code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT', class: 'transient' }],
    ['AbortError', { name: 'AbortError', aborted: true }],
    ['Failed to fetch', { name: 'Error', class: 'transient' }],
  ])('%s', (text, finding) => {
    expect(answer(question({ outcome: readError(text) })).decision.finding).toMatchObject(finding);
  });

  test.each<[string, string | undefined]>([
    ['ECONREFUSED', 'ECONREFUSED is not a known error code. Did you mean ECONNREFUSED?'],
    ['connect ETIMEOUT', 'ETIMEOUT is not a known error code. Did you mean ETIMEDOUT?'],
    ['ECONNREFUSED', undefined],
    ['CERT_HAS_EXPIRED', undefined],
    ['timeout', undefined],
  ])('%s is suspected: %s', (text, doubt) => {
    expect(suspicionOf(text)).toBe(doubt);
  });
});

// ---------------------------------------------------------------- what is printed

const argv = ['explain', '-', 'POST https://api.example.com/payments/7?secret=1', '--status', '503'];

test('one outcome, from the rule to what is taken for granted', async () => {
  const { exitCode, stdout, stderr } = await undaunted(
    [...argv, '--header', 'retry-after: 3', '--attempt', '2'],
    {
      stdin,
    },
  );
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toEqual([
    'POST https://api.example.com/payments/7',
    '',
    'rules[1] "POST /payments/:id" applies.',
    '  rules[0]  GET api.example.com/search/*  method must be GET, but is POST',
    '',
    'Retry 2 in 3.15 s, as the server asked (delay-seconds): the server answered 503 (transient).',
    'With jitter, the wait is between 3 s and 3.3 s.',
    '',
    'It would not be retried:',
    ...Array.from({ length: 10 }, () => expect.stringMatching(/^ {2}- (with|after|27 s)/)),
    '',
    'Assumptions: a wait in the middle of its range, a full budget, a body that can be sent again, ' +
      'earlier attempts that failed in the same way, 50 ms since the request began.',
    '',
  ]);
});

test('a time that cannot be read is refused', async () => {
  const { stdout } = await undaunted([
    'explain',
    'service',
    'GET /',
    '--status',
    '503',
    '--attempt',
    '10000',
  ]);
  expect(stdout).toMatch(/, 27\.8 h since the request began\.\n$/);
});

test('without an outcome, the usual ones, and every rule that does not match', async () => {
  const { exitCode, stdout } = await undaunted(['explain', '-', 'GET', '/a'], { stdin });
  expect(exitCode).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.slice(0, 7)).toEqual([
    'GET /a',
    '',
    'No rule matches: the settings for all requests apply.',
    '  rules[0]  GET api.example.com/search/*  host must be api.example.com, but is not known',
    '  rules[1]  POST /payments/:id            method must be POST, but is GET',
    '  rules[2]  *.github.com                  host must be a subdomain of github.com, but is not known',
    '  rules[3]  /health                       path segment 1 must be "health", but is "a"',
  ]);
  expect(lines.slice(8).map((line) => line.split(/\s+/).slice(0, 2))).toEqual([
    ['200', 'done'],
    ['404', 'stop'],
    ['429', 'retry'],
    ['503', 'retry'],
    ['ECONNREFUSED', 'retry'],
    ['ECONNRESET', 'retry'],
  ]);
});

test('a time limit for one attempt belongs to the usual outcomes where there is one', async () => {
  const { stdout } = await undaunted(['explain', 'service', 'GET /a']);
  expect(stdout).toMatch(/^timeout +retry +Retry 1 in 50 ms .*\(attemptTimeoutMs\)\.$/m);
});

describe('of slow answers, it says', () => {
  const slow: PolicyOptions = {
    maxRetries: 3,
    rules: [
      { match: '/search/*', hedge: { quantile: 0.5, factor: 4 } },
      { match: '/fixed', hedge: { afterMs: 80, methods: ['GET', 'POST'] } },
      { match: '/high', hedge: { quantile: 0.999, factor: 1.5 } },
      { match: '/quotes/*', attemptTimeoutMs: { quantile: 0.95, factor: 2, minMs: 50, maxMs: 5_000 } },
      { match: '/odd', attemptTimeoutMs: { quantile: 0.92, maxMs: 5_000 } },
    ],
  };
  const hedged = (after: string) =>
    `It would be hedged: if there is no answer after ${after}, a second attempt is sent beside the first.`;
  const learnt = (times: string) =>
    `The timeout of this attempt is ${times} of recent answers, from 50 ms to 5 s. Until enough answers are known, it is 5 s.`;

  const said = async (...asked: readonly string[]): Promise<string[]> => {
    const { stdout } = await undaunted(['explain', '-', ...asked], { stdin: JSON.stringify(slow) });
    return stdout.split('\n').filter((line) => /^(It would (not )?be hedged|The timeout of)/.test(line));
  };

  test.each<[string, readonly string[], readonly string[]]>([
    ['nothing where nothing asks for it', ['GET /else'], []],
    ['when a request is hedged', ['GET /search/cats'], [hedged('4 times the median of recent answers')]],
    ['after a fixed time', ['POST /fixed'], [hedged('80 ms')]],
    ['after a high quantile', ['GET /high'], [hedged('1.5 times the 99.9th percentile of recent answers')]],
    [
      'that a method is not hedged',
      ['POST /search/cats', '--keyed'],
      ['It would not be hedged: POST is not among hedge.methods.'],
    ],
    [
      'that the body cannot be sent by two attempts',
      ['POST /fixed', '--body-spent'],
      ['It would not be hedged: its body can be sent only once.'],
    ],
    ['what the timeout follows', ['GET /quotes/7'], [learnt('2 times the 95th percentile')]],
    ['and that in good English', ['GET /odd'], [learnt('2 times the 92nd percentile')]],
    [
      'that it is the longest one where a retry is not safe',
      ['POST /quotes/7'],
      ['The timeout of this attempt is 5 s (maxMs): the request is not safe to repeat.'],
    ],
    [
      'and for the last attempt',
      ['GET /quotes/7', '--attempt', '4', '--status', '503'],
      ['The timeout of this attempt is 5 s (maxMs): it is the last attempt.'],
    ],
  ])('%s', async (_, asked, sentences) => {
    expect(await said(...asked)).toEqual(sentences);
  });

  test.each<[PolicyOptions['rules'], string]>([
    [[{ match: '/a', retry: false }], 'It would not be hedged: retries are off.'],
    [[{ match: '/a', beforeRetry: () => undefined }], 'beforeRetry'],
  ])('that a rule that inherits hedges is not hedged: %o', (rules = [], says) => {
    const own = definePolicy({ hedge: true, rules });
    const asked = { ...question({}), policy: own };
    const settings = own.rules[0]?.settings ?? own.fallback.settings;
    expect(tailPlanFor(asked, { settings }).hedge?.sentence).toContain(says);
  });

  test('the same as JSON', async () => {
    const { stdout } = await undaunted(['explain', '-', 'GET /search/cats', '--json'], {
      stdin: JSON.stringify(slow),
    });
    expect(JSON.parse(stdout)).toMatchObject({
      hedge: { isHedged: true, sentence: hedged('4 times the median of recent answers') },
    });
    expect(JSON.parse(stdout)).not.toHaveProperty('attemptTimeout');
  });
});

test('many rules are cut short', async () => {
  const rules = Array.from({ length: 10 }, (_, index) => ({ match: `/${index}`, maxRetries: 1 }));
  const { stdout } = await undaunted(['explain', '-', 'GET /a'], { stdin: JSON.stringify({ rules }) });
  expect(stdout).toContain('  rules[7]  /7  ');
  expect(stdout).toContain('\n  and 2 more that do not match\n');
});

describe('what became of the headers and of the jitter', () => {
  test.each<[readonly string[], string]>([
    [['--status', '503', '--header', 'retry-after: soon'], 'Its hint does not say how long to wait ('],
    [
      ['--status', '503', '--header', 'x-ratelimit-reset: 7'],
      'None of its headers is read as a hint by this policy. These sets of "hints" read a wait from them: heuristic, ',
    ],
    [
      ['--status', '503', '--header', 'x-nothing: 7'],
      'None of its headers is read as a hint by this policy.\n',
    ],
    [
      ['--status', '503', '--elapsed', '29950ms'],
      'That depends on the jitter: the wait is between 0 ms and 100 ms, and',
    ],
    [['--status', '503'], 'With jitter, the wait is between 0 ms and 100 ms.'],
  ])('%j', async (more, line) => {
    const { stdout } = await undaunted(['explain', '-', 'GET /a', ...more], { stdin });
    expect(stdout).toContain(`\n${line}`);
  });
});

test.each<[string, string, string]>([
  ['GET https://api.github.com/user', '{}', 'With "hints": "github", one of them is.'],
  ['GET /user', '{ "hints": false }', 'These sets of "hints" read a wait from them: common.'],
])('%s with %s: which hints would read a header', async (request, stdin, advice) => {
  const header = stdin === '{}' ? 'x-ratelimit-reset: 4102444800' : 'retry-after: 7';
  const given = ['explain', '-', request, '--status', '429', '--header', header];
  const { stdout } = await undaunted(given, { stdin });
  expect(stdout.replaceAll('\n', ' ')).toContain(`as a hint by this policy. ${advice}`);
});

test('JSON has all of it', async () => {
  const { exitCode, stdout } = await undaunted([...argv, '--json'], { stdin });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    request: { method: 'POST', url: 'https://api.example.com/payments/7' },
    rule: { index: 1, name: 'POST /payments/:id' },
    passedOver: [{ index: 0, mismatch: { part: 'method', wanted: 'GET', found: 'POST' } }],
    keyed: true,
    decision: { action: 'retry', delayMs: 50 },
    sentence: expect.stringMatching(/^Retry 1 in 50 ms/),
    luck: { shortest: { delayMs: 0 } },
    flips: expect.arrayContaining([
      {
        changes: [{ where: 'time', text: 'after attempt 4' }],
        sentence: expect.stringContaining('maxRetries is 3'),
      },
    ]),
  });
});

test('JSON of the usual outcomes', async () => {
  const { stdout } = await undaunted(['explain', 'default', 'GET /a', '--json']);
  const { outcomes } = JSON.parse(stdout) as { outcomes: { name: string; decision: Decision }[] };
  expect(outcomes.map(({ name, decision }) => [name, decision.reason])).toEqual([
    ['200', 'success'],
    ['404', 'final-status'],
    ['429', 'throttled'],
    ['503', 'transient-status'],
    ['ECONNREFUSED', 'transport-error'],
    ['ECONNRESET', 'transport-error'],
  ]);
});

describe('a question that makes no sense gets one line', () => {
  test.each<[readonly string[], string]>([
    [
      ['--status', '503', '--error', 'ECONNRESET'],
      'use either --status or --error: an attempt ends in only one way.',
    ],
    [['--header', 'a: b'], '--header needs --status: a header belongs to a response.'],
    [
      ['--status', '503', '--header', 'retry-after'],
      '--header must be like "retry-after: 3", with a colon after the name.',
    ],
    [['--status', '99'], '--status is "99", but must be a whole number from 100 to 599.'],
  ])('%j', async (more, message) => {
    const { exitCode, stdout, stderr } = await undaunted(['explain', 'default', 'GET /a', ...more]);
    expect([exitCode, stdout, stderr]).toEqual([2, '', `undaunted: ${message}\n`]);
  });

  test.each([
    [['default', 'GET ftp://me:hunter2@api.test/x?key=hunter2']],
    [['default', 'GET https://me:hunter2@[/x?key=hunter2']],
    [['default', 'GET me:hunter2@api.test/x?key=hunter2']],
    [['default', 'GET  https://me:hunter2@api.test/x?key=hunter2 twice']],
    [['default', 'GET', 'https://me:hunter2@api.test/', 'https://me:hunter2@api.test/?key=hunter2']],
    [['GET https://me:hunter2@api.test/x?key=hunter2', 'default']],
    [['default', 'GET /a', '--status', 'https://me:hunter2@api.test/?key=hunter2']],
    [['default', 'GET /a', '--status', '503', '--header', 'authorization hunter2']],
    [['default', 'GET https://me:hunter2@api.test/x?key=hunter2', '--status', '503']],
    [['default', 'GET https://me:hunter2@api.test/x?key=hunter2', '--json']],
    [['default', 'GET /x?key=hunter2']],
  ])('without the password and the query in it: %j', async (argv) => {
    const { stdout, stderr } = await undaunted(['explain', ...argv]);
    expect(stdout + stderr).not.toBe('');
    expect(stdout + stderr).not.toContain('hunter2');
  });

  test('a misspelt error is answered, and doubted', async () => {
    const { exitCode, stderr } = await undaunted(['explain', 'default', 'GET /a', '--error', 'ECONREFUSED']);
    expect([exitCode, stderr]).toEqual([0, `${suspicionOf('ECONREFUSED')}\n`]);
  });
});

test('a pattern that may be meant otherwise is remarked on, beside the answer', async () => {
  const { exitCode, stdout, stderr } = await undaunted(
    ['explain', '-', 'GET https://api.example.com/users/7'],
    {
      stdin: '{ "rules": [{ "match": "users/*", "retry": false }] }',
    },
  );
  expect(exitCode).toBe(0);
  expect(stdout).toContain('No rule matches');
  expect(stderr).toMatch(
    /^rules\[0\]\.match: "users\/\*" means the path .* Write "\/users\/\*" for a path, or .*\n$/,
  );
});

test('explaining a large policy takes little longer than defining it', async () => {
  const rules = Array.from({ length: 1_000 }, (_, index) => ({
    match: `GET api.example.com/reports-${index}/:id`,
    maxRetries: index % 7,
    deadlineMs: 1_000 + index,
  }));
  const options = { attemptTimeoutMs: 500, rules };
  const stdin = JSON.stringify(options);
  const fastest = async (work: () => unknown): Promise<number> => {
    const times: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      const start = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(start);
      times.push(user + system);
    }
    return Math.min(...times);
  };
  const argv = ['explain', '-', 'POST https://api.example.com/orders', '--status', '503'];
  const defining = await fastest(() => definePolicy(JSON.parse(stdin)));
  const explaining = await fastest(() => undaunted(argv, { stdin }));
  // Each proposal checked the whole policy once more: 20 times that.
  expect(explaining / defining).toBeLessThan(3);
  const { stdout } = await undaunted(argv, { stdin });
  expect(stdout).toContain('  and 992 more that do not match\n');
  expect(stdout).toContain('with "idempotencyKey": true for all requests');
}, 120_000);

test('a setting that another rule could not inherit is not proposed', () => {
  const proposal = 'with "deadlineMs": 4900 for all requests';
  const waiting = { outcome: retryAfter(5), policy: { deadlineMs: 20_000 } };
  expect(texts(flips(waiting))).toContain(proposal);
  const rules = [{ match: '/other', attemptTimeoutMs: 10_000 }];
  expect(texts(flips({ ...waiting, policy: { ...waiting.policy, rules } }))).not.toContain(proposal);
  const heirs = [{ match: '/other', attemptTimeoutMs: 1_000 }];
  expect(texts(flips({ ...waiting, policy: { ...waiting.policy, rules: heirs } }))).toContain(proposal);
});

describe('hints of one’s own', () => {
  const own: PolicyOptions = {
    hints: [
      'common',
      {
        name: 'acme',
        statuses: [200, 403],
        headers: [{ name: 'X-Acme-Reset', unit: 's' }],
        body: [
          { at: '/error/code', is: ['BUSY'], means: 'throttled' },
          { at: '/error/type', is: ['quota'], means: 'never' },
        ],
      },
    ],
  };
  const asked = (...more: readonly string[]) =>
    undaunted(['explain', '-', 'GET https://api.example.com/', ...more], { stdin: JSON.stringify(own) });

  test.each<[string, readonly string[], string]>([
    [
      'a wait in a header',
      ['--status', '403', '--header', 'x-acme-reset: 7', '--body', '{"error":{"code":"BUSY"}}'],
      'Retry 1 in 7.35 s, as the server asked (acme:x-acme-reset): the server answered 403 (rate limited)',
    ],
    ['a failure in a 200', ['--status', '200', '--body', '{"error":{"code":"BUSY"}}'], '(throttledSchedule)'],
    ['a veto', ['--status', '503', '--body', '{"error":{"type":"quota"}}'], 'No retry after attempt 1'],
    ['a success', ['--status', '200', '--body', '{"error":null}'], 'Succeeded on attempt 1'],
  ])('%s', async (_what, options, beginning) => {
    const { stdout, stderr, exitCode } = await asked(...options);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(beginning);
  });

  test('a body belongs to a response', async () => {
    const { exitCode, stderr } = await asked('--body', '{}');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--body needs --status');
  });
});
