/**
 * The slow tail: most answers are quick, and some take a hundred times as long, by chance, by backend or by nature. And
 * the days on which a second attempt only adds load: a server that is slow as a whole, or that has no worker to spare.
 */

import { exp } from './elementary.js';
import type {
  BalancedServer,
  Day,
  DrawnLatency,
  Fault,
  LatencyTail,
  OpenLoop,
  PlainServer,
  ServerModel,
} from './world.js';

const minute = 60_000;

/** What is learnt in this time is not measured yet. */
export const warmUpMs: number = minute;

const durationMs = 6 * minute;

/** One process, whose clients have patience. */
function day(server: ServerModel, perSecond: number, faults: readonly Fault[] = []): Day {
  const clients: OpenLoop = { kind: 'open', count: 100, perSecond, timeoutMs: 10_000 };
  return { world: { durationMs, warmUpMs, services: [{ server, faults, backlog: 4_096 }] }, clients };
}

/** 20 ms on average; one attempt in six takes longer than 29 ms. */
const quick: DrawnLatency = { medianMs: 17.65, spread: 0.5 };

export const oneInAHundred: LatencyTail = { share: 0.01, times: 100 };

/** Has any number of workers, and never fails. */
function answering(latencyMs: DrawnLatency): PlainServer {
  return { kind: 'flaky', latencyMs, share: 0, status: 503 };
}

/** A share of the attempts takes many times as long, by chance. */
export function slowTail(tail: LatencyTail, perSecond: number): Day {
  return day(answering({ ...quick, tail }), perSecond);
}

/** A share of the requests takes many times as long, on every server and however often they are sent. */
export function slowByNature(tail: LatencyTail, perSecond: number): Day {
  return day(answering({ ...quick, tail: { ...tail, of: 'request' } }), perSecond);
}

/** One of several backends is slow; another attempt reaches any of them. */
export function slowBackend(count: number, times: number, perSecond: number): Day {
  const slow = answering({ ...quick, medianMs: quick.medianMs * times });
  const server: BalancedServer = {
    kind: 'balanced',
    backends: [{ server: slow }, { weight: count - 1, server: answering(quick) }],
  };
  return day(server, perSecond);
}

/** Every so often, nothing runs for a moment: a garbage collection. */
export function pauses(everyMs: number, pauseMs: number, perSecond: number): Day {
  const fault: Fault = { kind: 'stop', fromMs: 0, forMs: durationMs, pauses: { everyMs, pauseMs } };
  return day(answering(quick), perSecond, [fault]);
}

export const slowFromMs: number = 3 * minute;

/** For a minute, everything takes many times as long. */
export function slowMinute(times: number, perSecond: number, tail?: LatencyTail): Day {
  const slow: Fault = { kind: 'slow', fromMs: slowFromMs, forMs: minute, times };
  return day(answering(tail === undefined ? quick : { ...quick, tail }), perSecond, [slow]);
}

/** Workers, a share of which is busy if nothing is sent twice; one attempt in a hundred is a hundred times as slow. */
export function busy(workers: number, share: number, tail: LatencyTail = oneInAHundred): Day {
  const serviceMs = { ...quick, tail };
  const server: PlainServer = { kind: 'queue', workers, places: 1_000, serviceMs };
  return day(server, (share * workers * 1_000) / meanOf(serviceMs));
}

/** The mean of a lognormal distribution of which a share is longer. */
export function meanOf({ medianMs, spread, tail }: DrawnLatency): number {
  const usual = medianMs * exp((spread * spread) / 2);
  return tail === undefined ? usual : usual * (1 + tail.share * (tail.times - 1));
}
