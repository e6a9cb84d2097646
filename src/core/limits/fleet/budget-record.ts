/**
 * What the store keeps of a budget that processes share: one bucket, from which they lease tokens. It is as deep as
 * those of its processes together, of fifty at most, while anything succeeds; and as deep as one, while nothing does.
 */

import type { Census } from './headcount.js';
import { counted, noProcesses, processesIn } from './headcount.js';
import type { Merged } from './merged.js';
import type { BudgetFacts, BudgetReport } from './messages.js';

/** Times are the store's own, in ms; tokens are in thousandths. */
export interface BudgetRecord extends Census {
  readonly limit: 'budget';
  readonly tokens: number;
  /** Up to when the trickle is in `tokens`. */
  readonly at: number;
  /** How many processes' tokens have been put in. */
  readonly shares: number;
  /** Since when everything has failed; 0: it has not. */
  readonly failingSince: number;
  readonly isBarren: boolean;
}

const blank: BudgetRecord = {
  limit: 'budget',
  ...noProcesses,
  tokens: 0,
  at: 0,
  shares: 0,
  failingSince: 0,
  isBarren: false,
};

/** Of more processes, the tokens are not added up: retries of so many are a load of their own. */
const mostShares = 50;

/** For so long nothing has succeeded anywhere, and retries are of no use. */
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

/** A process that comes brings its own; what goes above the brim is lost. */
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
