/** What a request meets before it is sent, and what it holds of it, as values. */

import type { Admission, RefusalReason } from '../types.js';
import { go } from './all.js';
import type { Room } from './concurrency/state.js';
import type { Kind } from './gate/kinds.js';
import { type Epoch, type GateState, noEpoch } from './gate/state.js';
import { givePlaceBack } from './hold/queue.js';
import type { HoldState } from './hold/state.js';

/** The shared state of the scope, and what this request holds of it so far. */
export interface AdmissionRequest {
  readonly gate: GateState;
  readonly hold: HoldState;
  /** The kind of the request; it matters only while the gate is not open. */
  readonly kind: Kind;
  /** How many requests wait for the gate, not counting this one. */
  readonly waiting: number;
  /** How many requests queue for the hold, not counting this one. */
  readonly queued: number;
  /** Undefined: nothing limits how many attempts may be in flight. */
  readonly room?: Room | undefined;
  readonly queuePlace: QueuePlace;
  /** The attempt is a retry. The answer before it is gone, so it waits as long as its deadline allows. */
  readonly isRetry: boolean;
}

/** What a request holds in its scope while it waits to be sent. */
export interface QueuePlace {
  /** Its place in the hold's queue, and the time until which it waits for that place. */
  readonly place: number | undefined;
  readonly queuesUntil: number;
  /** Since when it has waited for the answer of a probe, and for a place in the ramp. */
  readonly metProbeAt: number | undefined;
  readonly metRampAt: number | undefined;
  /** Its kind, once a gate that is not open has asked for it. */
  readonly kind: Kind | undefined;
}

export interface Admitted {
  readonly admission: Admission;
  readonly gate: GateState;
  readonly hold: HoldState;
  readonly queuePlace: QueuePlace;
  /** The epoch of the gate in which the attempt is sent. */
  readonly epoch: Epoch;
  /** The attempt may be sent only because the limit that would have refused it is not enforced. */
  readonly unenforced?: RefusalReason;
}

/** The place of a request that holds nothing yet. */
export const noQueuePlace: QueuePlace = /* @__PURE__ */ (() =>
  Object.freeze({
    place: undefined,
    queuesUntil: Infinity,
    metProbeAt: undefined,
    metRampAt: undefined,
    kind: undefined,
  }))();

/** What an attempt has been given before it is let through. */
export const untaken: Pick<Admitted, 'queuePlace' | 'epoch'> = /* @__PURE__ */ Object.freeze({
  queuePlace: noQueuePlace,
  epoch: noEpoch,
});

/** Waiting requests ask again at least this often, because their turn may come sooner than expected. */
export const longestPollMs = 100;

export function passing({ gate, hold, queuePlace }: AdmissionRequest): Admitted {
  return { admission: go, gate, hold, queuePlace, epoch: gate.epoch };
}

/**
 * Not let through by the gate. The fields are written out, because many requests ask a shut gate often and a spread takes
 * several times as long.
 */
export function barred(
  { hold, epoch }: Admitted,
  gate: GateState,
  queuePlace: QueuePlace,
  admission: Admission,
): Admitted {
  return { admission, gate, hold, queuePlace, epoch };
}

export function refusing(admitted: Admitted, reason: RefusalReason): Admitted {
  return { ...admitted, admission: { kind: 'refuse', reason } };
}

/** A request that is refused leaves the queue. */
export function withoutPlace(admitted: Admitted, now: number): Admitted {
  const { hold, queuePlace } = admitted;
  if (queuePlace.place === undefined) return admitted;
  return { ...admitted, hold: givePlaceBack(hold, queuePlace.place, now), queuePlace: noQueuePlace };
}
