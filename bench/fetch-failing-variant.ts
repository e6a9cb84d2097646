/** Measures one contestant around the platform's fetch while three answers in ten are 503, for the parent process. */

import { contestantIn, report } from './apart.js';
import { type Cost, fetchContestants, fetchRequests } from './failing.js';
import { peersIn } from './fetch-peers.js';
import { amountOf, measureAsync, median } from './measure.js';

const [name, origin = '', scratch = ''] = process.argv.slice(2);
const contestant = contestantIn(fetchContestants(await peersIn(JSON.parse(scratch)), origin), name);

/** Until the compiler and the connections have settled. */
for (let warmUp = 0; warmUp < amountOf(6); warmUp += 1) await contestant.work(fetchRequests);
const [costs] = await measureAsync([contestant], fetchRequests, 7);
const found: Cost = { cpu: median(costs?.cpu ?? []), elapsed: median(costs?.elapsed ?? []) };
report(found);
