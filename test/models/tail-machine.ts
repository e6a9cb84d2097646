/**
 * Requests that may be hedged, as a state machine: each has one or two attempts out, which end in any order. The real
 * sessions and the real scope, as in `scope-machine.ts`, under the eyes of an observer who keeps a ledger of its own.
 */

import { DeadlineError } from '../../src/core/errors.js';
import type { RequestEvent } from '../../src/core/events.js';
import { tokensLeft } from '../../src/core/limits/budget/budget.js';
import type { LatencyState as CoreState } from '../../src/core/limits/latency/latency.js';
import { isFailure, signOf } from '../../src/core/limits/signs.js';
import type { Attempt } from '../../src/core/types.js';
import { SharedBudget } from '../../src/fleet/budget-share.js';
import type { FleetScope, OpenFleet } from '../../src/kernel/fleet.js';
import type { LiveSession } from '../../src/kernel/live-session.js';
import type { Ruling } from '../../src/kernel/session.js';
import { accepts } from '../kit.js';
import { memoryOf } from './memory.js';
import {
  type End,
  ends,
  fieldsOf,
  idle,
  listIn,
  type Plan,
  type Remembered,
  ScopeMachine,
  type Slot,
  type State,
  saw,
  sentAtOf,
  withSlot,
} from './scope-machine.js';

/** An attempt that is out. A hedge may still wait for a connection. */
export interface Flight {
  readonly attempt: number;
  readonly isOnWire: boolean;
}

/** How an attempt ended. The other one is still out. */
interface Kept {
  readonly attempt: number;
  readonly end: End;
  readonly endedAt: number;
}

/** A request with its attempts that are out. */
export interface HedgedSlot extends Slot {
  readonly flights?: readonly Flight[];
  /** How the first of two attempts ended. The other is still out. */
  readonly kept?: Kept | undefined;
  /** Whether any of its hedges was on the wire. */
  readonly isHedged?: boolean;
  /** Listeners have heard its end: the caller has had a head. */
  readonly isTold?: boolean;
}

/** What an observer from outside knows. */
export interface Ledger {
  /** Thousandths of a hedge that successes have paid for. */
  readonly credit: number;
  readonly throttledAt: number;
  /** The losers that were left running. */
  readonly losers: readonly Lost[];
}

interface Lost {
  readonly attempt: number;
  readonly session: Remembered;
}

export interface LatencyState extends State {
  readonly ledger?: Ledger;
}

export interface TailPlan extends Plan {
  /** How a request may end as a whole, whatever is out. */
  readonly breaks?: readonly Break[];
  /** Nothing that the observer does not know of keeps a hedge from being sent. */
  readonly isEager?: true;
  /** Bodies of answers may break off. */
  readonly hasBodies?: true;
  /** The body cannot be sent by two attempts at once. */
  readonly isSendable?: false;
}

export type Break = keyof typeof breaks;

const breaks = {
  'is aborted': { kind: 'error', error: new Error('aborted'), aborted: true },
  'is past its deadline': { kind: 'error', error: new DeadlineError(1_000) },
  'has a hook that throws': undefined,
} as const;

const noLedger: Ledger = { credit: 0, throttledAt: -Infinity, losers: [] };

/** No hedge follows a 429 for at least so long. */
const quietMs = 5_000;

/** What the steps are heard to do. */
type Ruled = Ruling | { readonly kind: 'decided'; readonly attempt: number; readonly decision: undefined };

interface Heard {
  readonly budget: string;
  readonly gate: string;
}

interface Ear {
  /** The first requests, which are not explored, are not heard. */
  isOpen: boolean;
  readonly events: RequestEvent[];
  signs: number;
}

/** Hears what the gate tells a fleet, which it has all to itself. */
function listeningTo(ear: Ear): OpenFleet {
  const hear = (): void => {
    ear.signs += 1;
  };
  const scope: FleetScope = {
    Budget: SharedBudget,
    budget: () => undefined,
    gate: () => ({ alive: hear, signed: hear, waits: () => undefined }),
    hold: () => undefined,
    close: () => undefined,
  };
  const snapshot = { isShared: false, unreadable: 0 };
  return {
    [Symbol.toStringTag]: 'Fleet',
    join: () => ({ scope: () => scope, snapshot: () => snapshot }),
    close: async () => undefined,
  };
}

export class TailMachine extends ScopeMachine {
  declare readonly plan: TailPlan & { readonly ear: Ear };

  constructor(plan: TailPlan) {
    const ear: Ear = { isOpen: false, events: [], signs: 0 };
    const observe = (event: RequestEvent): void => void ear.events.push(event);
    super({ ...plan, policy: { ...plan.policy, observe }, fleet: listeningTo(ear), ear } as TailPlan);
    ear.isOpen = true;
  }

  // -------------------------------------------------------------- what may happen

  override *steps(state: LatencyState): Iterable<readonly [string, State]> {
    yield* super.steps(state);
    for (const [index, loser] of ledgerOf(state).losers.entries()) {
      for (const isAnswered of [true, false]) {
        const what = `${state.now} ms: a loser is ${isAnswered ? 'answered' : 'cut'}`;
        yield [what, this.loserGoes(state, index, loser, isAnswered)];
      }
    }
  }

  protected override *stepsOf(
    state: LatencyState,
    slot: HedgedSlot,
    index: number,
  ): Iterable<readonly [string, State]> {
    if (slot.phase === 'reading') {
      yield ['reads to the end', withSlot(state, index, idle)];
      yield ['reads, and the body breaks off', this.breaksOff(state, index)];
      return;
    }
    if (slot.phase !== 'sent') {
      yield* super.stepsOf(state, slot, index);
      return;
    }
    for (const { attempt, isOnWire } of flightsOf(slot)) {
      if (!isOnWire) yield [`${attempt} is on the wire`, this.goesOut(state, index, attempt)];
      else
        for (const end of this.plan.ends) yield [`${attempt} ${end}`, this.endOf(state, index, attempt, end)];
    }
    for (const how of this.plan.breaks ?? []) {
      const isDue = how !== 'is past its deadline' || this.restore(state, index).deadlineAt <= state.now;
      if (isDue) yield [how, this.breaks(state, index, how)];
    }
    if (slot.wakeAt <= state.now) yield ['has waited for long', this.hedges(state, index)];
  }

  // -------------------------------------------------------------- an attempt is sent

  override proceed(state: State, index: number): State {
    const after = super.proceed(state, index);
    if (after.slots[index]?.phase !== 'sent') return after;
    const session = this.restore(after, index);
    const { attempt, tail } = session;
    tail?.sent(attempt);
    const afterMs = tail?.hedgeAfterMs(this.plan.isSendable ?? true);
    const wakeAt = afterMs === undefined ? Infinity : after.now + afterMs;
    return this.keepOut(after, index, session, {
      flights: [{ attempt, isOnWire: true }],
      kept: undefined,
      wakeAt,
    });
  }

  protected hedges(state: LatencyState, index: number): State {
    const session = this.restore(state, index);
    const slot = slotOf(state, index);
    const before = this.listen();
    const why = this.whyNot(state);
    const attempt = session.tail?.hedge();
    const fault = this.faultOfHedge(before, why, session.attempt, attempt);
    const flights = flightsOf(slot);
    const wakeAt = Infinity;
    const after = this.keepOut(state, index, session, {
      wakeAt,
      flights: attempt === undefined ? flights : [...flights, { attempt, isOnWire: false }],
    });
    return { ...after, ...(attempt !== undefined && credited(state, -1_000)), fault } as State;
  }

  private faultOfHedge(
    before: Heard,
    why: string | undefined,
    first: number,
    attempt: number | undefined,
  ): string | undefined {
    if (attempt === undefined) {
      if (this.plan.isEager && why === undefined) return 'no hedge, though nothing is against one';
      return this.plan.ear.events.length === 0 ? undefined : 'told of a hedge that is not sent';
    }
    if (why !== undefined) return `hedged, although ${why}`;
    if (attempt !== first + 1) return `the hedge of attempt ${first} is attempt ${attempt}`;
    if (this.plan.ear.events.length > 0) return 'told of a hedge that is not on the wire';
    return this.silentFault(before);
  }

  /** What speaks against a hedge, for an observer from outside. */
  protected whyNot(state: LatencyState): string | undefined {
    const { hold, gate, budget } = this;
    const { now } = state;
    const { settings } = this.retrier.policy.fallback;
    const { credit, throttledAt } = ledgerOf(state);
    if (settings.hedge === false) return 'no rule asks for it';
    if (!settings.hedge.methods.includes(this.request.method)) return `it is a ${this.request.method}`;
    if (settings.maxRetries === 0) return 'retries are off';
    if (gate !== undefined && gate.kind !== 'open') return `the gate is ${gate.kind}`;
    if (hold !== undefined && hold.until > now) return 'a hold is on';
    if (state.windowEnds > now && this.plan.isHeldAtOnce) return 'an answer has asked for a pause';
    if (credit < 1_000) return `only ${credit} thousandths of a hedge are paid for`;
    if (now - throttledAt < quietMs) return `a 429 came ${now - throttledAt} ms ago`;
    if (settings.budget === false || budget === undefined || !('tokens' in budget)) return undefined;
    const tokens = tokensLeft(settings.budget, budget, now);
    const { capacity } = settings.budget as { readonly capacity: number };
    return tokens < capacity / 2 ? `only ${tokens} tokens are left for retries` : undefined;
  }

  private goesOut(state: LatencyState, index: number, attempt: number): State {
    const session = this.restore(state, index);
    const before = this.listen();
    session.tail?.sent(attempt);
    const flights = flightsOf(slotOf(state, index)).map((flight) =>
      flight.attempt === attempt ? { attempt, isOnWire: true } : flight,
    );
    const after = this.keepOut(state, index, session, { flights, isHedged: true });
    const told = this.plan.ear.events.map((event) => (event.type === 'hedge' ? event.attempt : event.type));
    const fault = told.join() === String(attempt) ? undefined : `hedge ${attempt} was told as ${told}`;
    return { ...after, fault: fault ?? this.silentFault(before) };
  }

  // -------------------------------------------------------------- an attempt ends

  override end(state: State, index: number, end: End): State {
    const [flight] = flightsOf(slotOf(state, index));
    return this.endOf(state, index, flight?.attempt ?? 1, end);
  }

  protected endOf(given: LatencyState, index: number, attempt: number, end: End): State {
    const state = this.withdrawn(given, index);
    const session = this.restore(state, index);
    const slot = slotOf(state, index);
    const sentAt = sentAtOf(session) ?? state.now;
    const gateBefore = this.gate?.kind;
    const heard = this.listen();
    const others = flightsOf(slot).filter((flight) => flight.attempt !== attempt);
    const isRace = others.length > 0 || slot.kept !== undefined;
    const ruling = isRace ? this.judged(session, attempt, end) : this.judgedAlone(session, attempt, end);
    const last = { attempt, end, endedAt: state.now };
    const at = { ...state, ...throttledBy(state, end), windowEnds: windowAfter(state, end) };
    if (ruling.kind === 'pending') return this.waitsForOther(at, index, session, last, others, heard);
    const faultOfRuling = isRace ? faultIn(ruling, last, slot.kept, others.length) : undefined;
    const { decision } = ruling;
    const deciding = ruling.attempt === attempt ? end : (slot.kept?.end ?? end);
    const after =
      decision?.action === 'retry'
        ? this.keep(at, index, 'waiting', session, at.now + decision.delayMs)
        : this.over(at, index, session, others, deciding);
    const fault = faultOfRuling ?? this.faultOfEnd(session, slot, decision?.action !== 'retry', isRace);
    const seen = { ...after, ...saw(after, deciding, sentAt), windowEnds: at.windowEnds };
    return fault === undefined ? this.seenShut(seen, gateBefore) : { ...seen, fault };
  }

  private judged(session: LiveSession, attempt: number, end: End): Ruled {
    const { tail } = session;
    if (tail === undefined) throw new Error('two attempts are out, and there is no tail');
    return tail.ended(attempt, ends[end], { replayable: true });
  }

  private judgedAlone(session: LiveSession, attempt: number, end: End): Ruled {
    const outcome = ends[end];
    const isOver = outcome.kind === 'response' && accepts(session, outcome.status);
    if (isOver) return { kind: 'decided', attempt, decision: undefined };
    return { kind: 'decided', attempt, decision: session.next(outcome, { replayable: true }) };
  }

  private waitsForOther(
    state: LatencyState,
    index: number,
    session: LiveSession,
    kept: Kept,
    flights: readonly Flight[],
    heard: Heard,
  ): State {
    const after = this.keepOut(state, index, session, { flights, kept, wakeAt: Infinity });
    const isHeld = this.hold === undefined || this.hold.until >= windowAfter(state, kept.end);
    const lateHint = this.plan.isHeldAtOnce && !isHeld ? 'the hold does not know of the hint' : undefined;
    const told = this.plan.ear.events.length > 0 ? 'told of an end that decides nothing' : undefined;
    const won = isAnswer(kept.end) ? 'an answer waits' : undefined;
    const alone = flights.length === 0 ? 'no other attempt is out' : undefined;
    return { ...after, fault: won ?? alone ?? told ?? lateHint ?? this.verdictFault(heard) };
  }

  /** The hedge never was on the wire. */
  protected withdrawn(state: LatencyState, index: number): LatencyState {
    const flights = flightsOf(slotOf(state, index));
    const sent = flights.filter(({ isOnWire }) => isOnWire);
    if (sent.length === flights.length) return state;
    const session = this.restore(state, index);
    const before = this.listen();
    session.tail?.withdraw();
    const after = this.keepOut(state, index, session, { flights: sent });
    return {
      ...after,
      ...credited(state, 1_000, this.capacity),
      fault: this.silentFault(before),
    } as LatencyState;
  }

  /** The caller has its answer; what else is out has lost. */
  private over(
    state: LatencyState,
    index: number,
    session: LiveSession,
    others: readonly Flight[],
    end: End,
  ): State {
    const attempt = others[0]?.attempt;
    const isLeft = attempt !== undefined && (session.tail?.leaveLoser(attempt) ?? 0) > 0;
    const isRead = this.plan.hasBodies && end === 'succeeds';
    const kept = this.keep(state, index, isRead ? 'reading' : 'idle', session);
    const after = isRead
      ? withSlot(kept, index, { ...slotOf(kept, index), isTold: true } as HedgedSlot)
      : kept;
    const { hedge } = this.retrier.policy.fallback.settings;
    const share = hedge !== false && isAnswer(end) ? Math.round(hedge.share * 1_000) : 0;
    const { ledger } = credited(state, share, this.capacity);
    const losers = isLeft
      ? [...ledger.losers, { attempt, session: this.remembered(session) }]
      : ledger.losers;
    return { ...after, ledger: { ...ledger, losers } } as State;
  }

  protected override breaksOff(state: LatencyState, index: number): State {
    const session = this.restore(state, index);
    const slot = slotOf(state, index);
    this.listen();
    const decision = session.next(ends['is cut off'], { replayable: true, resumable: true });
    const isRetry = decision.action === 'retry';
    const after = isRetry
      ? this.keep(state, index, 'waiting', session, state.now + decision.delayMs)
      : this.keep(state, index, 'idle', session);
    return { ...after, fault: this.faultOfEnd(session, slot, !isRetry, true) };
  }

  private breaks(given: LatencyState, index: number, how: Break): State {
    const state = this.withdrawn(given, index);
    const session = this.restore(state, index);
    const slot = slotOf(state, index);
    this.listen();
    const outcome = breaks[how];
    if (outcome === undefined) session.abandon(new Error('hook'));
    const decision = outcome && session.next(outcome, { replayable: true });
    const fault = decision?.action === 'retry' ? `a request that ${how} is sent again` : undefined;
    const after = this.keep(state, index, 'idle', session);
    return {
      ...after,
      fault: fault ?? this.faultOfEnd(session, slot, true, slot.isHedged === true, outcome === undefined),
    };
  }

  protected loserGoes(state: LatencyState, index: number, loser: Lost, isAnswered: boolean): State {
    this.restoreScope(state);
    const session = this.revived(loser.session);
    const before = this.listen();
    session.tail?.loserGone(loser.attempt, isAnswered);
    const ledger = ledgerOf(state);
    const after = {
      ...state,
      scope: memoryOf(this.scope),
      ledger: { ...ledger, losers: ledger.losers.toSpliced(index, 1) },
    };
    return { ...after, fault: this.silentFault(before) } as State;
  }

  override attemptsOut(state: LatencyState): number {
    const out = state.slots.filter(({ phase }) => phase === 'sent');
    return out.flatMap(flightsOf).length + ledgerOf(state).losers.length;
  }

  // -------------------------------------------------------------- what is wrong

  /** Begins to listen to a step. */
  private listen(): Heard {
    const { ear } = this.plan;
    ear.events.length = 0;
    ear.signs = 0;
    return { budget: JSON.stringify(this.budget), gate: JSON.stringify(this.gate) };
  }

  /** For steps that must not be felt by gate and budget. */
  private silentFault(before: Heard): string | undefined {
    if (JSON.stringify(this.budget) !== before.budget) return 'the budget for retries has changed';
    return this.verdictFault(before);
  }

  private verdictFault(before: Heard): string | undefined {
    const hasChanged = JSON.stringify(this.gate) !== before.gate || this.plan.ear.signs > 0;
    return hasChanged ? 'the gate has heard something' : undefined;
  }

  private faultOfEnd(
    session: LiveSession,
    slot: HedgedSlot,
    isOver: boolean,
    isRace: boolean,
    isAbandoned = false,
  ): string | undefined {
    const { isOpen, events, signs } = this.plan.ear;
    if (!isOpen) return undefined;
    const settled = events.filter((event) => event.type === 'settled');
    const decisions = events.filter((event) => event.type === 'decision');
    const finding = session.history.at(-1)?.decision.finding;
    // A gate that is open hears of nothing else.
    const isSign = finding === undefined || signOf(finding) === 'alive' || isFailure(signOf(finding));
    if (this.gate !== undefined && (signs > 1 || (signs === 0 && isSign && !isAbandoned)))
      return `${signs} signs for the gate`;
    const expected = isOver && slot.isTold !== true ? 1 : 0;
    if (settled.length !== expected) return `settled ${settled.length} times`;
    if (isRace && !isAbandoned && decisions.length !== 1) return `${decisions.length} decisions`;
    const numbers = session.history.map(({ decision }) => decision.attempt).sort((a, b) => a - b);
    const isWhole = numbers.every((number, index) => number === index + 1);
    if (!isWhole && !isAbandoned) return `the history has the attempts ${numbers}`;
    if (new Set(numbers).size < numbers.length) return `the history has the attempts ${numbers}`;
    const [end] = settled;
    if (end === undefined) return undefined;
    if (end.attempts !== session.history.length) return `settled after ${end.attempts} attempts: ${numbers}`;
    const isTold = end.hedgeWon !== undefined;
    return isTold === (slot.isHedged === true) ? undefined : `hedgeWon is ${end.hedgeWon}`;
  }

  // -------------------------------------------------------------- memories

  /** What the scope counts. */
  countsIn(state: State): { readonly losers: number; readonly waiting: number; readonly tokens: number } {
    this.restoreScope(state);
    const { latencies, waiting } = this.scope;
    const { losers } = latencies as unknown as { readonly losers: number };
    const { tokens } = this.known?.hedging ?? { tokens: 0 };
    return { losers, waiting, tokens };
  }

  /** What the scope has learnt from the answers. */
  private get known(): CoreState | undefined {
    return this.scope.latencies?.of(this.retrier.policy.fallback).state;
  }

  private get capacity(): number {
    const { hedge } = this.retrier.policy.fallback.settings;
    return hedge === false ? 0 : hedge.capacity * 1_000;
  }

  private keepOut(
    state: State,
    index: number,
    session: LiveSession,
    change: Partial<HedgedSlot>,
  ): LatencyState {
    const slot = slotOf(state, index);
    const kept = this.keep(state, index, 'sent', session);
    return withSlot(kept, index, { ...slot, ...slotOf(kept, index), ...change } as HedgedSlot);
  }

  protected override keep(...given: Parameters<ScopeMachine['keep']>): State {
    const [state, index, phase] = given;
    const { isHedged = false, isTold = false } = slotOf(state, index);
    const kept = super.keep(...given);
    if (phase === 'idle') return kept;
    return withSlot(kept, index, { ...slotOf(kept, index), isHedged, isTold } as HedgedSlot);
  }

  override key(state: LatencyState): string {
    const { credit, throttledAt, losers } = ledgerOf(state);
    const key = super.key(state);
    const known = this.known && [this.known.level, this.known.hedging];
    return `${key} ${this.say(state, [credit, { throttledAt }, losers.length, known])}`;
  }

  protected override keyOfSlot(state: State, slot: HedgedSlot): string {
    const { flights, kept, isHedged, isTold, session } = slot;
    const attempts = listIn<Attempt>(session, fieldsOf(session)['attempts']) ?? [];
    const past = attempts.map(({ decision }) => [decision.attempt, decision.reason]);
    return `${super.keyOfSlot(state, slot)} ${this.say(state, [flights, kept, isHedged, isTold, past])}`;
  }
}

/** What is wrong with the ruling about two attempts, of which one was `kept` or is still out. */
function faultIn(
  { attempt, decision }: Exclude<Ruled, { kind: 'pending' }>,
  last: Kept,
  kept: HedgedSlot['kept'],
  out: number,
): string | undefined {
  if (decision === undefined) return 'no decision';
  if (decision.attempt !== attempt)
    return `attempt ${attempt} counts, and the decision says ${decision.attempt}`;
  if (out > 0) {
    if (attempt !== last.attempt || decision.action === 'retry') return 'the other attempt is still out';
    return isAnswer(last.end) ? undefined : `attempt ${attempt} ${last.end} and wins`;
  }
  if (kept === undefined) return 'nothing is known of the other attempt';
  if (isAnswer(last.end))
    return attempt === last.attempt ? undefined : 'a failure counts more than an answer';
  const failures = [kept, last];
  const counts = failures.find((failure) => failure.attempt === attempt);
  if (counts === undefined) return `attempt ${attempt} counts, which was not out`;
  const all = failures.map(({ end }) => ends[end]);
  const isResponse = all.some(({ kind }) => kind === 'response');
  if (isResponse && ends[counts.end].kind !== 'response') return 'an error counts more than a response';
  const hasVeto = failures.some(({ end }) => end === 'fails, and forbids a retry');
  if (hasVeto && decision.reason !== 'server-forbids') return `a veto, and ${decision.reason}`;
  const longest = Math.max(...failures.map(({ end, endedAt }) => hintOf(end) - (last.endedAt - endedAt)));
  const isTooEarly = decision.action === 'retry' && decision.delayMs < longest;
  return isTooEarly ? `a wait of ${longest} ms is asked for, and it is ${decision.delayMs}` : undefined;
}

function isAnswer(end: End): boolean {
  return end === 'succeeds' || end === 'fails for good (404)';
}

function hintOf(end: End): number {
  return { 'is refused for 3 s': 3_000, 'is refused for 1 s': 1_000 }[end as string] ?? 0;
}

function windowAfter(state: State, end: End): number {
  return hintOf(end) === 3_000 ? Math.max(state.windowEnds, state.now + 3_000) : state.windowEnds;
}

function throttledBy(state: LatencyState, end: End): Pick<LatencyState, 'ledger'> {
  const ledger = ledgerOf(state);
  return { ledger: hintOf(end) > 0 ? { ...ledger, throttledAt: state.now } : ledger };
}

function credited(state: LatencyState, amount: number, capacity = Infinity): { readonly ledger: Ledger } {
  const ledger = ledgerOf(state);
  return { ledger: { ...ledger, credit: Math.min(capacity, ledger.credit + amount) } };
}

function ledgerOf({ ledger = noLedger }: LatencyState): Ledger {
  return ledger;
}

function slotOf({ slots }: State, index: number): HedgedSlot {
  const slot = slots[index];
  if (slot === undefined) throw new Error(`there is no request ${index}`);
  return slot;
}

function flightsOf({ flights = [] }: HedgedSlot): readonly Flight[] {
  return flights;
}
