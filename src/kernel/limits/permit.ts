/** What one attempt holds of the limits of its scope: a place while it waits, and the permit to be out. */

import type { Refusal } from '../../core/events.js';
import type { Admitted, QueuePlace } from '../../core/limits/admission.js';
import { untaken } from '../../core/limits/admission.js';
import type { Rule } from '../../core/policy/policy.js';
import type { Finding, RequestFacts } from '../../core/types.js';

/** Whose request it is that passes the gate, or has failed. */
export interface Asking {
  readonly request: RequestFacts;
  readonly rule: Pick<Rule, 'name'>;
}

export interface Permit {
  /** It asks, and again after it has waited for the gate or queued; then the attempt is out, and in the end over. */
  state: 'asks' | 'waits' | 'queues' | 'is out' | 'is over';
  queuePlace: QueuePlace;
  /** Whether it waits for a place in the queue, which only the fleet can give. */
  isQueued: boolean;
  /** The gate's epoch in which the attempt was let through, and the time. */
  epoch: Admitted['epoch'];
  sentAt: number;
  past: Past | undefined;
}

/** What the limits have to know of the earlier attempts of the request. Made when there is something. */
interface Past {
  /** When the first attempt failed; undefined again once a failed retry has counted as well. */
  failedAt: number | undefined;
  /** The last refusal, enforced or not. */
  refused: Refusal | undefined;
}

export function permitWith(past: Past | undefined): Permit {
  return {
    state: 'asks',
    queuePlace: untaken.queuePlace,
    isQueued: false,
    epoch: untaken.epoch,
    sentAt: -Infinity,
    past,
  };
}

/** Whether it has not been let through yet. */
export function isAsking({ state }: Permit): boolean {
  return state !== 'is out' && state !== 'is over';
}

export function noteRefusal(permit: Permit, refused: Refusal): void {
  permit.past ??= { failedAt: undefined, refused: undefined };
  permit.past.refused = refused;
}

/** The cause of a refusal: how the request itself was answered last, or else what its scope has found. */
export function causeIn(own: ErrorOptions, found: Finding | undefined): ErrorOptions {
  return 'cause' in own || found === undefined ? own : { cause: found };
}
