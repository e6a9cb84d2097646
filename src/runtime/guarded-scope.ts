/** A scope with gates and holds before its requests. A bundle may be made without them (docs/runtimes.md). */

import { admit, isClear } from '../core/limits/admit.js';
import { afterSign } from '../core/limits/gate/gate.js';
import { type Kind, kindOf } from '../core/limits/gate/kinds.js';
import { afterStall, isHealthy } from '../core/limits/gate/open.js';
import { asOf } from '../core/limits/gate/ramping.js';
import { isShut } from '../core/limits/gate/shut.js';
import type { Sign } from '../core/limits/gate/signs.js';
import { isFailure } from '../core/limits/gate/signs.js';
import type { Epoch, GateState } from '../core/limits/gate/state.js';
import { openGate } from '../core/limits/gate/state.js';
import { queueMs } from '../core/limits/hold/admit.js';
import { givePlaceBack, isPaced } from '../core/limits/hold/queue.js';
import { afterRefusal, isRefusal } from '../core/limits/hold/refusals.js';
import type { AnswerKind, Sample } from '../core/limits/hold/sample.js';
import { afterAnswer, afterSent, noSample } from '../core/limits/hold/sample.js';
import type { HoldState } from '../core/limits/hold/state.js';
import { noHold } from '../core/limits/hold/state.js';
import { isWorthJudging, judged } from '../core/limits/hold/trial.js';
import { go, noClaim } from '../core/limits/turnstile.js';
import type { Gate, Hold } from '../core/policy/limits.js';
import type { Settings } from '../core/policy/settings.js';
import type { Admission, Finding, RefusalReason, ResponseFinding } from '../core/types.js';
import type { ScopeShare } from './fleet.js';
import { type Asking, hasFailed, noneRefused, Scope, type ScopeSnapshot } from './scope.js';
import { stalledSince } from './stalls.js';
import type { Turn } from './turn.js';
import { noteFailure } from './turn.js';

export class GuardedScope extends Scope {
  private readonly gates: Map<Gate, GateState> = new Map();
  private readonly holds: Map<Hold, HoldState> = new Map();
  private readonly samples: Map<Hold, Sample> = new Map();
  /** The last failure before the gate shut or while it was; what a request that was never sent is told. */
  private readonly failures: Map<Gate, Finding> = new Map();
  private waiting = 0;
  private queued = 0;
  private refused: Record<RefusalReason, number> = { ...noneRefused };

  // -------------------------------------------------------------- before an attempt

  override admit(asking: Asking, turn: Turn, deadlineAt: number, isRetry: boolean): Admission {
    const { settings } = asking;
    const { gate, hold } = settings;
    const now = this.ports.now();
    const gateState = gate === false ? openGate : this.gateOf(gate);
    const holdState = hold === false ? noHold : this.holdAsOf(hold, now);
    if (isClear(settings, gateState, holdState, now)) {
      if (hold !== false) this.setQueued(turn, hold, false);
      return this.letThrough(turn, gateState.epoch, now);
    }
    const turnstile = {
      gate: gateState,
      hold: holdState,
      kind: gateState.kind === 'shut' ? kindAsking(asking) : 0,
      waiting: this.waiting - (turn.isWaiting ? 1 : 0),
      queued: this.queued - (turn.isHeld ? 1 : 0),
      claim: turn.claim,
      isRetry,
    };
    const admitted = admit(settings, turnstile, now, deadlineAt, this.ports.random());
    if (gate !== false) this.gates.set(gate, admitted.gate);
    if (hold !== false) this.holds.set(hold, admitted.hold);
    const { admission, claim, epoch, unenforced } = admitted;
    if (admission.kind === 'refuse') this.refuse(turn, admission.reason, true);
    if (admission.kind === 'go') {
      if (unenforced !== undefined) this.refuse(turn, unenforced, false);
      if (hold !== false) this.leaveQueue(turn, hold, holdState, now);
      return this.letThrough(turn, epoch, now);
    }
    turn.claim = claim;
    this.setWaiting(turn, admission.kind === 'wait' ? admission.why : undefined);
    if (this.share !== undefined) this.askFleet(this.share, settings, turn, admission, deadlineAt, now);
    return admission;
  }

  /** The request waits for something that only the fleet can give: the lease of a probe, or a place in the queue. */
  private askFleet(
    share: ScopeShare,
    { gate, hold, attemptTimeoutMs }: Settings,
    turn: Turn,
    admission: Admission,
    deadlineAt: number,
    now: number,
  ): void {
    if (gate !== false && admission.kind === 'wait' && admission.why === 'gate') {
      share.waits(gate, attemptTimeoutMs, now);
    }
    if (hold === false) return;
    const { place, queuesUntil } = turn.claim;
    const isQueued = admission.kind === 'wait' && admission.why === 'hold' && place === undefined;
    this.setQueued(turn, hold, isQueued, Math.min(queuesUntil, deadlineAt) - now);
  }

  private leaveQueue(turn: Turn, hold: Hold, state: HoldState, now: number): void {
    this.setQueued(turn, hold, false);
    if (!isPaced(state, now)) return;
    this.samples.set(hold, afterSent(this.sampleOf(hold), 1));
    this.share?.sent(hold);
  }

  private setQueued(turn: Turn, hold: Hold, isQueued: boolean, withinMs = 0): void {
    if (turn.isQueued !== isQueued) this.share?.queues(hold, isQueued ? 1 : -1, withinMs);
    turn.isQueued = isQueued;
  }

  private refuse(turn: Turn, reason: RefusalReason, enforced: boolean): void {
    this.refused[reason] += 1;
    turn.refused = { reason, enforced };
  }

  /** The turn keeps the epoch, because only an attempt that was let through has something to give back to the gate. */
  private letThrough(turn: Turn, epoch: Epoch, now: number): Admission {
    turn.epoch = epoch;
    turn.sentAt = now;
    turn.claim = noClaim;
    this.setWaiting(turn, undefined);
    return go;
  }

  override leave({ hold }: Settings, turn: Turn): void {
    this.setWaiting(turn, undefined);
    const { place } = turn.claim;
    turn.claim = noClaim;
    if (hold === false) return;
    this.setQueued(turn, hold, false);
    if (place === undefined) return;
    this.holds.set(hold, givePlaceBack(this.holdOf(hold), place, this.ports.now()));
    this.share?.left(hold);
  }

  private setWaiting(turn: Turn, why: 'gate' | 'hold' | undefined): void {
    this.waiting += Number(why === 'gate') - Number(turn.isWaiting);
    this.queued += Number(why === 'hold') - Number(turn.isHeld);
    turn.isWaiting = why === 'gate';
    turn.isHeld = why === 'hold';
  }

  override queueMs({ hold }: Settings, now: number): number {
    return hold === false ? 0 : queueMs(hold, this.holdOf(hold), now);
  }

  override refuses({ gate }: Settings, now: number): boolean {
    return gate !== false && gate.enforce && gate.whenShut === 'fail' && isShut(gate, this.gateOf(gate), now);
  }

  override isClear(settings: Settings, now: number): boolean {
    const { gate, hold } = settings;
    const gateNow = gate === false ? openGate : asOf(gate, this.gateOf(gate), now);
    return isClear(settings, gateNow, hold === false ? noHold : this.holdOf(hold), now);
  }

  override askedOf({ hold }: Settings): HoldState['asked'] {
    return hold === false ? undefined : this.holdOf(hold).asked;
  }

  override failureOf({ gate }: Settings): Finding | undefined {
    return gate === false ? undefined : this.failures.get(gate);
  }

  // -------------------------------------------------------------- after an attempt

  /** May start a hold for the whole scope, too. */
  override learn(
    settings: Settings,
    finding: Finding,
    isFirst: boolean,
    verdict: boolean | undefined,
    now: number,
    sentAt: number,
  ): void {
    const { hold, maxHintMs } = settings;
    if (hold !== false) {
      const isRefused = hasFailed(finding, verdict) && isRefusal(hold, finding, maxHintMs);
      if (isRefused) this.learnRefusal(hold, finding, isFirst, now, sentAt);
      else if (finding.kind === 'response') this.noteAnswer(hold, isFirst, sentAt, 'other', undefined, now);
    }
    super.learn(settings, finding, isFirst, verdict, now, sentAt);
  }

  private learnRefusal(
    hold: Hold,
    finding: ResponseFinding,
    isFirst: boolean,
    now: number,
    sentAt: number,
  ): void {
    this.noteAnswer(hold, isFirst, sentAt, 'refusal', finding, now);
    this.changeHold(hold, afterRefusal(hold, this.holdOf(hold), this.sampleOf(hold), finding, now), now);
  }

  override succeed(settings: Settings, isFirst: boolean, refund: number | undefined, sentAt: number): void {
    const { hold } = settings;
    if (hold !== false) this.noteAnswer(hold, isFirst, sentAt, 'success', undefined, this.ports.now());
    super.succeed(settings, isFirst, refund, sentAt);
  }

  private noteAnswer(
    hold: Hold,
    isFirst: boolean,
    sentAt: number,
    kind: AnswerKind,
    finding: ResponseFinding | undefined,
    now: number,
  ): void {
    const state = this.holdAsOf(hold, now);
    // What was sent before says nothing about the current pace. Retries only repeat what is known; but while requests
    // queue, each attempt is sent at the pace.
    const isCounted = sentAt >= state.pacedSince && (isFirst || isPaced(state, now));
    this.samples.set(hold, afterAnswer(this.sampleOf(hold), isCounted, kind, finding, now));
    this.share?.answered(hold, isCounted, kind);
  }

  /** The hold at this time: a trial may be over. In a fleet, that is judged when it is known what others were answered. */
  private holdAsOf(hold: Hold, now: number): HoldState {
    if (this.share?.isHearing(hold) !== true) this.judge(hold, now);
    return this.holdOf(hold);
  }

  override judge(hold: Hold, now: number): void {
    const known = this.holdOf(hold);
    const before = this.sampleOf(hold);
    if (!isWorthJudging(known, before, now)) return;
    const { state, sample } = judged(hold, known, before, now);
    if (sample !== before) this.samples.set(hold, sample);
    this.changeHold(hold, state, now);
  }

  private changeHold(hold: Hold, after: HoldState, now: number): void {
    const before = this.holdOf(hold);
    if (after === before) return;
    this.holds.set(hold, after);
    if (after.pacedSince !== before.pacedSince) this.share?.held(hold, now);
  }

  override sign(asking: Asking, turn: Turn, isFirst: boolean, sign: Sign, finding?: Finding): void {
    const { gate } = asking.settings;
    if (gate === false) return;
    if (finding !== undefined && isFailure(sign)) this.failures.set(gate, finding);
    const known = this.gateOf(gate);
    // On the healthy path, the clock is not read.
    if (!isFailure(sign) && isHealthy(gate, known)) {
      if (sign === 'alive') this.share?.alive(gate);
      return;
    }
    const now = this.ports.now();
    const state = this.withoutStalls(known);
    const isOld = isFailure(sign) && !noteFailure(turn, gate, isFirst, now);
    const news = isOld ? 'still-dead' : this.sinceAwake(sign, turn);
    const kind = isFailure(news) ? kindAsking(asking) : 0;
    const after = afterSign(gate, state, turn, news, kind, now, this.ports.random());
    if (after !== state) this.gates.set(gate, after);
    // In a fleet, the next failures may be those of other processes.
    if (sign === 'alive' && after.kind === 'open') this.failures.delete(gate);
    this.share?.signed(gate, news, turn, { before: state, after }, now);
  }

  /** The time for which this process stood still is not time for which the server was seen to fail. */
  private withoutStalls(state: GateState): GateState {
    if (state.kind !== 'open' || state.failures === 0) return state;
    return afterStall(state, stalledSince(this.ports.now, state.lastAt));
  }

  /** The client's own timeout may be over because this process stood still. */
  private sinceAwake(sign: Sign, { sentAt }: Turn): Sign {
    return sign === 'silent' && stalledSince(this.ports.now, sentAt) > 0 ? 'dead' : sign;
  }

  // -------------------------------------------------------------- what it knows

  override snapshot(now: number): ScopeSnapshot {
    return {
      ...super.snapshot(now),
      gates: [...this.gates].map(([gate, state]) => ({ state: asOf(gate, state, now).kind })),
      holds: [...this.holds.values()].map(({ until }) => ({ forMs: Math.max(0, until - now) })),
      waiting: this.waiting,
      refused: { ...this.refused },
    };
  }

  /**
   * Waiting requests can go. Epochs and places go on counting, so that what was taken earlier is still recognised.
   */
  override forget(): void {
    super.forget();
    this.samples.clear();
    this.failures.clear();
    for (const [gate, { epoch }] of this.gates) this.gates.set(gate, { ...openGate, epoch: epoch + 1 });
    for (const [hold, { nextPlace }] of this.holds) {
      this.holds.set(hold, { ...noHold, nextPlace, places: nextPlace });
    }
  }

  override gateOf(gate: Gate): GateState {
    return this.gates.get(gate) ?? openGate;
  }

  override keepGate(gate: Gate, state: GateState): void {
    this.gates.set(gate, state);
  }

  override holdOf(hold: Hold): HoldState {
    return this.holds.get(hold) ?? noHold;
  }

  override keepHold(hold: Hold, state: HoldState): void {
    this.holds.set(hold, state);
  }

  override sampleOf(hold: Hold): Sample {
    return this.samples.get(hold) ?? noSample;
  }

  override keepSample(hold: Hold, sample: Sample): void {
    this.samples.set(hold, sample);
  }
}

function kindAsking({ rule, request }: Asking): Kind {
  return kindOf(rule.name, request.method, request.path);
}
