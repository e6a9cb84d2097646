/**
 * What processes that share a scope tell the store, and what it tells them: plain data, of one limit of one scope. All
 * times are durations, so that no two clocks are compared: `…Ms` ago in a report, `…Ms` from now in facts.
 */

/** Grows when an older process would misread a message. Records of other versions are other records. */
export const protocolVersion = 1;

export type Report = GateReport | HoldReport | BudgetReport;
export type Facts = GateFacts | HoldFacts | BudgetFacts;

/** A report, and of which record. Facts come back in the same order. */
export interface Reported {
  readonly key: string;
  readonly report: Report;
}

/** Facts of a record. */
export interface Told {
  readonly key: string;
  readonly facts: Facts;
}

/** For counting processes: when this one was counted last (0: never yet), and how many there are. */
export interface Headcount {
  readonly slice: number;
  readonly processes: number;
}

// ---------------------------------------------------------------- the gate

export interface GateReport {
  readonly limit: 'gate';
  /** Who has seen it: a row of failures needs two witnesses. */
  readonly process: string;
  readonly slice: number;
  /** What it knows: if the store has lost its memory, it gets it back from here. */
  readonly epoch: number;
  readonly isShut: boolean;
  /** Signs of life in a row since its last report, and how long ago the last of them was. */
  readonly lives: number;
  readonly aliveMs: number;
  /** It answered with an error of its own: a sign of life of a server that was taken for dead. -1: it did not. */
  readonly answersMs: number;
  /** First attempts that failed since then: how many, and how long ago the row of them began and ended. */
  readonly failures: number;
  readonly sinceMs: number;
  readonly lastMs: number;
  /** By the facts of this row, it takes the server for dead; the first probe may go after so long. */
  readonly shut?: { readonly row: number; readonly probeInMs: number };
  /** It wants to probe, and needs so long for it. */
  readonly wantMs?: number;
  /** Its probe is over, or will not be sent; the next one may go after so long. */
  readonly over?: { readonly lease: number; readonly probeInMs: number };
}

export interface GateFacts extends Headcount {
  readonly limit: 'gate';
  /** Grows with each shutting and each reopening. */
  readonly epoch: number;
  readonly isShut: boolean;
  /** The row of failures without a sign of life anywhere; while it is shut, the one that shut it. */
  readonly row: number;
  readonly failures: number;
  readonly forMs: number;
  /** Signs of life before it, without a failure between them. */
  readonly lives: number;
  /** Of different processes: 2 is several. */
  readonly witnesses: number;
  /** While it is shut: when the next probe may go, and for how long one is out yet. */
  readonly probeInMs: number;
  readonly leaseLeftMs: number;
  /** The number of the lease that the asking process has got; 0: none. */
  readonly lease: number;
}

// ---------------------------------------------------------------- the hold

export type PaceName = 'none' | 'keen' | 'courteous';

export interface HoldReport {
  readonly limit: 'hold';
  /** First answers, refusals among them, and successes since its last report. */
  readonly firsts: number;
  readonly refusals: number;
  readonly successes: number;
  /** What it knows of the queue: a change that was made without the last one known is none. */
  readonly turn: number;
  /** By the facts, requests are held or paced: for how long nothing is sent, and how far apart they come then. */
  readonly hold?: {
    readonly forMs: number;
    readonly spacingMs: number;
    readonly pace: PaceName;
    /** One word is enough for all: it is told at once. */
    readonly isUrgent: boolean;
  };
  /** So many places in the queue are wanted, if they come up within so long. */
  readonly want: number;
  readonly withinMs: number;
  /** Places that this process had leased and will not use. */
  readonly back: readonly number[];
}

export interface HoldFacts {
  readonly limit: 'hold';
  /** Of all processes, ever: what others have seen is what this has grown by, less one's own reports. */
  readonly firsts: number;
  readonly refusals: number;
  readonly successes: number;
  /** Grows with each change of the queue. */
  readonly turn: number;
  /** For how long nothing is sent yet. */
  readonly forMs: number;
  /** For how long the places have been coming at this pace; negative: they will in so long. */
  readonly pacedMs: number;
  readonly places: number;
  readonly spacingMs: number;
  readonly pace: PaceName;
  readonly nextPlace: number;
  /** The places that the asking process has got, in order. */
  readonly granted: readonly number[];
}

// ---------------------------------------------------------------- the budget

/** Tokens are counted in thousandths, as everywhere. */
export interface BudgetReport {
  readonly limit: 'budget';
  readonly slice: number;
  /** Of the settings, which all that share this record have: what one process may have at most. */
  readonly capacity: number;
  /** What comes by itself: so many tokens a second, which are as many thousandths a millisecond. */
  readonly perSecond: number;
  /** What its successes have earned, and what it gives back, since its last report. */
  readonly earned: number;
  readonly back: number;
  /** Whether anything succeeded since then, and whether anything failed after that. */
  readonly succeeded: boolean;
  readonly failed: boolean;
  /** So many are wanted. */
  readonly want: number;
}

export interface BudgetFacts extends Headcount {
  readonly limit: 'budget';
  /** Nothing has succeeded anywhere for a while: what a process still has counts no more. */
  readonly isBarren: boolean;
  /** What the asking process has got, and what is left. */
  readonly granted: number;
  readonly tokens: number;
}
