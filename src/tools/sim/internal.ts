/** The simulator's door for our other tools, beside `index.ts`: what they need, and no user is promised. */

export { listOf } from './crowd.js';
export type { Dice } from './dice.js';
export { diceOf, exponential } from './dice.js';
export { requestOnward } from './link.js';
export { requestsOf } from './routes.js';
export { backAt, backShare } from './run.js';
export { Crowded } from './servers/crowded.js';
export type { Host } from './servers/server.js';
