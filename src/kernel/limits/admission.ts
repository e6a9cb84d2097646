/**
 * Asks the limits of a scope whether an attempt may be sent now. An admission may take something: a probe, a place in the
 * ramp, or a place in the queue of the hold.
 */

import { isRetried, retriesIn } from '../../core/decide/fresh.js';
import type { AdmissionRequest, Admitted } from '../../core/limits/admission.js';
import { noQueuePlace } from '../../core/limits/admission.js';
import { type AskedFirst, go, orderOfAdmission } from '../../core/limits/all.js';
import { admit as decideOn } from '../../core/limits/ask.js';
import type { Epoch } from '../../core/limits/gate/state.js';
import { openGate } from '../../core/limits/gate/state.js';
import { noHold } from '../../core/limits/hold/state.js';
import type { LimitsSeen } from '../../core/limits/settings.js';
import { limitRefusals } from '../../core/limits/settings.js';
import { signOf } from '../../core/limits/signs.js';
import type { Admission, Finding, RefusalReason } from '../../core/types.js';
import type { Move } from '../moves.js';
import type { Session } from '../session.js';
import { readAnew, turnNow } from '../turn.js';
import { isClear, succeedAtOnce } from './clear.js';
import type { Limits } from './limits.js';
import type { Asking } from './permit.js';
import { isAsking, noteRefusal, type Permit, permitWith } from './permit.js';

/** The session, as far as these limits have to do with it. */
export interface Passing extends Pick<Session, 'request' | 'rule' | 'history'> {
  readonly limits: Limits;
  /** Asked for only if the attempt has to wait, since the deadline may begin to count with it. */
  readonly deadlineAt: number;
  readonly move: Move | undefined;
  /** That of the attempt which asks, is out, or was out last. */
  permit: Permit | undefined;
}

export function admit(session: Passing): Admission {
  const { limits } = session;
  const { scope, gate, hold } = limits;
  const permit = askingPermit(session);
  const now = turnNow(scope.ports.now);
  if (!isClear(limits, now))
    return ask(
      limits,
      askingOf(session),
      permit,
      session.deadlineAt,
      retriesIn(session.history) > 0,
      scope.ports.now(),
    );
  hold?.setQueued(permit, false);
  return letThrough(limits, permit, gate === undefined ? openGate.epoch : gate.state.epoch, now);
}

/** What a gate tells requests apart by. */
function askingOf(session: Passing): Asking {
  return session.move?.asking ?? session;
}

/** It may have asked before, and asks again after a wait. */
function askingPermit(session: Passing): Permit {
  const { permit } = session;
  if (permit !== undefined && isAsking(permit)) return permit;
  const next = permitWith(permit?.past);
  session.permit = next;
  return next;
}

function ask(
  limits: Limits,
  asking: Asking,
  permit: Permit,
  deadlineAt: number,
  isRetry: boolean,
  now: number,
): Admission {
  const { scope, settings } = limits;
  const request = requestOf(limits, asking, permit, isRetry);
  const admitted = decideOn(settings, request, now, deadlineAt, scope.ports.random());
  const { admission, queuePlace, epoch, unenforced } = admitted;
  if (admission.kind === 'refuse') refuse(limits, permit, admission.reason, true);
  if (admission.kind === 'go' && unenforced !== undefined) refuse(limits, permit, unenforced, false);
  permit.queuePlace = queuePlace;
  answered(limits, permit, request, admitted, deadlineAt, now);
  if (admission.kind === 'go') return letThrough(limits, permit, epoch, now);
  enter(limits, permit, stateIn(admission));
  return admission;
}

/** What an attempt finds that asks for admission. */
function requestOf(
  { scope, gate, hold, concurrency }: Limits,
  asking: Asking,
  permit: Permit,
  isRetry: boolean,
): AdmissionRequest {
  // The fields are written out: a spread takes ten times as long.
  return {
    gate: gate === undefined ? openGate : gate.state,
    hold: hold === undefined ? noHold : hold.state,
    kind: gate === undefined ? 0 : (permit.queuePlace.kind ?? gate.kindOf(asking)),
    waiting: scope.waiting - (permit.state === 'waits' ? 1 : 0),
    queued: scope.queued - (permit.state === 'queues' ? 1 : 0),
    room: concurrency?.roomFor(permit),
    queuePlace: permit.queuePlace,
    isRetry,
  };
}

/** It was told whether it may be sent. `found`: what it found when it asked. */
function answered(
  limits: Limits,
  permit: Permit,
  found: AdmissionRequest,
  admitted: Admitted,
  deadlineAt: number,
  now: number,
): void {
  const { gate, hold, concurrency } = limits;
  const { admission } = admitted;
  if (gate !== undefined) gate.state = admitted.gate;
  if (hold !== undefined) hold.state = admitted.hold;
  if (admission.kind === 'go') hold?.sent(permit, found.hold, now);
  else askFleet(limits, permit, admission, deadlineAt, now);
  if (admission.kind === 'wait' && admission.why === 'concurrency') {
    concurrency?.standsInLine(permit, now, now + admission.delayMs);
  } else if (admission.kind !== 'go') concurrency?.leave(permit);
}

/** The request waits for something that only the fleet can give: the lease of a probe, or a place in the queue. */
function askFleet(
  { settings, gate, hold }: Limits,
  permit: Permit,
  admission: Admission,
  deadlineAt: number,
  now: number,
): void {
  const why = admission.kind === 'wait' ? admission.why : undefined;
  if (why === 'gate') gate?.waits(settings.attemptTimeoutMs, now);
  const { place, queuesUntil } = permit.queuePlace;
  const isQueued = why === 'hold' && place === undefined;
  hold?.setQueued(permit, isQueued, Math.min(queuesUntil, deadlineAt) - now);
}

function refuse({ scope }: Limits, permit: Permit, reason: RefusalReason, enforced: boolean): void {
  scope.refused[reason] += 1;
  noteRefusal(permit, { reason, enforced });
}

/** The permit keeps the epoch, because only an attempt that was let through has something to give back to the gate. */
function letThrough(limits: Limits, permit: Permit, epoch: Epoch, now: number): Admission {
  permit.epoch = epoch;
  permit.sentAt = now;
  permit.queuePlace = noQueuePlace;
  enter(limits, permit, 'is out');
  return go;
}

/**
 * The permit of a hedge; undefined if its settings ask for none. A hedge never waits: it is only sent where every limit is
 * at ease, so it takes what it needs at once.
 */
export function admitHedge(limits: Limits, first: Permit | undefined, now: number): Permit | undefined {
  const { settings, gate } = limits;
  if (!settings.needsAdmission) return undefined;
  const permit = permitWith(first?.past);
  letThrough(limits, permit, gate === undefined ? openGate.epoch : gate.state.epoch, now);
  return permit;
}

/** The attempt is over, so it occupies nothing any more. To say so again changes nothing. */
export function end(limits: Limits, permit: Permit): void {
  if (!isAsking(permit)) enter(limits, permit, 'is over');
}

/** The request waits for a limit that calls it when it is its turn. */
export function onTurn({ limits, permit }: Passing, call: () => void): void {
  if (permit !== undefined) limits.concurrency?.onTurn(permit, call);
}

/** The request stops waiting. */
export function leave(limits: Limits, permit: Permit): void {
  if (isAsking(permit)) enter(limits, permit, 'asks');
  limits.hold?.leave(permit);
  limits.concurrency?.leave(permit);
  permit.queuePlace = noQueuePlace;
}

function stateIn(admission: Admission): Permit['state'] {
  const why = admission.kind === 'wait' ? admission.why : undefined;
  if (why === 'gate') return 'waits';
  return why === 'hold' ? 'queues' : 'asks';
}

function enter({ scope, concurrency }: Limits, permit: Permit, state: Permit['state']): void {
  const before = permit.state;
  permit.state = state;
  count(scope, before, -1);
  count(scope, state, 1);
  if (state === 'is out') concurrency?.taken(permit);
  if (before === 'is out') concurrency?.givenBack();
}

function count(scope: Limits['scope'], state: Permit['state'], by: 1 | -1): void {
  if (state === 'is out') scope.out += by;
  else if (state === 'waits') scope.waiting += by;
  else if (state === 'queues') scope.queued += by;
}

// ---------------------------------------------------------------- what they hear

/** The first attempt has succeeded, and nothing had been in its way. */
export function succeededAtOnce(session: Passing): void {
  succeedAtOnce(session.limits, askingOf(session), permitOf(session));
}

/** An attempt has ended. Without a finding, that says nothing about the server. */
export function attemptEnded(session: Passing, finding?: Finding): void {
  readAnew();
  const { limits } = session;
  const permit = permitOf(session);
  const sign = finding === undefined ? 'neutral' : signOf(finding);
  limits.gate?.ended(askingOf(session), permit, isFirst(session), sign, finding);
}

/** The hold hears of a failure at once, even if another attempt of the request is still out and will decide. */
export function failed(
  session: Passing,
  finding: Finding,
  verdict: boolean | undefined,
  now: number,
  sentAt: number = sentAtOf(session),
): void {
  const { hold, settings } = session.limits;
  // If `retryIf` says that an outcome is worth a retry, the attempt counts as failed, whatever its status.
  const hasFailed = finding.class !== 'final' || verdict === true;
  hold?.failed(finding, hasFailed, settings.maxHintMs, isFirst(session), sentAt, now);
}

export function succeeded(session: Passing): void {
  session.limits.hold?.succeeded(isFirst(session), sentAtOf(session));
}

/** What a decision has to know of them. */
export function seen({ gate, hold, concurrency }: Limits, now: number): Omit<LimitsSeen, 'budget'> {
  return {
    gateShut: gate?.refuses(now) ?? false,
    queueMs: hold?.queueMs(now) ?? 0,
    line: concurrency?.lineAt(now),
  };
}

function permitOf(session: Passing): Permit {
  session.permit ??= permitWith(undefined);
  return session.permit;
}

/** When the attempt was let through. */
function sentAtOf({ permit }: Passing): number {
  return permit?.sentAt ?? -Infinity;
}

/** Whether no retry has begun yet in this scope: what another one has seen, it does not know. */
function isFirst({ history, move }: Passing): boolean {
  return !(move === undefined ? history : history.slice(move.after)).some(isRetried);
}

// ---------------------------------------------------------------- refusals

/** Which limit it is that refuses for this reason. */
const refusing = /* @__PURE__ */ (() =>
  Object.fromEntries(
    orderOfAdmission.flatMap((name) => limitRefusals[name].map((reason) => [reason, name])),
  ) as Readonly<Record<RefusalReason, AskedFirst>>)();

/** The error of a request that was refused. */
export function refusal(limits: Limits, reason: RefusalReason, own: ErrorOptions): Error | undefined {
  return limits[refusing[reason]]?.refusal(limits.scope.name, own);
}

export function noRefusals(): Record<RefusalReason, number> {
  return Object.fromEntries(Object.keys(refusing).map((reason) => [reason, 0])) as Record<
    RefusalReason,
    number
  >;
}
