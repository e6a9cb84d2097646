/** The shared state of one scope, and every change that a request makes to it. */

import {
  afterFailure,
  afterRetry,
  afterSuccess,
  fullBudget,
  needsClock,
  priceOf,
  tokensLeft,
} from '../core/limits/budget/budget.js';
import type { BudgetState } from '../core/limits/budget/state.js';
import type { Sign } from '../core/limits/gate/signs.js';
import { isFailure } from '../core/limits/gate/signs.js';
import type { Epoch, GateState } from '../core/limits/gate/state.js';
import { openGate } from '../core/limits/gate/state.js';
import { gateAndHold } from '../core/limits/gate-and-hold.js';
import type { Answers } from '../core/limits/hold/answers.js';
import { noAnswers } from '../core/limits/hold/answers.js';
import type { HoldState } from '../core/limits/hold/state.js';
import { noHold } from '../core/limits/hold/state.js';
import { go, noClaim } from '../core/limits/turnstile.js';
import type { Budget, Gate, Hold } from '../core/policy/limits.js';
import type { Settings } from '../core/policy/settings.js';
import type { Admission, Finding, RefusalReason } from '../core/types.js';
import type { FleetMember, ScopeShare, SharedScope } from './fleet.js';
import type { Ports } from './ports.js';
import type { SessionScope } from './session.js';
import type { LearntSnapshot, Tails } from './tails.js';
import type { Turn } from './turn.js';
import { noteFailure } from './turn.js';

/** A scope as `snapshot()` shows it: plain data. */
export interface ScopeSnapshot {
  readonly name: string;
  /** One entry for each budget, gate and hold that the rules of this scope have used. */
  readonly budgets: readonly { readonly tokens: number }[];
  readonly gates: readonly { readonly state: GateState['kind'] }[];
  readonly holds: readonly { readonly forMs: number }[];
  /** Requests that are waiting for the gate. */
  readonly waiting: number;
  /** Attempts that were not sent, and (with `enforce: false`) attempts that would not have been. */
  readonly refused: Readonly<Record<RefusalReason, number>>;
  /** Present if something is learnt from the answers: one entry for each rule with a hedge or a learnt attempt timeout. */
  readonly learnt?: readonly LearntSnapshot[];
}

export class Scope implements SessionScope, SharedScope {
  readonly name: string;
  /**
   * For the sweep of idle scopes: whether the scope was used since the last sweep, and when a sweep last found it used.
   */
  used = true;
  usedAt: number;
  readonly ports: Ports;
  /** Made by the first request that learns something. */
  tails: Tails | undefined = undefined;
  // State is kept per settings object: rules that inherit a budget share its state, a rule with a budget of its own has
  // its own.
  private readonly budgets: Map<Budget, BudgetState> = new Map();
  private readonly gates: Map<Gate, GateState> = new Map();
  private readonly holds: Map<Hold, HoldState> = new Map();
  private readonly answers: Map<Hold, Answers> = new Map();
  private waiting = 0;
  private refused: Record<RefusalReason, number> = { 'gate-shut': 0, 'gate-full': 0, held: 0 };
  /** The link to the fleet, if other processes share this scope. */
  private readonly share: ScopeShare | undefined;

  constructor(name: string, ports: Ports, fleet?: FleetMember) {
    this.name = name;
    this.ports = ports;
    this.usedAt = ports.now();
    this.share = fleet?.shareOf(this);
  }

  // -------------------------------------------------------------- before an attempt

  /**
   * Asks for admission. An admission may take something: a probe, a place in the ramp, or a place in the queue of the
   * hold.
   */
  admit(settings: Settings, turn: Turn, deadlineAt: number, isRetry: boolean): Admission {
    const { gate, hold } = settings;
    const now = this.ports.now();
    const gateState = gate === false ? openGate : this.gateOf(gate);
    const holdState = hold === false ? noHold : this.holdOf(hold);
    if (gateAndHold.isClear(settings, gateState, holdState, now)) {
      if (hold !== false) this.setQueued(turn, hold, false);
      return this.letThrough(turn, gateState.epoch, now);
    }
    const turnstile = {
      gate: gateState,
      hold: holdState,
      waiting: this.waiting - (turn.isWaiting ? 1 : 0),
      claim: turn.claim,
      isRetry,
    };
    const admitted = gateAndHold.admit(settings, turnstile, now, deadlineAt, this.ports.random());
    if (gate !== false) this.gates.set(gate, admitted.gate);
    if (hold !== false) this.holds.set(hold, admitted.hold);
    const { admission, claim, epoch, unenforced } = admitted;
    if (admission.kind === 'refuse') this.refuse(turn, admission.reason, true);
    if (admission.kind === 'go') {
      if (unenforced !== undefined) this.refuse(turn, unenforced, false);
      if (hold !== false) this.setQueued(turn, hold, false);
      return this.letThrough(turn, epoch, now);
    }
    turn.claim = claim;
    this.setWaiting(turn, admission.kind === 'wait' && admission.why === 'gate');
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
    this.setWaiting(turn, false);
    return go;
  }

  /** The request stops waiting here; the requests behind it move up. */
  leave({ hold }: Settings, turn: Turn): void {
    this.setWaiting(turn, false);
    const { place } = turn.claim;
    turn.claim = noClaim;
    if (hold === false) return;
    this.setQueued(turn, hold, false);
    if (place === undefined) return;
    this.holds.set(hold, gateAndHold.givePlaceBack(this.holdOf(hold), place, this.ports.now()));
    this.share?.left(hold);
  }

  private setWaiting(turn: Turn, isWaiting: boolean): void {
    if (turn.isWaiting !== isWaiting) this.waiting += isWaiting ? 1 : -1;
    turn.isWaiting = isWaiting;
  }

  /** How long a retry would have to queue. */
  queueMs({ hold }: Settings, now: number): number {
    return hold === false ? 0 : gateAndHold.queueMs(hold, this.holdOf(hold), now);
  }

  /** Whether the gate would turn away requests with these settings now. */
  refuses({ gate }: Settings, now: number): boolean {
    return (
      gate !== false &&
      gate.enforce &&
      gate.whenShut === 'fail' &&
      gateAndHold.isShut(gate, this.gateOf(gate), now)
    );
  }

  askedOf({ hold }: Settings): HoldState['asked'] {
    return hold === false ? undefined : this.holdOf(hold).asked;
  }

  // -------------------------------------------------------------- after an attempt

  /**
   * Records an attempt that did not succeed. It may start a hold for the whole scope, and it may cost the budget
   * something.
   */
  learn(
    settings: Settings,
    finding: Finding,
    isFirst: boolean,
    verdict: boolean | undefined,
    now: number,
  ): void {
    const { hold, budget, maxHintMs } = settings;
    // If `retryIf` says that an outcome is worth a retry, the attempt counts as failed, whatever its status.
    const hasFailed = finding.class !== 'final' || verdict === true;
    const isRefused = hold !== false && hasFailed && gateAndHold.isRefusal(hold, finding, maxHintMs);
    if (hold !== false && isFirst && finding.kind === 'response' && !isRefused) {
      this.answers.set(hold, gateAndHold.afterAnswer(this.answersOf(hold), true, 'other', now));
      this.share?.answered(hold, true, 'other');
    }
    if (isRefused) {
      const answers = gateAndHold.afterAnswer(this.answersOf(hold), isFirst, 'refusal', now);
      this.answers.set(hold, answers);
      this.share?.answered(hold, isFirst, 'refusal');
      const before = this.holdOf(hold);
      const after = gateAndHold.afterRefusal(hold, before, answers, finding, now);
      this.holds.set(hold, after);
      if (after.pacedSince !== before.pacedSince) this.share?.held(hold, now);
    }
    if (budget !== false && hasFailed) {
      this.share?.failed(budget, priceOf(finding));
      this.keep(budget, afterFailure(budget, this.budgetOf(budget, now), priceOf(finding), now));
    }
  }

  /** A request succeeded; `lastCost` is what its last retry cost, undefined if it had none. */
  succeed(settings: Settings, isFirst: boolean, lastCost: number | undefined): void {
    const { hold, budget } = settings;
    if (hold !== false) {
      this.answers.set(
        hold,
        gateAndHold.afterAnswer(this.answersOf(hold), isFirst, 'success', this.ports.now()),
      );
      this.share?.answered(hold, isFirst, 'success');
    }
    if (budget === false) return;
    this.share?.succeeded(budget);
    const timed = needsClock(budget);
    // A bucket without a state is full: nothing has been taken from it yet.
    if (!timed && !this.budgets.has(budget)) return;
    const now = timed ? this.ports.now() : 0;
    this.keep(budget, afterSuccess(budget, this.budgetOf(budget, now), lastCost, now));
  }

  spend(budget: Budget, finding: Finding, now: number): void {
    this.share?.spent(budget, priceOf(finding));
    this.keep(budget, afterRetry(budget, this.budgetOf(budget, now), priceOf(finding), now));
  }

  /** Tells the gate what the end of an attempt says about the server's health. */
  sign({ gate }: Settings, turn: Turn, isFirst: boolean, sign: Sign): void {
    if (gate === false) return;
    const state = this.gateOf(gate);
    // On the healthy path, the clock is not read.
    if (!isFailure(sign) && gateAndHold.isHealthy(gate, state)) {
      if (sign === 'alive') this.share?.alive(gate);
      return;
    }
    const now = this.ports.now();
    const isOld = isFailure(sign) && !noteFailure(turn, gate, isFirst, now);
    const news = isOld ? 'still-dead' : sign;
    const after = gateAndHold.afterSign(gate, state, turn, news, now, this.ports.random());
    if (after !== state) this.gates.set(gate, after);
    this.share?.signed(gate, news, turn, { before: state, after }, now);
  }

  // -------------------------------------------------------------- what it knows

  budgetOf(budget: Budget, now: number): BudgetState {
    return this.budgets.get(budget) ?? fullBudget(budget, now);
  }

  /** What a retry may spend: in a fleet, no more than this process has leased. */
  spendable(budget: Budget, now: number): BudgetState {
    const own = this.budgetOf(budget, now);
    return this.share === undefined ? own : this.share.spendable(budget, own, now);
  }

  snapshot(now: number): ScopeSnapshot {
    const learnt = this.tails?.snapshot(now) ?? [];
    return {
      name: this.name,
      budgets: [...this.budgets.keys()].map((budget) => ({
        tokens: tokensLeft(budget, this.spendable(budget, now), now),
      })),
      gates: [...this.gates].map(([gate, state]) => ({ state: gateAndHold.asOf(gate, state, now).kind })),
      holds: [...this.holds.values()].map(({ until }) => ({ forMs: Math.max(0, until - now) })),
      waiting: this.waiting,
      refused: { ...this.refused },
      ...(learnt.length > 0 && { learnt }),
    };
  }

  /**
   * Clears what was learnt, so that waiting requests can go. Epochs and places go on counting, so that what was taken
   * earlier is still recognised.
   */
  forget(): void {
    this.budgets.clear();
    this.answers.clear();
    this.tails?.forget();
    for (const [gate, { epoch }] of this.gates) this.gates.set(gate, { ...openGate, epoch: epoch + 1 });
    for (const [hold, { nextPlace }] of this.holds) {
      this.holds.set(hold, { ...noHold, nextPlace, places: nextPlace });
    }
  }

  private keep(budget: Budget, state: BudgetState): void {
    if (this.budgets.get(budget) !== state) this.budgets.set(budget, state);
  }

  gateOf(gate: Gate): GateState {
    return this.gates.get(gate) ?? openGate;
  }

  keepGate(gate: Gate, state: GateState): void {
    this.gates.set(gate, state);
  }

  holdOf(hold: Hold): HoldState {
    return this.holds.get(hold) ?? noHold;
  }

  keepHold(hold: Hold, state: HoldState): void {
    this.holds.set(hold, state);
  }

  answersOf(hold: Hold): Answers {
    return this.answers.get(hold) ?? noAnswers;
  }

  keepAnswers(hold: Hold, answers: Answers): void {
    this.answers.set(hold, answers);
  }

  /** The retrier has forgotten this scope: other processes hear nothing more about it. */
  close(): void {
    this.share?.close();
  }
}
