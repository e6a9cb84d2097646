/**
 * A session that learns how long attempts take, and that may end an attempt which takes longer than nearly all others.
 * Without a setting that needs this, a session is a plain one and pays nothing for it.
 */

import { isSafe } from '../core/decide/safety.js';
import { affords } from '../core/limits/budget/budget.js';
import type { TailState } from '../core/limits/tail/tail.js';
import * as tails from '../core/limits/tail/tail.js';
import type { Tail } from '../core/policy/limits.js';
import type { Rule } from '../core/policy/policy.js';
import type { Settings } from '../core/policy/settings.js';
import type { Finding, RequestFacts } from '../core/types.js';
import { LiveSession } from './live-session.js';
import type { Scope } from './scope.js';
import { type RuleTail, Tails } from './tails.js';

/** An attempt that is out, or that has failed while the other one is still out. */
export interface Out {
  readonly attempt: number;
  /** When it was on the wire; undefined: not yet. */
  sentAt: number | undefined;
  /** How often the timeout had been doubled by then. */
  level: number;
  /** Its time limit, if that was adaptive. */
  limitMs?: number | undefined;
  failed: Failed | undefined;
}

export interface Failed {
  readonly finding: Finding;
  readonly verdict: boolean | undefined;
  readonly endedAt: number;
}

export abstract class LearningSession extends LiveSession {
  protected readonly tails: Tails;
  private readonly known: RuleTail;
  /** What the rule learns, and what this request uses of it: an override may use less. */
  protected readonly learns: Tail;
  protected readonly uses: Tail;
  /** The attempt that is out, and its hedge. */
  protected first: Out | undefined = undefined;
  protected second: Out | undefined = undefined;
  /** The learnt time limit at which the last attempt was cut. */
  private cutAfterMs: number | undefined = undefined;

  constructor(request: RequestFacts, rule: Rule, settings: Settings, scope: Scope, uses: Tail) {
    super(request, rule, settings, scope);
    scope.tails ??= new Tails();
    this.tails = scope.tails;
    this.known = this.tails.of(rule);
    this.learns = rule.settings.tail ?? uses;
    this.uses = uses;
  }

  // -------------------------------------------------------------- adaptive timeouts

  timeoutMs(isSendable: boolean): number | undefined {
    if (this.uses.timeout === undefined || !isSendable) return undefined;
    const out = this.second?.sentAt === undefined ? this.first : this.second;
    const now = out?.sentAt ?? this.now;
    const limitMs = this.canRetry(now) ? tails.learntTimeoutMs(this.uses, this.state, now) : undefined;
    // At `maxMs`, it is like a fixed timeout.
    if (out !== undefined) out.limitMs = limitMs === this.uses.timeout.maxMs ? undefined : limitMs;
    return limitMs;
  }

  mayTimeOut(): boolean {
    const { now } = this;
    const applies = tails.learntTimeoutMs(this.uses, this.state, now) !== undefined;
    if (applies && !this.isSilent && this.canRetry(now)) return true;
    for (const out of [this.first, this.second]) if (out !== undefined) out.limitMs = undefined;
    return false;
  }

  /**
   * Another attempt has timed out since this one was sent, and the server has answered nothing since then. It is the
   * server that pauses, not this request that is slow, and all others would be cut as well.
   */
  private get isSilent(): boolean {
    const level = tails.timeoutLevel(this.state);
    return [this.first, this.second].every((out) => out === undefined || out.level < level);
  }

  /** Whether a retry would be safe and affordable after a timeout. */
  private canRetry(now: number): boolean {
    const { settings, request, scope } = this;
    const { budget, maxRetries } = settings;
    if (budget === false || this.retries >= maxRetries) return false;
    if (!isSafe(settings, request) || scope.refuses(settings, now)) return false;
    return affords(budget, scope.spendable(budget, now), 'timeout', now);
  }

  protected get retries(): number {
    return this.attempts?.filter(({ decision }) => decision.action === 'retry').length ?? 0;
  }

  // -------------------------------------------------------------- how long attempts took

  protected landWhole(out: Out | undefined, finding: Finding, now: number): void {
    // The server asks for fewer requests, even if the rule does not retry that.
    const isRefusal = finding.kind === 'response' && finding.status === 429;
    if (isRefusal) this.keep(tails.afterThrottled(this.learns, this.state, now));
    this.land(out, true, now);
  }

  protected landFailed(out: Out | undefined, finding: Finding): void {
    if (finding.class === 'throttled') this.keep(tails.afterThrottled(this.learns, this.state, this.now));
    if (finding.kind === 'error') {
      // Nothing was sent, so it says nothing about how long an answer takes.
      if (finding.evidence === 'unsent' || finding.unasked === true) return;
      if (finding.code === 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' && out !== undefined) this.landTimedOut(out);
    }
    this.land(out, false, this.now);
  }

  private landTimedOut({ level, limitMs }: Out): void {
    this.keep(tails.afterTimeout(this.learns, this.state, level, limitMs !== undefined));
    this.judgeSecondChance(Number.POSITIVE_INFINITY);
    this.cutAfterMs = limitMs;
  }

  /** How long a retry took, if the attempt before it was cut at an adaptive time limit. */
  private judgeSecondChance(ms: number): void {
    if (this.cutAfterMs === undefined) return;
    this.keep(tails.afterSecondChance(this.learns, this.state, ms <= this.cutAfterMs));
    this.cutAfterMs = undefined;
  }

  protected land(out: Out | undefined, isWholeAnswer: boolean, now: number): void {
    if (out === undefined) return;
    this.keep(this.stateAfter(out, isWholeAnswer, now));
    if (isWholeAnswer) this.judgeSecondChance(now - (out.sentAt ?? now));
  }

  protected stateAfter({ sentAt }: Out, isWholeAnswer: boolean, now: number): TailState {
    const { learns, state } = this;
    return sentAt === undefined ? state : tails.afterAttempt(learns, state, now - sentAt, isWholeAnswer, now);
  }

  // -------------------------------------------------------------- what is known

  protected get state(): TailState {
    return this.known.state;
  }

  protected keep(state: TailState): void {
    this.known.state = state;
  }

  protected get now(): number {
    return this.scope.ports.now();
  }
}
