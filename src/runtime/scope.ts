/** The shared state of one scope, and every change that a request makes to it. */

import { admit, go, isClear } from '../core/admit.js';
import {
  afterFailure,
  afterRetry,
  afterSuccess,
  fullBudget,
  needsClock,
  priceOf,
  tokensLeft,
} from '../core/budget.js';
import type { Sign } from '../core/gate.js';
import { afterSign, isShut, openGate } from '../core/gate.js';
import { afterSuccess as countSuccess, noHold, afterFailure as slowDown } from '../core/hold.js';
import type {
  Admission,
  Budget,
  BudgetState,
  Epoch,
  Finding,
  Gate,
  GateState,
  Hold,
  HoldState,
  Settings,
} from '../core/types.js';
import type { Ports } from './ports.js';

/** A scope as `snapshot()` shows it: plain data. */
export interface ScopeSnapshot {
  readonly name: string;
  /** One for each budget, gate and hold that rules of this scope have used. */
  readonly budgets: readonly { readonly tokens: number }[];
  readonly gates: readonly { readonly state: GateState['kind'] }[];
  readonly holds: readonly { readonly forMs: number }[];
  /** Requests that wait for a gate. */
  readonly waiting: number;
}

/** What one request has got of it. */
export interface Turn {
  readonly startedAt: number | undefined;
  /** When its deadline began to count: later than the request, where the body of an earlier head broke off. */
  timedFrom: number | undefined;
  /** Its place in the hold's queue. */
  place: number | undefined;
  /** The gate's state in which its attempt was let through. */
  epoch: Epoch;
  isWaiting: boolean;
}

export class Scope {
  readonly name: string;
  /** For the sweep of idle scopes: used since the last one, and when one last found it used. */
  used = true;
  usedAt: number;
  readonly ports: Ports;
  // By the setting that it belongs to: rules that inherit a budget share it, a rule with its own has its own.
  private readonly budgets: Map<Budget, BudgetState> = new Map();
  private readonly gates: Map<Gate, GateState> = new Map();
  private readonly holds: Map<Hold, HoldState> = new Map();
  private waiting = 0;

  constructor(name: string, ports: Ports) {
    this.name = name;
    this.ports = ports;
    this.usedAt = ports.now();
  }

  /** Takes what the admission takes: a probe, a place in the ramp or in the queue behind a hold. */
  admit(settings: Settings, turn: Turn, deadlineAt: number): Admission {
    const { gate, hold } = settings;
    const now = this.ports.now();
    const gateState = gate === false ? openGate : this.gateOf(gate);
    const holdState = hold === false ? noHold : this.holdOf(hold);
    if (isClear(settings, gateState, holdState, now)) return this.letThrough(turn, gateState.epoch);
    const turnstile = {
      gate: gateState,
      hold: holdState,
      waiting: this.waiting - (turn.isWaiting ? 1 : 0),
      place: turn.place,
    };
    const admitted = admit(settings, turnstile, now, deadlineAt, this.ports.random());
    if (gate !== false) this.gates.set(gate, admitted.gate);
    if (hold !== false) this.holds.set(hold, admitted.hold);
    const { admission, place, epoch } = admitted;
    if (admission.kind === 'go') return this.letThrough(turn, epoch);
    turn.place = place;
    this.setWaiting(turn, admission.kind === 'wait' && admission.why === 'gate');
    return admission;
  }

  /** Only who was let through has something to give back to the gate. */
  private letThrough(turn: Turn, epoch: Epoch): Admission {
    turn.epoch = epoch;
    turn.place = undefined;
    this.setWaiting(turn, false);
    return go;
  }

  /** The request no longer waits here. */
  leave(turn: Turn): void {
    this.setWaiting(turn, false);
  }

  private setWaiting(turn: Turn, isWaiting: boolean): void {
    if (turn.isWaiting !== isWaiting) this.waiting += isWaiting ? 1 : -1;
    turn.isWaiting = isWaiting;
  }

  /** An attempt ended: perhaps a window for all, perhaps a charge. */
  learn(settings: Settings, finding: Finding, verdict: boolean | undefined, now: number): void {
    // What `retryIf` calls worth a retry has failed, whatever it looks like.
    if (finding.class === 'final' && verdict !== true) return;
    const { hold, budget, maxHintMs } = settings;
    if (hold !== false) {
      this.holds.set(hold, slowDown(hold, this.holdOf(hold), finding, maxHintMs, now));
    }
    if (budget !== false) {
      this.keep(budget, afterFailure(budget, this.budgetOf(budget, now), priceOf(finding), now));
    }
  }

  /** A request succeeded; `lastCost` is what its last retry cost, undefined if it had none. */
  succeed(settings: Settings, lastCost: number | undefined): void {
    const { hold, budget } = settings;
    if (hold !== false) this.holds.set(hold, countSuccess(this.holdOf(hold), this.ports.now()));
    if (budget === false) return;
    const timed = needsClock(budget);
    // A bucket that nobody has drawn from is full.
    if (!timed && !this.budgets.has(budget)) return;
    const now = timed ? this.ports.now() : 0;
    this.keep(budget, afterSuccess(budget, this.budgetOf(budget, now), lastCost, now));
  }

  spend(budget: Budget, finding: Finding, now: number): void {
    this.keep(budget, afterRetry(budget, this.budgetOf(budget, now), priceOf(finding), now));
  }

  /** What the end of an attempt says of the server's health. */
  sign(settings: Settings, epoch: Epoch, sign: Sign): void {
    const { gate } = settings;
    if (gate === false) return;
    const state = this.gateOf(gate);
    // The healthy path, without a clock.
    if (state.kind === 'open' && state.failures === 0 && sign !== 'dead') return;
    const { now, random } = this.ports;
    this.gates.set(gate, afterSign(gate, state, epoch, sign, now(), random()));
  }

  /** Requests of these settings would be turned away now. */
  refuses({ gate }: Settings, now: number): boolean {
    return gate !== false && gate.whenShut === 'fail' && isShut(gate, this.gateOf(gate), now);
  }

  budgetOf(budget: Budget, now: number): BudgetState {
    return this.budgets.get(budget) ?? fullBudget(budget, now);
  }

  snapshot(now: number): ScopeSnapshot {
    return {
      name: this.name,
      budgets: [...this.budgets].map(([budget, state]) => ({ tokens: tokensLeft(budget, state, now) })),
      gates: [...this.gates.values()].map(({ kind }) => ({ state: kind })),
      holds: [...this.holds.values()].map(({ until }) => ({ forMs: Math.max(0, until - now) })),
      waiting: this.waiting,
    };
  }

  private keep(budget: Budget, state: BudgetState): void {
    if (this.budgets.get(budget) !== state) this.budgets.set(budget, state);
  }

  private gateOf(gate: Gate): GateState {
    return this.gates.get(gate) ?? openGate;
  }

  private holdOf(hold: Hold): HoldState {
    return this.holds.get(hold) ?? noHold;
  }
}
