/** Every default, and why. The table in docs/policy.md is held to this file by a test. */

import { freezeDeep } from '../freeze.js';
import type { HintSetName } from '../hints/sets.js';
import type { BucketBudget, Gate, Hold, WindowBudget } from './limits.js';
import type { IdempotencyKey, PolicyOptions } from './options.js';
import type { ExponentialSchedule } from './schedules.js';
import type { Compiled, Hook, Settings } from './settings.js';

/** What is written as it is read; of the rest, the written form, in which a nested one is what `true` or `{}` means. */
export interface Defaults
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
  readonly attemptHeader: string;
}

type Off = 'idempotencyKey' | 'gate' | 'hold' | 'attemptHeader';

const schedule: Defaults['schedule'] = {
  kind: 'exponential',
  firstMs: 100,
  factor: 2,
  maxMs: 20_000,
  // The fewest calls at near-best completion time of all known forms.
  jitter: 'full',
};

export const defaults: Defaults = freezeDeep({
  // Three more tries get over a blip; more are for a rule that knows why.
  maxRetries: 3,
  // No deadline: only the caller knows how long an answer is of use.
  deadlineMs: undefined,
  deadlineCovers: 'head',
  attemptTimeoutMs: undefined,
  // What passes by itself. The negated ones do not change with time (RFC 9110 15.6; 2295; 5842; 2774; 6585).
  statuses: [408, 425, 429, '5xx', '!501', '!505', '!506', '!508', '!510', '!511'],
  // RFC 9110 9.2.2, and QUERY, which its own specification calls safe.
  methods: ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY'],
  idempotent: false,
  // 408, 425 and 429 say that the request was not taken: repeating it repeats nothing.
  unsafeMethods: 'refused',
  idempotencyKey: { header: 'idempotency-key', quoted: false, generate: undefined },
  schedule,
  // A server that says "too much" without saying how long is given ten times the patience.
  throttledSchedule: { ...schedule, firstMs: 1_000 },
  // Unambiguous wherever they occur; vendors' own headers are read by name only.
  hints: ['common'],
  // Reading a body costs memory and time, so it is asked for.
  bodyHintBytes: 0,
  // A caller who must wait longer than a minute wants to know it instead.
  maxHintMs: 60_000,
  // Upwards only: spreads the herd that was given the same second.
  hintJitter: 0.1,
  // At most 15 % more load than successful first tries, and a little to find out that it is over. A server that
  // does not answer in time is busy with what it has got; but one of ten may be, and the others are not.
  budget: {
    kind: 'bucket',
    capacity: 50,
    perSuccess: 0.15,
    perSecond: 0.1,
    cost: { transient: 1, throttled: 1, timeout: 2 },
    refund: false,
    charge: 'retry',
    floor: 0,
  },
  // Finagle's: ten a second are always possible, and one for every five successes.
  windowBudget: {
    kind: 'window',
    windowMs: 10_000,
    reserve: 100,
    perSuccess: 0.2,
    cost: { transient: 1, throttled: 1, timeout: 1 },
  },
  // Twenty failures without one sign of life between them are not chance at any usual error rate, and two seconds
  // are longer than it takes to replace a server.
  gate: {
    failures: 20,
    deadForMs: 2_000,
    probeMs: 1_000,
    rampMs: 2_000,
    whenShut: 'fail',
    maxWaiting: 1_000,
    enforce: true,
  },
  // Less than half may be one tenant's, or one route's. Shorter hints are over before anybody else would have noticed.
  hold: { refusedShare: 0.5, minMs: 2_000, spacingMs: 100, maxQueueMs: undefined, enforce: true },
  scope: 'origin',
  // What other proxies keep for a replay, and enough for nearly all JSON.
  bufferBodyBytes: 65_536,
  resume: true,
  // A pending retry is work in progress: it keeps the process alive.
  unref: false,
  attemptHeader: 'retry-attempt',
  maxScopes: 1_000,
  scopeIdleMs: 600_000,
});

const { windowBudget: _, ...usual } = defaults;

/** What a policy that says nothing says: some settings are off until they are asked for. */
export const defaultOptions: Omit<Defaults, 'windowBudget' | Off> & Readonly<Record<Off, false>> =
  Object.freeze({
    ...usual,
    idempotencyKey: false,
    gate: false,
    hold: false,
    attemptHeader: false,
  });
