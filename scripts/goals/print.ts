/** Goals as they are judged, one a line. */

import type { Goal, Judgement } from './goal.js';

/** Whether all goals are met that are not only reported. */
export async function printGoals(
  goals: readonly Goal[],
  seeds: number,
  judge: (goal: Goal) => Promise<Judgement>,
): Promise<boolean> {
  let met = 0;
  let missed = 0;
  for (const goal of goals) {
    const { name, about, wanted } = goal;
    const { isMet, figures } = await judge(goal);
    if (isMet === true) met += 1;
    if (isMet === false) missed += 1;
    const mark = isMet === undefined ? '  - ' : isMet ? 'PASS' : 'MISS';
    console.log(`${mark}  ${name.padEnd(13)} ${about.padEnd(60)} ${figures}   [${wanted}]`);
  }
  console.log(`${met} of ${met + missed} met, with ${seeds} seeds`);
  return missed === 0;
}
