import { describe, expect, test } from 'vitest';
import { checkOverride, checkPolicy, definePolicy } from '../../../../src/parts/all.js';

/** The options of other libraries, as their manuals name them. Options without an equivalent here are left out. */
const foreign: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'axios-retry': {
    retries: 'maxRetries',
    retryCondition: 'retryIf',
    retryDelay: 'schedule',
    shouldResetTimeout: 'deadlineMs',
    onRetry: 'beforeRetry',
    onMaxRetryTimesExceeded: 'observe',
    validateResponse: 'retryIf',
  },
  'retry-axios': {
    noResponseRetries: 'maxRetries',
    retryDelay: 'schedule',
    backoffType: 'schedule',
    maxRetryDelay: 'schedule.maxMs',
    maxRetryAfter: 'maxHintMs',
    httpMethodsToRetry: 'methods',
    statusCodesToRetry: 'statuses',
    shouldRetry: 'retryIf',
    onRetryAttempt: 'beforeRetry',
    onError: 'observe',
  },
  'undici, retry': {
    minTimeout: 'schedule.firstMs',
    maxTimeout: 'schedule.maxMs',
    timeoutFactor: 'schedule.factor',
    retryAfter: 'hints',
    statusCodes: 'statuses',
  },
  got: {
    limit: 'maxRetries',
    statusCodes: 'statuses',
    calculateDelay: 'schedule',
    enforceRetryRules: 'retryIf',
    backoffLimit: 'schedule.maxMs',
    noise: 'schedule.jitter',
    maxRetryAfter: 'maxHintMs',
    timeout: 'attemptTimeoutMs',
  },
  ky: {
    limit: 'maxRetries',
    afterStatusCodes: 'hints',
    delay: 'schedule',
    jitter: 'schedule.jitter',
    totalTimeout: 'deadlineMs',
  },
  'p-retry, async-retry and node-retry': {
    retries: 'maxRetries',
    forever: 'maxRetries',
    factor: 'schedule.factor',
    minTimeout: 'schedule.firstMs',
    maxTimeout: 'schedule.maxMs',
    randomize: 'schedule.jitter',
    maxRetryTime: 'deadlineMs',
    onFailedAttempt: 'observe',
    shouldRetry: 'retryIf',
    shouldConsumeRetry: 'budget',
    onRetry: 'beforeRetry',
  },
  ofetch: { retryDelay: 'schedule', retryStatusCodes: 'statuses', timeout: 'attemptTimeoutMs' },
  ffetch: {
    retries: 'maxRetries',
    retryDelay: 'schedule',
    shouldRetry: 'retryIf',
    timeout: 'attemptTimeoutMs',
    circuit: 'gate',
  },
  'fetch-retry': { retryOn: 'statuses', retryDelay: 'schedule', retries: 'maxRetries' },
  'exponential-backoff': {
    numOfAttempts: 'maxRetries',
    startingDelay: 'schedule.firstMs',
    maxDelay: 'schedule.maxMs',
    timeMultiple: 'schedule.factor',
  },
  cockatiel: {
    maxAttempts: 'maxRetries',
    backoff: 'schedule',
    initialDelay: 'schedule.firstMs',
    exponent: 'schedule.factor',
    halfOpenAfter: 'gate.probeMs',
    breaker: 'gate',
    onGiveUp: 'observe',
  },
  opossum: { resetTimeout: 'gate.probeMs', errorThresholdPercentage: 'gate.failures' },
  gRPC: { hedgingPolicy: 'hedge', hedgingDelay: 'hedge.afterMs' },
  // It is written in C#, where names begin with a capital letter.
  Polly: {
    MaxRetryAttempts: 'maxRetries',
    ShouldHandle: 'retryIf',
    BackoffType: 'schedule',
    Delay: 'schedule',
    DelayGenerator: 'schedule',
    MaxDelay: 'schedule.maxMs',
    UseJitter: 'schedule.jitter',
    OnRetry: 'beforeRetry',
    Timeout: 'attemptTimeoutMs',
    FailureRatio: 'gate.failures',
    MinimumThroughput: 'gate.failures',
    BreakDuration: 'gate.probeMs',
    hedging: 'hedge',
    MaxHedgedAttempts: 'hedge',
  },
  Finagle: { backupRequest: 'hedge', maxExtraLoad: 'hedge.share' },
  'others that hedge': {
    speculativeRetry: 'hedge',
    hedgeDelay: 'hedge.afterMs',
    percentile: 'hedge.quantile',
    perTryTimeout: 'attemptTimeoutMs',
  },
  'others that say the unit': {
    initialDelayMs: 'schedule.firstMs',
    baseDelayMs: 'schedule.firstMs',
    max_delay_ms: 'schedule.maxMs',
    max_retry_after_ms: 'maxHintMs',
  },
  'the SDKs': { maxNetworkRetries: 'maxRetries', retryDelayMultiplier: 'schedule.factor' },
};

const rows = Object.entries(foreign).flatMap(([library, words]) =>
  Object.entries(words).map(([theirs, ours]) => [library, theirs, ours] as const),
);

describe('an option of another library names ours', () => {
  test.each(rows)('%s: %s is %s', (_, theirs, ours) => {
    const advice = expect.stringMatching(new RegExp(`^Did you mean "${ours}"\\?`));
    expect(checkPolicy({ [theirs]: 1 })).toEqual([expect.objectContaining({ path: theirs, advice })]);
    expect(checkPolicy({ rules: [{ match: '/x', [theirs]: 1 }] })).toEqual([
      expect.objectContaining({ path: `rules[0].${theirs}`, advice }),
    ]);
    expect(checkOverride({ [theirs]: 1 })).toEqual([expect.objectContaining({ path: theirs, advice })]);
  });

  test('in the message of the error, with what is different', () => {
    const options = { maxAttempts: 3, onRetry: () => {} } as object;
    expect(() => definePolicy(options)).toThrow(
      '  - maxAttempts: unknown setting. ' +
        'Did you mean "maxRetries"? It does not count the first attempt.\n' +
        '  - onRetry: unknown setting. ' +
        'Did you mean "beforeRetry"? To be told only, use "observe".',
    );
  });

  test.each([
    ['retryOnTimeout', 'timeouts are retried'],
    ['errorCodes', '"retryIf" gets outcome.code'],
    ['throwOnError', 'the last answer is returned'],
    ['throwHttpErrors', 'the last answer is returned'],
    ['throwOnHttpError', 'the last answer is returned'],
  ])('or says why nothing takes its place: %s', (theirs, why) => {
    const advice = expect.stringMatching(new RegExp(`^Not needed: .*${why}`));
    expect(checkPolicy({ [theirs]: true })).toEqual([expect.objectContaining({ path: theirs, advice })]);
    expect(checkOverride({ [theirs]: true })).toEqual([expect.objectContaining({ path: theirs, advice })]);
    expect(checkPolicy({ gate: { [theirs]: true } })[0]?.advice).toBeUndefined();
  });

  test('with what is different: a timeout, and a condition that decides all', () => {
    expect(checkPolicy({ shouldResetTimeout: false })[0]?.advice).toBe(
      'Did you mean "deadlineMs"? The client\'s own timeout is for each attempt here.',
    );
    expect(checkPolicy({ enforceRetryRules: true })[0]?.advice).toBe(
      'Did you mean "retryIf"? It returns undefined where the rules should decide.',
    );
  });

  test.each(['preset', 'policy', 'extends'])('%s: a preset is spread', (key) => {
    expect(checkPolicy({ [key]: 'service' })[0]?.advice).toBe(
      'Spread a preset: { ...presets.policies.service }.',
    );
  });

  test('without its place if that is where it stands already', () => {
    const adviceOn = (policy: object) => checkPolicy(policy).map(({ advice }) => advice);
    const schedule = { kind: 'exponential', minTimeout: 100, exponent: 3, randomize: true };
    const inside = ['Did you mean "firstMs"?', 'Did you mean "factor"?', 'Did you mean "jitter"?'];
    expect(adviceOn({ schedule })).toEqual(inside);
    expect(adviceOn({ rules: [{ match: '/x', schedule }] })).toEqual(inside);
    expect(adviceOn({ hedge: { delay: 80 } })).toEqual(['Did you mean "afterMs"?']);
    expect(adviceOn({ gate: { halfOpenAfter: 1 } })).toEqual(['Did you mean "probeMs"?']);
  });

  test('but not where the name would mean something else', () => {
    const [problem] = checkPolicy({ gate: { statusCodes: [503] } });
    expect(problem?.advice).toBeUndefined();
    // Another kind of schedule has this key.
    const [sibling] = checkPolicy({ schedule: { kind: 'fixed', waitMs: 1, factor: 2 } });
    expect(sibling?.advice).toBe('It belongs to the kind "exponential".');
  });

  test.each([3, true, { limit: 2 }, () => true])('retry: %o does not set a number of retries', (retry) => {
    const [problem] = checkPolicy({ retry });
    expect(problem?.allowed).toBe('false (maxRetries sets the number of retries, retryIf the condition)');
  });
});
