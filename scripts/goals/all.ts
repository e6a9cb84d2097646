/** All goals of `npm run sim:table -- --goals`. */

import { goalOf } from './day-goal.js';
import { dayGoals } from './days.js';
import type { Goal } from './goal.js';
import { limitGoals } from './limits.js';
import { ordinaryGoals } from './ordinary.js';
import { outageGoals } from './outages.js';

export const goals: readonly Goal[] = [
  ...ordinaryGoals,
  ...dayGoals.map(goalOf),
  ...limitGoals,
  ...outageGoals,
];
