/**
 * How other libraries retry, by their published delay functions and limits, with their defaults unless a comment says
 * otherwise. What one of our policies can express is written as a policy. The libraries also treat writes differently,
 * which is not modelled here.
 */

import type { PolicyOptions } from '../../index.js';
import { presets } from '../../index.js';
import { schemes } from '../../schemes.js';
import type { Dice } from './dice.js';
import { standardNormal } from './dice.js';

export interface Peer {
  readonly kind: 'peer';
  readonly maxRetries: number;
  /** Whether it retries after its own timeout. */
  readonly afterTimeout: boolean;
  readonly statuses: readonly number[];
  /** In milliseconds; undefined: it gives up. */
  readonly wait: (turn: PeerTurn, dice: Dice) => number | undefined;
  /** Adaptive time limits of attempts, one for each process. Default: the clients' own limit. */
  readonly timeouts?: () => PeerTimeouts;
  /** When a second attempt is sent while the first is out; one for each process. Default: never. */
  readonly hedges?: () => PeerHedges;
}

export interface PeerTimeouts {
  /** For the next attempt. */
  limitMs(): number;
  answered(ms: number, isRetry: boolean): void;
  timedOut(limitMs: number): void;
}

export interface PeerHedges {
  /** Undefined: no second attempt. */
  afterMs(): number | undefined;
  /** The answer that was used arrived after this time. */
  answered(ms: number): void;
}

export interface PeerTurn {
  /** From 1. */
  readonly retry: number;
  /** The Retry-After of the answer. */
  readonly hintMs: number | undefined;
  /** Its previous wait; for the first retry, how long the user thought before the request. */
  readonly previousMs: number;
}

const serverErrors: readonly number[] = Array.from({ length: 100 }, (_, index) => 500 + index);

/** axios-retry 4.5 with `retryDelay: exponentialDelay`; without that option, it does not wait at all. */
export const axiosRetry: Peer = {
  kind: 'peer',
  maxRetries: 3,
  afterTimeout: false,
  statuses: [429, ...serverErrors],
  wait: ({ retry, hintMs = 0 }, dice) => Math.max(2 ** retry * 100, hintMs) * (1 + 0.2 * dice()),
};

/** undici 8, `interceptors.retry()`. */
export const undiciRetry: Peer = {
  kind: 'peer',
  maxRetries: 5,
  afterTimeout: false,
  statuses: [429, 500, 502, 503, 504],
  wait: ({ retry, hintMs }) => Math.min(hintMs ?? 500 * 2 ** (retry - 1), 30_000),
};

/** got 16. */
export const got: Peer = {
  kind: 'peer',
  maxRetries: 2,
  afterTimeout: true,
  statuses: [408, 413, 429, 500, 502, 503, 504, 521, 522, 524],
  wait: ({ retry, hintMs }, dice) => hintMs ?? 1_000 * 2 ** (retry - 1) + 100 * dice(),
};

/** ky 2. */
export const ky: Peer = {
  kind: 'peer',
  maxRetries: 2,
  afterTimeout: false,
  statuses: [408, 413, 429, 500, 502, 503, 504],
  wait: ({ retry, hintMs }) => hintMs ?? 300 * 2 ** (retry - 1),
};

/** p-retry 9 around a call that throws unless the request succeeds. */
export const pRetry: Peer = {
  kind: 'peer',
  maxRetries: 10,
  afterTimeout: true,
  statuses: Array.from({ length: 200 }, (_, index) => 400 + index),
  wait: ({ retry }) => 1_000 * 2 ** (retry - 1),
};

/**
 * smira/exponential-backoff (2014), the program: its first wait is derived from the user's last think time, because one
 * variable holds both, and its jitter is a tenth of a second however long the wait is.
 */
export const articleProgram: Peer = {
  kind: 'peer',
  maxRetries: Infinity,
  afterTimeout: true,
  statuses: serverErrors,
  // biome-ignore lint/suspicious/noApproximativeNumericConstant: the original's own digits.
  wait: ({ previousMs }, dice) => Math.min(previousMs * 2.71828, 300_000) + 100 * standardNormal(dice),
};

/** As many as a policy may have: no run reaches the last one. */
const forEver = 1_000_000;

/** The formula as the article describes it: it starts at the minimum, and jitter is a share of the wait. */
export const article: PolicyOptions = {
  maxRetries: forEver,
  schedule: schemes.schedules.normallyDistributed,
  budget: false,
};

/** The retry loop that most people write first. */
export const fixedForEver: PolicyOptions = {
  maxRetries: forEver,
  schedule: { kind: 'fixed', waitMs: 100, jitter: 'none' },
  budget: false,
};

/** Three retries with full jitter, and no state that requests share. */
export const threeRetries: PolicyOptions = { maxRetries: 3, budget: false };

export const noRetry: PolicyOptions = { retry: false, budget: false };

/**
 * The AWS SDKs' standard mode 2.1. The SDKs follow a hint up to five seconds above their own wait, which no case here
 * exceeds, and never wait less than their own wait; here the hint alone decides.
 */
export const awsStandard: PolicyOptions = {
  maxRetries: 2,
  schedule: presets.schedules.awsStandard,
  throttledSchedule: presets.schedules.awsStandardThrottled,
  statuses: [429, 500, 502, 503, 504],
  budget: presets.budgets.awsStandard,
  hints: 'standard',
  hintJitter: 0,
};

export const peers: {
  readonly fixedForEver: PolicyOptions;
  readonly article: PolicyOptions;
  readonly articleProgram: Peer;
  readonly noRetry: PolicyOptions;
  readonly threeRetries: PolicyOptions;
  readonly axiosRetry: Peer;
  readonly undiciRetry: Peer;
  readonly got: Peer;
  readonly ky: Peer;
  readonly pRetry: Peer;
  readonly awsStandard: PolicyOptions;
} = {
  fixedForEver,
  article,
  articleProgram,
  noRetry,
  threeRetries,
  axiosRetry,
  undiciRetry,
  got,
  ky,
  pRetry,
  awsStandard,
};
