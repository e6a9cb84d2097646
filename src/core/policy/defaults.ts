/** Every default, and why. The table in docs/policy.md is held to this file by a test. */

import { freezeDeep } from '../freeze.js';
import type { HintSetName } from '../hints/sets.js';
import type { BucketBudget, Gate, Hedge, Hold, LearntTimeout, WindowBudget } from './limits.js';
import type { IdempotencyKey, PolicyOptions } from './options.js';
import type { ExponentialSchedule } from './schedules.js';
import type { Compiled, Hook, Settings } from './settings.js';

/** Defaults in the form in which users write them; a nested one is what `true` or `{}` means. */
interface Defaults
  extends Omit<Settings, keyof Compiled | Hook>,
    Required<Pick<PolicyOptions, 'statuses' | 'methods' | 'maxScopes' | 'scopeIdleMs'>> {
  readonly idempotencyKey: IdempotencyKey;
  readonly hints: readonly HintSetName[];
  readonly schedule: ExponentialSchedule;
  readonly throttledSchedule: ExponentialSchedule;
  readonly budget: BucketBudget;
  readonly windowBudget: WindowBudget;
  readonly gate: Gate;
  readonly hold: Hold;
  readonly attemptTimeoutMs: Settings['attemptTimeoutMs'];
  readonly learntTimeout: Omit<LearntTimeout, 'maxMs'>;
  readonly hedge: Hedge;
  readonly attemptHeader: string;
}

type Off = 'idempotencyKey' | 'gate' | 'hold' | 'hedge' | 'attemptHeader';

const schedule: Defaults['schedule'] = {
  kind: 'exponential',
  firstMs: 100,
  factor: 2,
  maxMs: 20_000,
  // It needs the fewest calls of all known forms, at nearly the best completion time.
  jitter: 'full',
};

export const defaults: Defaults = freezeDeep({
  // Three retries survive a blip. More should be a deliberate choice, in a rule.
  maxRetries: 3,
  // No deadline: only the caller knows how long an answer is useful.
  deadlineMs: undefined,
  deadlineCovers: 'head',
  attemptTimeoutMs: undefined,
  // Twice what nearly all answers need: noise stays below it.
  learntTimeout: { quantile: 0.95, factor: 2, minMs: 50 },
  // Four times the median cuts the tail most for the least load, of all waits that were tried: high quantiles sit where
  // the slow answers begin. Twenty requests pay for one hedge. Only methods whose duplicates cannot do harm: the second
  // DELETE of two gets 404, and the second request with the same key 409.
  hedge: {
    quantile: 0.5,
    factor: 4,
    afterMs: undefined,
    methods: ['GET', 'HEAD', 'OPTIONS', 'QUERY'],
    share: 0.05,
    capacity: 5,
  },
  // Transient ones. The negated ones do not go away with time (RFC 9110 15.6; 2295; 5842; 2774; 6585).
  statuses: [408, 425, 429, '5xx', '!501', '!505', '!506', '!508', '!510', '!511'],
  // RFC 9110 9.2.2, and QUERY, which is safe by its own specification.
  methods: ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY'],
  idempotent: false,
  // 408, 425 and 429 say that the request was not processed, so sending it again does not repeat it.
  unsafeMethods: 'refused',
  idempotencyKey: { header: 'idempotency-key', quoted: false, generate: undefined },
  schedule,
  // When rate limited without a hint, wait ten times as long.
  throttledSchedule: { ...schedule, firstMs: 1_000 },
  // Unambiguous on any server. Vendors' own headers are read by name only.
  hints: ['common'],
  // Reading a body costs memory and time, so it is opt-in.
  bodyHintBytes: 0,
  // A caller that has to wait longer than a minute would rather know.
  maxHintMs: 60_000,
  // Upwards only: spreads the clients that were told the same second.
  hintJitter: 0.1,
  // For requests that fail in the end, at most 15 % more load than successful first tries, and a trickle to find out when
  // the outage is over; retries that help are free. A server that times out is overloaded, so a retry costs more then; but
  // if it is one server of ten, the others can take the retry.
  budget: {
    kind: 'bucket',
    capacity: 50,
    perSuccess: 0.15,
    perSecond: 0.1,
    cost: { transient: 1, throttled: 1, timeout: 2 },
    refund: 'all',
    charge: 'retry',
    floor: 0,
  },
  // Finagle's: ten retries a second are always allowed, and one for every five successes.
  windowBudget: {
    kind: 'window',
    windowMs: 10_000,
    reserve: 100,
    perSuccess: 0.2,
    cost: { transient: 1, throttled: 1, timeout: 1 },
  },
  // At any usual error rate, twenty failures in a row are not a coincidence; and replacing a server takes less than two
  // seconds.
  gate: {
    failures: 20,
    deadForMs: 2_000,
    probeMs: 1_000,
    rampMs: 2_000,
    whenShut: 'fail',
    maxWaiting: 1_000,
    enforce: true,
  },
  // Less than half may come from one tenant or one route. Shorter hints are over before other requests would notice.
  hold: {
    refusedShare: 0.5,
    minMs: 2_000,
    spacingMs: 100,
    maxQueueMs: undefined,
    maxWaiting: 1_000,
    enforce: true,
  },
  scope: 'origin',
  // As much as common proxies buffer for a replay, and enough for nearly all JSON.
  bufferBodyBytes: typeof __UNDAUNTED_STREAMS__ === 'undefined' || __UNDAUNTED_STREAMS__ ? 65_536 : 0,
  resume: true,
  // A pending retry is work in progress, so it keeps the process alive.
  unref: false,
  attemptHeader: 'retry-attempt',
  maxScopes: 1_000,
  scopeIdleMs: 600_000,
});

const { windowBudget: _, learntTimeout: __, ...usual } = defaults;

/** The settings of an empty policy: some are off by default. */
export const defaultOptions: Omit<Defaults, 'windowBudget' | 'learntTimeout' | Off> &
  Readonly<Record<Off, false>> = Object.freeze({
  ...usual,
  idempotencyKey: false,
  gate: false,
  hold: false,
  hedge: false,
  attemptHeader: false,
});
