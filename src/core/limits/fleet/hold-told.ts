/** Applies the fleet's facts to a process's own hold, as if it had seen them itself. */

import type { Answers } from '../hold/answers.js';
import { afterOthers, refusedShare } from '../hold/answers.js';
import type { HoldState } from '../hold/state.js';
import { noHold } from '../hold/state.js';
import { paceNamed } from './hold-record.js';
import type { HoldFacts } from './messages.js';

/** `isNew`: the queue has changed since the last facts. */
export function holdTold(
  state: HoldState,
  answers: Answers,
  facts: HoldFacts,
  isNew: boolean,
  now: number,
): HoldState {
  const pace = paceNamed(facts.pace);
  if (pace === undefined) return state;
  const nextPlace = Math.max(facts.nextPlace, isNew ? 0 : state.nextPlace);
  const leased = state.leased ?? [];
  if (!isNew && state.leased !== undefined) {
    return nextPlace === state.nextPlace ? state : { ...state, nextPlace };
  }
  return {
    ...state,
    until: facts.forMs > 0 ? now + facts.forMs : Math.min(state.until, now),
    pacedSince: now - facts.pacedMs,
    places: facts.places,
    spacingMs: facts.spacingMs,
    pace,
    nextPlace,
    gaps: [],
    leased,
    // The process that changed the pace had already seen these answers.
    slowedFor: refusedShare(answers, now),
    slowedTwice: false,
  };
}

/** The store has granted these places to this process. */
export function holdLeased(state: HoldState, places: readonly number[]): HoldState {
  if (places.length === 0 || state.leased === undefined) return state;
  return { ...state, leased: [...state.leased, ...places].sort((one, other) => one - other) };
}

/** Returns the state without its last places, which no request here waits for. */
export function holdWithout(state: HoldState, surplus: number): HoldState {
  return state.leased === undefined || surplus <= 0
    ? state
    : { ...state, leased: state.leased.slice(0, -surplus) };
}

/** Nothing is held: what said so was false. Places go on counting, so that those that were taken are still recognised. */
export function holdRefuted({ nextPlace }: HoldState): HoldState {
  return { ...noHold, nextPlace, places: nextPlace };
}

/** The store is silent, so the process uses its own queue. */
export function holdAlone(state: HoldState): HoldState {
  if (state.leased === undefined) return state;
  const { leased: _, ...own } = state;
  return own;
}

/** Adds what others were answered between the last facts and these. */
export interface Totals {
  readonly firsts: number;
  readonly refusals: number;
  readonly successes: number;
  readonly at: number;
}

/** `before` and `after` are totals of other processes only. */
export function answersTold(answers: Answers, before: Totals, after: Totals, now: number): Answers {
  const grown = (key: 'firsts' | 'refusals' | 'successes'): number => Math.max(0, after[key] - before[key]);
  const firsts = grown('firsts');
  const refusals = Math.min(firsts, grown('refusals'));
  const forMs = after.at - before.at;
  return afterOthers(answers, { firsts, refusals, successes: grown('successes'), forMs }, now);
}
