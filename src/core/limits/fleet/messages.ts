/**
 * The messages between the store and the processes that share a scope: plain data about one limit of one scope. All
 * times are durations, so that no two clocks are compared: `…Ms` ago in a report, `…Ms` from now in facts. Those of each
 * limit are in its folder, with the record that they change.
 */

import type { BudgetFacts, BudgetRecord, BudgetReport } from '../budget/record.js';
import { budgetFactsWanted, mergeBudget } from '../budget/record.js';
import type { GateFacts, GateRecord, GateReport } from '../gate/record.js';
import { gateFactsWanted, mergeGate } from '../gate/record.js';
import type { HoldFacts, HoldRecord, HoldReport } from '../hold/record.js';
import { holdFactsWanted, mergeHold } from '../hold/record.js';
import { isAhead } from './headcount.js';
import type { Merged, Wanted } from './merged.js';

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

/** What facts have to be made of, by their limit. */
export const wanted: {
  readonly budget: Wanted<BudgetFacts>;
  readonly gate: Wanted<GateFacts>;
  readonly hold: Wanted<HoldFacts>;
} = { budget: budgetFactsWanted, gate: gateFactsWanted, hold: holdFactsWanted };

// ---------------------------------------------------------------- what the store keeps

export type FleetRecord = GateRecord | HoldRecord | BudgetRecord;

/**
 * Merges a report into the store's record, and gives the facts to tell. Pure: any store can do the same. `now`: by the
 * store's clock, in ms. A record of another limit is ignored.
 */
export function merge(
  known: FleetRecord | undefined,
  report: Report,
  now: number,
): Merged<FleetRecord, Facts> {
  switch (report.limit) {
    case 'gate':
      return mergeGate(known?.limit === 'gate' && !isAhead(known, now) ? known : undefined, report, now);
    case 'hold':
      return mergeHold(known?.limit === 'hold' ? known : undefined, report, now);
    case 'budget':
      return mergeBudget(known?.limit === 'budget' && !isAhead(known, now) ? known : undefined, report, now);
  }
}
