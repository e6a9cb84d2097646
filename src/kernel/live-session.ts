/**
 * One request on its way, and what it does to the state that it shares with others. Everything between reading shared
 * state and changing it is synchronous. A first attempt that succeeds makes no array, no closure and no object here,
 * and reads no clock unless the settings ask for it. Only if a setting asks for it, there is a part that learns how long
 * attempts take and lets two of them race.
 */

import { classify } from '../core/decide/classify.js';
import { decide } from '../core/decide/decide.js';
import type { RequestEvent } from '../core/events.js';
import { labelOf, labelOfFinding } from '../core/label.js';
import { go } from '../core/limits/all.js';
import { refundOf } from '../core/limits/budget/budget.js';
import type { Tail } from '../core/limits/latency/setting.js';
import { signOfStatus } from '../core/limits/signs.js';
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
import type { Enclosure } from './context.js';
import type { RequestCredentials } from './credentials.js';
import { type About, isListening, summaryOf, tell } from './events.js';
import type { Limits, Shared } from './limits/limits.js';
import type { Permit } from './limits/permit.js';
import type { Move } from './moves.js';
import type { Admission as Asked, KernelParts } from './parts.js';
import type { Race, Raced } from './race.js';
import type { Prospects, SessionTail } from './session.js';
import { monotonicNow } from './stalls.js';

const noAttempts: History = /* @__PURE__ */ Object.freeze([]);

/** What is seen of the limits that are asked before an attempt, if none is. */
const nothingAsked = { gateShut: false, queueMs: 0, line: undefined };

/** What a session remembers beside its attempts. Made only if a setting or a listener needs it. */
interface RequestTiming {
  /** Undefined: it has not begun, or nothing needs the time. */
  startedAt: number | undefined;
  /** When the body of an earlier head broke off: the deadline counts from then on. */
  resumedAt: number | undefined;
  /** Where `beforeRetry` has sent it. */
  move: Move | undefined;
  /**
   * Whether listeners have heard the end of the request. They hear it once, even if the body of an accepted response
   * fails later.
   */
  isSettledTold: boolean;
  /** The body of a response has failed after the request had ended with it. */
  isReopened: boolean;
  credentials: RequestCredentials | undefined;
  /** The attempt of another layer, if this request was made within it: later, the context may be another's. */
  enclosure: Enclosure | undefined;
}

export class LiveSession implements Raced {
  readonly request: RequestFacts;
  limits: Limits;
  /**
   * Made only if the request has credentials or is made within another layer's attempt, or if a deadline or a listener
   * needs the time.
   */
  private timing: RequestTiming | undefined = undefined;
  /** That of the attempt which asks, is out, or was out last. */
  permit: Permit | undefined = undefined;
  /** The attempts that have ended. In their place, the status of a response that was accepted at once; 0: none has. */
  ended: Attempt[] | number = 0;
  /** Made once more is to be known than that the request has succeeded at once. */
  private raced: Race | undefined = undefined;

  constructor(request: RequestFacts, limits: Limits) {
    this.request = request;
    this.limits = limits;
  }

  /**
   * Notes what has to be known from the start. Not in the constructor, which V8 calls for twice as much if it is too long
   * to be inlined.
   */
  opened(parts: KernelParts, beginsLater = false): this {
    const { limits } = this;
    const enclosure = parts.layers?.of.currentEnclosure();
    const { settings } = limits;
    const { tail, credentials } = settings;
    const isHeard = isListening(settings, parts.channels?.of);
    const hasBegun = isHeard || (settings.deadlineMs !== undefined && !beginsLater);
    if (hasBegun) this.ensureTiming().startedAt = limits.scope.ports.now();
    if (enclosure !== undefined) this.ensureTiming().enclosure = enclosure;
    if (credentials !== false && parts.credentials !== undefined)
      this.ensureTiming().credentials = new parts.credentials.RequestCredentials(this, credentials);
    // What the context suppresses is only seen where the request is made.
    if (tail !== undefined && this.suppressed === true) this.raced = this.newRace(tail, false);
    return this;
  }

  private newRace(tail: Tail, isActing: boolean): Race | undefined {
    const { learning } = this.scope.parts as KernelParts;
    return learning === undefined ? undefined : new learning.Race(this, tail, isActing);
  }

  get race(): Race | undefined {
    const { tail } = this.settings;
    if (tail !== undefined) this.raced ??= this.newRace(tail, true);
    return this.raced;
  }

  /** Whether there is a `tail`, which is made when it is asked for first. */
  get hasTail(): boolean {
    return this.settings.tail !== undefined && this.raced?.isActing !== false;
  }

  get rule(): Rule {
    return this.limits.rule;
  }

  get settings(): Settings {
    return this.limits.settings;
  }

  get credentials(): RequestCredentials | undefined {
    return this.timing?.credentials;
  }

  /** Undefined: the request asks no limit before an attempt. */
  get asked(): Asked['asked'] | undefined {
    const { scope, settings } = this.limits;
    return settings.needsAdmission ? (scope.parts as KernelParts).admission?.asked : undefined;
  }

  get scope(): Shared {
    return this.limits.scope;
  }

  /** Those that have ended, unless the only one was accepted at once. */
  get attempts(): Attempt[] | undefined {
    return typeof this.ended === 'number' ? undefined : this.ended;
  }

  get attempt(): number {
    return (this.attempts?.length ?? 0) + 1;
  }

  get tail(): SessionTail | undefined {
    const { race } = this;
    return race?.isActing === true ? race : undefined;
  }

  get startedAt(): number | undefined {
    this.begin();
    return this.timing?.startedAt;
  }

  get hasBegun(): boolean {
    return this.timing?.startedAt !== undefined;
  }

  begin(known?: number): void {
    if (this.hasBegun || this.settings.deadlineMs === undefined) return;
    const { now } = this.scope.ports;
    this.ensureTiming().startedAt = known !== undefined && now === monotonicNow ? known : now();
  }

  get history(): History {
    const { ended } = this;
    if (typeof ended !== 'number') return ended;
    return ended > 0 ? [{ endedAt: undefined, decision: successWith(ended, 1) }] : noAttempts;
  }

  get deadlineAt(): number {
    const { deadlineMs } = this.settings;
    const { timedFrom } = this;
    return deadlineMs === undefined || timedFrom === undefined ? Infinity : timedFrom + deadlineMs;
  }

  /** When the deadline began to count. */
  get timedFrom(): number | undefined {
    return this.timing?.resumedAt ?? this.startedAt;
  }

  resume(): void {
    if (this.settings.deadlineCovers === 'head') this.ensureTiming().resumedAt = this.scope.ports.now();
  }

  expire(): void {
    const now = this.scope.ports.now();
    if (this.deadlineAt > now)
      this.ensureTiming().resumedAt = Math.floor(now) - (this.settings.deadlineMs ?? 0);
  }

  admit(): Admission {
    const { asked } = this;
    return asked === undefined ? go : asked.admit(this);
  }

  onTurn(call: () => void): void {
    this.asked?.onTurn(this, call);
  }

  movesTo(url: string): void {
    this.scope.parts.hooks?.moveTo(this, url);
  }

  get move(): Move | undefined {
    return this.timing?.move;
  }

  set move(move: Move) {
    this.ensureTiming().move = move;
  }

  private ensureTiming(): RequestTiming {
    this.timing ??= {
      startedAt: undefined,
      resumedAt: undefined,
      move: undefined,
      isSettledTold: false,
      isReopened: false,
      credentials: undefined,
      enclosure: undefined,
    };
    return this.timing;
  }

  acceptAtOnce(status: number): boolean {
    const { asked, limits } = this;
    const { settings } = limits;
    if (this.attempts !== undefined || needsDecision(this, status)) return false;
    this.ended = status;
    this.credentials?.accepted();
    asked?.succeededAtOnce(this);
    limits.budget?.succeeded(undefined);
    if (asked !== undefined && !settings.awaitsBody) this.endPermit();
    if (this.isHeard) this.tellSettled(status, limits.scope.ports.now());
    const { tail } = settings;
    if (this.raced !== undefined) this.raced.accepted();
    else if (tail !== undefined)
      (limits.scope.parts as KernelParts).learning?.Race.acceptedAtOnce(this, tail);
    return true;
  }

  next(outcome: Outcome | Finding, prospects: Prospects, source: Outcome | Finding = outcome): Decision {
    const { asked, limits, race } = this;
    const { settings, scope } = limits;
    const last = this.attempts?.at(-1)?.decision;
    race?.begins();
    const verdict = truthReturned('retryIf', prospects.verdict);
    this.reopen();
    const { history } = this;
    const now = scope.ports.now();
    const date = scope.ports.date();
    const finding = classify(settings, outcome, date);
    const { credentials } = this;
    if (credentials?.isHeard !== true) asked?.attemptEnded(this, finding);
    if (credentials !== undefined) credentials.isHeard = false;
    // An outcome that is worth a retry is not a success, whether or not the retry takes place: a 403 can mean "rate
    // limited" as well as a 429 does.
    const isWorthIt = verdict === true || finding.class !== 'final';
    const succeeds = !isWorthIt && finding.kind === 'response' && signOfStatus(finding.status) === 'alive';
    if (!succeeds && race?.isFailureHeard !== true) asked?.failed(this, finding, verdict, now);
    // Failures may cost the budget something, whether or not a retry follows.
    if (isWorthIt) limits.budget?.failed(finding, now);
    const seen = this.worldAt(now, date, prospects, verdict);
    const world =
      race === undefined ? seen : race.worldOf(seen, last?.action === 'stop' ? last.attempt : undefined);
    const decision = decide(settings, history, finding, world, source);
    const isFresh = decision.reason === 'fresh-credentials';
    if (decision.action === 'retry' && !isFresh) limits.budget?.spend(finding, now);
    if (finding.kind === 'response' && finding.status < 400) credentials?.accepted();
    if (succeeds && !isFresh) {
      asked?.succeeded(this);
      limits.budget?.succeeded(this.refund());
    }
    const ended = { endedAt: now, decision };
    this.ended = history.concat(race?.withBeaten(ended) ?? ended);
    const hasBody = decision.action === 'stop' && finding.kind === 'response';
    if (!hasBody || !settings.awaitsBody) this.endPermit();
    if (this.isHeard) this.tellDecision(world, decision);
    race?.ends(decision.finding, prospects.verdict, now);
    return decision;
  }

  /**
   * The session ended with a head, and then the body failed: the attempt had not ended after all, so its record goes.
   */
  private reopen(): void {
    const { history } = this;
    if (history.at(-1)?.decision.action !== 'stop') return;
    this.ensureTiming().isReopened = true;
    this.ended = history.slice(0, -1);
  }

  private worldAt(
    now: number,
    date: number,
    { replayable, resumable, renewed }: Prospects,
    verdict: boolean | undefined,
  ): World {
    const { request, limits } = this;
    const { gateShut, queueMs, line } = this.asked?.seen(limits, now) ?? nothingAsked;
    return {
      request: { method: request.method, keyed: request.keyed },
      replayable,
      startedAt: this.timedFrom,
      now,
      date,
      random: limits.scope.ports.random(),
      budget: limits.budget?.spendable(now),
      gateShut,
      queueMs,
      line,
      verdict,
      resumable,
      renewed,
      suppressed: this.suppressed,
    };
  }

  /** Whether another layer retries this request, or its retries are suppressed. */
  get suppressed(): true | undefined {
    return this.scope.parts.layers?.of.isSuppressed(this.timing?.enclosure, this.request);
  }

  get isEnclosed(): boolean {
    const enclosure = this.timing?.enclosure;
    return enclosure !== undefined && this.scope.parts.layers?.of.belongsTo(enclosure, this.request) === true;
  }

  get awaitsBody(): boolean {
    return this.settings.awaitsBody;
  }

  bodyEnded(): void {
    this.endPermit();
  }

  // -------------------------------------------------------------- permits: each is given back once, on every way out

  endPermit(permit: Permit | undefined = this.permit): void {
    if (permit !== undefined) this.asked?.end(this.limits, permit);
  }

  abandon(outcome?: unknown): void {
    this.raced?.abandoned();
    const { asked, permit } = this;
    if (permit !== undefined) asked?.leave(this.limits, permit);
    if (this.credentials?.isHeard !== true) asked?.attemptEnded(this);
    this.endPermit();
    if (outcome !== undefined && this.isHeard) {
      this.tellSettled(labelOf(outcome), this.scope.ports.now());
    }
  }

  /**
   * What the budget gets back for the retries that have led to a success. Once a body has failed after its head, nothing
   * shows whether the rest of it arrives, so retries for that rest are not refunded.
   */
  refund(): number | undefined {
    const { budget } = this.settings;
    const { attempts } = this;
    if (budget === false || attempts === undefined || this.timing?.isReopened === true) return undefined;
    // The retry that went to this scope was paid there.
    const { after } = this.move ?? { after: 1 };
    return refundOf(budget, after > 1 ? attempts.slice(after - 1) : attempts);
  }

  /** Whether there is a listener. */
  get isHeard(): boolean {
    return isListening(this.settings, this.scope.parts.channels?.of);
  }

  private tellDecision(world: World, decision: Decision): void {
    const about = this.about();
    // A copy, since a listener may change it.
    const history = this.history.slice();
    this.tell({ type: 'decision', ...about, history, world, decision });
    if (decision.action === 'stop') this.tellSettled(labelOfFinding(decision.finding), world.now, about);
  }

  /** Tells listeners only once: the body of an accepted response may still fail later. */
  private tellSettled(outcome: number | string, now: number, about: About = this.about()): void {
    const timing = this.ensureTiming();
    if (timing.isSettledTold) return;
    timing.isSettledTold = true;
    const attempts = this.history.length;
    const hedgeWon = this.raced?.hasHedgeWon;
    const elapsedMs = now - (timing.startedAt ?? now);
    const refused = this.permit?.past?.refused;
    this.tell({
      type: 'settled',
      ...about,
      attempts,
      outcome,
      elapsedMs,
      ...(refused && { refused }),
      ...(hedgeWon !== undefined && { hedgeWon }),
    });
  }

  tell(event: RequestEvent): void {
    tell(this.settings, this.scope.parts.channels?.of, event);
  }

  about(): About {
    return { request: summaryOf(this.request), rule: this.rule.name, scope: this.scope.name };
  }
}

/**
 * All that `acceptAtOnce` would do, without looking at each thing that might have to be told, where there is none but the
 * budget. A client that has many requests under way asks this first, unless there is a listener. False: ask `acceptAtOnce`.
 */
export function acceptPlainly(session: LiveSession, status: number): boolean {
  const { attempts, limits } = session;
  limits.plainBelow ??= plainBelow(limits.settings);
  if (status >= limits.plainBelow || attempts !== undefined) return false;
  session.ended = status;
  limits.budget?.succeeded(undefined);
  return true;
}

/** Nothing has to be asked about responses with a lower status, and only the budget is told of them; 0: there are none. */
function plainBelow({
  needsAdmission,
  credentials,
  tail,
  retryIf,
  hintedSuccesses,
  statuses,
}: Settings): number {
  const isPlain = !needsAdmission && credentials === false && tail === undefined;
  return isPlain && retryIf === undefined && hintedSuccesses.length === 0
    ? Math.min(400, statuses.lowest)
    : 0;
}

/**
 * A retry has succeeded: all that `next` would do about it, without what it would have to find out. A client that has
 * many requests under way asks this first; where few are retried, `next` is enough. False: ask `next`. A listener is told
 * why, and so that is found out.
 */
export function acceptRetry(session: LiveSession, status: number): boolean {
  const { asked, attempts, limits, race } = session;
  if (attempts === undefined || needsDecision(session, status)) return false;
  const isOver = attempts.at(-1)?.decision.action === 'stop';
  const isHedged = race?.hasHedgeWon !== undefined;
  // The history has the hint of a redirect.
  if (status >= 300 || isOver || isHedged || session.credentials !== undefined || session.isHeard)
    return false;
  const { ports } = limits.scope;
  const endedAt = ports.now();
  // Each decision draws one number, so that dice which are given bring the next one what they would have brought it.
  ports.random();
  race?.begins();
  const decision = successWith(status, attempts.length + 1);
  asked?.attemptEnded(session, decision.finding);
  asked?.succeeded(session);
  limits.budget?.succeeded(session.refund());
  session.ended = attempts.concat({ endedAt, decision });
  if (!limits.settings.awaitsBody) session.endPermit();
  race?.ends(decision.finding, undefined, endedAt);
  return true;
}

/** Whether a response is more than a success that nothing has to be asked about. */
function needsDecision({ limits: { settings }, request }: LiveSession, status: number): boolean {
  return (
    status >= 400 ||
    settings.retryIf !== undefined ||
    isRetriedSuccess(settings.statuses, status) ||
    (settings.hintedSuccesses.length > 0 &&
      settings.bodies?.isHintedSuccess(settings.hintedSuccesses, request, status) === true)
  );
}

/** Without a look into the set, which takes as long as all else that an accepted answer needs. */
function isRetriedSuccess({ retried, lowest }: Settings['statuses'], status: number): boolean {
  return status >= lowest && retried.has(status);
}

/** For a request that succeeded at once, it is made only when someone asks for the history. */
function successWith(status: number, attempt: number): Decision {
  const finding: Finding = {
    kind: 'response',
    class: 'final',
    evidence: 'unknown',
    hint: undefined,
    aborted: false,
    status,
  };
  return { action: 'stop', reason: 'success', attempt, finding };
}
