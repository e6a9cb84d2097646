/** The hold of a scope as a value: what it does at the moment, and how fast requests follow each other meanwhile. */

import type { ResponseFinding } from '../../types.js';

/**
 * - `free`: all are sent.
 * - `trial`: fewer are sent for a moment, to see whether fewer are refused.
 * - `proof`: they were, and all are sent again, to see whether that was the reason.
 * - `paced`: it was, so the limit concerns all requests, and they queue.
 * - `rising`: the limit is higher than it was, so they come faster and faster until some are refused again.
 * - `check`: a trial behind which they go on queueing, because slowing down a little did not help.
 * - `borne`: they queue, and the check was in vain: a share of the refusals belongs to one tenant or one route, and is borne.
 * - `trickle`: everything is refused, so there is nothing to lose until the time that the server named.
 * - `quota`: `free`, but the server has kept such a word: what is refused in a row may be refused until it says.
 * - `obeyed`: the limit is known to concern all requests, so they stop and queue as soon as one is refused.
 */
export type HoldPhase =
  | 'free'
  | 'trial'
  | 'proof'
  | 'paced'
  | 'rising'
  | 'check'
  | 'borne'
  | 'trickle'
  | 'quota'
  | 'obeyed';

export interface HoldState {
  readonly phase: HoldPhase;
  /** When a trial, a check or a trickle is over. In other phases: no trial begins earlier. */
  readonly dueAt: number;
  /** Only if obeyed: nothing is sent before this monotonic time. */
  readonly until: number;
  /** From `pacedSince` on, requests queue. `places` had come up by then, and the next ones come `spacingMs` apart. */
  readonly pacedSince: number;
  readonly places: number;
  readonly spacingMs: number;
  /** The first free place. */
  readonly nextPlace: number;
  /** Places that were given back and have not come up yet, in order. */
  readonly gaps: readonly number[];
  /** The refused share for which the pace was last lowered; 0: that has helped. If borne, the one that does not fall. */
  readonly share: number;
  /** How long no trial may begin after the last one, which was in vain. */
  readonly restMs: number;
  /** The answer that started the hold. */
  readonly asked: { readonly finding: ResponseFinding; readonly at: number } | undefined;
  /** Only in a fleet, where a store gives out the places: those that this process has got and no request has taken. */
  readonly leased?: readonly number[];
}

export const noHold: HoldState = /* @__PURE__ */ (() => ({
  phase: 'free',
  dueAt: -Infinity,
  until: -Infinity,
  pacedSince: -Infinity,
  places: 0,
  spacingMs: 0,
  nextPlace: 0,
  gaps: Object.freeze([]),
  share: 0,
  restMs: 0,
  asked: undefined,
}))();

/**
 * How fast requests come. `easing` is where the rate begins, as a part of the measured rate. It grows gently at first,
 * to stay near what was measured, and faster later, to find out what has changed.
 */
export interface Pace {
  readonly easing: number;
  readonly gentlePerMs: number;
  readonly gentleForMs: number;
  readonly boldPerMs: number;
}

/** `gentle` and `bold` are factors per second. */
function paceOf(easing: number, gentle: number, gentleForMs: number, bold: number): Pace {
  return { easing, gentlePerMs: Math.log(gentle) / 1_000, gentleForMs, boldPerMs: Math.log(bold) / 1_000 };
}

/** For a limit that is shared with other clients: what this one leaves, they take. */
export const competing: Pace = /* @__PURE__ */ paceOf(0.95, 1.02, 4_000, 1.12);

/** For a limit that has moved up: nothing is known about the new one. */
const rising: Pace = /* @__PURE__ */ (() => paceOf(1, 2, Infinity, 2))();

/** For a known limit that should be respected at the first refusal: as few refusals as possible. */
export const obeyed: Pace = /* @__PURE__ */ (() => paceOf(0.8, 1.1, Infinity, 1.1))();

/**
 * For a trial, which compares two rates: it hardly grows. It is slower, because a server whose queue is full would still
 * refuse many at the rate that it bears.
 */
export const steady: Pace = /* @__PURE__ */ (() => paceOf(0.9, 1.0001, Infinity, 1.0001))();

/** Undefined: requests do not queue. */
export const paces: Readonly<Record<HoldPhase, Pace | undefined>> = {
  free: undefined,
  proof: undefined,
  quota: undefined,
  trial: steady,
  check: steady,
  trickle: steady,
  paced: competing,
  rising,
  borne: competing,
  obeyed,
};

// ---------------------------------------------------------------- the tuned numbers

/**
 * What a hold does by numbers of its own. `npm run sim:table -- 5 --goals` judges all of them together, in the days
 * `tenants`, `broken-route`, `innocents`, `changed-limit`, `limiter` and `quota`. The tests named here are those of
 * `test/core/limits` that fail if the number is about halved, or doubled.
 *
 * | number | what it moves | held by |
 * | --- | --- | --- |
 * | `enough` | first answers that say something about the whole scope | 'there are too few' |
 * | `longestMs` | when a sample with too few of them is given up | 'there are too few' |
 * | `enoughWhilePaced` | attempts in a sample while requests queue | 'ten attempts are enough to tell, and nine are too few' |
 * | `enoughInTrial` | attempts in a trial that can tell something | 'too little was sent to tell' |
 * | `trialMs` | how long a trial takes | 'is not lowered again for requests that were sent before' |
 * | `restMs` | how long none begins after one in vain | 'for ten seconds, then twenty' |
 * | `bearable` | refusals that change nothing while requests queue | 'few refusals change nothing' |
 * | `unchanged` | when slowing down a little has not helped | 'has not helped if three quarters of them are left' |
 * | `leastStep` | by how much a pace is lowered | 'an eighth makes them a little slower' |
 * | `movedGrowth` | when a limit counts as another one | 'when the pace has grown by three tenths and is still borne' |
 * | `shortestMs` | how long a sample lasts at least | 'a little less than the measured rate' |
 * | `pacedForMs` | how long requests queue after a change | 'after ten seconds, a request that finds no queue' |
 * | `drainMs` | how long those that waited take to leave | 'for ten seconds, then twenty' |
 * | `leaseKeptMs` | how old a place of the fleet may be | 'can be taken for half a second after it has come up' |
 * | `mostFree` | places that a store keeps | 'the first hundred of them' |
 * | `pollsOfQueue` | how often one far behind looks again | 'asks from time to time whether it has moved up' |
 * | `leasePollMs` | how often one without a place of the fleet does | 'asks 20 times a second' |
 * | `longestQueueMs` | how long one without a deadline queues | 'without a deadline, no request queues for longer than 30 s' |
 * | `competing` | the pace under a limit that others share | 'by a fiftieth each second, and after four seconds by an eighth' |
 * | `rising` | the pace under one that has moved up | 'the pace doubles each second then' |
 * | `obeyed` | the pace under one that is for all | 'is never raised by a refusal' |
 * | `steady` | the pace of a trial | 'does not become faster while it lasts' |
 */
