/** A session that learns from how long attempts take, and that may have two of them out at the same time. */

import {
  agedBy,
  decidingOf,
  isWhole,
  verdictOnBoth,
  withEvidenceOfBoth,
} from '../core/decide/both-failed.js';
import { classify } from '../core/decide/classify.js';
import * as tails from '../core/limits/tail/tail.js';
import type { Tail } from '../core/policy/limits.js';
import type { Rule } from '../core/policy/policy.js';
import type { Settings } from '../core/policy/settings.js';
import { truthReturned } from '../core/returned.js';
import type { Attempt, Decision, Finding, Outcome, RequestFacts, World } from '../core/types.js';
import type { Alarm, NewAlarms } from './alarms.js';
import { isAtEase } from './at-ease.js';
import { isListening, tell } from './events.js';
import { type Failed, LearningSession, type Out } from './learning-session.js';
import type { LiveSession } from './live-session.js';
import type { Scope } from './scope.js';
import type { Prospects, Ruling, SessionTail } from './session.js';

export class TailedSession extends LearningSession implements SessionTail {
  private readonly isActing: boolean;
  /** The one of the two that decides. */
  private deciding: Out | undefined = undefined;
  /** The attempt that lost while it was still out. */
  private loser: Out | undefined = undefined;
  private isLoserLeft = false;
  private hasHedgeWon: boolean | undefined = undefined;
  /** The attempt that had ended the request with a head, whose body has failed. */
  private reopened: number | undefined = undefined;

  constructor(request: RequestFacts, rule: Rule, settings: Settings, scope: Scope, uses: Tail) {
    super(request, rule, settings, scope, uses);
    this.isActing = this.suppressed !== true;
  }

  /** A layer that does not retry leaves hedging to the one that does. */
  override get tail(): SessionTail | undefined {
    return this.isActing ? this : undefined;
  }

  // -------------------------------------------------------------- sending

  sent(attempt: number): void {
    const { now, second } = this;
    if (second?.attempt !== attempt) {
      this.first = { attempt, sentAt: now, level: tails.timeoutLevel(this.state), failed: undefined };
      return;
    }
    const isNew = second.sentAt === undefined;
    second.sentAt = now;
    second.level = tails.timeoutLevel(this.state);
    this.hasHedgeWon ??= false;
    if (!isNew || !isListening(this.settings)) return;
    const afterMs = now - (this.first?.sentAt ?? now);
    tell(this.settings, { type: 'hedge', ...this.about(), attempt, afterMs });
  }

  hedgeAfterMs(isSendable: boolean): number | undefined {
    const { first, uses, settings, request } = this;
    if (first?.sentAt === undefined || uses.hedge === false || !isSendable) return undefined;
    const { method } = request;
    const { methods } = uses.hedge;
    const isMeant = methods.includes(method) || methods.includes(method.toUpperCase());
    if (!isMeant || settings.maxRetries === 0 || settings.beforeRetry !== undefined) return undefined;
    return tails.hedgeAfterMs(uses, this.state, first.sentAt);
  }

  awaitHedge(alarm: Alarm, isSendable: boolean, OfScope: NewAlarms): void {
    const afterMs = this.hedgeAfterMs(isSendable);
    const now = this.first?.sentAt;
    if (afterMs === undefined || now === undefined) return;
    const { scope, tails } = this;
    tails.alarms ??= new OfScope(scope.ports);
    tails.alarms.set(alarm, now + afterMs, now);
  }

  stopAwaiting(alarm: Alarm): void {
    this.tails.alarms?.clear(alarm);
  }

  hedge(): number | undefined {
    const { first, learns, uses, settings, scope, now } = this;
    if (first === undefined || first.failed !== undefined || this.second !== undefined) return undefined;
    if (!isAtEase(scope, settings, now) || !tails.mayHedge(uses, this.state, now)) return undefined;
    this.keep(tails.afterHedge(learns, this.state, now));
    const attempt = first.attempt + 1;
    this.second = { attempt, sentAt: undefined, level: 0, failed: undefined };
    return attempt;
  }

  withdraw(): void {
    if (this.second === undefined) return;
    this.second = undefined;
    this.keep(tails.afterWithdrawal(this.learns, this.state));
  }

  // -------------------------------------------------------------- an attempt has ended

  override acceptAtOnce(status: number): boolean {
    if (!super.acceptAtOnce(status)) return false;
    const { first, learns } = this;
    if (first === undefined) return true;
    this.first = undefined;
    this.keep(tails.afterSuccess(learns, this.stateAfter(first, true, this.now)));
    return true;
  }

  ended(attempt: number, outcome: Outcome, prospects: Prospects): Ruling {
    const { first, second, now } = this;
    const verdict = truthReturned('retryIf', prospects.verdict);
    const finding = classify(this.settings, outcome, this.scope.ports.date());
    const failed: Failed = { finding, verdict, endedAt: now };
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
      this.landFailed(it, finding);
    }
    const both = {
      finding: withEvidenceOfBoth(deciding.finding, beaten.finding),
      verdict: verdictOnBoth(deciding, beaten),
    };
    return this.decideBy(by, by.attempt, both, prospects);
  }

  /** The other attempt decides. But what the server asks for concerns all requests, and at once. */
  private note(out: Out, { finding, verdict, endedAt }: Failed): void {
    this.landFailed(out, finding);
    const onlyHold = { ...this.settings, budget: false as const };
    this.scope.learn(onlyHold, finding, this.retries === 0, verdict, endedAt, this.sentAt);
  }

  private decideBy(
    it: Out | undefined,
    attempt: number,
    { finding, verdict }: Omit<Failed, 'endedAt'>,
    prospects: Prospects,
  ): Ruling {
    this.deciding = it;
    return { kind: 'decided', attempt, decision: this.next(finding, { ...prospects, verdict }) };
  }

  override next(outcome: Outcome | Finding, prospects: Prospects): Decision {
    const { first, second } = this;
    // An end of the request as a whole counts as that of an attempt which is still out.
    this.deciding ??= first?.failed === undefined ? first : second;
    const it = this.deciding;
    const last = this.attempts?.at(-1)?.decision;
    this.reopened = last?.action === 'stop' ? last.attempt : undefined;
    const decision = super.next(outcome, prospects);
    const { finding } = decision;
    const now = this.attempts?.at(-1)?.endedAt ?? this.now;
    const isAnswer = isWhole({ finding, verdict: prospects.verdict });
    if (it?.failed === undefined) {
      if (isAnswer) this.landWhole(it, finding, now);
      else this.landFailed(it, finding);
    }
    if (isAnswer) this.keep(tails.afterSuccess(this.learns, this.state));
    this.closeRound(it, isAnswer, finding.aborted, now);
    return decision;
  }

  /** What becomes of the attempt that does not decide. */
  private closeRound(it: Out | undefined, isAnswer: boolean, isAborted: boolean, now: number): void {
    const { first, second } = this;
    const other = it === second ? first : second;
    if (second?.sentAt !== undefined && !isAborted) {
      const givenMs = second.sentAt - (first?.sentAt ?? second.sentAt);
      const hasHelped = isAnswer && it === second && now - second.sentAt <= givenMs;
      this.keep(tails.afterRace(this.learns, this.state, hasHelped));
    }
    if (other?.failed === undefined) {
      if (isAnswer) this.loser = other;
      else this.land(other, false, now);
    }
    this.first = undefined;
    this.second = undefined;
    this.deciding = undefined;
  }

  override abandon(outcome?: unknown): void {
    const { first, second, now } = this;
    for (const out of [first, second]) if (out?.failed === undefined) this.land(out, false, now);
    this.first = undefined;
    this.second = undefined;
    this.deciding = undefined;
    super.abandon(outcome);
  }

  // -------------------------------------------------------------- the attempt that has lost

  leaveLoser(): number {
    const ms = this.loser?.sentAt === undefined ? 0 : this.tails.leaveLoser();
    this.isLoserLeft = ms > 0;
    if (!this.isLoserLeft) this.loserGone(false);
    return ms;
  }

  loserGone(isAnswered: boolean): void {
    if (this.isLoserLeft) this.tails.loserGone();
    this.isLoserLeft = false;
    this.land(this.loser, isAnswered, this.now);
    this.loser = undefined;
  }

  // -------------------------------------------------------------- what is told and learnt

  /** A timeout that was doubled is no longer one that most answers would have met. */
  private withLimit(world: World): World {
    const isLearnt = this.deciding?.limitMs !== undefined && this.deciding.level === 0;
    return isLearnt ? { ...world, learntTimeout: true } : world;
  }

  protected override worldAt(...given: Parameters<LiveSession['worldAt']>): World {
    const world = this.withLimit(super.worldAt(...given));
    // Only then, attempts may end in another order than they were sent in.
    if (this.hasHedgeWon === undefined) return world;
    const attempt = this.reopened ?? (this.second?.sentAt === undefined ? undefined : this.deciding?.attempt);
    return attempt === undefined ? world : { ...world, attempt };
  }

  /** The attempt that decides comes last. */
  protected override record(attempt: Attempt): void {
    const { first, second, deciding } = this;
    const other = deciding === second ? first : second;
    if (second?.sentAt !== undefined && other !== undefined) super.record(recordOf(other, attempt.endedAt));
    if (second?.sentAt !== undefined) {
      const { action, finding } = attempt.decision;
      const isAnswer = action === 'stop' && isWhole({ finding, verdict: undefined });
      this.hasHedgeWon = isAnswer && deciding === second;
    }
    super.record(attempt);
  }

  protected override get hedgeWon(): boolean | undefined {
    return this.hasHedgeWon;
  }

  /** The hold has heard of the hint already if the attempt failed while the other one was out. */
  protected override learn(
    finding: Finding,
    isFirst: boolean,
    verdict: boolean | undefined,
    now: number,
  ): void {
    if (this.deciding?.failed === undefined) super.learn(finding, isFirst, verdict, now);
    else this.scope.learn({ ...this.settings, hold: false }, finding, isFirst, verdict, now, this.sentAt);
  }
}

function recordOf({ attempt, failed }: Out, cutAt: number | undefined): Attempt {
  if (failed !== undefined) {
    const { finding, endedAt } = failed;
    return { endedAt, decision: { action: 'stop', reason: 'other-pending', attempt, finding } };
  }
  return { endedAt: cutAt, decision: { action: 'stop', reason: 'cut', attempt, finding: cutFinding } };
}

/** Nothing is known about how the attempt would have ended. */
const cutFinding: Finding = Object.freeze({
  kind: 'error',
  class: 'final',
  evidence: 'unknown',
  hint: undefined,
  aborted: false,
  name: 'Cut',
  code: undefined,
});
