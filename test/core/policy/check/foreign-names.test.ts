import { describe, expect, test } from 'vitest';
import { checkOverride, checkPolicy } from '../../../../src/core/policy/check/check.js';
import { definePolicy } from '../../../../src/core/policy/policy.js';

/** The options of other libraries, as their manuals name them. Options without an equivalent here are left out. */
const foreign: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'axios-retry': {
    retries: 'maxRetries',
    retryCondition: 'retryIf',
    retryDelay: 'schedule',
    shouldResetTimeout: 'attemptTimeoutMs',
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
    errorCodes: 'retryIf',
  },
  got: {
    limit: 'maxRetries',
    statusCodes: 'statuses',
    errorCodes: 'retryIf',
    calculateDelay: 'schedule',
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
    retryOnTimeout: 'attemptTimeoutMs',
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
  Polly: { hedging: 'hedge', maxHedgedAttempts: 'hedge' },
  Finagle: { backupRequest: 'hedge', maxExtraLoad: 'hedge.share' },
  'others that hedge': {
    speculativeRetry: 'hedge',
    hedgeDelay: 'hedge.afterMs',
    percentile: 'hedge.quantile',
    perTryTimeout: 'attemptTimeoutMs',
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
      '  - maxAttempts: found an unknown key; allowed: the name of a setting. ' +
        'Did you mean "maxRetries"? It does not count the first attempt.\n' +
        '  - onRetry: found an unknown key; allowed: the name of a setting. ' +
        'Did you mean "beforeRetry"? To be told only, use "observe".',
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
