/** A report comes to the store: what it keeps then, and what it tells. Pure: any store that does the same will do. */

import type { BudgetRecord } from './budget-record.js';
import { mergeBudget } from './budget-record.js';
import type { GateRecord } from './gate-record.js';
import { mergeGate } from './gate-record.js';
import { isAhead } from './headcount.js';
import type { HoldRecord } from './hold-record.js';
import { mergeHold } from './hold-record.js';
import type { Merged } from './merged.js';
import type { Facts, Report } from './messages.js';

export type FleetRecord = GateRecord | HoldRecord | BudgetRecord;

/** `now`: the store's own time, in ms. A record of another limit is none. */
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
