/** Measures one retry layer around the platform's fetch that sends over loopback, for the parent process. */

import { contestantIn, tell } from './apart.js';
import { statusOf } from './fetch-contestants.js';
import { peersIn } from './fetch-peers.js';
import { sendingOverLoopback } from './fetch-sockets.js';
import { inLines } from './lines.js';

const [name, origin = '', atATime = '1', scratch = ''] = process.argv.slice(2);
const contestant = contestantIn(sendingOverLoopback(await peersIn(JSON.parse(scratch))), name);

await tell(
  (turns) =>
    inLines(Number(atATime), turns, async () => {
      await statusOf(contestant, origin);
    }),
  200,
);
