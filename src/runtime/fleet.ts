/**
 * What a retrier wants of a fleet: the processes that share its scopes. Only the shapes are here, so that nothing of a
 * fleet is loaded where there is none.
 */

import type { BudgetState } from '../core/limits/budget/state.js';
import type { Sign } from '../core/limits/gate/signs.js';
import type { GateState, Pass } from '../core/limits/gate/state.js';
import type { Answers } from '../core/limits/hold/answers.js';
import type { HoldState } from '../core/limits/hold/state.js';
import type { Budget, Cost, Gate, Hold } from '../core/policy/limits.js';
import type { Policy } from '../core/policy/policy.js';
import type { Ports } from './ports.js';

/** Processes that share scopes through a store: `redisFleet` makes one. */
export interface Fleet {
  readonly [Symbol.toStringTag]: 'Fleet';
  /** A retrier of this process comes to it. */
  join(home: FleetHome): FleetMember;
}

/** Of the retrier that joins. */
export interface FleetHome {
  readonly policy: Policy;
  readonly ports: Ports;
}

export interface FleetMember {
  shareOf(scope: SharedScope): ScopeShare;
  snapshot(): FleetSnapshot;
}

/** The fleet as `snapshot()` shows it: plain data. */
export interface FleetSnapshot {
  /** The store answers, so that what processes know is one. */
  readonly isShared: boolean;
  /** Answers of the store that could not be read. */
  readonly unreadable: number;
}

/** What facts of the fleet are written into: a scope's own state, which decides. */
export interface SharedScope {
  readonly name: string;
  gateOf(gate: Gate): GateState;
  keepGate(gate: Gate, state: GateState): void;
  holdOf(hold: Hold): HoldState;
  keepHold(hold: Hold, state: HoldState): void;
  answersOf(hold: Hold): Answers;
  keepAnswers(hold: Hold, answers: Answers): void;
}

/** What a scope tells of itself, synchronously: it only counts, and the store hears of it later. */
export interface ScopeShare {
  /** A sign of life while all is well: on the path of every request. */
  alive(gate: Gate): void;
  signed(gate: Gate, sign: Sign, pass: Pass, change: GateChange, now: number): void;
  /** A request waits for the gate: perhaps for the leave to probe. */
  waits(gate: Gate, attemptTimeoutMs: number | undefined, now: number): void;
  answered(hold: Hold, isFirst: boolean, kind: 'success' | 'refusal' | 'other'): void;
  held(hold: Hold, now: number): void;
  /** So many more, or fewer, wait for a place that the store gives; they would for so long. */
  queues(hold: Hold, more: 1 | -1, withinMs: number): void;
  /** A place in the queue was given back. */
  left(hold: Hold): void;
  succeeded(budget: Budget): void;
  failed(budget: Budget, failure: keyof Cost): void;
  spent(budget: Budget, failure: keyof Cost): void;
  /** Of its own state, what it may spend. */
  spendable(budget: Budget, own: BudgetState, now: number): BudgetState;
  /** The scope is forgotten. */
  close(): void;
}

export interface GateChange {
  readonly before: GateState;
  readonly after: GateState;
}
