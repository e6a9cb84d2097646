/**
 * What the store keeps of a hold that processes share: what was answered to all of them, and one queue, in which each
 * asks for as many places as it has requests that wait. So the rate of all of them together is that of one process.
 */

import { placesBy, timeOf } from '../hold/queue.js';
import type { HoldState, Pace } from '../hold/state.js';
import { courteous, keen, noHold } from '../hold/state.js';
import type { Merged } from './merged.js';
import type { HoldFacts, HoldReport, PaceName } from './messages.js';

/** Times are the store's own, in ms. */
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
}

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
  const { record, from, granted } = afterWant(held, report, now);
  const facts = factsOf(record, from, granted, now);
  const isNews = held.turn !== counted.turn && report.hold?.isUrgent === true;
  return { record, facts, news: isNews ? factsOf(record, 0, 0, now) : undefined };
}

function factsOf(record: HoldRecord, from: number, granted: number, now: number): HoldFacts {
  const { firsts, refusals, successes, turn, until, pacedSince, places, spacingMs, pace, nextPlace } = record;
  const pacedMs = pace === 'none' ? 0 : now - pacedSince;
  const forMs = Math.max(0, until - now);
  const counts = { firsts, refusals, successes };
  return {
    limit: 'hold',
    ...counts,
    turn,
    forMs,
    pacedMs,
    places,
    spacingMs,
    pace,
    nextPlace,
    from,
    granted,
  };
}

function afterAnswers(record: HoldRecord, { firsts, refusals, successes }: HoldReport): HoldRecord {
  return {
    ...record,
    firsts: record.firsts + firsts,
    refusals: record.refusals + refusals,
    successes: record.successes + successes,
  };
}

/** A pace that was found without the last one known is none; a window that ends later is a window all the same. */
function afterHold(record: HoldRecord, { hold, turn }: HoldReport, now: number): HoldRecord {
  if (hold === undefined) return record;
  const until = Math.max(record.until, now + hold.forMs);
  const isLonger = hold.forMs > 0 && until > record.until;
  const isMeant = turn === record.turn || record.pace === 'none';
  if (!isMeant && !isLonger) return record;
  const { spacingMs, pace } = isMeant ? hold : record;
  const places = placesBy(queueOf(record), now);
  const pacedSince = Math.max(now, until);
  return { ...record, turn: record.turn + 1, until, pacedSince, places, spacingMs, pace };
}

interface Granting {
  readonly record: HoldRecord;
  readonly from: number;
  readonly granted: number;
}

/** As many as come up in time, one after another. */
function afterWant(record: HoldRecord, { want, withinMs }: HoldReport, now: number): Granting {
  const queue = queueOf(record);
  const from = Math.max(record.nextPlace, placesBy(queue, now));
  if (record.pace === 'none') return { record, from, granted: 0 };
  let granted = 0;
  while (granted < want && timeOf(queue, from + granted) <= now + withinMs) granted += 1;
  return granted === 0
    ? { record, from, granted }
    : { record: { ...record, nextPlace: from + granted }, from, granted };
}

/** As a process has it; here, in the store's time. */
function queueOf({ pacedSince, places, spacingMs, pace, nextPlace, until }: HoldRecord): HoldState {
  return { ...noHold, until, pacedSince, places, spacingMs, pace: paces[pace], nextPlace };
}
