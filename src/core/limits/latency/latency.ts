/**
 * The tail of the answer times: when a hedge may be sent, and how long an attempt may take. Values with pure transitions.
 * A transition that changes nothing returns the given state. A state keeps at most 10 KB, however many attempts there
 * were.
 */

import type { Hedging } from './hedging.js';
import { filled, isHedgeLeft, noHedges, passed, raced, refunded, spent, throttled } from './hedging.js';
import type { Batch } from './histogram.js';
import { codeOf } from './histogram.js';
import type { LastFifty } from './last-fifty.js';
import { afterOne, noneOfFifty } from './last-fifty.js';
import type { Learnt } from './learnt.js';
import { afterBatch, afterGeneration, generationMs, nothingLearntAt } from './learnt.js';
import type { Tail } from './setting.js';
import type { Trials } from './trials.js';
import { afterResult, afterSlow, afterTrial, isDue, noTrials } from './trials.js';

/** What is known about the tail of a rule's requests in a scope, as a value. */
export interface LatencyState {
  /** The last attempts, which are not in `learnt` yet: to learn from a batch costs about as much as from one attempt. */
  readonly batch: Batch | undefined;
  readonly inBatch: number;
  readonly learnt: Learnt;
  /** Which of the last attempts were slow. */
  readonly slow: LastFifty;
  /** How often the timeout was doubled since the last answer. */
  readonly level: number;
  /** Retries after an adaptive timeout. */
  readonly retries: Trials;
  readonly hedging: Hedging;
}

export const newLatency: LatencyState = /* @__PURE__ */ (() => ({
  batch: undefined,
  inBatch: 0,
  learnt: nothingLearntAt(-Infinity),
  slow: noneOfFifty,
  level: 0,
  retries: noTrials,
  hedging: noHedges,
}))();

/** To learn from a whole batch of attempts costs about as much as to learn from one. */
const batchSize = 25;

/**
 * An attempt has ended. It is whole if its answer needs no retry: it took exactly `ms`. Otherwise (cut, timed out, failed)
 * an answer would have taken at least so long.
 */
export function afterAttempt(
  tail: Tail,
  given: LatencyState,
  ms: number,
  isWhole: boolean,
  now: number,
): LatencyState {
  const state = asOf(tail, given, now);
  const isSlow = ms > state.learnt.quiet.limitMs;
  const batch = { code: codeOf(ms, isWhole), next: state.batch };
  const isFull = state.inBatch + 1 >= batchSize;
  return {
    batch: isFull ? undefined : batch,
    inBatch: isFull ? 0 : state.inBatch + 1,
    learnt: isFull ? afterBatch(tail, state.learnt, batch, now) : state.learnt,
    // An attempt that was cut early could have become fast or slow.
    slow: isWhole || isSlow ? afterOne(state.slow, isSlow) : state.slow,
    level: isWhole ? 0 : state.level,
    retries: ms > timeoutOf(tail, state) ? afterSlow(state.retries) : state.retries,
    hedging: ms > hedgeWaitOf(tail, state) ? passed(state.hedging) : state.hedging,
  };
}

function hedgeWaitOf({ hedge }: Tail, { learnt }: LatencyState): number {
  return (hedge === false ? undefined : (hedge.afterMs ?? learnt.hedgeAfterMs)) ?? Infinity;
}

function timeoutOf({ timeout }: Tail, { learnt }: LatencyState): number {
  if (timeout === undefined || learnt.timeoutMs === undefined) return Infinity;
  return Math.max(timeout.minMs, learnt.timeoutMs);
}

/** The state at this time: what is older than ten minutes is forgotten. */
function asOf(tail: Tail, state: LatencyState, now: number): LatencyState {
  const age = now - state.learnt.since;
  if (age < generationMs) return state;
  if (age < 2 * generationMs) {
    const learnt = afterGeneration(tail, state.learnt, state.batch, now);
    return { ...state, batch: undefined, inBatch: 0, learnt };
  }
  return {
    batch: undefined,
    inBatch: 0,
    learnt: nothingLearntAt(now),
    slow: noneOfFifty,
    level: 0,
    retries: state.retries,
    hedging: state.hedging,
  };
}

/** A request has succeeded, so that more hedges may be sent. */
export function afterSuccess({ hedge }: Tail, state: LatencyState): LatencyState {
  return hedge === false ? state : withHedging(state, filled(hedge, state.hedging));
}

/** The server has answered 429: it wants fewer requests. */
export function afterThrottled({ hedge }: Tail, state: LatencyState, now: number): LatencyState {
  return hedge === false ? state : withHedging(state, throttled(state.hedging, now));
}

/** How long to wait for an answer before a hedge; undefined if none may be sent. */
export function hedgeAfterMs(tail: Tail, given: LatencyState, now: number): number | undefined {
  const state = asOf(tail, given, now);
  if (tail.hedge === false || !isHedgeable(state, now)) return undefined;
  return tail.hedge.afterMs ?? state.learnt.hedgeAfterMs;
}

export function mayHedge(tail: Tail, given: LatencyState, now: number): boolean {
  return tail.hedge !== false && isHedgeable(asOf(tail, given, now), now);
}

function isHedgeable(state: LatencyState, now: number): boolean {
  return !isSlow(state) && isHedgeLeft(state.hedging, now);
}

/** Slow as a whole: a second attempt would only add to what makes it slow. */
function isSlow({ slow, learnt }: LatencyState): boolean {
  return slow.count > learnt.quiet.slowAbove;
}

export function afterHedge(state: LatencyState, now: number): LatencyState {
  return withHedging(state, spent(state.hedging, now));
}

/** The hedge was never on the wire. */
export function afterWithdrawal({ hedge }: Tail, state: LatencyState): LatencyState {
  return hedge === false ? state : withHedging(state, refunded(hedge, state.hedging));
}

/**
 * A request that was hedged has ended. A hedge helps if its answer comes first and takes no longer than the wait before
 * it. Otherwise the request itself is slow.
 */
export function afterRace(state: LatencyState, hasHedgeHelped: boolean): LatencyState {
  return withHedging(state, raced(state.hedging, hasHedgeHelped));
}

function withHedging(state: LatencyState, hedging: Hedging): LatencyState {
  if (hedging === state.hedging) return state;
  const { batch, inBatch, learnt, slow, level, retries } = state;
  return { batch, inBatch, learnt, slow, level, retries, hedging };
}

/**
 * How long an attempt may take; undefined if too little is known, the server is slow as a whole, or retries after a
 * timeout do not help.
 */
export function learntTimeoutMs(tail: Tail, given: LatencyState, now: number): number | undefined {
  const { timeout } = tail;
  const state = asOf(tail, given, now);
  if (timeout === undefined || state.learnt.timeoutMs === undefined) return undefined;
  if (isSlow(state) || !isDue(state.retries)) return undefined;
  return Math.min(timeout.maxMs, timeoutOf(tail, state) * 2 ** state.level);
}

/** How often the timeout was doubled. An attempt remembers it from when it was sent. */
export function timeoutLevel(state: LatencyState): number {
  return state.level;
}

/** An attempt has timed out. All attempts that were sent at one level double the timeout only once. */
export function afterTimeout(state: LatencyState, levelWhenSent: number, isLearnt = true): LatencyState {
  const level = Math.min(highestLevel, Math.max(state.level, levelWhenSent + 1));
  const retries = isLearnt ? afterTrial(state.retries) : state.retries;
  return level === state.level && retries === state.retries ? state : { ...state, level, retries };
}

/**
 * After an adaptive timeout, the retry has been answered or has timed out. It helps if its answer takes no longer than
 * the timeout was.
 */
export function afterSecondChance(state: LatencyState, hasHelped: boolean): LatencyState {
  // A retry costs more than a hedge, so 25 of them count like 50.
  const retries = afterResult(afterResult(state.retries, hasHelped), hasHelped);
  return retries === state.retries ? state : { ...state, retries };
}

/** Enough to reach any `maxMs` from any timeout. */
const highestLevel = 31;

// ---------------------------------------------------------------- the tuned numbers

/**
 * What is learnt of answer times by numbers of its own. `npm run sim:tail` shows all of them together. The tests named
 * here are those of `test/core/limits/latency` that fail if the number is about halved, or doubled.
 *
 * | number | what it moves | held by |
 * | --- | --- | --- |
 * | `batchSize` | how often something is learnt | 'moves with every 25th attempt' |
 * | `highestLevel` | how often a timeout is doubled | 'to no more than the longest one' |
 * | `generationMs` | how long answers count | 'is forgotten after ten minutes' |
 * | `sliceMs` | in how short a time the server can be quiet | 'does not become the usual within nine minutes' |
 * | `enough` | answers before anything is known | 'is not known before 50 answers' |
 * | `enoughBeyond` | answers that lie beyond a quantile | 'needs more answers for a higher quantile' |
 * | `slowFactor` | from when on an attempt is slow | 'that an attempt is slow beyond 1.5 times the median' |
 * | `slowAbove` | when the server is slow as a whole | 'if more than half of the last fifty are' |
 * | `throttledForMs` | how long a 429 stops hedges | 'for five seconds after a 429' |
 * | `seldomMs` | how far apart hedges are that do not help | 'one a second, once fewer than half of the last fifty helped' |
 * | `twoOfFive` | how soon the first ones show that | 'then, two of five count as lost' |
 * | `tooManyVain` | how many show it | 'until half of them win again' |
 * | `oneOf` | how many slow attempts there are for one trial | 'for one in ten that could have been sent' |
 * | `perOctave` | how wide a bucket of times is | 'at the end of a bucket that holds exactly that part' |
 */
