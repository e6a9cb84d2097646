/**
 * The store's record of a shared hold: the answers to all processes, and one queue, in which each process asks for as
 * many places as it has waiting requests. So all processes together send at the rate of one.
 */

import { placesBy, placesTaken, timeOf } from '../hold/queue.js';
import type { HoldState, Pace } from '../hold/state.js';
import { courteous, keen, noHold } from '../hold/state.js';
import type { Merged } from './merged.js';
import type { HoldFacts, HoldReport, PaceName } from './messages.js';

/** Times are by the store's clock, in ms. */
export interface HoldRecord {
  readonly limit: 'hold';
  readonly firsts: number;
  readonly refusals: number;
  readonly successes: number;
  readonly turn: number;
  readonly until: number;
  readonly pacedSince: number;
  readonly places: number;
  readonly spacingMs: number;
  readonly pace: PaceName;
  readonly nextPlace: number;
  /** Places before `nextPlace` that were given back, in order. */
  readonly free: readonly number[];
}

/** More free places are not kept: that many are hardly ever wanted at once. */
const mostFree = 100;

const blank: HoldRecord = {
  limit: 'hold',
  firsts: 0,
  refusals: 0,
  successes: 0,
  turn: 0,
  until: 0,
  pacedSince: 0,
  places: 0,
  spacingMs: 0,
  pace: 'none',
  nextPlace: 0,
  free: [],
};

const paces: Readonly<Record<PaceName, Pace | undefined>> = { none: undefined, keen, courteous };

export function paceNamed(name: PaceName): Pace | undefined {
  return paces[name];
}

export function nameOfPace(pace: Pace | undefined): PaceName {
  if (pace === undefined) return 'none';
  return pace === courteous ? 'courteous' : 'keen';
}

export function mergeHold(
  known: HoldRecord | undefined,
  report: HoldReport,
  now: number,
): Merged<HoldRecord, HoldFacts> {
  const counted = afterAnswers(known ?? blank, report);
  const held = afterHold(counted, report, now);
  const { record, granted } = afterWant(afterBack(held, report, now), report, now);
  const facts = factsOf(record, granted, now);
  const isNews = held.turn !== counted.turn && report.hold?.isUrgent === true;
  return { record, facts, news: isNews ? factsOf(record, [], now) : undefined };
}

function factsOf(record: HoldRecord, granted: readonly number[], now: number): HoldFacts {
  const { firsts, refusals, successes, turn, until, pacedSince, places, spacingMs, pace, nextPlace } = record;
  const pacedMs = pace === 'none' ? 0 : now - pacedSince;
  const forMs = Math.max(0, until - now);
  const counts = { firsts, refusals, successes };
  return { limit: 'hold', ...counts, turn, forMs, pacedMs, places, spacingMs, pace, nextPlace, granted };
}

function afterAnswers(record: HoldRecord, { firsts, refusals, successes }: HoldReport): HoldRecord {
  return {
    ...record,
    firsts: record.firsts + firsts,
    refusals: record.refusals + refusals,
    successes: record.successes + successes,
  };
}

/** A pace that is based on an outdated one is ignored, but a window that ends later still counts. */
function afterHold(record: HoldRecord, { hold, turn }: HoldReport, now: number): HoldRecord {
  if (hold === undefined) return record;
  const until = Math.max(record.until, now + hold.forMs);
  const isLonger = hold.forMs > 0 && until > record.until;
  const isMeant = turn === record.turn || record.pace === 'none';
  if (!isMeant && !isLonger) return record;
  const { spacingMs, pace } = isMeant ? hold : record;
  const places = placesTaken(queueOf(record), now);
  const pacedSince = Math.max(now, until);
  return { ...record, turn: record.turn + 1, until, pacedSince, places, spacingMs, pace };
}

/** Places that have already come up are lost, and a place can be given back only once. */
function afterBack(record: HoldRecord, { back }: HoldReport, now: number): HoldRecord {
  if (back.length === 0 && record.free.length === 0) return record;
  const queue = queueOf(record);
  const given = back.filter((place) => place < record.nextPlace);
  const free = [...new Set([...record.free, ...given])]
    .filter((place) => timeOf(queue, place) > now)
    .sort((one, other) => one - other)
    .slice(0, mostFree);
  return { ...record, free };
}

interface Granting {
  readonly record: HoldRecord;
  readonly granted: readonly number[];
}

/** Grants places that come up in time: first those that were given back, then new ones. */
function afterWant(record: HoldRecord, { want, withinMs }: HoldReport, now: number): Granting {
  if (record.pace === 'none' || want <= 0) return { record, granted: [] };
  const queue = queueOf(record);
  const isInTime = (place: number): boolean => timeOf(queue, place) <= now + withinMs;
  const granted = record.free.slice(0, want).filter(isInTime);
  const free = record.free.slice(granted.length);
  let nextPlace = Math.max(record.nextPlace, placesBy(queue, now));
  while (granted.length < want && isInTime(nextPlace)) {
    granted.push(nextPlace);
    nextPlace += 1;
  }
  return granted.length === 0 ? { record, granted } : { record: { ...record, nextPlace, free }, granted };
}

/** The queue in the form that processes use, by the store's clock. */
function queueOf({ pacedSince, places, spacingMs, pace, nextPlace, until }: HoldRecord): HoldState {
  return { ...noHold, until, pacedSince, places, spacingMs, pace: paces[pace], nextPlace };
}
