/** Measures one retry layer around an instance of axios that sends over loopback, for the parent process. */

import { contestantIn, tell } from './apart.js';
import { withSockets } from './axios-contestants.js';
import { getting, sendingOverLoopback } from './axios-overhead.js';

const [name, origin = '', atOnce = '1'] = process.argv.slice(2);
const concurrency = Number(atOnce);

await withSockets(concurrency, async (defaults) => {
  const contestant = contestantIn(sendingOverLoopback(defaults), name);
  await tell((turns) => getting(contestant, origin, concurrency, turns), 160);
});
