/**
 * The famous schemes, from Ethernet's to Docker's: each is JSON that any user could have written for `schedule` or
 * `throttledSchedule`, as a policy, or for the round-trip timer of a loop that is not HTTP. To vary one, spread it:
 * `{ ...schemes.schedules.dockerRestart, maxMs: 5_000 }`.
 */

import { freezeDeep } from '../freeze.js';

const all = {
  schedules: {
    /**
     * 2^n seconds and up to 1000 ms on top, for n = 0..4; then give up (`maxRetries: 5`).
     * Google Analytics Core Reporting API v3, "Error responses", "Implementing exponential backoff".
     */
    googleCoreReporting: {
      kind: 'exponential',
      firstMs: 1_000,
      factor: 2,
      maxMs: 16_000,
      jitter: { addMs: 1_000 },
    },

    /**
     * A table, each wait times a factor from [0.5, 1.5); the last one is repeated.
     * Peter Teichman, "Simple backoff", Gopher Academy Advent 2014, "A stateless alternative".
     */
    statelessTable: {
      kind: 'table',
      waitsMs: [0, 10, 10, 100, 100, 500, 500, 3_000, 3_000, 5_000],
      jitter: { spread: 0.5 },
    },

    /**
     * A minimum, a maximum, a factor of e, and normally distributed jitter of a tenth of the wait.
     * The constants of smira/exponential-backoff (2014), whose jitter is a tenth of a second instead; its
     * ancestor, Twisted's `ReconnectingClientFactory`, uses a share of the wait, as here.
     */
    normallyDistributed: {
      kind: 'exponential',
      firstMs: 100,
      // biome-ignore lint/suspicious/noApproximativeNumericConstant: the origin's own digits.
      factor: 2.71828,
      maxMs: 300_000,
      jitter: { normal: 0.1 },
    },

    /**
     * Truncated binary exponential backoff: before retry n, k slots of 51.2 µs with k drawn from the whole
     * numbers below 2^min(n, 10); an Ethernet adapter gives up after 16 attempts (`maxRetries: 15`).
     * IEEE 802.3, 4.2.3.2.5 (10 Mbit/s). Timers are not that precise: choose a longer slot in practice.
     */
    ethernet: {
      kind: 'exponential',
      firstMs: 0.1024,
      factor: 2,
      maxMs: 52.4288,
      jitter: 'full',
      slotMs: 0.0512,
    },

    /**
     * 1 s doubling to 32 s, forever; a success starts again from 1 s.
     * ØMQ - The Guide, chapter 4, the Paranoid Pirate worker (`INTERVAL_INIT`, `INTERVAL_MAX`).
     */
    zeromqWorker: { kind: 'exponential', firstMs: 1_000, factor: 2, maxMs: 32_000, jitter: 'none' },

    /**
     * TCP's retransmission timer before any round trip was measured: 1 s (RFC 6298 2.1), doubled at each
     * expiry (5.5), capped at the least maximum that is allowed, 60 s (2.5).
     */
    tcpRetransmission: { kind: 'exponential', firstMs: 1_000, factor: 2, maxMs: 60_000, jitter: 'none' },

    /**
     * 100 ms doubling to 1 min; a container that ran for ten seconds starts again from the first.
     * moby/moby, `restartmanager` (`defaultTimeout`, `backoffMultiplier`, `maxRestartTimeout`).
     */
    dockerRestart: { kind: 'exponential', firstMs: 100, factor: 2, maxMs: 60_000, jitter: 'none' },

    /** Once a second: everyone's first idea. Clients that fail together come back together. */
    fixed: { kind: 'fixed', waitMs: 1_000, jitter: 'none' },
  },

  policies: {
    /**
     * Google's whole Core Reporting flow: waits of 2^n seconds plus up to 1000 ms for n = 0..4, then the caller gets
     * the answer. It retries 403 if the body says `userRateLimitExceeded`, `rateLimitExceeded` or `quotaExceeded` (10
     * queries at once), and 500 `internalServerError` and 503 `backendError` at most once. It does not retry
     * `dailyLimitExceeded`, `insufficientPermissions`, 400 and 401. Failures without an answer are treated as by
     * default. Google Analytics Core Reporting API v3, "Error responses".
     */
    googleCoreReporting: {
      maxRetries: 5,
      statuses: [],
      hints: 'google-analytics',
      schedule: { kind: 'exponential', firstMs: 1_000, factor: 2, maxMs: 16_000, jitter: { addMs: 1_000 } },
      throttledSchedule: {
        kind: 'exponential',
        firstMs: 1_000,
        factor: 2,
        maxMs: 16_000,
        jitter: { addMs: 1_000 },
      },
    },

    /**
     * The client's side of ZeroMQ's reliable request-reply: three tries of 2.5 seconds each, without waits between
     * them, then it gives up. No answer is retried, whatever its status. ØMQ - The Guide, chapter 4, "Client-side
     * Reliability (Lazy Pirate Pattern)" (`REQUEST_TIMEOUT`, `REQUEST_RETRIES`); there, every request may be sent
     * again; here, only those that are safe to repeat.
     */
    zeromqLazyPirate: {
      maxRetries: 2,
      attemptTimeoutMs: 2_500,
      statuses: [],
      hints: false,
      schedule: { kind: 'fixed', waitMs: 0, jitter: 'none' },
    },

    /**
     * Limited by time: every 30 seconds for 15 minutes, as Hadoop's clients connect to YARN's resource manager.
     * apache/hadoop, `RetryPolicies.retryUpToMaximumTimeWithFixedSleep` with the defaults of `RMProxy`
     * (`yarn.resourcemanager.connect.max-wait.ms`, `.retry-interval.ms`). Hadoop turns the time
     * into a number of retries; here the time is measured as well, so slow attempts count. The only status that is
     * retried is 503.
     */
    hadoopMaximumTime: {
      maxRetries: 30,
      deadlineMs: 900_000,
      statuses: [503],
      schedule: { kind: 'fixed', waitMs: 30_000, jitter: 'none' },
    },

    /**
     * Limited by number: 400 ms, doubled for each of five retries, each wait times a factor from [0.5, 1.5).
     * apache/hadoop, `RetryPolicies.exponentialBackoffRetry(5, 200, MILLISECONDS)`, as used by its clients of a name
     * node (`NameNodeProxies`); the first wait is twice the given time.
     */
    hadoopExponential: {
      maxRetries: 5,
      statuses: [503],
      schedule: {
        kind: 'exponential',
        firstMs: 400,
        factor: 2,
        maxMs: 6_400,
        jitter: { spread: 0.5 },
      },
    },
  },

  roundTrips: {
    /**
     * TCP's retransmission timer: the smoothed round-trip time plus four times its mean deviation, from 1 s to 60 s,
     * and 1 s before the first measurement. RFC 6298; Van Jacobson, "Congestion Avoidance and Control" (SIGCOMM 1988).
     * Messages that were sent twice are not measured: Karn and Partridge, "Improving Round-Trip Time Estimates in
     * Reliable Transport Protocols" (SIGCOMM 1987).
     */
    rfc6298: {
      firstMs: 1_000,
      firstAnswer: 'replace',
      gain: 0.125,
      deviationGain: 0.25,
      deviations: 4,
      // The resolution of JavaScript's timers.
      granularityMs: 1,
      minMs: 1_000,
      maxMs: 60_000,
    },

    /**
     * The same for requests over UDP: from 2 s to 60 s, 3 s at first. The first measurement counts like every other;
     * give up after three retransmissions (`RTT_MAXNREXMT`). W. Richard Stevens, "UNIX Network Programming", "Adding
     * Reliability to a UDP Application" (`rtt_init`, `rtt_stop`, `rtt_timeout`). His messages carry a timestamp, so
     * that answers to repeated ones are measured, too.
     */
    stevens: {
      firstMs: 3_000,
      firstAnswer: 'smooth',
      gain: 0.125,
      deviationGain: 0.25,
      deviations: 4,
      granularityMs: 0,
      minMs: 2_000,
      maxMs: 60_000,
    },
  },
} as const;

/** Famous schemes as plain data: `schemes.schedules.ethernet`, `schemes.policies.zeromqLazyPirate`, `schemes.roundTrips.rfc6298`, … */
export const schemes: typeof all = /* @__PURE__ */ freezeDeep(all);
