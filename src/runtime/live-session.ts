/**
 * One request on its way, and what it does to the state that it shares with others. Everything between reading shared
 * state and changing it is synchronous. A first attempt that succeeds makes no array, no closure and no object here,
 * and reads no clock unless the settings ask for it.
 */

import { classify } from '../core/decide/classify.js';
import { decide } from '../core/decide/decide.js';
import type { DecisionEvent } from '../core/events.js';
import { isHintedSuccess } from '../core/hints/worth-reading.js';
import { labelOf, labelOfFinding } from '../core/label.js';
import { refundOf } from '../core/limits/budget/budget.js';
import type { Sign } from '../core/limits/gate/signs.js';
import { signOf } from '../core/limits/gate/signs.js';
import { noEpoch } from '../core/limits/gate/state.js';
import { go } from '../core/limits/turnstile.js';
import type { Rule } from '../core/policy/policy.js';
import type { Settings } from '../core/policy/settings.js';
import { truthReturned } from '../core/returned.js';
import type {
  Admission,
  Attempt,
  Decision,
  Finding,
  History,
  Outcome,
  RequestFacts,
  World,
} from '../core/types.js';
import { type Enclosure, suppressionInContext } from './context.js';
import { isListening, summaryOf, tell } from './events.js';
import { belongsTo, enclosureHere, isSuppressed } from './layers.js';
import type { Scope } from './scope.js';
import type { Prospects, Session, SessionTail } from './session.js';
import type { Turn } from './turn.js';
import { turnFrom } from './turn.js';

const noAttempts: History = Object.freeze([]);

export class LiveSession implements Session {
  readonly request: RequestFacts;
  readonly rule: Rule;
  readonly settings: Settings;
  readonly scope: Scope;
  /** The attempt of another layer, if this request was made within it: later, the context may be another's. */
  private readonly enclosure: Enclosure | undefined = enclosureHere();
  /** Made only if there is a gate or a hold to pass, or if a deadline or a listener needs the time. */
  private turn: Turn | undefined = undefined;
  protected attempts: Attempt[] | undefined = undefined;
  /** The status of a response that was accepted at once; 0 if there was none. */
  private acceptedStatus = 0;
  /** The body of an accepted response has failed. */
  private hasReopened = false;

  constructor(request: RequestFacts, rule: Rule, settings: Settings, scope: Scope) {
    this.request = request;
    this.rule = rule;
    this.settings = settings;
    this.scope = scope;
    const isTimed = settings.deadlineMs !== undefined || isListening(settings);
    if (isTimed) this.turn = turnFrom(scope.ports.now());
  }

  get attempt(): number {
    return (this.attempts?.length ?? 0) + 1;
  }

  get tail(): SessionTail | undefined {
    return undefined;
  }

  get startedAt(): number | undefined {
    return this.turn?.startedAt;
  }

  get history(): History {
    if (this.attempts !== undefined) return this.attempts;
    return this.acceptedStatus === 0 ? noAttempts : [acceptedAttempt(this.acceptedStatus)];
  }

  get deadlineAt(): number {
    const { deadlineMs } = this.settings;
    const timedFrom = this.turn?.timedFrom;
    return deadlineMs === undefined || timedFrom === undefined
      ? Number.POSITIVE_INFINITY
      : timedFrom + deadlineMs;
  }

  resume(): void {
    const { turn, settings } = this;
    if (turn !== undefined && settings.deadlineCovers === 'head') turn.timedFrom = this.scope.ports.now();
  }

  admit(): Admission {
    const { settings } = this;
    if (settings.gate === false && settings.hold === false) return go;
    return this.scope.admit(this, this.turnHere(), this.deadlineAt, !this.isFirst);
  }

  /** Whether no retry has begun yet. */
  private get isFirst(): boolean {
    return this.attempts?.some(({ decision }) => decision.action === 'retry') !== true;
  }

  private turnHere(): Turn {
    this.turn ??= turnFrom(undefined);
    return this.turn;
  }

  acceptAtOnce(status: number): boolean {
    const { settings, scope } = this;
    const needsDecision =
      status >= 400 ||
      this.attempts !== undefined ||
      settings.retryIf !== undefined ||
      settings.statuses.retried.has(status) ||
      (settings.hintedSuccesses.length > 0 &&
        isHintedSuccess(settings.hintedSuccesses, this.request, status));
    if (needsDecision) return false;
    this.acceptedStatus = status;
    this.endTurn('alive');
    scope.succeed(settings, true, undefined, this.sentAt);
    if (isListening(settings)) this.tellSettled(status, scope.ports.now());
    return true;
  }

  next(outcome: Outcome | Finding, prospects: Prospects): Decision {
    const verdict = truthReturned('retryIf', prospects.verdict);
    this.reopen();
    const { settings, scope, history } = this;
    const now = scope.ports.now();
    const date = scope.ports.date();
    const finding = classify(settings, outcome, date);
    const sign = signOf(finding);
    this.endTurn(sign, finding);
    const { isFirst } = this;
    // An outcome that is worth a retry is not a success, whether or not the retry takes place: a 403 can mean "rate
    // limited" as well as a 429 does.
    const succeeds = verdict !== true && finding.class === 'final' && sign === 'alive';
    if (!succeeds) this.learn(finding, isFirst, verdict, now);
    const world = this.worldAt(now, date, prospects, verdict);
    const decision = decide(settings, history, finding, world);
    if (decision.action === 'retry' && settings.budget !== false) scope.spend(settings.budget, finding, now);
    if (succeeds) scope.succeed(settings, isFirst, this.refund(), this.sentAt);
    this.record({ endedAt: now, decision });
    if (isListening(settings)) this.tellDecision(world, decision);
    return decision;
  }

  protected learn(finding: Finding, isFirst: boolean, verdict: boolean | undefined, now: number): void {
    this.scope.learn(this.settings, finding, isFirst, verdict, now, this.sentAt);
  }

  /** When the attempt was let through. */
  protected get sentAt(): number {
    return this.turn?.sentAt ?? Number.NEGATIVE_INFINITY;
  }

  protected record(attempt: Attempt): void {
    this.attempts ??= [];
    this.attempts.push(attempt);
  }

  /**
   * The session ended with a head, and then the body failed: the attempt had not ended after all, so its record goes.
   */
  private reopen(): void {
    const { attempts } = this;
    const hasStopped = attempts?.at(-1)?.decision.action === 'stop';
    if (hasStopped) attempts.pop();
    if (hasStopped || this.acceptedStatus !== 0) this.hasReopened = true;
    this.acceptedStatus = 0;
  }

  protected worldAt(
    now: number,
    date: number,
    { replayable, resumable }: Prospects,
    verdict: boolean | undefined,
  ): World {
    const { request, settings, scope } = this;
    return {
      request: { method: request.method, keyed: request.keyed },
      replayable,
      startedAt: this.turn?.timedFrom,
      now,
      date,
      random: scope.ports.random(),
      budget: settings.budget === false ? undefined : scope.spendable(settings.budget, now),
      gateShut: scope.refuses(settings, now),
      queueMs: scope.queueMs(settings, now),
      verdict,
      resumable,
      suppressed: this.suppressed,
    };
  }

  /** Whether another layer retries this request, or its retries are suppressed. */
  protected get suppressed(): true | undefined {
    return isSuppressed(this.enclosure ?? suppressionInContext(), this.request);
  }

  get isEnclosed(): boolean {
    return this.enclosure !== undefined && belongsTo(this.enclosure, this.request);
  }

  get awaitsBody(): boolean {
    return false;
  }

  bodyEnded(): void {
    // No limit counts the attempts that are out.
  }

  abandon(outcome?: unknown): void {
    if (this.turn !== undefined) this.scope.leave(this.settings, this.turn);
    this.endTurn('neutral');
    if (outcome !== undefined && isListening(this.settings)) {
      this.tellSettled(labelOf(outcome), this.scope.ports.now());
    }
  }

  /** Tells the gate how the attempt ended. */
  private endTurn(sign: Sign, finding?: Finding): void {
    if (this.settings.gate === false) return;
    const turn = this.turnHere();
    this.scope.sign(this, turn, this.isFirst, sign, finding);
    turn.epoch = noEpoch;
  }

  /**
   * What the budget gets back for the retries that have led to a success. Once a body has failed after its head, nothing
   * shows whether the rest of it arrives, so retries for that rest are not refunded.
   */
  private refund(): number | undefined {
    const { budget } = this.settings;
    if (budget === false || this.attempts === undefined || this.hasReopened) return undefined;
    return refundOf(budget, this.attempts);
  }

  private tellDecision(world: World, decision: Decision): void {
    const about = this.about();
    // A copy, so that a history which a listener keeps does not change later.
    const history = this.history.slice();
    tell(this.settings, { type: 'decision', ...about, history, world, decision });
    if (decision.action === 'stop') this.tellSettled(labelOfFinding(decision.finding), world.now, about);
  }

  /** Tells listeners only once: the body of an accepted response may still fail later. */
  private tellSettled(outcome: number | string, now: number, about: About = this.about()): void {
    const turn = this.turnHere();
    if (turn.isSettledTold) return;
    turn.isSettledTold = true;
    const attempts = this.history.length;
    const { hedgeWon } = this;
    const elapsedMs = now - (this.startedAt ?? now);
    const { refused } = turn;
    tell(this.settings, {
      type: 'settled',
      ...about,
      attempts,
      outcome,
      elapsedMs,
      ...(refused && { refused }),
      ...(hedgeWon !== undefined && { hedgeWon }),
    });
  }

  /** Undefined unless the request was hedged. */
  protected get hedgeWon(): boolean | undefined {
    return undefined;
  }

  protected about(): About {
    return { request: summaryOf(this.request), rule: this.rule.name, scope: this.scope.name };
  }
}

/** What every event says about its request. */
export type About = Pick<DecisionEvent, 'request' | 'rule' | 'scope'>;

/** Made only when someone asks for the history of a request that succeeded at once. */
function acceptedAttempt(status: number): Attempt {
  const finding: Finding = {
    kind: 'response',
    class: 'final',
    evidence: 'unknown',
    hint: undefined,
    aborted: false,
    status,
  };
  const decision: Decision = { action: 'stop', reason: 'success', attempt: 1, finding };
  return { endedAt: undefined, decision };
}
