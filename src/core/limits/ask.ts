/**
 * Asks the limits that are asked before an attempt, in their orders: whether it may be sent now, and whether there may be a
 * retry. Pure: what an attempt takes is in the state that is returned.
 */

import type { Settings } from '../policy/settings.js';
import type { AdmissionRequest, Admitted } from './admission.js';
import { noQueuePlace, passing, withoutPlace } from './admission.js';
import { type AskedFirst, orderOfAdmission } from './all.js';
import { admitByConcurrency, isTooCrowded } from './concurrency/admit.js';
import { admitByGate } from './gate/admit.js';
import { admitByHold, queuesTooLong } from './hold/admit.js';
import type { Forbids } from './settings.js';

/** `before`: what the limits that were asked earlier have given. */
type Ask = (
  settings: Settings,
  request: AdmissionRequest,
  before: Admitted,
  now: number,
  deadlineAt: number,
  draw: number,
) => Admitted;

const asked: Readonly<Record<AskedFirst, Ask>> = {
  hold: ({ hold }, request, before, now, deadlineAt) =>
    hold === false ? before : admitByHold(hold, request, now, deadlineAt),
  concurrency: (settings, request, before, now, deadlineAt, draw) => {
    const { concurrency } = settings;
    const { room } = request;
    if (concurrency === false || room === undefined) return before;
    const byGate = (): Admitted => asked.gate(settings, request, before, now, deadlineAt, draw);
    return admitByConcurrency(concurrency, room, before, byGate, now, deadlineAt);
  },
  gate: ({ gate }, request, before, now, deadlineAt, draw) =>
    gate === false ? before : admitByGate(gate, request, before, now, deadlineAt, draw),
};

export function admit(
  settings: Settings,
  request: AdmissionRequest,
  now: number,
  deadlineAt: number,
  draw: number,
): Admitted {
  let admitted = passing(request);
  for (const name of orderOfAdmission) {
    admitted = asked[name](settings, request, admitted, now, deadlineAt, draw);
    if (admitted.admission.kind === 'refuse') return withoutPlace(admitted, now);
    if (admitted.admission.kind === 'wait') return admitted;
  }
  return { ...admitted, queuePlace: noQueuePlace };
}

// ---------------------------------------------------------------- before a retry

const forbidding = {
  gate: (_settings, { gateShut }) => (gateShut ? { reason: 'gate-shut' } : undefined),
  hold: ({ hold }, { queueMs = 0 }, delayMs, leftMs) => {
    const isTooLong = hold !== false && queuesTooLong(hold, queueMs, delayMs, leftMs);
    return isTooLong ? { reason: 'held', delayMs: queueMs } : undefined;
  },
  concurrency: ({ concurrency }, { line }, delayMs, leftMs) => {
    if (concurrency === false || line === undefined) return undefined;
    const isTooLong = isTooCrowded(concurrency, line, delayMs, leftMs);
    return isTooLong ? { reason: 'crowded', delayMs: line.waitedMs } : undefined;
  },
} as const satisfies Record<AskedFirst, Forbids>;

/**
 * The budget was asked before (`decide.ts`). The hold comes later than the gate, because the time in its queue is compared with
 * the wait that was chosen. Concurrency comes last: what the server says is a better reason than what this process does to
 * itself.
 *
 * The order is written out, because every failure asks and a loop would take longer than what it asks.
 */
export const forbids: Forbids = (settings, world, delayMs, leftMs) =>
  forbidding.gate(settings, world) ??
  forbidding.hold(settings, world, delayMs, leftMs) ??
  forbidding.concurrency(settings, world, delayMs, leftMs);
