/** What the requests of a scope share: budget, gate, hold and what is learnt from its answers, as data. */

/** What a retry costs, by the failure before it; three decimals count. In a window, a token is a retry. */
export interface Cost {
  /**
   * Tokens that a retry takes after a failure.
   * @default none
   */
  readonly transient: number;
  /**
   * Tokens that a retry takes after a rate limited answer.
   * @default none
   */
  readonly throttled: number;
  /**
   * Tokens that a retry takes after an attempt that was not answered in time: the server may still be busy with it. By
   * default, it is the same as `transient`.
   * @default none
   */
  readonly timeout: number;
}

/** A token bucket: retries spend tokens, successes and time refill it. It starts full. */
export interface BucketBudget {
  /**
   * The kind of budget: a bucket of tokens, or retries within a sliding window.
   * @default 'bucket'
   */
  readonly kind: 'bucket';
  /**
   * How many tokens it holds; it starts full.
   * @default 50
   */
  readonly capacity: number;
  /**
   * Tokens for each request that succeeds; three decimals count.
   * @default 0.15
   */
  readonly perSuccess: number;
  /**
   * Tokens that are added every second.
   * @default 0.1
   */
  readonly perSecond: number;
  /**
   * Tokens that a retry takes: one number, or a number for each kind of failure before it. In a smaller bucket, a timeout
   * costs less.
   * @default { transient: 1, throttled: 1, timeout: 2 }
   */
  readonly cost: Cost;
  /**
   * What a request that succeeds after retries gives back, instead of `perSuccess`: what all of them have cost (`'all'`),
   * what the last one has cost (true, as in AWS), or nothing (false, which adds `perSuccess`). With
   * `charge: 'failure'`, the default is false.
   * @default 'all'
   */
  readonly refund: boolean | 'all';
  /**
   * What takes tokens: each retry (`'retry'`), or each failure, retried or not (`'failure'`, as in gRPC).
   * @default 'retry'
   */
  readonly charge: 'retry' | 'failure';
  /**
   * How many tokens a retry has to leave in the bucket; with `charge: 'failure'`, more than that must be left.
   * @default 0
   */
  readonly floor: number;
}

/** Retries may be `reserve` plus a share of the successes, within a sliding window (Finagle). */
export interface WindowBudget {
  /**
   * The kind of budget: a bucket of tokens, or retries within a sliding window.
   * @default none
   */
  readonly kind: 'window';
  /**
   * The length of the window in milliseconds.
   * @default 10_000
   */
  readonly windowMs: number;
  /**
   * How many retries are allowed without any success.
   * @default 100
   */
  readonly reserve: number;
  /**
   * How many retries each success adds; three decimals count.
   * @default 0.2
   */
  readonly perSuccess: number;
  /**
   * How many retries a retry counts as: one number, or a number for each kind of failure before it.
   * @default { transient: 1, throttled: 1, timeout: 1 }
   */
  readonly cost: Cost;
}

export type Budget = BucketBudget | WindowBudget;

/** The circuit breaker of a scope. */
export interface Gate {
  /**
   * How many first attempts have to fail in a row, without a sign of life between them, before the gate shuts.
   * @default 20
   */
  readonly failures: number;
  /**
   * How many milliseconds that row has to last before the gate shuts.
   * @default 2_000
   */
  readonly deadForMs: number;
  /**
   * Milliseconds between probes while the gate is shut; the first comes after a quarter of that.
   * @default 1_000
   */
  readonly probeMs: number;
  /**
   * Milliseconds over which traffic ramps up again after a successful probe.
   * @default 2_000
   */
  readonly rampMs: number;
  /**
   * What requests do while the gate is shut: fail at once with a `GateShutError`, or wait, which needs a `deadlineMs`.
   * @default 'fail'
   */
  readonly whenShut: 'fail' | 'wait';
  /**
   * How many requests may wait at the same time.
   * @default 1_000
   */
  readonly maxWaiting: number;
  /**
   * Whether it refuses anything. False: it only counts and reports what it would refuse.
   * @default true
   */
  readonly enforce: boolean;
}

/** The pause of a whole scope that a server asked for. */
export interface Hold {
  /**
   * The share of recent first answers, from 0 to 1, that have to be rate limited before others are held back for a
   * moment, to see whether that helps. 0: the limit is known to be for all, so one is enough.
   * @default 0.5
   */
  readonly refusedShare: number;
  /**
   * Shorter hints, in milliseconds, do not stop the others: they only slow them down.
   * @default 2_000
   */
  readonly minMs: number;
  /**
   * Milliseconds between two requests that leave the queue, where no earlier rate is known.
   * @default 100
   */
  readonly spacingMs: number;
  /**
   * The longest time in the queue, in milliseconds. By default, half of the time left until the deadline; without a
   * deadline, 30 seconds, not counting a time that the server named.
   * @default none
   */
  readonly maxQueueMs: number | undefined;
  /**
   * How many requests may queue at the same time.
   * @default 1_000
   */
  readonly maxWaiting: number;
  /**
   * Whether it refuses anything. False: it only counts and reports what it would refuse.
   * @default true
   */
  readonly enforce: boolean;
}

/** When a second attempt is sent while the first is still out, and which requests get one. */
export interface Hedge {
  /**
   * The quantile of recent answer times, from 0 to 1, that the wait for a hedge is based on: 0.5 is the median.
   * @default 0.5
   */
  readonly quantile: number;
  /**
   * The wait is this many times that quantile.
   * @default 4
   */
  readonly factor: number;
  /**
   * A fixed wait in milliseconds, in place of one that adapts to the answer times.
   * @default none
   */
  readonly afterMs: number | undefined;
  /**
   * Methods that are hedged. Both attempts may reach the server and be carried out at the same time.
   * @default ['GET', 'HEAD', 'OPTIONS', 'QUERY']
   */
  readonly methods: readonly string[];
  /**
   * How many hedges each request that succeeds adds; three decimals count.
   * @default 0.05
   */
  readonly share: number;
  /**
   * How many hedges may be saved up. There are none at the start.
   * @default 5
   */
  readonly capacity: number;
}

/** An adaptive attempt timeout. */
export interface LearntTimeout {
  /**
   * The quantile of recent answer times, from 0 to 1, that the timeout is based on.
   * @default 0.95
   */
  readonly quantile: number;
  /**
   * The timeout is this many times that quantile.
   * @default 2
   */
  readonly factor: number;
  /**
   * The shortest timeout in milliseconds.
   * @default 50
   */
  readonly minMs: number;
  /**
   * The longest timeout in milliseconds. It applies until enough answers are known, to last attempts, and where a retry
   * is not safe or not affordable.
   * @default none
   */
  readonly maxMs: number;
}

/** What is learnt from the answers of a rule's requests in a scope, and for what. */
export interface Tail {
  readonly hedge: Hedge | false;
  readonly timeout: LearntTimeout | undefined;
}
