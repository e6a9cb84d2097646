/** Every default, and why; those of the limits are in their folders. The table in docs/policy.md is held to this file by a test. */

import { freezeDeep } from '../freeze.js';
import type { HintSetName } from '../hints/sets.js';
import type { LimitName } from '../limits/all.js';
import { type WindowBudget, windowDefaults } from '../limits/budget/setting.js';
import type { Hedge, LearntTimeout } from '../limits/latency/setting.js';
import { type LimitDefaults, limitDefaults, limitsByDefault } from '../limits/settings.js';
import type { Credentials, IdempotencyKey, PolicyOptions, StreamStart } from './options.js';
import type { ExponentialSchedule } from './schedules.js';
import type { Compiled, Hook, Settings } from './settings.js';

/** Defaults in the form in which users write them; a nested one is what `true` or `{}` means. */
interface Defaults
  extends Omit<Settings, keyof Compiled | Hook>,
    LimitDefaults,
    Required<Pick<PolicyOptions, 'statuses' | 'methods' | 'maxScopes' | 'scopeIdleMs'>> {
  readonly idempotencyKey: IdempotencyKey;
  readonly credentials: Pick<Credentials, 'statuses' | 'timeoutMs'>;
  readonly streamStart: StreamStart;
  readonly hints: readonly HintSetName[];
  readonly schedule: ExponentialSchedule;
  readonly throttledSchedule: ExponentialSchedule;
  readonly windowBudget: WindowBudget;
  readonly attemptTimeoutMs: Settings['attemptTimeoutMs'];
  readonly learntTimeout: Omit<LearntTimeout, 'maxMs'>;
  readonly hedge: Hedge;
  readonly attemptHeader: string;
}

/** Those that their parts bring along. */
type OfPart = 'hedge' | 'credentials' | 'streamStart';

type Off = 'idempotencyKey' | 'credentials' | 'streamStart' | 'hedge' | 'attemptHeader';

const schedule: Defaults['schedule'] = {
  kind: 'exponential',
  firstMs: 100,
  factor: 2,
  maxMs: 20_000,
  // It needs the fewest calls of all known forms, at nearly the best completion time.
  jitter: 'full',
};

/** Those that every installation has. */
export const usualDefaults: Omit<Defaults, LimitName | 'windowBudget' | 'learntTimeout' | OfPart> =
  /* @__PURE__ */ (() =>
    freezeDeep({
      // Three retries survive a blip. More should be a deliberate choice, in a rule.
      maxRetries: 3,
      // No deadline: only the caller knows how long an answer is useful.
      deadlineMs: undefined,
      deadlineCovers: 'head',
      attemptTimeoutMs: undefined,
      // Off: only the caller knows that it does not read an answer as it comes.
      wholeBodyBytes: 0,
      // Longer than nearly all bodies of that size take. An answer that is sent in pieces is not late for long.
      wholeBodyMs: 500,
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
      scope: 'origin',
      // As much as common proxies buffer for a replay, and enough for nearly all JSON.
      bufferBodyBytes: 65_536,
      resume: true,
      // A pending retry is work in progress, so it keeps the process alive.
      unref: false,
      attemptHeader: 'retry-attempt',
      maxScopes: 1_000,
      scopeIdleMs: 600_000,
    }))();

/** Models that are overloaded say so within seconds; a slower one has begun to think. Its beginning is a few hundred bytes. */
export const streamStartDefaults: Defaults['streamStart'] = /* @__PURE__ */ Object.freeze({
  maxMs: 5_000,
  maxBytes: 65_536,
});

/** Twice what nearly all answers need: noise stays below it. */
export const learntTimeoutDefaults: Defaults['learntTimeout'] = /* @__PURE__ */ Object.freeze({
  quantile: 0.95,
  factor: 2,
  minMs: 50,
});

/**
 * Four times the median cuts the tail most for the least load, of all waits that were tried: high quantiles sit where
 * the slow answers begin. Twenty requests pay for one hedge. Only methods whose duplicates cannot do harm: the second
 * DELETE of two gets 404, and the second request with the same key 409.
 */
export const hedgeDefaults: Hedge = /* @__PURE__ */ freezeDeep({
  quantile: 0.5,
  factor: 4,
  afterMs: undefined,
  methods: ['GET', 'HEAD', 'OPTIONS', 'QUERY'],
  share: 0.05,
  capacity: 5,
});

/** RFC 9110 15.5.2. Who waits longer than this for a login would rather know. */
export const credentialsDefaults: Defaults['credentials'] = /* @__PURE__ */ freezeDeep({
  statuses: [401],
  timeoutMs: 10_000,
});

export const defaults: Defaults = /* @__PURE__ */ (() =>
  Object.freeze({
    ...usualDefaults,
    streamStart: streamStartDefaults,
    learntTimeout: learntTimeoutDefaults,
    hedge: hedgeDefaults,
    credentials: credentialsDefaults,
    ...limitDefaults,
    windowBudget: windowDefaults,
  }))();

/** The settings of an empty policy: some are off by default. */
export const defaultOptions: Omit<Defaults, 'windowBudget' | 'learntTimeout' | LimitName | Off> &
  typeof limitsByDefault &
  Readonly<Record<Off, false>> = /* @__PURE__ */ (() =>
  Object.freeze({
    ...usualDefaults,
    ...limitsByDefault,
    idempotencyKey: false,
    credentials: false,
    streamStart: false,
    hedge: false,
    attemptHeader: false,
  }))();
