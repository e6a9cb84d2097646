/**
 * The messages between the store and the processes that share a scope: plain data about one limit of one scope. All
 * times are durations, so that no two clocks are compared: `…Ms` ago in a report, `…Ms` from now in facts.
 */

import type { HoldPhase } from '../hold/state.js';

/** Raised when an older process would misread a message. Each version has records of its own. */
export const protocolVersion = 2;

export type Report = GateReport | HoldReport | BudgetReport;
export type Facts = GateFacts | HoldFacts | BudgetFacts;

/** A report, and the key of its record. Facts come back in the same order. */
export interface Reported {
  readonly key: string;
  readonly report: Report;
}

/** Facts, and the key of their record. */
export interface Told {
  readonly key: string;
  readonly facts: Facts;
}

/** For counting processes: when this one was last counted (0: never), and how many there are. */
interface Headcount {
  readonly slice: number;
  readonly processes: number;
}

// ---------------------------------------------------------------- the gate

export interface GateReport {
  readonly limit: 'gate';
  /** The process that reports: a row of failures needs two witnesses. */
  readonly process: string;
  readonly slice: number;
  /** The state that the process knows, from which a store that has lost its data restores it. */
  readonly epoch: number;
  readonly isShut: boolean;
  /** Signs of life in a row since the last report, and how long ago the last of them was. */
  readonly lives: number;
  readonly aliveMs: number;
  /** How long ago the server answered with an error such as 500, a sign of life while it is taken for dead; or -1. */
  readonly answersMs: number;
  /** First attempts that have failed since then: how many, and how long ago their row began and ended. */
  readonly failures: number;
  readonly sinceMs: number;
  readonly lastMs: number;
  /**
   * By the facts about this row, the process takes the server for dead; the first probe may go after this time. `kinds`:
   * the kinds of requests that have failed here.
   */
  readonly shut?: { readonly row: number; readonly probeInMs: number; readonly kinds?: string };
  /** The process wants to probe, and no other may probe for this long. */
  readonly wantMs?: number;
  /** The probe of the process is over or will not be sent; the next one may go after this time. */
  readonly over?: { readonly lease: number; readonly probeInMs: number };
}

export interface GateFacts extends Headcount {
  readonly limit: 'gate';
  /** Grows each time the gate shuts or reopens. */
  readonly epoch: number;
  readonly isShut: boolean;
  /** The current row of failures, without a sign of life anywhere; while the gate is shut, the row that shut it. */
  readonly row: number;
  readonly failures: number;
  readonly forMs: number;
  /** Signs of life before the row, without a failure between them. */
  readonly lives: number;
  /** How many processes have seen failures of the row; 2 stands for more. */
  readonly witnesses: number;
  /** Only while the gate is shut: the kinds of requests that had failed where that was judged. */
  readonly kinds?: string;
  /** While the gate is shut: when the next probe may go, and how long the current lease lasts. */
  readonly probeInMs: number;
  readonly leaseLeftMs: number;
  /** The number of the lease that is granted to the reporting process; 0: none. */
  readonly lease: number;
}

// ---------------------------------------------------------------- the hold

/** All four are counted since the last change of the queue. */
export interface HoldCounts {
  /** Answers to first attempts, refusals among them, and successes. */
  readonly firsts: number;
  readonly refusals: number;
  readonly successes: number;
  /** First attempts that were sent, while requests queue. */
  readonly sent: number;
}

export interface HoldReport extends HoldCounts {
  readonly limit: 'hold';
  /**
   * The last change of the queue that the process knows. A change that is based on an older one is ignored, and so are
   * answers to what was sent before.
   */
  readonly turn: number;
  /** The process has changed the queue: how long nothing is sent, and how far apart requests are after that. */
  readonly hold?: {
    readonly phase: HoldPhase;
    readonly dueMs: number;
    readonly share: number;
    readonly restMs: number;
    readonly forMs: number;
    readonly spacingMs: number;
    /** Whether all processes are told at once. */
    readonly isUrgent: boolean;
  };
  /** How many places in the queue the process wants, if they come up within this time. */
  readonly want: number;
  readonly withinMs: number;
  /** Places that the process was granted and will not use. */
  readonly back: readonly number[];
}

export interface HoldFacts extends HoldCounts {
  readonly limit: 'hold';
  /** Grows with each change of the queue. */
  readonly turn: number;
  readonly phase: HoldPhase;
  /** How long until the trial is over, or until one may begin. */
  readonly dueMs: number;
  readonly share: number;
  readonly restMs: number;
  /** How long nothing will be sent. */
  readonly forMs: number;
  /** How long places have been coming up at this pace; if negative, how long until they do. */
  readonly pacedMs: number;
  readonly places: number;
  readonly spacingMs: number;
  readonly nextPlace: number;
  /** The places that are granted to the reporting process, in order. */
  readonly granted: readonly number[];
}

// ---------------------------------------------------------------- the budget

/** Tokens are counted in thousandths, as in all budgets. */
export interface BudgetReport {
  readonly limit: 'budget';
  readonly slice: number;
  /** The settings, which are the same for all processes that share this record: what one process may have at most. */
  readonly capacity: number;
  /** Tokens that are added every second, which is the same number in thousandths per millisecond. */
  readonly perSecond: number;
  /** What the successes since the last report have earned or given back, and what the process returns. */
  readonly earned: number;
  readonly back: number;
  /** Whether a request has succeeded since then, and whether one has failed after that. */
  readonly succeeded: boolean;
  readonly failed: boolean;
  /** How many tokens the process wants. */
  readonly want: number;
}

export interface BudgetFacts extends Headcount {
  readonly limit: 'budget';
  /** Nothing has succeeded anywhere for a while, so tokens that were leased before are void. */
  readonly isBarren: boolean;
  /** What is granted to the reporting process, and what is left. */
  readonly granted: number;
  readonly tokens: number;
}
