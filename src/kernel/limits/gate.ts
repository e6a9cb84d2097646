/** The gate of a scope: its setting, its state, and its link to the fleet. */

import { GateShutError } from '../../core/limits/gate/error.js';
import { afterSign } from '../../core/limits/gate/gate.js';
import { type Kind, kindOf } from '../../core/limits/gate/kinds.js';
import { afterStall, isHealthy } from '../../core/limits/gate/open.js';
import { asOf } from '../../core/limits/gate/ramping.js';
import type { Gate } from '../../core/limits/gate/setting.js';
import { isShut } from '../../core/limits/gate/shut.js';
import type { GateState } from '../../core/limits/gate/state.js';
import { noEpoch, openGate } from '../../core/limits/gate/state.js';
import type { Sign } from '../../core/limits/signs.js';
import { isFailure } from '../../core/limits/signs.js';
import type { Finding } from '../../core/types.js';
import type { FleetScope, GateShare, OwnGate } from '../fleet.js';
import type { Ports } from '../ports.js';
import { stalledSince } from '../stalls.js';
import { FleetLink } from './fleet-link.js';
import { type Asking, causeIn, type Permit } from './permit.js';

export class ScopeGate implements OwnGate {
  readonly gate: Gate;
  /** The last failure before the gate shut or while it was; what a request that was never sent is told. */
  failure: Finding | undefined = undefined;
  private readonly ports: Ports;
  /** Undefined: nothing has changed yet, so it is open. */
  private known: GateState | undefined = undefined;
  private readonly link: FleetLink<GateShare>;

  constructor(gate: Gate, ports: Ports, fleet: FleetScope | undefined) {
    this.gate = gate;
    this.ports = ports;
    this.link = new FleetLink(fleet, (joined) => joined.gate(this));
  }

  get state(): GateState {
    return this.known ?? openGate;
  }

  set state(state: GateState) {
    this.known = state;
  }

  // -------------------------------------------------------------- before an attempt

  /** Whether an attempt has nothing to ask for here, and nothing to take. */
  get isClear(): boolean {
    return this.known === undefined || this.known.kind === 'open';
  }

  /** Whether the server can bear more requests than were asked for. */
  hasSpareCapacity(now: number): boolean {
    return asOf(this.gate, this.state, now).kind === 'open';
  }

  /** Whether it would permit away requests now. */
  refuses(now: number): boolean {
    const { gate } = this;
    return gate.enforce && gate.whenShut === 'fail' && isShut(gate, this.state, now);
  }

  /** The kind of the request; it matters only while the gate is not open. */
  kindOf(asking: Asking): Kind {
    return this.state.kind === 'open' ? 0 : kindAsking(asking);
  }

  /** A request waits here, perhaps for the lease of a probe, which only the fleet can give. */
  waits(attemptTimeoutMs: number | undefined, now: number): void {
    this.link.share?.waits(attemptTimeoutMs, now);
  }

  // -------------------------------------------------------------- after an attempt

  /** An attempt has ended; whatever it took here is given back. */
  ended(asking: Asking, permit: Permit, isFirst: boolean, sign: Sign, finding?: Finding): void {
    this.hear(asking, permit, isFirst, sign, finding);
    permit.epoch = noEpoch;
  }

  /** What its end says about the server's health. */
  private hear(asking: Asking, permit: Permit, isFirst: boolean, sign: Sign, finding?: Finding): void {
    if (isFailure(sign)) this.failure = finding;
    const { gate, state: known } = this;
    // On the healthy path, the clock is not read.
    if (!isFailure(sign) && isHealthy(gate, known)) {
      if (sign === 'alive') this.link.share?.alive();
      return;
    }
    const now = this.ports.now();
    const before = this.withoutStalls(known);
    const isOld = isFailure(sign) && !noteFailure(permit, gate, isFirst, now);
    const news = isOld ? 'still-dead' : this.sinceAwake(sign, permit);
    const kind = isFailure(news) || before.kind !== 'open' ? kindAsking(asking) : 0;
    const after = afterSign(gate, before, permit, news, kind, now, this.ports.random());
    if (after !== before) this.state = after;
    // In a fleet, the next failures may be those of other processes.
    if (sign === 'alive' && after.kind === 'open') this.failure = undefined;
    this.link.share?.signed(news, permit, { before, after }, now);
  }

  /** The time for which this process stood still is not time for which the server was seen to fail. */
  private withoutStalls(state: GateState): GateState {
    if (state.kind !== 'open' || state.failures === 0) return state;
    return afterStall(state, stalledSince(this.ports.now, state.lastAt));
  }

  /** The client's own timeout may be over because this process stood still. */
  private sinceAwake(sign: Sign, { sentAt }: Permit): Sign {
    return sign === 'silent' && stalledSince(this.ports.now, sentAt) > 0 ? 'dead' : sign;
  }

  // -------------------------------------------------------------- what it knows

  refusal(scope: string, own: ErrorOptions): GateShutError {
    return new GateShutError(scope, causeIn(own, this.failure));
  }

  /** Undefined: it has not been used yet. */
  snapshot(now: number): { readonly state: GateState['kind'] } | undefined {
    return this.known && { state: asOf(this.gate, this.known, now).kind };
  }

  /** Waiting requests can go. Epochs go on counting, so that what was taken earlier is still recognised. */
  forget(): void {
    this.failure = undefined;
    if (this.known !== undefined) this.known = { ...openGate, epoch: this.known.epoch + 1 };
  }

  leaveFleet(): void {
    this.link.leave();
  }
}

function kindAsking({ rule, request }: Asking): Kind {
  return kindOf(rule.name, request.method, request.path);
}

/**
 * Whether the failure of an attempt tells the gate something new. A first attempt does. Retries of the same request
 * only repeat it, until they have failed for `deadForMs`: then one counts again.
 */
function noteFailure(permit: Permit, { deadForMs }: Gate, isFirst: boolean, now: number): boolean {
  permit.past ??= { failedAt: undefined, refused: undefined };
  const { past } = permit;
  if (isFirst) {
    past.failedAt = now;
    return true;
  }
  if (past.failedAt === undefined || now - past.failedAt < deadForMs) return false;
  past.failedAt = undefined;
  return true;
}
