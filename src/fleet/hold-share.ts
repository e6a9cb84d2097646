/** A shared hold as one process knows it. */

import type { Facts } from '../core/limits/fleet/messages.js';
import { isPaced, timeOf } from '../core/limits/hold/queue.js';
import type { HoldCounts, HoldFacts, HoldReport } from '../core/limits/hold/record.js';
import type { AnswerKind } from '../core/limits/hold/sample.js';
import { sampleFrom } from '../core/limits/hold/sample.js';
import { type HoldPhase, type HoldState, paces } from '../core/limits/hold/state.js';
import {
  holdAlone,
  holdLeased,
  holdRefuted,
  holdTold,
  holdWithout,
  othersTold,
} from '../core/limits/hold/told.js';
import { trialMs } from '../core/limits/hold/trial.js';
import type { HoldShare, OwnHold } from '../kernel/fleet.js';
import type { Courier, Receipt, RecordShare } from './share.js';

type Counting = { -readonly [K in keyof HoldCounts]: number };

const nothing: HoldCounts = { firsts: 0, refusals: 0, successes: 0, sent: 0 };

const longestMs = 3_600_000;
/**
 * Places are asked for so long before they come up. If the pace slows down, those that were given out come up later
 * than their requests wait, and all others would find the queue too long.
 */
const aheadMs = 500;
const roundingMs = 1;
/** How long after its turn a request is answered at the latest. */
const answeredInMs = 1_000;

export class HoldRecordShare implements HoldShare, RecordShare {
  readonly key: string;
  isMarked = false;
  private readonly limit: OwnHold;
  private readonly courier: Courier;
  /** If a window is longer than this, requests do not wait for it, by the settings of this process. */
  private readonly longestWindowMs: number;
  private turn = 0;
  /** The hold that this process follows is known from news only: the store has not confirmed it yet. */
  private isHearsay = false;
  /** When the process last heard of a change of the queue: answers to reports sent before that are outdated. */
  private learntAt = -Infinity;
  /** Until this time, a request of this process has a place or waits for its answer. */
  private busyUntil = -Infinity;
  /** The phase in the store, as far as it is known: the others are told of another one at once. */
  private phase: HoldPhase = 'free';
  // -- since the last report
  private own: Counting = { ...nothing };
  private isChanged = false;
  /** What this process has reported since the last change of the queue. */
  private reported: Counting = { ...nothing };
  /** What other processes have reported since then, by the last facts. */
  private others: HoldCounts | undefined = undefined;
  /** How many requests wait for a place, and how long they would wait. */
  private queued = 0;
  private withinMs = 0;

  constructor(key: string, limit: OwnHold, courier: Courier, longestWindowMs: number) {
    this.longestWindowMs = longestWindowMs;
    this.key = key;
    this.limit = limit;
    this.courier = courier;
  }

  // -------------------------------------------------------------- what happens here

  get isHearing(): boolean {
    return this.courier.isShared;
  }

  /** On the path of every request. */
  answered(isCounted: boolean, kind: AnswerKind): void {
    const { own } = this;
    if (isCounted) own.firsts += 1;
    if (kind === 'success') own.successes += 1;
    else if (kind === 'refusal' && isCounted) own.refusals += 1;
    if (!this.isMarked) this.courier.reportSoon(this);
  }

  sent(): void {
    this.own.sent += 1;
    this.courier.reportSoon(this);
  }

  /** This process has changed the queue: what was counted before is about the queue before. */
  held(now: number): void {
    this.isChanged = true;
    this.isHearsay = false;
    this.learntAt = now;
    this.own = { ...nothing };
    if (this.isUrgent(now)) this.courier.reportNow(this);
    else this.courier.reportSoon(this);
  }

  private isUrgent(now: number): boolean {
    const { phase, until } = this.limit.state;
    return phase === 'obeyed' ? until > now : phase !== this.phase;
  }

  queues(more: 1 | -1, withinMs: number): void {
    this.queued += more;
    this.withinMs = this.queued === 0 ? 0 : Math.min(longestMs, Math.max(this.withinMs, withinMs));
    if (more === 1) this.courier.reportSoon(this);
  }

  /** A place was given back: if no request here takes it, another process may. */
  left(): void {
    this.courier.reportSoon(this);
  }

  // -------------------------------------------------------------- what is told

  report(now: number): HoldReport {
    const { own, reported, isChanged } = this;
    const state = this.limit.state;
    const { leased = [] } = state;
    const surplus = Math.max(0, leased.length - this.queued);
    if (surplus > 0) this.limit.state = holdWithout(state, surplus);
    const report: HoldReport = {
      limit: 'hold',
      ...own,
      turn: this.turn,
      ...(isChanged && { hold: this.changeOf(state, now) }),
      want: Math.max(0, this.queued - leased.length),
      withinMs: Math.min(this.withinMs, Math.max(0, state.until - now) + aheadMs),
      back: leased.slice(leased.length - surplus),
    };
    for (const key of ['firsts', 'refusals', 'successes', 'sent'] as const) reported[key] += own[key];
    this.own = { ...nothing };
    this.isChanged = false;
    return report;
  }

  private changeOf(state: HoldState, now: number): NonNullable<HoldReport['hold']> {
    const { phase, dueAt, share, restMs, until, spacingMs } = state;
    const dueMs = Math.max(0, dueAt - now);
    const forMs = Math.max(0, until - now);
    return { phase, dueMs, share, restMs, forMs, spacingMs, isUrgent: this.isUrgent(now) };
  }

  told(facts: Facts, { isOwn, isLate, sentAt }: Receipt, now: number): void {
    if (facts.limit !== 'hold') return;
    const isOld = isOwn && sentAt <= this.learntAt;
    if (isOld && facts.turn < this.turn) {
      // Newer news have arrived before this answer.
      this.courier.reportSoon(this);
      return;
    }
    if (this.isTooLong(facts)) {
      // Of news, nothing is believed.
      if (isOwn) this.alone();
      return;
    }
    const isNew = facts.turn !== this.turn;
    const { limit } = this;
    const wasHearsay = this.isHearsay;
    if (isOwn && !isOld) this.isHearsay = false;
    else if (isNew) this.isHearsay = true;
    const known = limit.state;
    if (isNew) this.begin(facts, known, now);
    if (isOwn) this.count(facts, now);
    // Anyone who may publish on the channel can send news: what the record knows nothing of was never true.
    const before = isOwn && wasHearsay && !isOld && facts.turn === 0 ? holdRefuted(known) : known;
    const told = holdTold(before, facts, isNew, now);
    const leased = isOwn && !isLate ? holdLeased(told, facts.granted) : told;
    // News may arrive even if answers do not. Without answers there are no places, so this process uses its own queue.
    const after = this.courier.isShared ? leased : holdAlone(leased);
    if (after !== known) limit.state = after;
    // The store does not know this hold: it began while the store was silent, or the store was emptied.
    if (!isOld && facts.turn === 0 && isPaced(before, now)) this.isChanged = true;
    this.isBusyWith(facts.granted, after, now);
    if (isOwn && this.isHearing) limit.judge(now);
    if (this.isChanged || this.isHearsay || this.queued > 0 || now < this.busyUntil)
      this.courier.reportSoon(this);
  }

  /** The settings bound the window. No request waits for so long as to take a place that comes up later than the rest. */
  private isTooLong({ phase, dueMs, forMs, pacedMs, spacingMs }: HoldFacts): boolean {
    const longestWindowMs = this.longestWindowMs + roundingMs;
    if (paces[phase] !== undefined && dueMs > longestWindowMs + trialMs) return true;
    return forMs > longestWindowMs || -pacedMs > longestWindowMs || spacingMs > longestMs;
  }

  /** The answer at the last place is judged by the answers of all processes, so this one has to report until then. */
  private isBusyWith(granted: readonly number[], state: HoldState, now: number): void {
    const last = granted.at(-1);
    if (last !== undefined) this.busyUntil = Math.max(this.busyUntil, timeOf(state, last) + answeredInMs);
    if (!isPaced(state, now)) this.busyUntil = now;
  }

  /** Another turn: all counts begin again. What this process counts is about it if it has changed the queue likewise. */
  private begin({ turn, phase }: HoldFacts, before: HoldState, now: number): void {
    const { limit } = this;
    this.turn = turn;
    this.phase = phase;
    this.learntAt = now;
    this.reported = { ...nothing };
    if (this.others !== undefined) this.others = nothing;
    if (before.phase === phase) return;
    this.own = { ...nothing };
    limit.sample = sampleFrom(now);
  }

  private count(facts: HoldFacts, now: number): void {
    const { reported, others, limit } = this;
    const after: HoldCounts = {
      firsts: facts.firsts - reported.firsts,
      refusals: facts.refusals - reported.refusals,
      successes: facts.successes - reported.successes,
      sent: facts.sent - reported.sent,
    };
    this.others = after;
    if (others === undefined) return;
    const before = limit.sample;
    const sample = othersTold(before, others, after, now);
    if (sample !== before) limit.sample = sample;
  }

  alone(): void {
    const { limit } = this;
    const before = limit.state;
    const after = holdAlone(before);
    if (after !== before) limit.state = after;
  }

  rest(): void {
    // Unused places expire by themselves.
  }
}
