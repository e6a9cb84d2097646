/** Applies the fleet's facts to a process's own hold, as if it had seen them itself. */

import type { HoldCounts, HoldFacts } from './record.js';
import type { Sample } from './sample.js';
import { afterOthers } from './sample.js';
import type { HoldState } from './state.js';
import { noHold } from './state.js';

/** `isNew`: the queue has changed since the last facts. */
export function holdTold(state: HoldState, facts: HoldFacts, isNew: boolean, now: number): HoldState {
  // It has never changed.
  if (facts.turn === 0) return state;
  const nextPlace = Math.max(facts.nextPlace, isNew ? 0 : state.nextPlace);
  const leased = state.leased ?? [];
  if (!isNew && state.leased !== undefined) {
    return nextPlace === state.nextPlace ? state : { ...state, nextPlace };
  }
  return {
    ...state,
    phase: facts.phase,
    dueAt: now + facts.dueMs,
    share: facts.share,
    restMs: facts.restMs,
    until: facts.forMs > 0 ? now + facts.forMs : Math.min(state.until, now),
    pacedSince: now - facts.pacedMs,
    places: facts.places,
    spacingMs: facts.spacingMs,
    nextPlace,
    gaps: [],
    leased,
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

/** Adds what others were answered between the last facts and these: `before` and `after` are totals of others only. */
export function othersTold(sample: Sample, before: HoldCounts, after: HoldCounts, now: number): Sample {
  const grown = (key: keyof HoldCounts): number => Math.max(0, after[key] - before[key]);
  const firsts = grown('firsts');
  const refusals = Math.min(firsts, grown('refusals'));
  return afterOthers(sample, { firsts, refusals, successes: grown('successes'), sent: grown('sent') }, now);
}
