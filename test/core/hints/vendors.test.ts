import { describe, expect, test } from 'vitest';
import { hintSetNames } from '../../../src/core/hints/sets.js';
import { isThrottlingReason } from '../../../src/core/hints/throttling.js';
import { vendors } from '../../../src/core/hints/vendors.js';
import { again, epoch, hintOf, never, noon, type Row, unusable, wait } from './hint-of.js';

const left = unusable('ratelimit-not-exhausted');
const malformed = unusable('malformed');
const notRetryable = unusable('not-retryable-status');
const longQuota = never('quota-exhausted-long');

const reset = (value: string, remaining?: string): object => ({
  'x-ratelimit-reset': value,
  ...(remaining === undefined ? {} : { 'x-ratelimit-remaining': remaining }),
});
const dashReset = (value: string): object => ({ 'x-rate-limit-reset': value });
const retryInfo = (retryDelay: unknown): unknown => ({
  error: {
    status: 'RESOURCE_EXHAUSTED',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier' }],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
    ],
  },
});
const legacy = (...reasons: unknown[]): unknown => ({
  error: { errors: reasons.map((reason) => ({ reason })) },
});
const aws = (code: string): unknown => ({ __type: code });
const throttledQuery = (cost: unknown): unknown => ({
  errors: [{ message: 'other' }, { extensions: { code: 'THROTTLED' } }],
  extensions: { cost },
});
const cost = (requestedQueryCost: unknown, currentlyAvailable: unknown, restoreRate: unknown): unknown =>
  throttledQuery({ requestedQueryCost, throttleStatus: { currentlyAvailable, restoreRate } });
const salesforce = (errorCode: string, message = ''): unknown => [
  { errorCode: 'OTHER' },
  { errorCode, message },
];
const s3 = (code: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>Please reduce your request rate.</Message></Error>`;
const ec2 = (code: string): string =>
  `<?xml version="1.0"?><Response><Errors><Error><Code>${code}</Code><Message>m</Message></Error></Errors></Response>`;
const query = (code: string): string =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code></Error></ErrorResponse>`;
const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const graphqlError = (error: object): unknown => ({ data: null, errors: [{}, error] });
const quotaIds = (...ids: unknown[]): unknown => ({
  error: {
    status: 'RESOURCE_EXHAUSTED',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: ids.map((quotaId) => ({ quotaId })),
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '42s' },
    ],
  },
});
const linearQuotas = (requests: string, complexity: string): object => ({
  'x-ratelimit-requests-remaining': requests,
  'x-ratelimit-requests-reset': `${epoch(9)}000`,
  'x-ratelimit-complexity-remaining': complexity,
  'x-ratelimit-complexity-reset': `${epoch(5)}000`,
});
const ratelimited = { errors: [{}, { extensions: { code: 'RATELIMITED' } }] };

const rows: readonly Row[] = [
  [
    'akamai',
    'akamai',
    429,
    { 'x-ratelimit-next': '2026-03-10T12:00:07.500Z' },
    undefined,
    wait(7_500, 'x-ratelimit-next-iso'),
  ],
  [
    'akamai: one left',
    'akamai',
    429,
    { 'x-ratelimit-next': '2026-03-10T12:00:07Z', 'x-ratelimit-remaining': '1' },
    undefined,
    left,
  ],

  [
    'anthropic: the exhausted quotas',
    'anthropic',
    429,
    {
      'anthropic-ratelimit-requests-remaining': '3',
      'anthropic-ratelimit-requests-reset': '2026-03-10T12:10:00Z',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-03-10T12:00:20Z',
      'anthropic-ratelimit-output-tokens-remaining': '0',
      'anthropic-ratelimit-output-tokens-reset': '2026-03-10T12:00:10Z',
    },
    undefined,
    wait(20_000, 'anthropic-ratelimit-reset'),
  ],
  [
    'anthropic: tokens',
    'anthropic',
    429,
    { 'anthropic-ratelimit-tokens-reset': '2026-03-10T12:00:10Z' },
    undefined,
    wait(10_000, 'anthropic-ratelimit-reset'),
  ],
  [
    'anthropic: unified',
    'anthropic',
    429,
    { 'anthropic-ratelimit-unified-reset': epoch(40) },
    undefined,
    wait(40_000, 'anthropic-ratelimit-unified-reset'),
  ],
  [
    'anthropic: unified on a 529',
    'anthropic',
    529,
    { 'anthropic-ratelimit-unified-reset': epoch(40) },
    undefined,
    unusable('anthropic-overloaded'),
  ],
  ['anthropic: overloaded', 'anthropic', 529, {}, overloaded, unusable('anthropic-overloaded')],
  [
    'anthropic: overloaded, said by another status',
    'anthropic',
    503,
    {},
    overloaded,
    unusable('anthropic-overloaded'),
  ],
  [
    'anthropic: overloaded, and for how long',
    'anthropic',
    529,
    { 'retry-after': '7' },
    undefined,
    wait(7_000, 'anthropic-overloaded'),
  ],
  [
    'anthropic: a 500 is no overload',
    'anthropic',
    500,
    {},
    { type: 'error', error: { type: 'api_error' } },
    undefined,
  ],
  [
    'anthropic: the month’s money is spent',
    'anthropic',
    429,
    {},
    { error: { type: 'rate_limit_error', details: { error_code: 'enforced_spend_limit_reached' } } },
    longQuota,
  ],
  [
    'anthropic: a rate limit is not the month’s money',
    'anthropic',
    429,
    { 'retry-after': '7' },
    { error: { type: 'rate_limit_error', details: null } },
    wait(7_000, 'delay-seconds'),
  ],

  [
    'elasticsearch: a full queue',
    'elasticsearch',
    429,
    {},
    { error: { type: 'es_rejected_execution_exception' }, status: 429 },
    unusable('elasticsearch-rejected'),
  ],
  [
    'elasticsearch: a breaker, as it was before version 7',
    'elasticsearch',
    503,
    { 'retry-after': '3' },
    { error: { type: 'circuit_breaking_exception' }, status: 503 },
    wait(3_000, 'elasticsearch-rejected'),
  ],
  [
    'elasticsearch: a breaker that heals',
    'elasticsearch',
    429,
    {},
    { error: { type: 'circuit_breaking_exception', durability: 'TRANSIENT' } },
    unusable('elasticsearch-rejected'),
  ],
  [
    'elasticsearch: a breaker that an operator must see to',
    'elasticsearch',
    429,
    {},
    { error: { type: 'circuit_breaking_exception', durability: 'PERMANENT' } },
    never('server-forbids-retry'),
  ],
  [
    'elasticsearch: no master yet',
    'elasticsearch',
    503,
    {},
    { error: { type: 'master_not_discovered_exception' } },
    undefined,
  ],

  [
    'graph: throttled',
    'microsoft-graph',
    429,
    { 'retry-after': '10' },
    undefined,
    wait(10_000, 'delay-seconds'),
  ],
  [
    'graph: OneDrive is throttled as 503',
    'microsoft-graph',
    503,
    { 'retry-after': '10' },
    { error: { code: 'activityLimitReached' } },
    wait(10_000, 'graph-throttled'),
  ],
  ...['innerError', 'innererror'].map(
    (inner): Row => [
      `graph: told inside, by ${inner}`,
      'microsoft-graph',
      503,
      {},
      { error: { code: 'serviceNotAvailable', [inner]: { code: 'throttledRequest' } } },
      unusable('graph-throttled'),
    ],
  ),
  ['graph: bandwidth', 'microsoft-graph', 509, {}, undefined, unusable('graph-throttled')],
  ['graph: storage', 'microsoft-graph', 507, { 'retry-after': '10' }, undefined, longQuota],
  [
    'graph: storage, told by the code',
    'microsoft-graph',
    503,
    {},
    { error: { code: 'quotaLimitReached' } },
    longQuota,
  ],
  [
    'graph: maintenance',
    'microsoft-graph',
    503,
    { 'retry-after': '10' },
    { error: { code: 'serviceNotAvailable' } },
    wait(10_000, 'delay-seconds'),
  ],

  [
    'atlassian: a minute ahead',
    'atlassian',
    429,
    reset('2026-03-10T12:01Z', '0'),
    undefined,
    wait(60_000, 'x-ratelimit-reset-iso'),
  ],
  [
    'atlassian: by the server’s clock',
    'atlassian',
    429,
    { ...reset('2026-03-10T12:01Z'), date: 'Tue, 10 Mar 2026 12:00:50 GMT' },
    undefined,
    wait(10_000, 'x-ratelimit-reset-iso'),
  ],
  ['auth0', 'auth0', 429, reset(epoch(3), '0'), undefined, wait(3_000, 'x-ratelimit-reset-epoch-s')],
  [
    'auth0: Retry-After first',
    'auth0',
    429,
    { ...reset(epoch(3), '0'), 'retry-after': '9' },
    undefined,
    wait(9_000, 'delay-seconds'),
  ],

  ...[
    'Throttling',
    'ThrottlingException',
    'ThrottledException',
    'RequestThrottledException',
    'RequestThrottled',
    'TooManyRequestsException',
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'BandwidthLimitExceeded',
    'LimitExceededException',
    'SlowDown',
    'PriorRequestNotComplete',
    'EC2ThrottledException',
    'TransactionInProgressException',
  ].map((code): Row => [`aws: ${code}`, 'aws', 400, {}, aws(code), again(null, 'aws-throttling-code')]),
  ...['RequestTimeout', 'RequestTimeoutException', 'TimeoutError'].map(
    (code): Row => [`aws: ${code}`, 'aws', 400, {}, aws(code), again(null, 'aws-transient-code')],
  ),
  ...['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed'].map(
    (code): Row => [`aws: ${code}`, 'aws', 403, {}, aws(code), again(null, 'aws-clock-skew')],
  ),
  [
    'aws: the header',
    'aws',
    400,
    {
      'x-amzn-errortype':
        'ThrottlingException:http://internal.amazon.com/coral/com.amazon.coral.availability/',
    },
    undefined,
    again(null, 'aws-throttling-code'),
  ],
  [
    'aws: the header before the body',
    'aws',
    400,
    { 'x-amzn-errortype': ['SlowDown', 'x'] },
    aws('ValidationException'),
    again(null, 'aws-throttling-code'),
  ],
  ...[
    'SlowDown',
    'ThrottlingException',
    'RequestLimitExceeded',
    'Throttling',
    'BandwidthLimitExceeded',
  ].flatMap((code): Row[] => [
    [`aws: ${code} in XML of S3`, 'aws', 503, {}, s3(code), again(null, 'aws-throttling-code')],
    [`aws: ${code} in XML of EC2`, 'aws', 503, {}, ec2(code), again(null, 'aws-throttling-code')],
    [`aws: ${code} in XML of a query`, 'aws', 400, {}, query(code), again(null, 'aws-throttling-code')],
  ]),
  ['aws: RequestTimeout in XML', 'aws', 400, {}, s3('RequestTimeout'), again(null, 'aws-transient-code')],
  ['aws: no rights in XML', 'aws', 403, {}, s3('AccessDenied'), never('not-retryable-status')],
  ['aws: a code in text that is no XML', 'aws', 400, {}, 'say <Code>SlowDown</Code>', undefined],
  [
    'aws: a code that does not end',
    'aws',
    400,
    {},
    `<Error><Code>SlowDown${' '.repeat(300)}</Code>`,
    undefined,
  ],
  ['aws: XML without a code', 'aws', 503, {}, '<html><body>busy</body></html>', undefined],
  ['aws: XML is no business of others', 'common', 503, {}, s3('SlowDown'), undefined],
  ['aws: code', 'aws', 400, {}, { code: 'SlowDown' }, again(null, 'aws-throttling-code')],
  ['aws: Code', 'aws', 400, {}, { Code: 'SlowDown' }, again(null, 'aws-throttling-code')],
  ['aws: Error.Code', 'aws', 400, {}, { Error: { Code: ' SlowDown ' } }, again(null, 'aws-throttling-code')],
  [
    'aws: a wait of its own',
    'aws',
    400,
    { 'x-amz-retry-after': '500' },
    aws('Throttling'),
    again(500, 'aws-throttling-code'),
  ],
  [
    'aws: a wait on a 503',
    'aws',
    503,
    { 'x-amz-retry-after': '500', 'retry-after': '9' },
    undefined,
    wait(500, 'x-amz-retry-after'),
  ],
  [
    'aws: a wait on a 400 without a code',
    'aws',
    400,
    { 'x-amz-retry-after': '500' },
    undefined,
    notRetryable,
  ],
  ['aws: an unknown code on a 403', 'aws', 403, {}, aws('AccessDenied'), never('not-retryable-status')],
  ['aws: an unknown code on a 500', 'aws', 500, {}, aws('InternalFailure'), undefined],
  ['aws: on a 404', 'aws', 404, {}, aws('Throttling'), undefined],
  ['aws: no code', 'aws', 400, {}, { message: 'x' }, undefined],
  ['aws: not in common', 'common', 400, {}, aws('Throttling'), undefined],

  ['azure', 'azure', 503, { 'retry-after-ms': '7' }, undefined, wait(7, 'retry-after-ms')],
  [
    'azure-openai: the sentinel -1',
    'azure-openai',
    429,
    { 'x-ratelimit-reset-tokens': '-1', 'x-ratelimit-remaining-tokens': '-1' },
    undefined,
    malformed,
  ],
  [
    'azure-openai: requests',
    'azure-openai',
    429,
    { 'x-ratelimit-reset-requests': '7', 'x-ratelimit-remaining-requests': '0' },
    undefined,
    wait(7_000, 'integer-seconds'),
  ],
  [
    'brevo: one left',
    'brevo',
    429,
    { 'x-sib-ratelimit-reset': '8', 'x-sib-ratelimit-remaining': '1' },
    undefined,
    left,
  ],
  [
    'cloudflare',
    'cloudflare',
    429,
    { ratelimit: '"default";r=0;t=12' },
    undefined,
    wait(12_000, 'ratelimit-t'),
  ],

  ['discord: a body of text', 'discord', 429, {}, '{"retry_after":0.3}', wait(300, 'body-retry-after')],
  ['discord: a number as text', 'discord', 429, {}, { retry_after: '1.25' }, wait(1_250, 'body-retry-after')],
  ['discord: negative', 'discord', 429, {}, { retry_after: -1 }, malformed],
  ['discord: true', 'discord', 429, {}, { retry_after: true }, malformed],
  ['discord: null', 'discord', 429, {}, { retry_after: null }, undefined],
  ['discord: 0', 'discord', 429, {}, { retry_after: 0 }, wait(0, 'body-retry-after')],
  ['discord: huge', 'discord', 429, {}, { retry_after: 1e20 }, wait(2_147_483_648_000, 'body-retry-after')],
  ['discord: infinite', 'discord', 429, {}, { retry_after: Number.POSITIVE_INFINITY }, malformed],
  [
    'discord: a body before the bucket',
    'discord',
    429,
    { 'x-ratelimit-reset-after': '1', 'x-ratelimit-remaining': '0' },
    { retry_after: 7 },
    wait(7_000, 'body-retry-after'),
  ],
  [
    'discord: after before at',
    'discord',
    429,
    { ...reset(epoch(9)), 'x-ratelimit-reset-after': '1' },
    undefined,
    wait(1_000, 'x-ratelimit-reset-after'),
  ],
  [
    'discord: something left',
    'discord',
    429,
    { 'x-ratelimit-reset-after': '1', 'x-ratelimit-remaining': '9' },
    undefined,
    left,
  ],
  ['dropbox: on a 200', 'dropbox', 200, {}, { error: { retry_after: 3 } }, undefined],
  ['envoy: an epoch is no delta', 'envoy', 429, reset('30', '1'), undefined, left],
  [
    'fastly',
    'fastly',
    429,
    { 'fastly-ratelimit-reset': epoch(12), 'fastly-ratelimit-remaining': '0' },
    undefined,
    wait(12_000, 'x-ratelimit-reset-epoch-s'),
  ],

  [
    'github: secondary limit',
    'github',
    403,
    { 'retry-after': '60' },
    undefined,
    again(60_000, 'github-secondary-limit'),
  ],
  [
    'github: secondary limit while the primary has some left',
    'github',
    403,
    { ...reset(epoch(900), '4999'), 'retry-after': '60' },
    undefined,
    again(60_000, 'github-secondary-limit'),
  ],
  [
    'github: secondary limit as 429',
    'github',
    429,
    { 'retry-after': '60' },
    undefined,
    wait(60_000, 'delay-seconds'),
  ],
  [
    'github: only the message',
    'github',
    403,
    {},
    { message: 'You have exceeded a Secondary Rate Limit.' },
    again(60_000, 'github-secondary-limit'),
  ],
  [
    'github: only the message, as 429, while the primary has some left',
    'github',
    429,
    reset(epoch(900), '4999'),
    { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' },
    again(60_000, 'github-secondary-limit'),
  ],
  [
    'github: the message, and for how long',
    'github',
    403,
    { 'retry-after': '5' },
    { message: 'You have exceeded a secondary rate limit.' },
    again(5_000, 'github-secondary-limit'),
  ],
  [
    'github: the message, and a Retry-After that says nothing',
    'github',
    403,
    { 'retry-after': '0' },
    { message: 'You have exceeded a secondary rate limit.' },
    again(60_000, 'github-secondary-limit'),
  ],
  ...['RATE_LIMITED', 'RATE_LIMIT'].map(
    (type): Row => [
      `github: GraphQL says ${type} in a 200`,
      'github',
      200,
      reset(epoch(90), '0'),
      graphqlError({ type, message: 'API rate limit exceeded for user ID 1.' }),
      again(90_000, 'x-ratelimit-reset-epoch-s'),
    ],
  ),
  [
    'github: GraphQL, without the header',
    'github',
    200,
    {},
    graphqlError({ type: 'RATE_LIMITED' }),
    again(60_000, 'github-primary-limit'),
  ],
  [
    'github: GraphQL, the secondary limit',
    'github',
    200,
    reset(epoch(900), '4999'),
    graphqlError({ message: 'You have exceeded a secondary rate limit.' }),
    again(60_000, 'github-secondary-limit'),
  ],
  [
    'github: GraphQL, the secondary limit, and for how long',
    'github',
    200,
    { 'retry-after': '30' },
    graphqlError({ message: 'You have exceeded a secondary rate limit.' }),
    again(30_000, 'github-secondary-limit'),
  ],
  ['github: GraphQL, another error', 'github', 200, {}, graphqlError({ type: 'NOT_FOUND' }), undefined],
  ['github: the last success of an hour', 'github', 200, reset(epoch(90), '0'), { data: {} }, notRetryable],
  ['github: a success that nobody read', 'github', 200, {}, undefined, undefined],
  ['github: no rights', 'github', 403, {}, { message: 'Resource not accessible by integration' }, undefined],
  ['github: no rights, and a quota', 'github', 403, reset(epoch(90), '4999'), undefined, notRetryable],
  ['github: Retry-After malformed', 'github', 403, { 'retry-after': 'soon' }, undefined, notRetryable],
  ['github: remaining unreadable', 'github', 403, reset(epoch(90), 'none'), undefined, notRetryable],
  [
    'github: remaining 0 without a reset',
    'github',
    403,
    { 'x-ratelimit-remaining': '0' },
    undefined,
    again(null, 'github-primary-limit'),
  ],
  [
    'github: the reset is over',
    'github',
    403,
    reset(epoch(-1), '0'),
    undefined,
    again(0, 'x-ratelimit-reset-epoch-s'),
  ],
  [
    'github: the reset is malformed',
    'github',
    403,
    reset('soon', '0'),
    undefined,
    again(null, 'github-primary-limit'),
  ],
  [
    'github: both limits',
    'github',
    403,
    { ...reset(epoch(90), '0'), 'retry-after': '5' },
    undefined,
    again(5_000, 'github-primary-limit'),
  ],
  [
    'github: an epoch counts from the client’s clock',
    'github',
    429,
    { ...reset(epoch(90), '0'), date: 'Tue, 10 Mar 2026 12:01:00 GMT' },
    undefined,
    again(90_000, 'x-ratelimit-reset-epoch-s'),
  ],
  [
    'github: a 500 with remaining 0',
    'github',
    500,
    reset(epoch(90), '0'),
    undefined,
    wait(90_000, 'x-ratelimit-reset-epoch-s'),
  ],
  ['github: a 404', 'github', 404, reset(epoch(90), '0'), undefined, notRetryable],
  [
    'github: ms are no seconds',
    'github',
    429,
    reset(`${epoch(90)}000`, '0'),
    undefined,
    again(null, 'github-primary-limit'),
  ],
  [
    'epoch seconds below 10^12',
    'auth0',
    429,
    reset('999999999999'),
    undefined,
    wait(999_999_999_999_000 - noon, 'x-ratelimit-reset-epoch-s'),
  ],
  ['epoch seconds from 10^12', 'auth0', 429, reset('1000000000000'), undefined, malformed],
  [
    'heuristic: below 10^9',
    'heuristic',
    429,
    dashReset('999999999.9'),
    undefined,
    wait(999_999_999_900, 'delta-s'),
  ],
  ['heuristic: from 10^9', 'heuristic', 429, dashReset('1000000000'), undefined, wait(0, 'epoch-s')],
  [
    'heuristic: below 10^12',
    'heuristic',
    429,
    reset('999999999999'),
    undefined,
    wait(999_999_999_999_000 - noon, 'epoch-s'),
  ],
  ['heuristic: from 10^12', 'heuristic', 429, reset('1000000000000'), undefined, wait(0, 'epoch-ms')],
  [
    'heuristic: below 10^15',
    'heuristic',
    429,
    reset('999999999999999'),
    undefined,
    wait(999_999_999_999_999 - noon, 'epoch-ms'),
  ],
  ['heuristic: from 10^15', 'heuristic', 429, reset('1000000000000000'), undefined, malformed],

  [
    'gitlab: the triple is in epoch seconds',
    'gitlab',
    429,
    { 'ratelimit-remaining': '0', 'ratelimit-reset': epoch(61) },
    undefined,
    wait(61_000, 'ratelimit-reset-epoch'),
  ],
  [
    'gitlab: the time alone',
    'gitlab',
    429,
    { 'ratelimit-resettime': 'Tue, 10 Mar 2026 12:01:01 GMT' },
    undefined,
    wait(61_000, 'ratelimit-reset-time'),
  ],

  ['google: nanoseconds', 'google', 429, {}, retryInfo('57.238747106s'), wait(57_239, 'google-retryinfo')],
  ['google: as text', 'google', 503, {}, JSON.stringify(retryInfo('42s')), wait(42_000, 'google-retryinfo')],
  ...[
    'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
    'GenerateContentInputTokensPerModelPerDay',
  ].flatMap((id): Row[] => [
    [`google: a day’s quota, ${id}`, 'google', 429, {}, quotaIds(id), longQuota],
    [`google: beside a minute’s, ${id}`, 'google', 429, {}, quotaIds('PerMinute', id), longQuota],
  ]),
  [
    'google: a minute’s quota',
    'google',
    429,
    {},
    quotaIds('GenerateRequestsPerMinutePerProjectPerModel', undefined, 7),
    wait(42_000, 'google-retryinfo'),
  ],
  ['google: no delay', 'google', 429, {}, retryInfo(undefined), malformed],
  ['google: other details', 'google', 429, {}, { error: { details: [{ retryDelay: '4s' }] } }, undefined],
  [
    'google: details that are no list',
    'google',
    429,
    {},
    { error: { details: { '@type': 'x' } } },
    undefined,
  ],
  [
    'google: a header before RetryInfo',
    'google',
    429,
    { 'retry-after': '1' },
    retryInfo('42s'),
    wait(1_000, 'delay-seconds'),
  ],
  ...['userRateLimitExceeded', 'rateLimitExceeded', 'quotaExceeded'].map(
    (reason): Row => [
      `google: ${reason}`,
      'google',
      403,
      {},
      legacy('other', reason),
      again(null, 'google-rate-limit'),
    ],
  ),
  [
    'google: internalServerError',
    'google',
    500,
    {},
    legacy('internalServerError'),
    again(null, 'google-legacy-reason'),
  ],
  ['google: backendError', 'google', 503, {}, legacy('backendError'), again(null, 'google-legacy-reason')],
  [
    'google: dailyLimitExceeded',
    'google',
    403,
    { 'retry-after': '5' },
    legacy('dailyLimitExceeded'),
    longQuota,
  ],
  ['google: other reasons', 'google', 403, {}, legacy('forbidden', 7, 'toString'), undefined],
  [
    'google: a throttled 403 may say how long',
    'google',
    403,
    { 'retry-after': '5' },
    legacy('rateLimitExceeded'),
    again(5_000, 'google-rate-limit'),
  ],
  [
    'google: a day’s quota',
    'google',
    429,
    {},
    {
      error: {
        status: 'RESOURCE_EXHAUSTED',
        message: "Quota exceeded for group 'G' and limit 'CLIENT_PROJECT-1d' of service",
      },
    },
    longQuota,
  ],
  [
    'google: a minute’s quota',
    'google',
    429,
    {},
    { error: { status: 'RESOURCE_EXHAUSTED', message: "limit 'CLIENT_PROJECT-100s'" } },
    undefined,
  ],
  [
    'google: a day in another error',
    'google',
    429,
    {},
    { error: { status: 'OTHER', message: "limit 'CLIENT_PROJECT-1d'" } },
    undefined,
  ],
  [
    'google: a day far behind',
    'google',
    429,
    {},
    { error: { status: 'RESOURCE_EXHAUSTED', message: `${' '.repeat(1_024)}limit 'P-1d'` } },
    undefined,
  ],

  [
    'grpc-web: a wait',
    'grpc-web',
    200,
    { 'grpc-retry-pushback-ms': '250' },
    undefined,
    again(250, 'grpc-pushback'),
  ],
  [
    'grpc-web: exactly that, whatever else',
    'grpc-web',
    503,
    { 'grpc-retry-pushback-ms': '250', 'retry-after': '9' },
    undefined,
    again(250, 'grpc-pushback'),
  ],
  [
    'grpc-web: 0 goes on',
    'grpc-web',
    503,
    { 'grpc-retry-pushback-ms': '0', 'retry-after': '9' },
    undefined,
    again(9_000, 'delay-seconds'),
  ],
  [
    'grpc-web: of zeros the first',
    'grpc-web',
    503,
    { 'grpc-retry-pushback-ms': '0', 'retry-after': '0' },
    undefined,
    again(0, 'grpc-pushback'),
  ],
  ...['-1', '', 'x', '1.5', '+5', '12345678901', '5 5'].map(
    (value): Row => [
      `grpc-web: ${JSON.stringify(value)}`,
      'grpc-web',
      200,
      { 'grpc-retry-pushback-ms': value },
      undefined,
      never('server-forbids-retry'),
    ],
  ),
  [
    'grpc-web: twice',
    'grpc-web',
    200,
    { 'grpc-retry-pushback-ms': ['5', '5'] },
    undefined,
    never('server-forbids-retry'),
  ],
  [
    'grpc-web: a success',
    'grpc-web',
    200,
    { 'grpc-status': '0', 'grpc-retry-pushback-ms': '5' },
    undefined,
    undefined,
  ],
  ['grpc-web: on a 404', 'grpc-web', 404, { 'grpc-retry-pushback-ms': '5' }, undefined, undefined],

  [
    'hubspot: something left',
    'hubspot',
    429,
    { 'x-hubspot-ratelimit-interval-milliseconds': '10000', 'x-hubspot-ratelimit-remaining': '5' },
    undefined,
    left,
  ],
  [
    'hubspot: daily, with a Retry-After',
    'hubspot',
    429,
    { 'retry-after': '5' },
    { policyName: 'DAILY' },
    longQuota,
  ],
  ['kubernetes: 0 is unset', 'kubernetes', 429, {}, { details: { retryAfterSeconds: 0 } }, undefined],
  [
    'kubernetes: header first',
    'kubernetes',
    429,
    { 'retry-after': '1' },
    { details: { retryAfterSeconds: 10 } },
    wait(1_000, 'delay-seconds'),
  ],
  [
    'kubernetes: the header is 0',
    'kubernetes',
    429,
    { 'retry-after': '0' },
    { details: { retryAfterSeconds: 10 } },
    wait(10_000, 'body-retry-after'),
  ],
  [
    'lemlist',
    'lemlist',
    429,
    reset('Tue Mar 10 2026 12:00:02 GMT+0000 (UTC)'),
    undefined,
    wait(2_000, 'x-ratelimit-reset-js-date'),
  ],

  [
    'linear: both exhausted',
    'linear',
    400,
    linearQuotas('0', '0'),
    ratelimited,
    again(9_000, 'x-ratelimit-reset-epoch-ms'),
  ],
  [
    'linear: unread',
    'linear',
    400,
    linearQuotas('3', '0'),
    undefined,
    again(5_000, 'x-ratelimit-reset-epoch-ms'),
  ],
  [
    'linear: unread, requests',
    'linear',
    400,
    linearQuotas('0', '3'),
    undefined,
    again(9_000, 'x-ratelimit-reset-epoch-ms'),
  ],
  ['linear: unread, something left', 'linear', 400, linearQuotas('3', '3'), undefined, notRetryable],
  [
    'linear: another error',
    'linear',
    400,
    linearQuotas('0', '0'),
    { errors: [{ extensions: { code: 'INVALID' } }] },
    notRetryable,
  ],
  ['linear: without quotas', 'linear', 400, {}, ratelimited, again(null, 'linear-ratelimited')],
  [
    'linear: a plain wait',
    'linear',
    400,
    { 'retry-after': '5' },
    ratelimited,
    again(5_000, 'linear-ratelimited'),
  ],
  [
    'linear: unread on a 500',
    'linear',
    500,
    linearQuotas('0', '3'),
    undefined,
    wait(9_000, 'x-ratelimit-reset-epoch-ms'),
  ],

  [
    'mailerlite: behind Retry-After',
    'mailerlite',
    429,
    { 'x-ratelimit-retry-after': '17', 'retry-after': '5' },
    undefined,
    wait(5_000, 'delay-seconds'),
  ],
  [
    'okta: without Date',
    'okta',
    429,
    dashReset(epoch(10)),
    undefined,
    wait(11_000, 'x-ratelimit-reset-epoch-s+1s'),
  ],
  [
    'okta: by the server’s clock',
    'okta',
    429,
    { ...dashReset(epoch(10)), date: 'Tue, 10 Mar 2026 12:00:04 GMT' },
    undefined,
    wait(7_000, 'x-ratelimit-reset-epoch-s+1s'),
  ],
  [
    'okta: in the past',
    'okta',
    429,
    dashReset(epoch(-10)),
    undefined,
    wait(1_000, 'x-ratelimit-reset-epoch-s+1s'),
  ],
  ['okta: joined', 'okta', 429, dashReset(`${epoch(1)}, ${epoch(2)}`), undefined, malformed],
  ['okta: malformed', 'okta', 429, dashReset('soon'), undefined, malformed],
  [
    'okta: something left',
    'okta',
    429,
    { ...dashReset(epoch(1)), 'x-rate-limit-remaining': '1' },
    undefined,
    left,
  ],

  ...(
    [
      ['1m30s', 90_000],
      ['1.5s', 1_500],
      ['250ms', 250],
      ['1h', 3_600_000],
    ] as const
  ).map(
    ([value, ms]): Row => [
      `openai: ${value}`,
      'openai',
      429,
      { 'x-ratelimit-reset-tokens': value },
      undefined,
      wait(ms, 'go-duration'),
    ],
  ),
  [
    'openai: both exhausted',
    'openai',
    429,
    { 'x-ratelimit-reset-requests': '9s', 'x-ratelimit-reset-tokens': '7s' },
    undefined,
    wait(9_000, 'go-duration'),
  ],
  [
    'openai: one malformed',
    'openai',
    429,
    { 'x-ratelimit-reset-requests': '9', 'x-ratelimit-reset-tokens': '7s' },
    undefined,
    wait(7_000, 'go-duration'),
  ],
  [
    'openai: one malformed, one with something left',
    'openai',
    429,
    {
      'x-ratelimit-reset-requests': '9',
      'x-ratelimit-reset-tokens': '7s',
      'x-ratelimit-remaining-tokens': '5',
    },
    undefined,
    malformed,
  ],
  [
    'openai: the same the other way round',
    'openai',
    429,
    {
      'x-ratelimit-reset-requests': '9s',
      'x-ratelimit-remaining-requests': '5',
      'x-ratelimit-reset-tokens': '7',
    },
    undefined,
    malformed,
  ],
  [
    'openai: both left',
    'openai',
    429,
    {
      'x-ratelimit-reset-requests': '9s',
      'x-ratelimit-remaining-requests': '5',
      'x-ratelimit-reset-tokens': '7s',
      'x-ratelimit-remaining-tokens': '5',
    },
    undefined,
    left,
  ],
  [
    'openai: no quota, by code',
    'openai',
    429,
    { 'retry-after': '5' },
    { error: { code: 'insufficient_quota' } },
    longQuota,
  ],
  [
    'openai: no quota, by type',
    'openai',
    429,
    {},
    { error: { type: 'insufficient_quota', code: null } },
    longQuota,
  ],
  ['openai: another error', 'openai', 429, {}, { error: { code: 'rate_limit_exceeded' } }, undefined],

  ['perforce', 'perforce', 429, reset('30'), undefined, wait(30_000, 'x-ratelimit-reset-delta-s')],
  ['reddit: the last whole one', 'reddit', 429, reset('30', '1.0'), undefined, left],
  [
    'reddit: a fraction of one',
    'reddit',
    429,
    reset('30', '0.999'),
    undefined,
    wait(30_000, 'x-ratelimit-reset-delta-s'),
  ],
  [
    'salesforce: too many at once',
    'salesforce',
    403,
    {},
    salesforce('REQUEST_LIMIT_EXCEEDED', 'ConcurrentRequests Limit exceeded.'),
    again(null, 'salesforce-request-limit'),
  ],
  [
    'salesforce: the day’s total',
    'salesforce',
    403,
    {},
    salesforce('REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
    longQuota,
  ],
  ['salesforce: no rights', 'salesforce', 403, {}, salesforce('INSUFFICIENT_ACCESS'), undefined],
  ['salesforce: a body’s wait', 'salesforce', 429, {}, { retryAfter: 3 }, wait(3_000, 'body-retry-after')],

  ['shopify: fractions round up', 'shopify', 200, {}, cost(10, 9.99, 3), again(4, 'graphql-cost')],
  ['shopify: enough by now', 'shopify', 200, {}, cost(10, 10, 50), again(0, 'graphql-cost')],
  ['shopify: more than enough', 'shopify', 200, {}, cost(10, 11, 50), again(null, 'graphql-throttled')],
  [
    'shopify: never enough',
    'shopify',
    200,
    {},
    cost(10, 0, 1e-300),
    again(2_147_483_648_000, 'graphql-cost'),
  ],
  ['shopify: no rate', 'shopify', 200, {}, cost(10, 10, 0), again(null, 'graphql-throttled')],
  ['shopify: text', 'shopify', 200, {}, cost('10', 5, 50), again(null, 'graphql-throttled')],
  ['shopify: no cost', 'shopify', 200, {}, throttledQuery(undefined), again(null, 'graphql-throttled')],
  ['shopify: other errors', 'shopify', 200, {}, { errors: [{ extensions: { code: 'OTHER' } }] }, undefined],
  ['shopify: a success', 'shopify', 200, { 'retry-after': '5' }, { data: {} }, notRetryable],
  ['shopify: not in common', 'common', 200, {}, cost(10, 0, 50), undefined],

  [
    'stripe: false',
    'stripe',
    500,
    { 'stripe-should-retry': 'false' },
    undefined,
    never('server-forbids-retry'),
  ],
  ['stripe: not in common', 'common', 500, { 'stripe-should-retry': 'false' }, undefined, undefined],
  ['teamdynamix', 'teamdynamix', 429, reset('tomorrow'), undefined, malformed],
  [
    'telegram: text',
    'telegram',
    429,
    {},
    '{"parameters":{"retry_after":35}}',
    wait(35_000, 'body-retry-after'),
  ],
  ['twitter: on a 403', 'twitter', 403, dashReset(epoch(5)), undefined, notRetryable],

  [
    'zendesk: two endpoints',
    'zendesk',
    429,
    {
      'zendesk-ratelimit-a': 'total=1; remaining=0; resets=4',
      'Zendesk-RateLimit-B': 'total=1;remaining=0;resets=7',
    },
    undefined,
    wait(7_000, 'zendesk-endpoint-reset'),
  ],
  [
    'zendesk: something left',
    'zendesk',
    429,
    { 'zendesk-ratelimit-a': 'total=9; remaining=1; resets=4' },
    undefined,
    left,
  ],
  [
    'zendesk: without remaining',
    'zendesk',
    429,
    { 'zendesk-ratelimit-a': 'resets=4' },
    undefined,
    wait(4_000, 'zendesk-endpoint-reset'),
  ],
  [
    'zendesk: without resets',
    'zendesk',
    429,
    { 'zendesk-ratelimit-a': 'total=9; remaining=0' },
    undefined,
    malformed,
  ],
  [
    'zendesk: huge',
    'zendesk',
    429,
    { 'zendesk-ratelimit-a': `resets=${'9'.repeat(40)}` },
    undefined,
    wait(2_147_483_648_000, 'zendesk-endpoint-reset'),
  ],
  [
    'zendesk: fetch Headers',
    'zendesk',
    429,
    new Headers({ 'Zendesk-RateLimit-A': 'resets=4' }),
    undefined,
    wait(4_000, 'zendesk-endpoint-reset'),
  ],
  [
    'zendesk: names that cannot be listed',
    'zendesk',
    429,
    {
      get: () => null,
      keys: () => {
        throw new Error('no');
      },
    },
    undefined,
    undefined,
  ],
  [
    'zendesk: names that are no list',
    'zendesk',
    429,
    { get: () => null, keys: () => 7 },
    undefined,
    undefined,
  ],
  [
    'zendesk: names as properties, values by get',
    'zendesk',
    429,
    {
      'zendesk-ratelimit-a': 0,
      get: (name: string) => (name === 'zendesk-ratelimit-a' ? 'resets=4' : null),
    },
    undefined,
    wait(4_000, 'zendesk-endpoint-reset'),
  ],
  [
    'zendesk: Retry-After first',
    'zendesk',
    429,
    { 'retry-after': '1', 'zendesk-ratelimit-a': 'resets=4' },
    undefined,
    wait(1_000, 'delay-seconds'),
  ],
];

test.each(rows)('%s', (_, hints, status, headers, body, hint) => {
  expect(hintOf(hints, status, headers, body)).toStrictEqual(hint);
});

test('names are looked through up to the thousandth', () => {
  const headers = (count: number): object =>
    Object.fromEntries([
      ...Array.from({ length: count - 1 }, (_, index) => [`x-${index}`, '1']),
      ['zendesk-ratelimit-a', 'resets=4'],
    ]);
  expect(hintOf('zendesk', 429, headers(1_000))).toEqual(wait(4_000, 'zendesk-endpoint-reset'));
  expect(hintOf('zendesk', 429, headers(1_001))).toBeUndefined();
});

test('lists in a body are looked through up to the 64th member', () => {
  const errors = (count: number): unknown => legacy(...Array<string>(count - 1).fill('x'), 'backendError');
  expect(hintOf('google', 503, {}, errors(64))).toEqual(again(null, 'google-legacy-reason'));
  expect(hintOf('google', 503, {}, errors(65))).toBeUndefined();
});

describe('the table', () => {
  test('every name has its row', () => {
    expect(Object.keys(vendors).toSorted()).toEqual(hintSetNames.toSorted());
  });

  test.each(hintSetNames)('%s reads Retry-After', (name) => {
    expect(hintOf(name, 429, { 'retry-after': '5' })).toMatchObject({ delayMs: 5_000 });
  });

  test('every header that says how long has its place in the order', () => {
    // One that had none would come before all others.
    for (const { waits = [] } of Object.values(vendors)) {
      for (const { header, as } of waits) {
        if (header === 'retry-after-ms') continue;
        const headers = { 'retry-after-ms': '1', [header]: as === 'delta-ms' ? '9000' : '9' };
        expect(hintOf(hintSetNames, 429, headers)).toMatchObject({ delayMs: 1 });
      }
    }
  });
});

test.each([
  'anthropic-overloaded',
  'anthropic-ratelimit-reset',
  'aws-throttling-code',
  'delta-s',
  'elasticsearch-rejected',
  'epoch-ms',
  'epoch-s',
  'github-primary-limit',
  'github-secondary-limit',
  'go-duration',
  'google-rate-limit',
  'google-retryinfo',
  'graph-throttled',
  'graphql-cost',
  'graphql-throttled',
  'hubspot-interval',
  'integer-seconds',
  'linear-ratelimited',
  'ratelimit-reset-delta',
  'ratelimit-reset-epoch',
  'ratelimit-t',
  'ratelimit-t-max',
  'ratelimit-t-violated',
  'ratelimit-without-t',
  'salesforce-request-limit',
  'x-ratelimit-reset-after',
  'x-ratelimit-reset-epoch-s',
  'x-ratelimit-reset-epoch-s+1s',
  'x-ratelimit-retry-after',
  'zendesk-endpoint-reset',
])('%s means too much', (reason) => {
  expect(isThrottlingReason(reason)).toBe(true);
});

test.each([
  '',
  'aws-clock-skew',
  'aws-transient-code',
  'body-unreadable',
  'delay-seconds',
  'empty',
  'google-legacy-reason',
  'grpc-pushback',
  'http-date',
  'idempotency-key-in-flight',
  'malformed',
  'no-hint',
  'not-retryable-status',
  'quota-exhausted-long',
  'ratelimit-not-exhausted',
  'ratelimit-stored',
  'request-timeout',
  'retry-after-ms',
  'server-requests-retry',
])('%j does not', (reason) => {
  expect(isThrottlingReason(reason)).toBe(false);
});
