/** What one request has got of its scope, and its times: made only where a setting or a listener asks for it. */

import type { Refusal } from '../core/events.js';
import type { Epoch } from '../core/limits/gate/state.js';
import type { Claim } from '../core/limits/turnstile.js';
import { noClaim, noEpoch } from '../core/limits/turnstile.js';
import type { Gate } from '../core/policy/limits.js';

export interface Turn {
  readonly startedAt: number | undefined;
  /** When its deadline began to count: later than the request, where the body of an earlier head broke off. */
  timedFrom: number | undefined;
  claim: Claim;
  /** The gate's state in which its attempt was let through, and when. */
  epoch: Epoch;
  sentAt: number;
  isWaiting: boolean;
  /** It waits for a place that only the fleet can give. */
  isQueued: boolean;
  /** When its first attempt had failed, until a retry has counted as well. */
  failedAt: number | undefined;
  /** The last time that it was refused, or would have been. */
  refused: Refusal | undefined;
  /** That it is over: listeners hear it once, even where the body of what was let through fails later. */
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
    isQueued: false,
    failedAt: undefined,
    refused: undefined,
    isSettledTold: false,
  };
}

/**
 * An attempt of it has failed: is that news? First attempts are. A request that tries again says the same once more; but
 * if it goes on for long, it is news again.
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
