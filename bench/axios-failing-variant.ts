/** Measures one retry layer around an instance of axios while three answers in ten are 503, for the parent process. */

import { contestantIn } from './apart.js';
import { withSockets } from './axios-contestants.js';
import { atATime, axiosContestants, tellCost } from './failing.js';

const [name, origin = ''] = process.argv.slice(2);

await withSockets(atATime, (defaults) =>
  tellCost(contestantIn(axiosContestants(defaults, origin), name), 400),
);
