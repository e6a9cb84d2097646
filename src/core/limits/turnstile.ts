/** What a request meets on its way to be sent, and what it has got of it: values, and what becomes of them. */

import type { Admission, RefusalReason } from '../types.js';
import type { Epoch, GateState } from './gate/state.js';
import { givePlaceBack } from './hold/queue.js';
import type { HoldState } from './hold/state.js';

/** What the scope shares and what this request has got of it so far. */
export interface Turnstile {
  readonly gate: GateState;
  readonly hold: HoldState;
  /** Requests that wait for the gate, this one not counted. */
  readonly waiting: number;
  readonly claim: Claim;
  /** It was decided that it may try again, and its answer is gone: it waits as long as its deadline lets it. */
  readonly isRetry: boolean;
}

/** What a request has of its scope while it waits to be sent. */
export interface Claim {
  /** Its own in the hold's queue, and until when it waits for it. */
  readonly place: number | undefined;
  readonly queuesUntil: number;
  /** Since when it waits for a probe's answer, and for a place in the ramp. */
  readonly metProbeAt: number | undefined;
  readonly metRampAt: number | undefined;
}

export interface Admitted {
  readonly admission: Admission;
  readonly gate: GateState;
  readonly hold: HoldState;
  readonly claim: Claim;
  /** Of the gate's state in which the attempt goes. */
  readonly epoch: Epoch;
  /** It goes, but only because what would have refused it is not enforced. */
  readonly unenforced?: RefusalReason;
}

export const go: Admission = Object.freeze({ kind: 'go' });

/** Nothing yet. */
export const noClaim: Claim = Object.freeze({
  place: undefined,
  queuesUntil: Number.POSITIVE_INFINITY,
  metProbeAt: undefined,
  metRampAt: undefined,
});

/** Of attempts that were let through although they have no place: nothing is given back for them. */
export const noEpoch: Epoch = -1;

/** Requests that wait ask again from time to time, because it may go faster than it seemed. */
export const longestPollMs = 100;

export function passing({ gate, hold, claim }: Turnstile): Admitted {
  return { admission: go, gate, hold, claim, epoch: gate.epoch };
}

export function refusing(admitted: Admitted, reason: RefusalReason): Admitted {
  return { ...admitted, admission: { kind: 'refuse', reason } };
}

/** A request that is refused leaves the queue. */
export function withoutPlace(admitted: Admitted, now: number): Admitted {
  const { hold, claim } = admitted;
  if (claim.place === undefined) return admitted;
  return { ...admitted, hold: givePlaceBack(hold, claim.place, now), claim: noClaim };
}
