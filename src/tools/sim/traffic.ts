/**
 * The adapter of a network that is not there: does with every session what the adapters of real clients do. Asks
 * for admission, sends, waits, hands the outcome over, and does as it is told.
 */

import { AttemptTimeoutError, DeadlineError } from '../../core/errors.js';
import type { ErrorOutcome, ResponseOutcome } from '../../core/types.js';
import type { Prospects } from '../../runtime/session.js';
import type { Agenda, Handler } from './agenda.js';
import type { Caller, Ending } from './call.js';
import { Call } from './call.js';
import type { Luck } from './luck.js';
import type { Trace } from './trace.js';

const attemptTimedOut: ErrorOutcome = { kind: 'error', error: new AttemptTimeoutError(0), aborted: false };
const deadlinePassed: ErrorOutcome = { kind: 'error', error: new DeadlineError(0), aborted: false };
/** No request has a body that could be spent here. */
const sendable: Prospects = { replayable: true };
const abort = { name: 'AbortError', code: 'ABORT_ERR' } as const;

/** No call's mark. */
const over = 0;

export class Traffic {
  private readonly agenda: Agenda;
  private readonly trace: Trace | undefined;
  private readonly calls: Call[] = [];
  private readonly free: number[] = [];
  private turns = 0;

  constructor(agenda: Agenda, trace: Trace | undefined) {
    this.agenda = agenda;
    this.trace = trace;
  }

  private readonly waking: Handler = (slot, turn) => {
    const call = this.calls[slot] as Call;
    if (call.turn === turn) this.proceed(call);
  };

  private readonly timingOut: Handler = (slot, turn) => {
    const call = this.calls[slot] as Call;
    if (call.turn === turn) this.timeOut(call);
  };

  private readonly leaving: Handler = (slot, mark) => {
    const call = this.calls[slot] as Call;
    if (call.mark === mark) this.leave(call);
  };

  start(caller: Caller, by: number, thoughtMs: number, luck: Luck): void {
    const process = by % caller.strategies.length;
    const strategy = caller.strategies[process] as Caller['strategies'][number];
    const { now } = this.agenda;
    const slot = this.free.pop() ?? this.calls.length;
    const turn = this.nextTurn();
    const route = caller.routeFor(luck);
    const pursuit = strategy.open(route.facts, thoughtMs, caller.override);
    const call = new Call(caller, by, luck, { slot, turn, process, route, pursuit, startedAt: now });
    this.calls[slot] = call;
    route.tally.count(route.tally.offered, now);
    const leavesAt = now + patienceOf(call);
    if (leavesAt < Number.POSITIVE_INFINITY) this.agenda.at(leavesAt, this.leaving, slot, turn);
    this.proceed(call);
  }

  /** What arrives for an attempt that nobody waits for any more is nothing. */
  answered(call: Call, turn: number, outcome: ResponseOutcome | ErrorOutcome): void {
    if (call.turn !== turn) return;
    this.trace?.(this.agenda.now, call, outcome);
    call.turn = this.nextTurn();
    if (outcome.kind === 'response') {
      if (call.pursuit.acceptAtOnce(outcome.status)) {
        this.end(call, 'good');
        return;
      }
      this.heed(call, outcome);
    }
    this.judge(call, outcome);
  }

  // -------------------------------------------------------------- an attempt

  private proceed(call: Call): void {
    const admission = call.pursuit.admit();
    if (admission.kind === 'go') this.send(call);
    else if (admission.kind === 'wait') this.wait(call, admission.delayMs);
    else {
      this.trace?.(this.agenda.now, call, admission.reason);
      call.pursuit.abandon();
      this.end(call, 'refused');
    }
  }

  private send(call: Call): void {
    const { caller, route } = call;
    const { tally } = route;
    const { now } = this.agenda;
    tally.count(call.attempts === 0 ? tally.firstTries : tally.retries, now);
    if (now < call.mayRetryAt) tally.earlyRetries += 1;
    if (now < (caller.forbiddenUntil[call.process] as number)) tally.count(tally.forbidden, now);
    call.attempts += 1;
    call.turn = this.nextTurn();
    this.limit(call);
    this.trace?.(now, call, 'sent');
    caller.station.receive(call);
  }

  /** An attempt ends by its own time, or by what is left of the request's. */
  private limit(call: Call): void {
    const { agenda } = this;
    const limitMs = Math.min(timeoutOf(call), call.pursuit.deadlineAt - agenda.now);
    if (limitMs < Number.POSITIVE_INFINITY)
      agenda.at(agenda.now + limitMs, this.timingOut, call.slot, call.turn);
  }

  private timeOut(call: Call): void {
    const { now } = this.agenda;
    const { tally } = call.route;
    tally.count(tally.timedOut, now);
    const isLate = now >= call.pursuit.deadlineAt;
    this.answered(call, call.turn, isLate ? deadlinePassed : attemptTimedOut);
  }

  /** Its caller does not wait any longer, whether or not an attempt is out. */
  private leave(call: Call): void {
    call.pursuit.abandon(abort);
    this.end(call, 'aborted');
  }

  // -------------------------------------------------------------- a decision

  private judge(call: Call, outcome: ResponseOutcome | ErrorOutcome): void {
    const verdict = call.pursuit.next(outcome, sendable);
    if (verdict.action === 'retry') this.wait(call, verdict.delayMs);
    else this.end(call, outcome.kind === 'response' && outcome.status < 400 ? 'good' : 'failed');
  }

  private wait(call: Call, delayMs: number): void {
    call.turn = this.nextTurn();
    this.agenda.at(this.agenda.now + delayMs, this.waking, call.slot, call.turn);
  }

  /** Notes what the server asked for, to see who keeps to it. */
  private heed(call: Call, { headers }: ResponseOutcome): void {
    const seconds = (headers as Readonly<Record<string, string>> | undefined)?.['retry-after'];
    if (seconds === undefined) return;
    const until = this.agenda.now + Number(seconds) * 1_000;
    const { forbiddenUntil } = call.caller;
    call.mayRetryAt = until;
    forbiddenUntil[call.process] = Math.max(until, forbiddenUntil[call.process] as number);
  }

  private end(call: Call, ending: Ending): void {
    const { caller, startedAt } = call;
    const { now } = this.agenda;
    this.trace?.(now, call, ending);
    call.route.tally.settle(ending, now, now - startedAt, call.by);
    call.mark = over;
    call.turn = this.nextTurn();
    this.free.push(call.slot);
    caller.ended(call, ending);
  }

  private nextTurn(): number {
    this.turns = (this.turns + 1) | 0;
    if (this.turns === over) this.turns = 1;
    return this.turns;
  }
}

/** Who cannot tell its retry layer of its deadline leaves by itself. */
function patienceOf({ caller, luck, pursuit }: Call): number {
  const patienceMs = caller.patienceFor(luck);
  const deadlineMs = caller.override?.deadlineMs;
  if (deadlineMs === undefined || pursuit.deadlineAt < Number.POSITIVE_INFINITY) return patienceMs;
  return Math.min(patienceMs, deadlineMs);
}

function timeoutOf({ pursuit, caller }: Call): number {
  return pursuit.settings.attemptTimeoutMs ?? caller.timeoutMs ?? Number.POSITIVE_INFINITY;
}
