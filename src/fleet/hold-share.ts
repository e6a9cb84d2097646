/** A shared hold as one process knows it. */

import { nameOfPace } from '../core/limits/fleet/hold-record.js';
import type { Totals } from '../core/limits/fleet/hold-told.js';
import {
  answersTold,
  holdAlone,
  holdLeased,
  holdRefuted,
  holdTold,
  holdWithout,
} from '../core/limits/fleet/hold-told.js';
import type { Facts, HoldFacts, HoldReport } from '../core/limits/fleet/messages.js';
import { isPaced, timeOf } from '../core/limits/hold/queue.js';
import type { HoldState } from '../core/limits/hold/state.js';
import type { Hold } from '../core/policy/limits.js';
import type { SharedScope } from '../runtime/fleet.js';
import type { Receipt, RecordShare, Speaker } from './share.js';

const longestMs = 3_600_000;
const roundingMs = 1;
/** How long after its turn a request is answered at the latest. */
const answeredInMs = 1_000;

export class HoldShare implements RecordShare {
  readonly key: string;
  isMarked = false;
  private readonly hold: Hold;
  private readonly scope: SharedScope;
  private readonly speaker: Speaker;
  /** If a window is longer than this, requests do not wait for it, by the settings of this process. */
  private readonly longestWindowMs: number;
  private turn = 0;
  /** The hold that this process follows is known from news only: the store has not confirmed it yet. */
  private isHearsay = false;
  /** When the process last heard of a change of the queue: answers to reports sent before that are outdated. */
  private learntAt = Number.NEGATIVE_INFINITY;
  /** Until this time, a request of this process has a place or waits for its answer. */
  private busyUntil = Number.NEGATIVE_INFINITY;
  // -- since the last report
  private firsts = 0;
  private refusals = 0;
  private successes = 0;
  private isChanged = false;
  // -- in total
  private readonly reported: { firsts: number; refusals: number; successes: number } = {
    firsts: 0,
    refusals: 0,
    successes: 0,
  };
  /** What other processes were answered, by the last facts. */
  private others: Totals | undefined = undefined;
  /** How many requests wait for a place, and how long they would wait. */
  private queued = 0;
  private withinMs = 0;

  constructor(key: string, hold: Hold, scope: SharedScope, speaker: Speaker, longestWindowMs: number) {
    this.longestWindowMs = longestWindowMs;
    this.key = key;
    this.hold = hold;
    this.scope = scope;
    this.speaker = speaker;
  }

  // -------------------------------------------------------------- what happens here

  /** On the path of every request. */
  answered(isFirst: boolean, kind: 'success' | 'refusal' | 'other'): void {
    if (isFirst) this.firsts += 1;
    if (kind === 'success') this.successes += 1;
    else if (kind === 'refusal' && isFirst) this.refusals += 1;
    if (!this.isMarked) this.speaker.mark(this);
  }

  /** An answer to this process holds or paces requests. */
  held(now: number): void {
    this.isChanged = true;
    this.isHearsay = false;
    this.learntAt = now;
    if (this.isUrgent(now)) this.speaker.urge(this);
    else this.speaker.mark(this);
  }

  private isUrgent(now: number): boolean {
    return this.hold.refusedShare === 0 && this.scope.holdOf(this.hold).until > now;
  }

  queues(more: 1 | -1, withinMs: number): void {
    this.queued += more;
    this.withinMs = this.queued === 0 ? 0 : Math.min(longestMs, Math.max(this.withinMs, withinMs));
    if (more === 1) this.speaker.mark(this);
  }

  /** A place was given back: if no request here takes it, another process may. */
  left(): void {
    this.speaker.mark(this);
  }

  // -------------------------------------------------------------- what is told

  report(now: number): HoldReport {
    const { firsts, refusals, successes, reported, isChanged } = this;
    const state = this.scope.holdOf(this.hold);
    const { leased = [] } = state;
    const surplus = Math.max(0, leased.length - this.queued);
    if (surplus > 0) this.scope.keepHold(this.hold, holdWithout(state, surplus));
    const report: HoldReport = {
      limit: 'hold',
      firsts,
      refusals,
      successes,
      turn: this.turn,
      ...(isChanged && {
        hold: {
          forMs: Math.max(0, state.until - now),
          spacingMs: state.spacingMs,
          pace: nameOfPace(state.pace),
          isUrgent: this.isUrgent(now),
        },
      }),
      want: Math.max(0, this.queued - leased.length),
      withinMs: this.withinMs,
      back: leased.slice(leased.length - surplus),
    };
    reported.firsts += firsts;
    reported.refusals += refusals;
    reported.successes += successes;
    this.firsts = 0;
    this.refusals = 0;
    this.successes = 0;
    this.isChanged = false;
    return report;
  }

  told(facts: Facts, { isOwn, isLate, sentAt }: Receipt, now: number): void {
    if (facts.limit !== 'hold') return;
    if (isOwn) this.count(facts, now);
    const isOld = isOwn && sentAt <= this.learntAt;
    if (isOld && facts.turn < this.turn) {
      // Newer news have arrived before this answer.
      this.speaker.mark(this);
      return;
    }
    if (this.isTooLong(facts)) {
      // Of news, nothing is believed.
      if (isOwn) this.alone();
      return;
    }
    const isNew = facts.turn !== this.turn;
    this.turn = facts.turn;
    if (isNew) this.learntAt = now;
    const { hold, scope } = this;
    const wasHearsay = this.isHearsay;
    if (isOwn && !isOld) this.isHearsay = false;
    else if (isNew) this.isHearsay = true;
    const known = scope.holdOf(hold);
    // Anyone who may publish on the channel can send news: what the record knows nothing of was never true.
    const before = isOwn && wasHearsay && !isOld && facts.pace === 'none' ? holdRefuted(known) : known;
    const told = holdTold(before, scope.answersOf(hold), facts, isNew, now);
    const leased = isOwn && !isLate ? holdLeased(told, facts.granted) : told;
    // News may arrive even if answers do not. Without answers there are no places, so this process uses its own queue.
    const after = this.speaker.isShared ? leased : holdAlone(leased);
    if (after !== known) scope.keepHold(hold, after);
    // The store does not know this hold: it began while the store was silent, or the store was emptied.
    if (!isOld && facts.pace === 'none' && isPaced(before, now)) this.isChanged = true;
    this.isBusyWith(facts.granted, after, now);
    if (this.isChanged || this.isHearsay || this.queued > 0 || now < this.busyUntil) this.speaker.mark(this);
  }

  /** The settings bound the window. No request waits for so long as to take a place that comes up later than the rest. */
  private isTooLong({ forMs, pacedMs, spacingMs }: HoldFacts): boolean {
    const longestWindowMs = this.longestWindowMs + roundingMs;
    return forMs > longestWindowMs || -pacedMs > longestWindowMs || spacingMs > longestMs;
  }

  /** The answer at the last place is judged by the answers of all processes, so this one has to report until then. */
  private isBusyWith(granted: readonly number[], state: HoldState, now: number): void {
    const last = granted.at(-1);
    if (last !== undefined) this.busyUntil = Math.max(this.busyUntil, timeOf(state, last) + answeredInMs);
    if (!isPaced(state, now)) this.busyUntil = now;
  }

  private count({ firsts, refusals, successes }: HoldFacts, now: number): void {
    const { reported, others, hold, scope } = this;
    const after: Totals = {
      firsts: firsts - reported.firsts,
      refusals: refusals - reported.refusals,
      successes: successes - reported.successes,
      at: now,
    };
    this.others = after;
    if (others === undefined) return;
    const before = scope.answersOf(hold);
    const answers = answersTold(before, others, after, now);
    if (answers !== before) scope.keepAnswers(hold, answers);
  }

  alone(): void {
    const { hold, scope } = this;
    const before = scope.holdOf(hold);
    const after = holdAlone(before);
    if (after !== before) scope.keepHold(hold, after);
  }

  rest(): void {
    // Unused places expire by themselves.
  }
}
