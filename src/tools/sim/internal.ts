/** The simulator's door for our other tools, beside `index.ts`: what they need and users are not promised. */

export { listOf } from './crowd.js';
export type { Dice } from './dice.js';
export { diceOf, exponential } from './dice.js';
export { requestOnward } from './link.js';
export * from './policies.js';
export { requestsOf } from './routes.js';
export { backAt, backShare } from './run.js';
export * from './scenarios.js';
export { Crowded } from './servers/crowded.js';
export type { Host } from './servers/server.js';
export { simulateBySecond } from './simulate.js';
export { pooled } from './tally.js';
export { isAboutTimes } from './verdict/answer-times.js';
export type { Compared, Finding, Judgement } from './verdict/compared.js';
export type { Figures, Outage, Rates } from './verdict/figures.js';
export { outageOf } from './verdict/figures.js';
export { findingOnRecovery } from './verdict/recovery.js';
export type { Played, PolicyVerdict, Verdict } from './verdict/verdict.js';
export { verdictOn } from './verdict/verdict.js';
