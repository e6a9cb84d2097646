/**
 * What a request learns from how long its attempts take, and the race of two of them: when a hedge may be sent, which of
 * the two decides, and what becomes of the other. Without a setting that needs this, a session has no such part.
 */

import {
  agedBy,
  decidingOf,
  isWhole,
  verdictOnBoth,
  withEvidenceOfBoth,
} from '../core/decide/both-failed.js';
import { classify } from '../core/decide/classify.js';
import { isAttemptTimeout } from '../core/decide/decide.js';
import { retriesIn } from '../core/decide/fresh.js';
import { isSafe } from '../core/decide/safety.js';
import type { RequestEvent } from '../core/events.js';
import type { LatencyState } from '../core/limits/latency/latency.js';
import * as latency from '../core/limits/latency/latency.js';
import type { Tail } from '../core/limits/latency/setting.js';
import { truthReturned } from '../core/returned.js';
import type { Attempt, Decision, Finding, Outcome, World } from '../core/types.js';
import type { Alarm, NewAlarms } from './alarms.js';
import type { About } from './events.js';
import { Latencies, type RuleLatency } from './latencies.js';
import type { admitHedge, failed, Passing, seen } from './limits/admission.js';
import { hasSpareCapacity } from './limits/clear.js';
import type { Limits } from './limits/limits.js';
import type { Permit } from './limits/permit.js';
import type { Prospects, Ruling, Session, SessionTail } from './session.js';

/** An attempt that is out, or that has failed while the other one is still out. */
interface InFlight {
  readonly attempt: number;
  /** When it was on the wire; undefined: not yet. */
  sentAt: number | undefined;
  /** How often the timeout had been doubled by then. */
  level: number;
  /** Its time limit, if that was adaptive. */
  limitMs?: number | undefined;
  failed: Failed | undefined;
  /** Only if it is not the one that the session holds. */
  permit?: Permit | undefined;
  /** It has lost, and goes on until its head. */
  isLeft?: boolean;
}

interface Failed {
  readonly finding: Finding;
  readonly verdict: boolean | undefined;
  readonly endedAt: number;
  /** What the finding was found in. */
  readonly outcome: Outcome;
}

/** The session, as far as the race has to do with it. */
export interface Raced extends Session, Passing {
  /** Undefined: its settings ask no limit before an attempt. */
  readonly asked:
    | { readonly admitHedge: typeof admitHedge; readonly failed: typeof failed; readonly seen: typeof seen }
    | undefined;
  readonly limits: Limits;
  readonly suppressed: true | undefined;
  next(outcome: Outcome | Finding, prospects: Prospects, source?: Outcome | Finding): Decision;
  about(): About;
  /** Whether there is a listener. */
  readonly isHeard: boolean;
  tell(event: RequestEvent): void;
  /** An attempt occupies nothing any more; by default, the one whose permit the session holds. */
  endPermit(permit?: Permit): void;
}

export class Race implements SessionTail {
  /** A layer that does not retry leaves hedging to the one that does. */
  readonly isActing: boolean;
  /** Undefined unless the request was hedged. */
  hasHedgeWon: boolean | undefined = undefined;
  private readonly session: Raced;
  private known: RuleLatency;
  /** What the rule learns. An override may use less of it. */
  private readonly ofRule: Tail;
  /** The attempt that is out, and its hedge. */
  private first: InFlight | undefined = undefined;
  private second: InFlight | undefined = undefined;
  /** The learnt time limit at which the last attempt was cut. */
  private cutAfterMs: number | undefined = undefined;
  /** The one of the two that decides. */
  private deciding: InFlight | undefined = undefined;
  /** The attempts that lost while they were still out. After credentials that were refused, there may be another one. */
  private losers: Map<number, InFlight> | undefined = undefined;

  constructor(session: Raced, own: Tail, isActing: boolean) {
    this.session = session;
    this.known = knownTo(session);
    this.ofRule = tailOfRule(session, own);
    this.isActing = isActing;
  }

  /** A request has succeeded at once that has no race: what needs one has not happened. */
  static acceptedAtOnce(session: Raced, own: Tail): void {
    const ofRule = tailOfRule(session, own);
    if (ofRule.hedge === false) return;
    const known = knownTo(session);
    known.state = latency.afterSuccess(ofRule, known.state);
  }

  /** The next attempt goes to another scope, whose answers take times of their own. */
  moved(): void {
    this.known = knownTo(this.session);
    this.cutAfterMs = undefined;
  }

  private get own(): Tail {
    return this.session.settings.tail ?? this.ofRule;
  }

  // -------------------------------------------------------------- adaptive timeouts

  timeoutMs(isSendable: boolean): number | undefined {
    if (this.own.timeout === undefined || !isSendable) return undefined;
    const out = this.lastSent;
    const now = this.lastSentAt;
    const limitMs = this.canRetry(now) ? latency.learntTimeoutMs(this.own, this.state, now) : undefined;
    // At `maxMs`, it is like a fixed timeout.
    if (out !== undefined) out.limitMs = limitMs === this.own.timeout.maxMs ? undefined : limitMs;
    return limitMs;
  }

  private get lastSent(): InFlight | undefined {
    return this.second?.sentAt === undefined ? this.first : this.second;
  }

  get lastSentAt(): number {
    return this.lastSent?.sentAt ?? this.now;
  }

  mayTimeOut(): boolean {
    const { now } = this;
    const applies = latency.learntTimeoutMs(this.own, this.state, now) !== undefined;
    if (applies && !this.isSilent && this.canRetry(now)) return true;
    for (const out of [this.first, this.second]) if (out !== undefined) out.limitMs = undefined;
    return false;
  }

  /**
   * Another attempt has timed out since this one was sent, and the server has answered nothing since then. It is the
   * server that pauses, not this request that is slow, and all others would be cut as well.
   */
  private get isSilent(): boolean {
    const level = latency.timeoutLevel(this.state);
    return [this.first, this.second].every((out) => out === undefined || out.level < level);
  }

  /** Whether a retry would be safe and affordable after a timeout. */
  private canRetry(now: number): boolean {
    const { asked, settings, request, limits, history } = this.session;
    if (limits.budget === undefined || retriesIn(history) >= settings.maxRetries) return false;
    if (!isSafe(settings, request) || asked?.seen(limits, now).gateShut === true) return false;
    return limits.budget.affords('timeout', now);
  }

  // -------------------------------------------------------------- how long attempts took

  private recordAnswer(out: InFlight | undefined, finding: Finding, now: number): void {
    // The server asks for fewer requests, even if the rule does not retry that.
    const isRefusal = finding.kind === 'response' && finding.status === 429;
    if (isRefusal) this.keep(latency.afterThrottled(this.ofRule, this.state, now));
    this.recordTime(out, true, now);
  }

  private recordFailure(out: InFlight | undefined, finding: Finding): void {
    if (finding.class === 'throttled') this.keep(latency.afterThrottled(this.ofRule, this.state, this.now));
    if (finding.kind === 'error') {
      // Nothing was sent, so it says nothing about how long an answer takes.
      if (finding.evidence === 'unsent' || finding.unasked === true) return;
      if (isAttemptTimeout(finding) && out !== undefined) this.recordTimeout(out);
    }
    this.recordTime(out, false, this.now);
  }

  private recordTimeout({ level, limitMs }: InFlight): void {
    this.keep(latency.afterTimeout(this.state, level, limitMs !== undefined));
    this.judgeSecondChance(Infinity);
    this.cutAfterMs = limitMs;
  }

  /** How long a retry took, if the attempt before it was cut at an adaptive time limit. */
  private judgeSecondChance(ms: number): void {
    if (this.cutAfterMs === undefined) return;
    this.keep(latency.afterSecondChance(this.state, ms <= this.cutAfterMs));
    this.cutAfterMs = undefined;
  }

  private recordTime(out: InFlight | undefined, isWholeAnswer: boolean, now: number): void {
    if (out === undefined) return;
    this.keep(this.stateAfter(out, isWholeAnswer, now));
    if (isWholeAnswer) this.judgeSecondChance(now - (out.sentAt ?? now));
  }

  private stateAfter({ sentAt }: InFlight, isWholeAnswer: boolean, now: number): LatencyState {
    const { ofRule, state } = this;
    return sentAt === undefined
      ? state
      : latency.afterAttempt(ofRule, state, now - sentAt, isWholeAnswer, now);
  }

  // -------------------------------------------------------------- what is known

  private get state(): LatencyState {
    return this.known.state;
  }

  private keep(state: LatencyState): void {
    this.known.state = state;
  }

  private get now(): number {
    return this.session.scope.ports.now();
  }

  // -------------------------------------------------------------- sending

  sent(attempt: number, now: number = this.now): void {
    const { second } = this;
    if (second?.attempt !== attempt) {
      this.first = { attempt, sentAt: now, level: latency.timeoutLevel(this.state), failed: undefined };
      return;
    }
    const isNew = second.sentAt === undefined;
    second.sentAt = now;
    second.level = latency.timeoutLevel(this.state);
    this.hasHedgeWon ??= false;
    if (!isNew || !this.session.isHeard) return;
    const afterMs = now - (this.first?.sentAt ?? now);
    this.session.tell({ type: 'hedge', ...this.session.about(), attempt, afterMs });
  }

  hedgeAfterMs(isSendable: boolean): number | undefined {
    const { first, own } = this;
    const { settings, request } = this.session;
    if (first?.sentAt === undefined || own.hedge === false || !isSendable) return undefined;
    const { method } = request;
    const { methods } = own.hedge;
    const isMeant = methods.includes(method) || methods.includes(method.toUpperCase());
    if (!isMeant || settings.maxRetries === 0 || settings.beforeRetry !== undefined) return undefined;
    return latency.hedgeAfterMs(own, this.state, first.sentAt);
  }

  awaitHedge(alarm: Alarm, afterMs: number, OfScope: NewAlarms, now: number): void {
    const { all } = this.known;
    all.alarms ??= new OfScope(this.session.scope.ports);
    all.alarms.set(alarm, now + afterMs, now);
  }

  stopAwaiting(alarm: Alarm): void {
    this.known.all.alarms?.clear(alarm);
  }

  hedge(): number | undefined {
    const { first, own, now } = this;
    if (first === undefined || first.failed !== undefined || this.second !== undefined) return undefined;
    if (!hasSpareCapacity(this.session.limits, now) || !latency.mayHedge(own, this.state, now))
      return undefined;
    this.keep(latency.afterHedge(this.state, now));
    const attempt = first.attempt + 1;
    const permit = this.session.asked?.admitHedge(this.session.limits, this.session.permit, now);
    this.second = { attempt, sentAt: undefined, level: 0, failed: undefined, permit };
    return attempt;
  }

  withdraw(): void {
    if (this.second === undefined) return;
    this.giveBack(this.second.permit);
    this.second = undefined;
    this.keep(latency.afterWithdrawal(this.ofRule, this.state));
  }

  // -------------------------------------------------------------- an attempt has ended

  /** The request has succeeded at once. */
  accepted(): void {
    const { first, ofRule } = this;
    if (!this.isActing) return;
    this.first = undefined;
    // Without a first, it was answered in the turn in which it was sent: that was no server, and took it no time.
    const state = first === undefined ? this.state : this.stateAfter(first, true, this.now);
    this.keep(latency.afterSuccess(ofRule, state));
  }

  ended(attempt: number, outcome: Outcome, prospects: Prospects): Ruling {
    const { first, second, now } = this;
    const verdict = truthReturned('retryIf', prospects.verdict);
    const finding = classify(this.session.settings, outcome, this.session.scope.ports.date());
    const failed: Failed = { finding, verdict, endedAt: now, outcome };
    const [it, other] = second?.attempt === attempt ? [second, first] : [first, second];
    if (it === undefined || other === undefined || isWhole(failed)) {
      return this.decideBy(it, attempt, failed, prospects);
    }
    if (other.failed === undefined) {
      it.failed = failed;
      this.note(it, failed);
      return { kind: 'pending' };
    }
    const earlier = { ...other.failed, finding: agedBy(other.failed.finding, now - other.failed.endedAt) };
    const [by, deciding, beaten] =
      decidingOf(earlier, failed) === failed ? [it, failed, earlier] : [other, earlier, failed];
    if (by === other) {
      it.failed = failed;
      this.recordFailure(it, finding);
    }
    const both = {
      finding: withEvidenceOfBoth(deciding.finding, beaten.finding),
      verdict: verdictOnBoth(deciding, beaten),
      outcome: deciding.outcome,
    };
    return this.decideBy(by, by.attempt, both, prospects);
  }

  /** One of two attempts is over, although it is decided only later what follows: it occupies nothing any more. */
  gaveBack(attempt: number): boolean {
    const { first, second } = this;
    if (second === undefined) return false;
    this.session.endPermit((second.attempt === attempt ? second : first)?.permit);
    return true;
  }

  /** The other attempt decides. But what the server asks for concerns all requests, and at once. */
  private note(out: InFlight, { finding, verdict, endedAt }: Failed): void {
    this.recordFailure(out, finding);
    const { session } = this;
    session.asked?.failed(session, finding, verdict, endedAt, out.permit?.sentAt);
    session.endPermit(out.permit);
  }

  private decideBy(
    it: InFlight | undefined,
    attempt: number,
    { finding, verdict, outcome }: Omit<Failed, 'endedAt'>,
    prospects: Prospects,
  ): Ruling {
    this.deciding = it;
    const decision = this.session.next(finding, { ...prospects, verdict }, outcome);
    return { kind: 'decided', attempt, decision };
  }

  /** Undefined: the attempt holds none, or the one of the session, which is not ended. */
  private giveBack(permit: Permit | undefined): void {
    if (permit !== undefined) this.session.endPermit(permit);
  }

  /** An end of the request as a whole counts as that of an attempt which is still out. */
  begins(): void {
    const { first, second } = this;
    this.deciding ??= first?.failed === undefined ? first : second;
    const permit = this.deciding === second ? second?.permit : undefined;
    if (permit === undefined || first === undefined || second === undefined) return;
    // What the hedge brings is judged by when the hedge was sent.
    first.permit = this.session.permit;
    this.session.permit = permit;
    second.permit = undefined;
  }

  /** The attempt that decides failed while the other one was out, so the hold has heard of it already. */
  get isFailureHeard(): boolean {
    return this.deciding?.failed !== undefined;
  }

  /**
   * The world that decides, with what only the race knows. `reopened`: the attempt that had ended the request with a head,
   * whose body has failed.
   */
  worldOf(seen: World, reopened: number | undefined): World {
    const { deciding, second } = this;
    // A timeout that was doubled is no longer one that most answers would have met.
    const isLearnt = deciding?.limitMs !== undefined && deciding.level === 0;
    const world: World = isLearnt ? { ...seen, learntTimeout: true } : seen;
    // Only then, attempts may end in another order than they were sent in.
    if (this.hasHedgeWon === undefined) return world;
    const attempt = reopened ?? (second?.sentAt === undefined ? undefined : deciding?.attempt);
    return attempt === undefined ? world : { ...world, attempt };
  }

  /** The record of the attempt that decides, after that of the other one, if two were out. */
  withBeaten(attempt: Attempt): Attempt[] {
    const { first, second, deciding } = this;
    if (second?.sentAt === undefined) return [attempt];
    const { action, finding } = attempt.decision;
    this.hasHedgeWon = action === 'stop' && isWhole({ finding, verdict: undefined }) && deciding === second;
    const other = deciding === second ? first : second;
    return other === undefined ? [attempt] : [recordOf(other, attempt.endedAt), attempt];
  }

  /** The decision has been made and told. */
  ends(finding: Finding, verdict: boolean | undefined, now: number): void {
    const it = this.deciding;
    const isAnswer = isWhole({ finding, verdict });
    if (it?.failed === undefined) {
      if (isAnswer) this.recordAnswer(it, finding, now);
      else this.recordFailure(it, finding);
    }
    if (isAnswer) this.keep(latency.afterSuccess(this.ofRule, this.state));
    this.closeRound(it, isAnswer, finding.aborted, now);
  }

  /** What becomes of the attempt that does not decide. */
  private closeRound(it: InFlight | undefined, isAnswer: boolean, isAborted: boolean, now: number): void {
    const { first, second } = this;
    const other = it === second ? first : second;
    if (second?.sentAt !== undefined && !isAborted) {
      const givenMs = second.sentAt - (first?.sentAt ?? second.sentAt);
      const hasHelped = isAnswer && it === second && now - second.sentAt <= givenMs;
      this.keep(latency.afterRace(this.state, hasHelped));
    }
    const isOut = other !== undefined && other.failed === undefined;
    if (isOut && isAnswer) {
      this.losers ??= new Map();
      this.losers.set(other.attempt, other);
    } else {
      if (isOut) this.recordTime(other, false, now);
      this.giveBack(other?.permit);
    }
    this.first = undefined;
    this.second = undefined;
    this.deciding = undefined;
  }

  /** The request has ended without a decision. */
  abandoned(): void {
    const { first, second, now } = this;
    for (const out of [first, second]) {
      if (out?.failed === undefined) this.recordTime(out, false, now);
      this.giveBack(out?.permit);
    }
    this.first = undefined;
    this.second = undefined;
    this.deciding = undefined;
  }

  // -------------------------------------------------------------- the attempt that has lost

  leaveLoser(attempt: number): number {
    const loser = this.losers?.get(attempt);
    if (loser === undefined) return 0;
    const ms = loser.sentAt === undefined ? 0 : this.known.all.leaveLoser();
    loser.isLeft = ms > 0;
    if (ms === 0) this.loserGone(attempt, false);
    return ms;
  }

  loserGone(attempt: number, isAnswered: boolean): void {
    const loser = this.losers?.get(attempt);
    if (loser === undefined) return;
    this.losers?.delete(attempt);
    if (loser.isLeft === true) this.known.all.loserGone();
    this.recordTime(loser, isAnswered, this.now);
    this.giveBack(loser.permit);
  }
}

function recordOf({ attempt, failed }: InFlight, cutAt: number | undefined): Attempt {
  if (failed !== undefined) {
    const { finding, endedAt } = failed;
    return { endedAt, decision: { action: 'stop', reason: 'other-pending', attempt, finding } };
  }
  return { endedAt: cutAt, decision: { action: 'stop', reason: 'cut', attempt, finding: cutFinding } };
}

/** Nothing is known about how the attempt would have ended. */
const cutFinding: Finding = /* @__PURE__ */ Object.freeze({
  kind: 'error',
  class: 'final',
  evidence: 'unknown',
  hint: undefined,
  aborted: false,
  name: 'Cut',
  code: undefined,
});

function tailOfRule({ rule }: Raced, own: Tail): Tail {
  return rule.settings.tail ?? own;
}

function knownTo({ limits: { scope }, rule }: Raced): RuleLatency {
  scope.latencies ??= new Latencies();
  return scope.latencies.of(rule);
}
