/** Merges a report into the store's record, and gives the facts to tell. Pure: any store can do the same. */

import type { BudgetRecord } from '../budget/record.js';
import { mergeBudget } from '../budget/record.js';
import type { GateRecord } from '../gate/record.js';
import { mergeGate } from '../gate/record.js';
import type { HoldRecord } from '../hold/record.js';
import { mergeHold } from '../hold/record.js';
import { isAhead } from './headcount.js';
import type { Merged } from './merged.js';
import type { Facts, Report } from './messages.js';

export type FleetRecord = GateRecord | HoldRecord | BudgetRecord;

/** `now`: by the store's clock, in ms. A record of another limit is ignored. */
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
