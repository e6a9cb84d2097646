/**
 * What a retrier asks of a fleet, which is the processes that share its scopes. This file holds types only, so that a
 * process without a fleet loads no code of it.
 */

import type { FilledBudget } from '../core/limits/budget/kind.js';
import type { Cost } from '../core/limits/budget/setting.js';
import type { BudgetState } from '../core/limits/budget/state.js';
import type { Gate } from '../core/limits/gate/setting.js';
import type { GateState, GateTicket } from '../core/limits/gate/state.js';
import type { AnswerKind, Sample } from '../core/limits/hold/sample.js';
import type { Hold } from '../core/limits/hold/setting.js';
import type { HoldState } from '../core/limits/hold/state.js';
import type { Sign } from '../core/limits/signs.js';
import type { Policy } from '../core/policy/policy.js';
import type { Ports } from './ports.js';

/** Processes that share scopes through a store. `redisFleet` makes one. */
export interface Fleet {
  readonly [Symbol.toStringTag]: 'Fleet';
  /**
   * For a process that ends: gives back what it has leased. It resolves when the store has that, or after a second, and
   * never rejects. From then on, the retriers of this process share nothing.
   */
  close(): Promise<void>;
}

/** What a fleet offers to retriers, and to nothing else. */
export interface OpenFleet extends Fleet {
  /** A retrier of this process joins the fleet. */
  join(home: FleetHome): FleetMember;
}

/** What the fleet is told about the retrier that joins. */
export interface FleetHome {
  readonly policy: Policy;
  readonly ports: Ports;
}

export interface FleetMember {
  /** The scope of this name, which other processes have as well. */
  scope(name: string): FleetScope;
  snapshot(): FleetSnapshot;
}

/** The fleet as `snapshot()` shows it: plain data. */
export interface FleetSnapshot {
  /** Whether the store answers, so that the processes share what they know. */
  readonly isShared: boolean;
  /** How many answers of the store could not be read. */
  readonly unreadable: number;
  /** While the processes do not share: the store's last error, if it told one. */
  readonly problem?: string;
}

/** A scope in the fleet. Each limit of it joins with what it shares; undefined: its setting is not shared. */
export interface FleetScope {
  /** The class of budgets that are shared. */
  readonly Budget: new (
    budget: FilledBudget,
    ports: Ports,
    fleet: FleetScope,
  ) => object;
  budget(budget: FilledBudget): BudgetShare | undefined;
  gate(own: OwnGate): GateShare | undefined;
  hold(own: OwnHold): HoldShare | undefined;
  /** The retrier has forgotten the scope. */
  close(): void;
}

// ---------------------------------------------------------------- a limit's own state

// The fleet writes its facts into it. Decisions read only this state.

export interface OwnGate {
  readonly gate: Gate;
  state: GateState;
}

export interface OwnHold {
  readonly hold: Hold;
  state: HoldState;
  sample: Sample;
  /** Changes the hold if the answers up to this time ask for it. */
  judge(now: number): void;
}

// ---------------------------------------------------------------- what a limit reports

// These calls are synchronous and only count; the store hears about it later.

export interface BudgetShare {
  /** `refund`: what the request gives back, in place of the usual deposit. */
  succeeded(refund: number | undefined): void;
  failed(failure: keyof Cost): void;
  spent(failure: keyof Cost): void;
  /** What was spent last is given back. */
  moved(failure: keyof Cost): void;
  /** How much of the scope's own budget this process may spend. */
  spendable(own: BudgetState, now: number): BudgetState;
}

export interface GateShare {
  /** A sign of life while the gate is healthy. Every request that succeeds calls this. */
  alive(): void;
  signed(sign: Sign, ticket: GateTicket, change: GateChange, now: number): void;
  /** A request waits for the gate, perhaps for the lease to probe. */
  waits(attemptTimeoutMs: number | undefined, now: number): void;
}

export interface HoldShare {
  /** Whether this process hears what others are answered, so that a hold is judged when it does. */
  readonly isHearing: boolean;
  /** `isCounted`: it is the answer to a first attempt that was sent at the current pace. */
  answered(isCounted: boolean, kind: AnswerKind): void;
  /** A first attempt was sent while requests queue. */
  sent(): void;
  held(now: number): void;
  /** One request more, or one less, waits for a place from the store; `withinMs` is how long it would wait at most. */
  queues(more: 1 | -1, withinMs: number): void;
  /** A place in the queue was given back. */
  left(): void;
}

export interface GateChange {
  readonly before: GateState;
  readonly after: GateState;
}
