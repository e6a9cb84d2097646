/**
 * The rule of a hold that begins with a share of refusals. Sending less is justified only while fewer are refused
 * because fewer are sent. So for a moment, less is sent. If the refused share does not halve, the refusals belong to one
 * tenant or one route, and all are let go, for a growing time. If it halves, and doubles again once all are sent, it is a
 * limit for all.
 */

import { isPaced, placesTaken, spacingBy } from './queue.js';
import type { Counts, Sample } from './sample.js';
import { msPerSuccess, noSample, sampleAfter, sampleFrom, shortestMs } from './sample.js';
import type { Hold } from './setting.js';
import type { HoldPhase, HoldState, Pace } from './state.js';
import { competing, noHold, paces, steady } from './state.js';

export interface Judged {
  readonly state: HoldState;
  readonly sample: Sample;
}

/** Fewer first answers than this say nothing about the whole scope. A sample that does not get them is given up. */
const enough = 30;
const longestMs = 30_000;

/** While requests queue, samples may be smaller, because the limit is known; in a trial, they are as small as it is. */
const enoughWhilePaced = 10;
const enoughInTrial = 4;

/** No request is refused because of a trial, so it is shorter than most requests are willing to wait. */
export const trialMs = 1_500;

/** After a trial in vain, none begins for this time; twice as long after the next one. */
const restMs = 10_000;

/** This part of `refusedShare` is not too much while requests queue. */
const bearable = 0.25;

/** Slowing down a little has not helped if the refused share is still this part of what it was. */
const unchanged = 0.75;

/** If a pace is a little too fast, the next one is this part of it. */
const leastStep = 0.9;

/** If the pace has grown so much and is still borne, the limit is another one than was measured. */
const movedGrowth = 1.3;

/** Whether there may be anything to judge. It is asked for every attempt and every answer. */
export function isWorthJudging(state: HoldState, sample: Pick<Sample, 'since'>, now: number): boolean {
  if (now - sample.since >= shortestMs) return true;
  return state.phase !== 'free' && (state.phase === 'quota' || paces[state.phase] !== undefined);
}

/** `now`: in a fleet, the time up to which this process knows what the others were answered. */
export function judged(hold: Hold, state: HoldState, sample: Sample, now: number): Judged {
  if (sample.since === noSample.since) return { state, sample };
  if (hold.refusedShare === 0) return { state, sample: secondOf(sample, now) };
  const isOver = paces[state.phase] !== undefined && !isPaced(state, now);
  switch (isOver ? 'free' : state.phase) {
    case 'trial':
    case 'check':
      return whenTrying(hold, state, sample, now);
    case 'trickle':
      return whenTrickling(hold, state, sample, now);
    case 'paced':
    case 'rising':
    case 'borne':
      return whenPaced(hold, state, sample, now);
    default:
      return whenFree(hold, isOver ? { ...state, phase: 'free' } : state, sample, now);
  }
}

/** One refusal is enough, so the samples only tell the rate of lately. */
function secondOf(sample: Sample, now: number): Sample {
  const elapsed = now - sample.since;
  if (elapsed < shortestMs) return sample;
  return elapsed < 2 * shortestMs ? sampleAfter(sample, now) : sampleFrom(now);
}

function whenFree(hold: Hold, state: HoldState, sample: Sample, now: number): Judged {
  const share = sample.refusals / Math.max(1, sample.firsts);
  if (state.phase === 'quota' && isSpent(sample) && namedMs(sample) > 0) {
    return trickling(hold, { ...state, restMs: 0 }, sample, now);
  }
  const elapsed = now - sample.since;
  if (elapsed < (sample.firsts < enough ? longestMs : shortestMs)) return { state, sample };
  const isRefused = isTooMuch(hold, sample);
  if (state.phase === 'proof') {
    // They were few while fewer were sent, and are many now that all are.
    if (isRefused) return pacing(hold, { ...state, share, restMs: 0 }, sample, paced, now);
    return { state: { ...state, phase: 'free', restMs: 0 }, sample: sampleAfter(sample, now) };
  }
  // The server has not kept its word: it was a tenant's turn.
  if (state.phase === 'quota' && isRefused && sample.before === undefined)
    return lettingGo(state, 'free', now);
  const isSuspect = isRefused && sample.before !== undefined && isTooMuch(hold, sample.before);
  if (!isSuspect || now < state.dueAt) return { state, sample: sampleAfter(sample, now) };
  // What refuses nothing has no effect that could be judged.
  if (!hold.enforce) return pacing(hold, { ...state, share }, sample, paced, now);
  return trying(hold, state, sample, share, now);
}

function isTooMuch({ refusedShare }: Hold, { firsts, refusals }: Counts): boolean {
  return firsts >= enough && refusals >= refusedShare * firsts;
}

/** Whether most were served, and then none. */
function isSpent({ inARow, successes, refusals, before }: Sample): boolean {
  const wasServed = before !== undefined || (successes >= enoughInTrial && refusals - inARow <= successes);
  return wasServed && inARow >= enough;
}

/** Fewer are sent for a moment; or until the time that the server named, if it accepts nothing. */
function trying(hold: Hold, state: HoldState, sample: Sample, share: number, now: number): Judged {
  if (sample.successes === 0 && namedMs(sample) > 0) {
    // Those of a small share may be missing in a single sample.
    if (sample.before?.successes === 0) return trickling(hold, state, sample, now);
    return { state, sample: sampleAfter(sample, now) };
  }
  const phase = state.phase === 'paced' ? 'check' : 'trial';
  const dueAt = now + Math.min(trialMs, hold.maxQueueMs ?? trialMs);
  return pacing(hold, { ...state, share }, sample, { phase, dueAt }, now);
}

function trickling(hold: Hold, state: HoldState, sample: Sample, now: number): Judged {
  const trickle: Turn = { phase: 'trickle', dueAt: now + namedMs(sample) + trialMs };
  return changed({ ...state, asked: askedBy(state, sample, now) }, hold.spacingMs, trickle, now);
}

/** How long the server asked to wait at last. */
function namedMs({ finding }: Sample): number {
  return finding?.hint?.delayMs ?? 0;
}

function whenTrying(hold: Hold, state: HoldState, sample: Sample, now: number): Judged {
  if (now < state.dueAt) return { state, sample };
  // Refusals come at once, while successes may take their time: what is still out says nothing.
  const { sent, firsts, refusals } = sample;
  const hasHelped = sent >= enoughInTrial && refusals < (firsts * state.share) / 2;
  if (state.phase === 'trial') return lettingGo(state, hasHelped ? 'proof' : 'free', now);
  const isMuch = state.share >= hold.refusedShare;
  // What the pace was before, as a part of what it is.
  const former = (1 - state.share) * competing.easing;
  if (hasHelped) {
    // If it was only a little too fast, the right pace is in between.
    return changed({ ...state, share: 0 }, state.spacingMs * (isMuch ? 1 : Math.sqrt(former)), paced, now);
  }
  if (isMuch) return lettingGo(state, 'free', now);
  // So few are not worth letting all go. The pace was not their reason, so it becomes what it was.
  return changed(state, state.spacingMs * former, { ...paced, phase: 'borne' }, now);
}

function whenTrickling(hold: Hold, state: HoldState, sample: Sample, now: number): Judged {
  if (sample.successes === 0 && now < state.dueAt) return { state, sample };
  // The server accepts something at about the time that it named, and not long before.
  const isKept =
    sample.successes > 0 && now >= state.dueAt - 2 * trialMs && now >= state.pacedSince + hold.minMs;
  return lettingGo(state, isKept ? 'quota' : 'free', now);
}

function whenPaced(hold: Hold, state: HoldState, sample: Sample, now: number): Judged {
  const { sent, refusals } = sample;
  const isBorne = state.phase === 'borne';
  // A server that queues shows only after a while that fewer are sent.
  const leastMs = state.share > 0 && !isBorne ? 2 * shortestMs : shortestMs;
  if (sent < enoughWhilePaced || now - sample.since < leastMs) return { state, sample };
  const share = refusals / sent;
  if (share < Math.max(bearable * hold.refusedShare, isBorne ? 2 * state.share : 0)) {
    if (isBorne) return { state, sample: sampleAfter(sample, now) };
    const spacingMs = spacingBy(state, now);
    if (state.phase === 'paced' && spacingMs * movedGrowth <= state.spacingMs) {
      return changed({ ...state, share: 0 }, spacingMs, rising, now);
    }
    return { state: state.share === 0 ? state : { ...state, share: 0 }, sample: sampleAfter(sample, now) };
  }
  if (state.phase === 'rising') {
    // What was borne before it rose is still borne.
    const borneMs = state.spacingMs * movedGrowth;
    return changed({ ...state, share }, Math.min(measuredMs(hold, sample, competing), borneMs), paced, now);
  }
  // If they are twice as many, something else has changed meanwhile.
  const isUnchanged = !isBorne && share >= state.share * unchanged && share <= state.share * 2;
  if (isUnchanged && hold.enforce) return trying(hold, state, sample, share, now);
  return changed({ ...state, share }, spacingBy(state, now) / leastStep, paced, now);
}

interface Turn {
  readonly phase: HoldPhase;
  readonly dueAt: number;
}

const paced: Turn = /* @__PURE__ */ (() => ({ phase: 'paced', dueAt: -Infinity }))();
const rising: Turn = /* @__PURE__ */ (() => ({ ...paced, phase: 'rising' }))();

/** The pace becomes a little less than what succeeds. */
function pacing(hold: Hold, state: HoldState, sample: Sample, turn: Turn, now: number): Judged {
  const spacingMs = measuredMs(hold, sample, turn.phase === 'trial' ? steady : competing);
  // Two measurements of one rate: chance makes the slower one useless sooner than the faster one.
  if (state.phase === 'proof') return changed(state, Math.min(spacingMs, state.spacingMs), turn, now);
  // Slower than before in any case.
  const leastMs = state.phase === 'paced' ? spacingBy(state, now) / leastStep : 0;
  return changed({ ...state, asked: askedBy(state, sample, now) }, Math.max(spacingMs, leastMs), turn, now);
}

function measuredMs(hold: Hold, sample: Sample, { easing }: Pace): number {
  const measured = msPerSuccess(sample);
  return measured === undefined ? hold.spacingMs : measured / easing;
}

function askedBy({ asked }: HoldState, { finding }: Sample, now: number): HoldState['asked'] {
  return finding === undefined ? asked : { finding, at: now };
}

function changed(state: HoldState, spacingMs: number, turn: Turn, now: number): Judged {
  const places = placesTaken(state, now);
  return { state: { ...state, ...turn, pacedSince: now, places, spacingMs }, sample: sampleFrom(now) };
}

/** All that wait may go. `proof`, `quota`: the trial was not in vain, so there may be another one at any time. */
function lettingGo(state: HoldState, phase: 'free' | 'proof' | 'quota', now: number): Judged {
  const { nextPlace, asked, share, spacingMs } = state;
  const isVain = phase === 'free';
  const forMs = isVain ? Math.max(restMs, 2 * state.restMs) : state.restMs;
  const rest = { dueAt: isVain ? now + forMs : now, restMs: forMs };
  // Only a proof is about what happens if they go at once.
  const taken = phase === 'proof' ? nextPlace : placesTaken(state, now);
  const places = { nextPlace, places: taken, gaps: state.gaps, pacedSince: now };
  const free = { ...noHold, ...places, ...rest, phase, asked, share, spacingMs };
  return { state: free, sample: sampleFrom(now) };
}
