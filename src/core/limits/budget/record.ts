/**
 * The store's record of a shared budget: one bucket, from which processes lease tokens. While any request succeeds, it
 * is as deep as the buckets of its processes together (of fifty at most); while none does, it is as deep as one.
 */

import type { Census, Headcount } from '../fleet/headcount.js';
import { counted, noProcesses, processesIn } from '../fleet/headcount.js';
import type { Merged, Wanted } from '../fleet/merged.js';

// ---------------------------------------------------------------- messages

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

/** Only facts that are whole are facts. */
export const budgetFactsWanted: Wanted<BudgetFacts> = {
  parts: {
    slice: 'number',
    processes: 'number',
    isBarren: 'boolean',
    granted: 'number',
    tokens: 'number',
  },
};

// ---------------------------------------------------------------- the record

/** Times are by the store's clock, in ms; tokens are in thousandths. */
export interface BudgetRecord extends Census {
  readonly limit: 'budget';
  readonly tokens: number;
  /** The time up to which the trickle is in `tokens`. */
  readonly at: number;
  /** How many processes have brought their tokens. */
  readonly shares: number;
  /** Since when all requests have failed; 0 if they have not. */
  readonly failingSince: number;
  readonly isBarren: boolean;
}

const blank: BudgetRecord = /* @__PURE__ */ (() => ({
  limit: 'budget',
  ...noProcesses,
  tokens: 0,
  at: 0,
  shares: 0,
  failingSince: 0,
  isBarren: false,
}))();

/** The bucket does not grow with more processes: their retries together would be too much load. */
const mostShares = 50;

/** If nothing has succeeded anywhere for this time, retries are useless. */
const barrenAfterMs = 2_500;

export function mergeBudget(
  known: BudgetRecord | undefined,
  report: BudgetReport,
  now: number,
): Merged<BudgetRecord, BudgetFacts> {
  const before = known ?? { ...blank, at: now };
  const present = { ...before, ...counted(before, report.slice, now) };
  const earned = afterEarnings(afterOutcomes(present, report, now), report, now);
  const granted = Math.max(0, Math.min(report.want, earned.tokens));
  const record = { ...earned, tokens: earned.tokens - granted };
  const facts = factsOf(record, granted);
  return { record, facts, news: record.isBarren === before.isBarren ? undefined : factsOf(record, 0) };
}

function factsOf(record: BudgetRecord, granted: number): BudgetFacts {
  const { isBarren, tokens, slice } = record;
  return { limit: 'budget', slice, processes: processesIn(record), isBarren, granted, tokens };
}

function afterOutcomes(record: BudgetRecord, { succeeded, failed }: BudgetReport, now: number): BudgetRecord {
  if (succeeded) return { ...record, failingSince: failed ? now : 0, isBarren: false };
  if (!failed) return record;
  const failingSince = record.failingSince === 0 ? now : record.failingSince;
  return { ...record, failingSince, isBarren: now - failingSince >= barrenAfterMs };
}

/** A process that joins brings its own tokens; those above the capacity are lost. */
function afterEarnings(
  record: BudgetRecord,
  { earned, back, capacity, perSecond }: BudgetReport,
  now: number,
): BudgetRecord {
  const together = Math.min(mostShares, processesIn(record));
  const shares = record.isBarren ? 1 : together;
  const brought = record.isBarren ? 0 : Math.max(0, shares - record.shares) * capacity;
  const trickle = perSecond * shares * Math.max(0, now - record.at);
  const tokens = Math.min(shares * capacity, record.tokens + trickle + brought + earned + back);
  return { ...record, tokens, at: Math.max(record.at, now), shares: Math.max(record.shares, together) };
}
