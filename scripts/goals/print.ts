/** Goals, one a line, as they are judged. */

import type { Contender } from '../../src/tools/sim/index.js';
import type { Seeds } from '../sim-reading.js';
import type { Goal } from './goal.js';

/** Whether all are met that are asked for. */
export function printGoals(goals: readonly Goal[], contender: Contender, seeds: Seeds): boolean {
  let met = 0;
  let missed = 0;
  for (const { name, about, wanted, judge } of goals) {
    const { isMet, figures } = judge(contender, seeds);
    if (isMet === true) met += 1;
    if (isMet === false) missed += 1;
    const mark = isMet === undefined ? '  - ' : isMet ? 'PASS' : 'MISS';
    console.log(`${mark}  ${name.padEnd(13)} ${about.padEnd(60)} ${figures}   [${wanted}]`);
  }
  console.log(`${met} of ${met + missed} met, with ${seeds.length} seeds`);
  return missed === 0;
}
