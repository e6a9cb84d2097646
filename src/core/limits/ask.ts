/**
 * Asks the limits, in their orders: whether an attempt may be sent now, and whether there may be a retry. Pure: what an
 * attempt takes is in the state that is returned.
 */

import type { Settings } from '../policy/settings.js';
import type { Stop, World } from '../types.js';
import type { AdmissionRequest, Admitted } from './admission.js';
import { noQueuePlace, passing, withoutPlace } from './admission.js';
import { type AskedFirst, type LimitName, orderOfAdmission } from './all.js';
import { affords } from './budget/budget.js';
import type { Cost } from './budget/setting.js';
import { admitByConcurrency, isTooCrowded } from './concurrency/admit.js';
import { admitByGate } from './gate/admit.js';
import { admitByHold, queuesTooLong } from './hold/admit.js';
import type { LimitStop } from './settings.js';

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

/** Why there is no retry, and the wait that would have been needed, if that is why. */
interface Forbidden extends Pick<Stop, 'delayMs'> {
  readonly reason: LimitStop;
}

/** `delayMs`: the wait that was chosen. `leftMs`: until the deadline. Undefined: nothing is against it. */
type Forbids = (
  settings: Settings,
  world: World,
  price: keyof Cost,
  delayMs: number,
  leftMs: number,
) => Forbidden | undefined;

const forbids = {
  budget: ({ budget }, world, price) => {
    const isEnough =
      budget === false || world.budget === undefined || affords(budget, world.budget, price, world.now);
    return isEnough ? undefined : { reason: 'budget-spent' };
  },
  gate: (_settings, { gateShut }) => (gateShut ? { reason: 'gate-shut' } : undefined),
  hold: ({ hold }, { queueMs = 0 }, _price, delayMs, leftMs) => {
    const isTooLong = hold !== false && queuesTooLong(hold, queueMs, delayMs, leftMs);
    return isTooLong ? { reason: 'held', delayMs: queueMs } : undefined;
  },
  concurrency: ({ concurrency }, { line }, _price, delayMs, leftMs) => {
    if (concurrency === false || line === undefined) return undefined;
    const isTooLong = isTooCrowded(concurrency, line, delayMs, leftMs);
    return isTooLong ? { reason: 'crowded', delayMs: line.waitedMs } : undefined;
  },
} as const satisfies Record<LimitName, Forbids>;

/**
 * The budget comes first: requests spend it themselves, so what it forbids would be forbidden however the server is. The
 * hold comes later, because the time in its queue is compared with the wait that was chosen. Concurrency comes last: what
 * the server says is a better reason than what this process does to itself.
 *
 * The order is written out, because every failure asks and a loop would take longer than what it asks.
 */
export function forbidden(
  settings: Settings,
  world: World,
  price: keyof Cost,
  delayMs: number,
  leftMs: number,
): Forbidden | undefined {
  return (
    forbids.budget(settings, world, price) ??
    forbids.gate(settings, world) ??
    forbids.hold(settings, world, price, delayMs, leftMs) ??
    forbids.concurrency(settings, world, price, delayMs, leftMs)
  );
}
