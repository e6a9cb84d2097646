/**
 * What a service starts from: whole policies, and the schedules and budgets of today's large vendors. Each is JSON that any
 * user could have written; to vary one, spread it: `{ ...presets.policies.service, deadlineMs: 3_000 }`. The famous schemes
 * of other times are in `schemes.ts`.
 *
 * The number of retries is not part of a schedule; if the origin has a limit, it is the policy's `maxRetries`.
 */

import { freezeDeep } from '../freeze.js';

const all = {
  schedules: {
    /**
     * Anything up to the exponential wait: the fewest calls.
     * AWS Architecture Blog, "Exponential Backoff And Jitter" (2015), with the numbers of its simulator
     * (aws-samples/aws-arch-backoff-simulator): base 5 ms, cap 2 s, and the first retry waits base * 2^1.
     */
    awsFullJitter: { kind: 'exponential', firstMs: 10, factor: 2, maxMs: 2_000, jitter: 'full' },

    /** Half of the exponential wait, and anything up to the other half. Origin as `awsFullJitter`. */
    awsEqualJitter: { kind: 'exponential', firstMs: 10, factor: 2, maxMs: 2_000, jitter: 'equal' },

    /**
     * `min(cap, random_between(base, 3 * previous))`, where the first "previous" is the base. The factor is
     * not used. Origin as `awsFullJitter`.
     */
    awsDecorrelatedJitter: {
      kind: 'exponential',
      firstMs: 5,
      factor: 3,
      maxMs: 2_000,
      jitter: 'decorrelated',
    },

    /**
     * The AWS SDKs' standard mode 2.1 (2026) after transient failures: `random * min(50 ms * 2^i, 20 s)`,
     * three attempts (`maxRetries: 2`). AWS SDKs and Tools Reference Guide, "Retry behavior".
     */
    awsStandard: { kind: 'exponential', firstMs: 50, factor: 2, maxMs: 20_000, jitter: 'full' },

    /** The same after throttling: for `throttledSchedule`, beside `awsStandard`. */
    awsStandardThrottled: { kind: 'exponential', firstMs: 1_000, factor: 2, maxMs: 20_000, jitter: 'full' },
  },

  budgets: {
    /**
     * The AWS SDKs' retry quota of standard mode 2.1 (2026): 500 tokens; a retry takes 14, after throttling
     * 5; a success gives back what its last retry took, or 1 if there was no retry. In the long run, that is
     * one retry for 14 clean successes. AWS SDKs and Tools Reference Guide, "Retry behavior".
     */
    awsStandard: {
      kind: 'bucket',
      capacity: 500,
      perSuccess: 1,
      perSecond: 0,
      cost: { transient: 14, throttled: 5, timeout: 14 },
      refund: true,
      charge: 'retry',
      floor: 0,
    },

    /**
     * gRPC's `retryThrottling` with `maxTokens` 10 and `tokenRatio` 0.5: every failure takes a token,
     * every success adds half a token, and there are retries while more than half of the tokens are left.
     * gRPC proposal A6, "Throttling retry attempts and hedged RPCs". For other numbers:
     * `capacity: maxTokens, perSuccess: tokenRatio, floor: maxTokens / 2`.
     */
    grpc: {
      kind: 'bucket',
      capacity: 10,
      perSuccess: 0.5,
      perSecond: 0,
      cost: { transient: 1, throttled: 1, timeout: 1 },
      refund: false,
      charge: 'failure',
      floor: 5,
    },

    /**
     * Finagle's default `RetryBudget`: within ten seconds, ten retries a second and one for every five
     * successes (`ttl` 10 s, `minRetriesPerSec` 10, `percentCanRetry` 0.2; the reserve is the product of
     * the first two). twitter/finagle, `RetryBudget.scala`.
     */
    finagle: {
      kind: 'window',
      windowMs: 10_000,
      reserve: 100,
      perSuccess: 0.2,
      cost: { transient: 1, throttled: 1, timeout: 1 },
    },

    /**
     * Linkerd's default retry budget, which is tower's `TpsBudget`: ten retries a second and one for every five successes
     * (`retryRatio` 0.2, `minRetriesPerSecond` 10, `ttl` 10 s), so the same numbers as Finagle's. linkerd/linkerd2,
     * `ServiceProfile`; tower-rs/tower, `tps_budget.rs`.
     */
    linkerd: {
      kind: 'window',
      windowMs: 10_000,
      reserve: 100,
      perSuccess: 0.2,
      cost: { transient: 1, throttled: 1, timeout: 1 },
    },
  },

  policies: {
    /**
     * For the API of a language model. A POST is sent again after 408, 409, 429 and every 5xx, including 529
     * ("overloaded"), and after failures without an answer, as OpenAI's and Anthropic's own clients do (openai-node and
     * anthropic-sdk-typescript, `shouldRetry`): a repeated request may be billed twice, but changes nothing. It is
     * more patient than they are: six retries outlast a limit of tokens per minute, and hints of up to two minutes are
     * obeyed. An answer whose body breaks off is fetched again, and so is a stream that
     * begins with an error, or ends before any content. An exhausted quota and `x-should-retry: false` end the request at once.
     */
    llm: {
      maxRetries: 6,
      idempotent: true,
      statuses: [408, 409, 429, '5xx'],
      hints: ['openai', 'anthropic'],
      maxHintMs: 120_000,
      wholeBodyBytes: 262_144,
      streamStart: { maxMs: 5_000, maxBytes: 65_536 },
      schedule: { kind: 'exponential', firstMs: 500, factor: 2, maxMs: 8_000, jitter: 'equal' },
      throttledSchedule: { kind: 'exponential', firstMs: 2_000, factor: 2, maxMs: 60_000, jitter: 'equal' },
    },

    /**
     * For calls from one backend to another: a caller waits ten seconds at most, a server that is down is left alone
     * until it is back, and if most requests are rate limited, all of them wait. An answer whose body breaks off is fetched
     * again.
     */
    service: {
      deadlineMs: 10_000,
      attemptTimeoutMs: 2_000,
      wholeBodyBytes: 262_144,
      gate: true,
      hold: { maxQueueMs: 2_000 },
    },
  },
} as const;

/** Policies, schedules and budgets to start from, as plain data: `presets.policies.service`, `presets.budgets.awsStandard`, … */
export const presets: typeof all = /* @__PURE__ */ freezeDeep(all);
