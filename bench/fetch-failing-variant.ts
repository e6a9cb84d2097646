/** Measures one contestant around the platform's fetch while three answers in ten are 503, for the parent process. */

import { contestantIn, report, touchYoungMemory } from './apart.js';
import { type Cost, type CostInTime, fetchContestants, fetchRequests } from './failing.js';
import { peersIn } from './fetch-peers.js';
import { amountOf, measureAsync, median } from './measure.js';

const [name, origin = '', scratch = ''] = process.argv.slice(2);
const contestant = contestantIn(fetchContestants(await peersIn(JSON.parse(scratch)), origin), name);

async function costAfter(warmUps: number, rounds: number): Promise<Cost> {
  for (let warmUp = 0; warmUp < amountOf(warmUps); warmUp += 1) await contestant.work(fetchRequests);
  const [costs] = await measureAsync([contestant], fetchRequests, rounds);
  return { cpu: median(costs?.cpu ?? []), elapsed: median(costs?.elapsed ?? []) };
}

/** Until the connections have settled. */
const soon = await costAfter(6, 7);
touchYoungMemory();
/** Until the compiler has, too. */
const later = await costAfter(16, 15);
const found: CostInTime = { soon, later };
report(found);
