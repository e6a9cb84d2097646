/**
 * The way of a request that is clear at every limit and succeeds at once. On an ordinary day nearly all requests go it,
 * so it is written out by hand and allocates nothing. A limit that is forgotten here does not compile.
 */

import type { LimitName } from '../../core/limits/all.js';
import { isHalfFull, type ScopeBudget } from './budget.js';
import type { ScopeConcurrency } from './concurrency.js';
import type { ScopeGate } from './gate.js';
import type { ScopeHold } from './hold.js';
import type { Asking, Permit } from './permit.js';

/** The limits that a request passes; undefined: its settings do not have that one. */
export interface LimitsPassed extends Readonly<Record<LimitName, object | undefined>> {
  readonly budget: ScopeBudget | undefined;
  readonly gate: ScopeGate | undefined;
  readonly hold: ScopeHold | undefined;
  readonly concurrency: ScopeConcurrency | undefined;
}

const clear = {
  // Only retries ask it.
  budget: undefined,
  gate: ({ gate }) => gate === undefined || gate.isClear,
  hold: ({ hold }, now) => hold === undefined || hold.isClear(now),
  concurrency: ({ concurrency }) => concurrency === undefined || concurrency.isClear,
} as const satisfies Record<LimitName, ((limits: LimitsPassed, now: number) => boolean) | undefined>;

/** Whether no limit is in the way of an attempt, so that it has nothing to ask for and nothing to take. */
export function isClear(limits: LimitsPassed, now: number): boolean {
  // The hold comes first, because that it is asked may end a trial.
  return clear.hold(limits, now) && clear.concurrency(limits) && clear.gate(limits);
}

const told = {
  gate: ({ gate }, asking, permit) => gate?.ended(asking, permit, true, 'alive'),
  hold: ({ hold }, _, permit) => hold?.succeeded(true, permit.sentAt),
  // The session tells it, whether or not another limit is asked.
  budget: undefined,
  // The end of the attempt tells it (`admission.ts`).
  concurrency: undefined,
} as const satisfies Record<
  LimitName,
  ((limits: LimitsPassed, asking: Asking, permit: Permit) => void) | undefined
>;

/** The first attempt has succeeded. */
export function succeedAtOnce(limits: LimitsPassed, asking: Asking, permit: Permit): void {
  told.gate(limits, asking, permit);
  told.hold(limits, asking, permit);
}

/** Whether the scope can bear more requests than were asked for: the server is up, and failures are few. */
export function hasSpareCapacity({ budget, gate, hold, concurrency }: LimitsPassed, now: number): boolean {
  if (gate?.hasSpareCapacity(now) === false || hold?.hasSpareCapacity(now) === false) return false;
  if (concurrency?.isClear === false) return false;
  return budget === undefined || isHalfFull(budget, now);
}
