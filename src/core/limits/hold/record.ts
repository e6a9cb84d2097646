/**
 * The store's record of a shared hold: the answers to all processes, and one queue, in which each process asks for as
 * many places as it has waiting requests. So all processes together send at the rate of one.
 */

import type { Merged, Wanted } from '../fleet/merged.js';
import { placesBy, placesTaken, timeOf } from './queue.js';
import type { HoldPhase, HoldState } from './state.js';
import { noHold, paces } from './state.js';

// ---------------------------------------------------------------- messages

/** All four are counted since the last change of the queue. */
export interface HoldCounts {
  /** Answers to first attempts, refusals among them, and successes. */
  readonly firsts: number;
  readonly refusals: number;
  readonly successes: number;
  /** First attempts that were sent, while requests queue. */
  readonly sent: number;
}

export interface HoldReport extends HoldCounts {
  readonly limit: 'hold';
  /**
   * The last change of the queue that the process knows. A change that is based on an older one is ignored, and so are
   * answers to what was sent before.
   */
  readonly turn: number;
  /** The process has changed the queue: how long nothing is sent, and how far apart requests are after that. */
  readonly hold?: {
    readonly phase: HoldPhase;
    readonly dueMs: number;
    readonly share: number;
    readonly restMs: number;
    readonly forMs: number;
    readonly spacingMs: number;
    /** Whether all processes are told at once. */
    readonly isUrgent: boolean;
  };
  /** How many places in the queue the process wants, if they come up within this time. */
  readonly want: number;
  readonly withinMs: number;
  /** Places that the process was granted and will not use. */
  readonly back: readonly number[];
}

export interface HoldFacts extends HoldCounts {
  readonly limit: 'hold';
  /** Grows with each change of the queue. */
  readonly turn: number;
  readonly phase: HoldPhase;
  /** How long until the trial is over, or until one may begin. */
  readonly dueMs: number;
  readonly share: number;
  readonly restMs: number;
  /** How long nothing will be sent. */
  readonly forMs: number;
  /** How long places have been coming up at this pace; if negative, how long until they do. */
  readonly pacedMs: number;
  readonly places: number;
  readonly spacingMs: number;
  readonly nextPlace: number;
  /** The places that are granted to the reporting process, in order. */
  readonly granted: readonly number[];
}

/** Only facts that are whole are facts. */
export const holdFactsWanted: Wanted<HoldFacts> = /* @__PURE__ */ (() => ({
  parts: {
    firsts: 'number',
    refusals: 'number',
    successes: 'number',
    sent: 'number',
    turn: 'number',
    phase: Object.keys(paces),
    dueMs: 'number',
    share: 'number',
    restMs: 'number',
    forMs: 'number',
    pacedMs: 'sooner or later',
    places: 'number',
    spacingMs: 'number',
    nextPlace: 'number',
    granted: 'numbers',
  },
  // A queue whose places come no time apart has no end.
  canBe: ({ phase, spacingMs }) => paces[phase] === undefined || spacingMs > 0,
}))();

// ---------------------------------------------------------------- the record

/** Times are by the store's clock, in ms. */
export interface HoldRecord extends HoldCounts {
  readonly limit: 'hold';
  readonly turn: number;
  readonly phase: HoldPhase;
  readonly dueAt: number;
  readonly share: number;
  readonly restMs: number;
  readonly until: number;
  readonly pacedSince: number;
  readonly places: number;
  readonly spacingMs: number;
  readonly nextPlace: number;
  /** Places before `nextPlace` that were given back, in order. */
  readonly free: readonly number[];
}

/** More free places are not kept: that many are hardly ever wanted at once. */
const mostFree = 100;

const noCounts: HoldCounts = { firsts: 0, refusals: 0, successes: 0, sent: 0 };

const blank: HoldRecord = /* @__PURE__ */ (() => ({
  limit: 'hold',
  ...noCounts,
  turn: 0,
  phase: 'free',
  dueAt: 0,
  share: 0,
  restMs: 0,
  until: 0,
  pacedSince: 0,
  places: 0,
  spacingMs: 0,
  nextPlace: 0,
  free: [],
}))();

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
  const { firsts, refusals, successes, sent, turn, phase, share, restMs } = record;
  const { until, pacedSince, places, spacingMs, nextPlace } = record;
  const pacedMs = turn === 0 ? 0 : now - pacedSince;
  const forMs = Math.max(0, until - now);
  const dueMs = Math.max(0, record.dueAt - now);
  const counts = { firsts, refusals, successes, sent };
  const queue = { forMs, pacedMs, places, spacingMs, nextPlace };
  return { limit: 'hold', ...counts, turn, phase, dueMs, share, restMs, ...queue, granted };
}

/** Answers to attempts that were sent before the last change say nothing about what has changed. */
function afterAnswers(
  record: HoldRecord,
  { firsts, refusals, successes, sent, turn }: HoldReport,
): HoldRecord {
  if (turn !== record.turn) return record;
  return {
    ...record,
    firsts: record.firsts + firsts,
    refusals: record.refusals + refusals,
    successes: record.successes + successes,
    sent: record.sent + sent,
  };
}

/** A change that is based on an outdated one is ignored, but a window that ends later still counts. */
function afterHold(record: HoldRecord, { hold, turn }: HoldReport, now: number): HoldRecord {
  if (hold === undefined) return record;
  const until = Math.max(record.until, now + hold.forMs);
  const isLonger = hold.forMs > 0 && until > record.until;
  const isMeant = turn === record.turn || record.turn === 0;
  if (!isMeant && !isLonger) return record;
  const { phase, share, restMs, spacingMs } = isMeant ? hold : record;
  const dueAt = isMeant ? now + hold.dueMs : record.dueAt;
  const places = placesTaken(queueOf(record), now);
  const pacedSince = Math.max(now, until);
  const queue = { until, pacedSince, places, spacingMs };
  return { ...record, ...noCounts, turn: record.turn + 1, phase, dueAt, share, restMs, ...queue };
}

/** Places that have already come up are lost, and a place can be given back only once. */
function afterBack(record: HoldRecord, { back }: HoldReport, now: number): HoldRecord {
  if (back.length === 0 && record.free.length === 0) return record;
  const queue = queueOf(record);
  // If all may go, each process lets its own follow each other, and no place of the store is asked for.
  const timeIn = (place: number): number =>
    paces[record.phase] === undefined ? record.pacedSince : timeOf(queue, place);
  const given = back.filter((place) => place < record.nextPlace);
  const free = [...new Set([...record.free, ...given])]
    .filter((place) => timeIn(place) > now)
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
  if (paces[record.phase] === undefined || want <= 0) return { record, granted: [] };
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
function queueOf({ phase, pacedSince, places, spacingMs, nextPlace, until }: HoldRecord): HoldState {
  return { ...noHold, phase, until, pacedSince, places, spacingMs, nextPlace };
}
