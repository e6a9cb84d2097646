/** All days that are entries: each is a goal, and some are columns of a table. */

import { budgetDays } from './budgets.js';
import type { DayGoal } from './day-goal.js';
import { gateDays } from './gates.js';
import { holdDays } from './holds.js';
import { loadDays } from './loads.js';

export const dayGoals: readonly DayGoal[] = [...budgetDays, ...gateDays, ...holdDays, ...loadDays];
