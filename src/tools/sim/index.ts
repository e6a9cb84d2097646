/** Outages in virtual time: see what a policy does to a server before a server does it to you. */

export type { Exchange } from './exchange.js';
export * as knownOutages from './known.js';
export type { Limit } from './ordinary.js';
export * as ordinaryDays from './ordinary.js';
export type { Peer, PeerHedges, PeerTimeouts, PeerTurn } from './peers.js';
export { peers } from './peers.js';
export type { Counts, RouteRun, Run, Series, ServiceRun, Totals } from './run.js';
export { fairness, perSecond } from './run.js';
export type { SimulateOptions } from './simulate.js';
export { simulate } from './simulate.js';
export * as tailDays from './tail.js';
export { hedgingAtP99, tcpTimeouts } from './tail-peers.js';
export type { Durations, Ending } from './tally.js';
export type { Step, Trace } from './trace.js';
export type * from './world.js';
export * from './worlds.js';
