/**
 * The store's record of a shared gate, and how a report changes it. The store collects facts and does not judge: if a
 * process takes the server for dead, by its own settings, it says so, and the gate shuts for all. The store makes sure
 * that there are two witnesses, that one process at a time has a lease to probe, and that late reports change nothing.
 */

import type { Census, Headcount } from '../fleet/headcount.js';
import { counted, noProcesses, processesIn } from '../fleet/headcount.js';
import type { Merged, Wanted } from '../fleet/merged.js';

// ---------------------------------------------------------------- messages

export interface GateReport {
  readonly limit: 'gate';
  /** The process that reports: a row of failures needs two witnesses. */
  readonly process: string;
  readonly slice: number;
  /** The state that the process knows, from which a store that has lost its data restores it. */
  readonly epoch: number;
  readonly isShut: boolean;
  /** Signs of life in a row since the last report, and how long ago the last of them was. */
  readonly lives: number;
  readonly aliveMs: number;
  /** How long ago the server answered with an error such as 500, a sign of life while it is taken for dead; or -1. */
  readonly answersMs: number;
  /** First attempts that have failed since then: how many, and how long ago their row began and ended. */
  readonly failures: number;
  readonly sinceMs: number;
  readonly lastMs: number;
  /**
   * By the facts about this row, the process takes the server for dead; the first probe may go after this time. `kinds`:
   * the kinds of requests that have failed here.
   */
  readonly shut?: { readonly row: number; readonly probeInMs: number; readonly kinds?: string };
  /** The process wants to probe, and no other may probe for this long. */
  readonly wantMs?: number;
  /** The probe of the process is over or will not be sent; the next one may go after this time. */
  readonly over?: { readonly lease: number; readonly probeInMs: number };
}

export interface GateFacts extends Headcount {
  readonly limit: 'gate';
  /** Grows each time the gate shuts or reopens. */
  readonly epoch: number;
  readonly isShut: boolean;
  /** The current row of failures, without a sign of life anywhere; while the gate is shut, the row that shut it. */
  readonly row: number;
  readonly failures: number;
  readonly forMs: number;
  /** Signs of life before the row, without a failure between them. */
  readonly lives: number;
  /** How many processes have seen failures of the row; 2 stands for more. */
  readonly witnesses: number;
  /** Only while the gate is shut: the kinds of requests that had failed where that was judged. */
  readonly kinds?: string;
  /** While the gate is shut: when the next probe may go, and how long the current lease lasts. */
  readonly probeInMs: number;
  readonly leaseLeftMs: number;
  /** The number of the lease that is granted to the reporting process; 0: none. */
  readonly lease: number;
}

/** Only facts that are whole are facts. */
export const gateFactsWanted: Wanted<GateFacts> = {
  parts: {
    slice: 'number',
    processes: 'number',
    epoch: 'number',
    isShut: 'boolean',
    row: 'number',
    failures: 'number',
    forMs: 'number',
    lives: 'number',
    witnesses: 'number',
    kinds: 'text or none',
    probeInMs: 'number',
    leaseLeftMs: 'number',
    lease: 'number',
  },
};

// ---------------------------------------------------------------- the record

/** Times are by the store's clock, in ms. */
export interface GateRecord extends Census {
  readonly limit: 'gate';
  readonly epoch: number;
  readonly isShut: boolean;
  /** The last sign of life anywhere. */
  readonly aliveAt: number;
  readonly lives: number;
  readonly row: number;
  readonly failures: number;
  readonly since: number;
  readonly lastAt: number;
  /** The first process that reported failures of the row, and how many did; 2 stands for more. */
  readonly witness: string;
  readonly witnesses: number;
  /** While the gate is shut: the kinds of requests that had failed where that was judged. */
  readonly kinds: string;
  /** When the next probe may go. */
  readonly probeAt: number;
  /** The last lease that was granted, and until when it lasts. */
  readonly lease: number;
  readonly leaseUntil: number;
}

const noRow: Pick<GateRecord, 'failures' | 'since' | 'lastAt' | 'witness' | 'witnesses'> = {
  failures: 0,
  since: 0,
  lastAt: 0,
  witness: '',
  witnesses: 0,
};

const blank: GateRecord = /* @__PURE__ */ (() => ({
  limit: 'gate',
  ...noProcesses,
  epoch: 0,
  isShut: false,
  aliveAt: 0,
  lives: 0,
  row: 0,
  ...noRow,
  kinds: '',
  probeAt: 0,
  lease: 0,
  leaseUntil: 0,
}))();

/** More signs of life are not counted, and a row is over after this time without an attempt, as in a single process. */
const mostLives = 20;
const rowPauseMs = 10_000;

export function mergeGate(
  known: GateRecord | undefined,
  report: GateReport,
  now: number,
): Merged<GateRecord, GateFacts> {
  const before = counted(known ?? blank, report.slice, now);
  const remembered = withMemoryOf({ ...(known ?? blank), ...before }, report, now);
  const seen = remembered.isShut ? afterSigns(remembered, report, now) : afterSeen(remembered, report, now);
  const judged = afterJudgement(seen, report, now);
  const record = afterLease(judged, report, now);
  const isGranted = record.lease !== judged.lease;
  const facts = factsOf(record, isGranted ? record.lease : 0, now);
  // All processes need to know when the next probe may go.
  const isNews = record.epoch !== remembered.epoch || isProbeOver(judged, report);
  return { record, facts, news: isNews ? factsOf(record, 0, now) : undefined };
}

function factsOf(record: GateRecord, lease: number, now: number): GateFacts {
  const { epoch, isShut, row, failures, since, lives, witnesses, slice, kinds, probeAt, leaseUntil } = record;
  return {
    limit: 'gate',
    slice,
    processes: processesIn(record),
    epoch,
    isShut,
    row,
    failures,
    forMs: failures === 0 ? 0 : Math.max(0, now - since),
    lives,
    witnesses,
    ...(isShut && kinds !== '' && { kinds }),
    probeInMs: isShut ? Math.max(0, probeAt - now) : 0,
    leaseLeftMs: isShut ? Math.max(0, leaseUntil - now) : 0,
    lease,
  };
}

/** Restores what the process knows if the store was emptied. */
function withMemoryOf(record: GateRecord, { epoch, isShut }: GateReport, now: number): GateRecord {
  if (epoch <= record.epoch) return record;
  return { ...record, epoch, isShut, row: record.row + 1, ...noRow, lives: 0, probeAt: now, leaseUntil: 0 };
}

/** While the gate is open: a sign of life ends the row of failures, and failures after it begin or continue a row. */
function afterSeen(given: GateRecord, report: GateReport, now: number): GateRecord {
  const record = afterLife(given, report, now);
  if (report.failures === 0) return record;
  // A late report about the time before the last sign of life.
  if (now - report.lastMs < record.aliveAt) return record;
  const began = Math.max(record.aliveAt, now - report.sinceMs);
  const lastAt = now - report.lastMs;
  const isNew = record.failures === 0 || began - record.lastAt > rowPauseMs;
  if (isNew) {
    const lives = record.failures === 0 ? record.lives : 0;
    const own = { witness: report.process, witnesses: 1 };
    return { ...record, row: record.row + 1, lives, failures: report.failures, since: began, lastAt, ...own };
  }
  return {
    ...record,
    failures: record.failures + report.failures,
    since: Math.min(record.since, began),
    lastAt: Math.max(record.lastAt, lastAt),
    witnesses: record.witness === report.process ? record.witnesses : 2,
  };
}

function afterLife(record: GateRecord, { lives, aliveMs }: GateReport, now: number): GateRecord {
  const at = now - aliveMs;
  // From before the row, or older than the last known one.
  if (lives === 0 || at < record.since || at < record.aliveAt) return record;
  const before = record.failures === 0 ? record.lives : 0;
  return { ...record, ...noRow, lives: Math.min(mostLives, before + lives), aliveAt: at };
}

/** While the gate is shut: any sign of life since the row began reopens it, even if it is reported late. */
function afterSigns(record: GateRecord, { lives, aliveMs, answersMs }: GateReport, now: number): GateRecord {
  const agoMs = Math.min(lives > 0 ? aliveMs : Infinity, answersMs < 0 ? Infinity : answersMs);
  const at = now - agoMs;
  if (agoMs === Infinity || at < record.since) return record;
  const { epoch, row } = record;
  return {
    ...record,
    epoch: epoch + 1,
    isShut: false,
    aliveAt: at,
    lives: 0,
    row: row + 1,
    ...noRow,
    leaseUntil: 0,
  };
}

/** A single witness may have a fault of its own, and a row that has ended says nothing any more. */
function afterJudgement(record: GateRecord, { shut, epoch }: GateReport, now: number): GateRecord {
  const isMeant = shut !== undefined && epoch === record.epoch && shut.row === record.row;
  if (!isMeant || record.isShut || record.witnesses < 2) return record;
  const { probeInMs, kinds = '' } = shut;
  return { ...record, epoch: epoch + 1, isShut: true, kinds, probeAt: now + probeInMs, leaseUntil: 0 };
}

/** One lease at a time: only its holder can end a lease early, and only the current one. */
function afterLease(given: GateRecord, report: GateReport, now: number): GateRecord {
  const { over, wantMs, epoch } = report;
  if (!given.isShut || epoch !== given.epoch) return given;
  const isOver = over !== undefined && isProbeOver(given, report);
  const record = isOver ? { ...given, probeAt: now + over.probeInMs, leaseUntil: 0 } : given;
  if (wantMs === undefined || now < record.probeAt || now < record.leaseUntil) return record;
  return { ...record, lease: record.lease + 1, leaseUntil: now + wantMs };
}

function isProbeOver({ isShut, epoch, lease, leaseUntil }: GateRecord, report: GateReport): boolean {
  return isShut && report.epoch === epoch && report.over?.lease === lease && leaseUntil > 0;
}
