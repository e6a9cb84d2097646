/** The days of `goals/days.ts` that are columns, as a table. */

import { columnOf } from './goals/day-goal.js';
import { dayGoals } from './goals/days.js';
import { caseOf, dayContenders } from './ordinary-tables.js';
import type { Table } from './sim-tables.js';

export const dayTable: Table = {
  name: 'ordinary-others',
  title: 'Ordinary days: others',
  contenders: dayContenders,
  cases: dayGoals.flatMap((entry) => columnOf(entry) ?? []).map(caseOf),
};
