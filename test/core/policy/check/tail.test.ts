/** Hedges, and adaptive attempt timeouts. */

import { describe, expect, test } from 'vitest';
import { hedgedWrites } from '../../../../src/core/policy/check/remarks.js';
import type { PolicyOptions } from '../../../../src/core/policy/options.js';
import { presets } from '../../../../src/core/policy/presets.js';
import { schemes } from '../../../../src/core/policy/schemes.js';
import { checkOverride, checkPolicy, definePolicy } from '../../../../src/parts/all.js';

const learnt = { maxMs: 5_000 };
const beforeRetry = () => {};

describe('valid are', () => {
  test.each<PolicyOptions>([
    { hedge: true },
    { hedge: false, retry: false },
    { hedge: false, maxRetries: 0 },
    { hedge: false, beforeRetry },
    { hedge: { afterMs: 80 } },
    { hedge: { afterMs: 80, share: 0.1 }, attemptTimeoutMs: 81, deadlineMs: 81 },
    { hedge: { quantile: 0.95, factor: 1 } },
    { hedge: { quantile: 0.5, factor: 4, methods: ['GET'], share: 1, capacity: 1 } },
    { attemptTimeoutMs: learnt },
    { attemptTimeoutMs: { quantile: 0.99, factor: 3, minMs: 100, maxMs: 100 } },
    { attemptTimeoutMs: learnt, deadlineMs: 5_000 },
    { attemptTimeoutMs: 800, budget: false },
    // Each rule has what the other lacks.
    { hedge: true, retry: false, rules: [{ match: '/a', maxRetries: 1 }] },
    {
      hedge: true,
      rules: [
        { match: '/a', retry: false },
        { match: '/b', beforeRetry },
      ],
    },
    { hedge: { afterMs: 80 }, rules: [{ match: '/a', attemptTimeoutMs: 50 }] },
    { attemptTimeoutMs: learnt, rules: [{ match: '/a', attemptTimeoutMs: 100, budget: false }] },
  ])('%o', (policy) => {
    expect(checkPolicy(policy)).toEqual([]);
  });
});

describe('contradictions', () => {
  test.each<[PolicyOptions, path: string, found: string, allowed: string]>([
    [
      { attemptTimeoutMs: learnt, budget: false },
      'attemptTimeoutMs',
      'an adaptive timeout',
      'a number of milliseconds; an adaptive timeout needs a budget',
    ],
    [
      { attemptTimeoutMs: learnt, rules: [{ match: '/a', budget: false }] },
      'rules[0].budget',
      'false',
      'a budget, because attemptTimeoutMs is adaptive',
    ],
    [
      { budget: false, rules: [{ match: '/a', attemptTimeoutMs: learnt }] },
      'rules[0].attemptTimeoutMs',
      'an adaptive timeout',
      'a number of milliseconds; an adaptive timeout needs a budget',
    ],
    [
      { attemptTimeoutMs: { minMs: 900, maxMs: 800 } },
      'attemptTimeoutMs.minMs',
      'the number 900',
      'at most maxMs, which is 800',
    ],
    [
      { attemptTimeoutMs: { maxMs: 40 } },
      'attemptTimeoutMs.maxMs',
      'the number 40',
      'at least minMs, which is 50',
    ],
    [
      { attemptTimeoutMs: learnt, deadlineMs: 4_000 },
      'attemptTimeoutMs.maxMs',
      'the number 5000',
      'at most deadlineMs, which is 4000',
    ],
    [
      { attemptTimeoutMs: learnt, rules: [{ match: '/a', deadlineMs: 4_000 }] },
      'rules[0].deadlineMs',
      'the number 4000',
      'at least attemptTimeoutMs, which is 5000',
    ],
    [
      { hedge: true, retry: false },
      'hedge',
      'true',
      'false where nothing is retried: a hedge is sent only where a retry would be',
    ],
    [
      { hedge: {}, maxRetries: 0 },
      'hedge',
      'an object',
      'false where nothing is retried: a hedge is sent only where a retry would be',
    ],
    [
      { hedge: true, beforeRetry },
      'hedge',
      'true',
      'false where there is a beforeRetry: a hedge would be sent without asking it',
    ],
    [
      { retry: false, rules: [{ match: '/a', hedge: true }] },
      'rules[0].hedge',
      'true',
      'false where nothing is retried: a hedge is sent only where a retry would be',
    ],
    [
      { hedge: { afterMs: 80, factor: 2 } },
      'hedge.factor',
      'a factor beside afterMs',
      'either a fixed wait (afterMs), or an adaptive one (quantile, factor)',
    ],
    [
      { hedge: { afterMs: 80, factor: 2, quantile: 0.5 } },
      'hedge.quantile',
      'a quantile beside afterMs',
      'either a fixed wait (afterMs), or an adaptive one (quantile, factor)',
    ],
    [
      { hedge: { afterMs: 2_000 }, attemptTimeoutMs: 2_000 },
      'hedge.afterMs',
      'the number 2000',
      'less than attemptTimeoutMs, which is 2000',
    ],
    [
      { hedge: { afterMs: 2_000 }, deadlineMs: 1_000 },
      'hedge.afterMs',
      'the number 2000',
      'less than deadlineMs, which is 1000',
    ],
  ])('%o', (policy, path, found, allowed) => {
    expect(checkPolicy(policy)).toEqual([{ path, found, allowed }]);
  });

  test('are none with a setting that is invalid itself', () => {
    const paths = (policy: unknown) => checkPolicy(policy).map(({ path }) => path);
    expect(paths({ hedge: true, maxRetries: -1 })).toEqual(['maxRetries']);
    expect(paths({ attemptTimeoutMs: learnt, budget: true })).toEqual(['budget']);
  });

  test('are none in an override, which does not know the rule', () => {
    expect(checkOverride({ hedge: false, attemptTimeoutMs: 100, budget: false, retry: false })).toEqual([]);
  });
});

describe('a message says what to write', () => {
  test.each<[unknown, path: string, allowed: string]>([
    [{ hedge: 80 }, 'hedge', 'true, false or an object such as { afterMs: 80 }'],
    [
      { attemptTimeoutMs: '800ms' },
      'attemptTimeoutMs',
      'milliseconds, from 1 up to 10 years, or an object such as { maxMs: 5000 } for an adaptive timeout',
    ],
    [{ attemptTimeoutMs: { factor: 2 } }, 'attemptTimeoutMs.maxMs', 'milliseconds, from 1 up to 10 years'],
    [
      { hedge: { quantile: 95 } },
      'hedge.quantile',
      'a number from 0.01 to 0.999: 0.95 for the 95th percentile',
    ],
    [
      { hedge: { quantile: 1 } },
      'hedge.quantile',
      'a number from 0.01 to 0.999: 0.95 for the 95th percentile',
    ],
    [
      { attemptTimeoutMs: { maxMs: 100, quantile: 0 } },
      'attemptTimeoutMs.quantile',
      'a number from 0.01 to 0.999: 0.95 for the 95th percentile',
    ],
    [{ hedge: { factor: 0.5 } }, 'hedge.factor', 'a number from 1 to 1,000'],
    [{ hedge: { methods: [] } }, 'hedge.methods', 'a list that is not empty'],
    [{ hedge: { share: 0 } }, 'hedge.share', 'a number from 0.001 to 1'],
    [{ hedge: { capacity: 0.5 } }, 'hedge.capacity', 'a number from 1 to 1,000,000'],
  ])('%o', (policy, path, allowed) => {
    expect(checkPolicy(policy)).toEqual([expect.objectContaining({ path, allowed })]);
  });

  test('in an override, too', () => {
    expect(checkOverride({ hedge: true, attemptTimeoutMs: learnt })).toEqual([
      {
        path: 'hedge',
        found: 'true',
        allowed: 'false (only a rule or the policy can set what requests share)',
      },
      { path: 'attemptTimeoutMs', found: 'an object', allowed: 'milliseconds, from 1 up to 10 years' },
    ]);
  });
});

describe('hedged writes', () => {
  test('get a remark: both attempts may be carried out', () => {
    const rules = [{ match: '/a', hedge: { methods: ['GET', 'delete', 'POST'] } }];
    expect(hedgedWrites({ hedge: true, rules })).toEqual([
      {
        path: 'rules[0].hedge.methods',
        says: 'a hedge of DELETE or POST may be carried out at the same time as the first attempt',
        advice:
          'Leave them out, unless the server carries out only one of two such requests and gives both the same answer.',
      },
    ]);
    expect(hedgedWrites({ hedge: { methods: ['PUT'] } })).toEqual([
      {
        path: 'hedge.methods',
        says: 'a hedge of PUT may be carried out at the same time as the first attempt',
        advice:
          'Leave it out, unless the server carries out only one of two such requests and gives both the same answer.',
      },
    ]);
  });

  test('are none of those that only read', () => {
    const methods = ['GET', 'head', 'OPTIONS', 'TRACE', 'QUERY'];
    const policies: PolicyOptions[] = [
      {},
      { hedge: false },
      { hedge: true },
      { hedge: {} },
      { hedge: { methods } },
    ];
    for (const policy of policies) expect(hedgedWrites(policy)).toEqual([]);
  });

  test('are valid, and cause no warning at run time', () => {
    expect(definePolicy({ hedge: { methods: ['POST'] } }).remarks).toEqual([]);
  });
});

test('no preset asks for hedges or for adaptive timeouts', () => {
  for (const options of [...Object.values(presets.policies), ...Object.values(schemes.policies)]) {
    const { rules, fallback } = definePolicy(options);
    for (const { settings } of [fallback, ...rules]) expect(settings.tail).toBeUndefined();
  }
});
