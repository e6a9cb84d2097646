/** What one request holds in its scope, and its times. Made only if a setting or a listener needs it. */

import type { Refusal } from '../core/events.js';
import type { Epoch } from '../core/limits/gate/state.js';
import { noEpoch } from '../core/limits/gate/state.js';
import type { Claim } from '../core/limits/turnstile.js';
import { noClaim } from '../core/limits/turnstile.js';
import type { Gate } from '../core/policy/limits.js';

export interface Turn {
  readonly startedAt: number | undefined;
  /** When the deadline began to count. Later than `startedAt` if the body of an earlier head broke off. */
  timedFrom: number | undefined;
  claim: Claim;
  /** The gate's epoch in which the attempt was let through, and the time. */
  epoch: Epoch;
  sentAt: number;
  /** Whether the request waits for the gate. */
  isWaiting: boolean;
  /** Whether it queues for the hold. */
  isHeld: boolean;
  /** Whether the request waits for a place in the queue, which only the fleet can give. */
  isQueued: boolean;
  /** When the first attempt failed; undefined again once a failed retry has counted as well. */
  failedAt: number | undefined;
  /** The last refusal, enforced or not. */
  refused: Refusal | undefined;
  /**
   * Whether listeners have heard the end of the request. They hear it once, even if the body of an accepted response
   * fails later.
   */
  isSettledTold: boolean;
}

export function turnFrom(startedAt: number | undefined): Turn {
  return {
    startedAt,
    timedFrom: startedAt,
    claim: noClaim,
    epoch: noEpoch,
    sentAt: Number.NEGATIVE_INFINITY,
    isWaiting: false,
    isHeld: false,
    isQueued: false,
    failedAt: undefined,
    refused: undefined,
    isSettledTold: false,
  };
}

/**
 * Whether the failure of an attempt tells the gate something new. A first attempt does. Retries of the same request
 * only repeat it, until they have failed for `deadForMs`: then one counts again.
 */
export function noteFailure(turn: Turn, { deadForMs }: Gate, isFirst: boolean, now: number): boolean {
  if (isFirst) {
    turn.failedAt = now;
    return true;
  }
  if (turn.failedAt === undefined || now - turn.failedAt < deadForMs) return false;
  turn.failedAt = undefined;
  return true;
}
