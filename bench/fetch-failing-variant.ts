/** Measures one contestant around the platform's fetch while three answers in ten are 503, for the parent process. */

import { contestantIn } from './apart.js';
import { fetchContestants, tellCost } from './failing.js';
import { peersIn } from './fetch-peers.js';

const [name, origin = '', scratch = ''] = process.argv.slice(2);

await tellCost(contestantIn(fetchContestants(await peersIn(JSON.parse(scratch)), origin), name), 800);
