/**
 * Three requests in one scope, as a state machine: the real sessions and the real shared state, under a clock of its
 * own. A state is a copy of all that they remember, which can be restored; nothing in it is changed in place.
 */

import { AttemptTimeoutError } from '../../src/core/errors.js';
import type { BudgetState } from '../../src/core/limits/budget/state.js';
import type { GateState } from '../../src/core/limits/gate/state.js';
import type { HoldState } from '../../src/core/limits/hold/state.js';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { ErrorOutcome, RequestFacts, ResponseOutcome } from '../../src/core/types.js';
import type { Fleet } from '../../src/kernel/fleet.js';
import type { ScopeConcurrency } from '../../src/kernel/limits/concurrency.js';
import type { Limits } from '../../src/kernel/limits/limits.js';
import type { Permit } from '../../src/kernel/limits/permit.js';
import { LiveSession } from '../../src/kernel/live-session.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import type { Scope } from '../../src/kernel/scope.js';
import { allParts, createRetrier } from '../../src/parts/all.js';
import { accepts, answered, requestOf } from '../kit.js';
import type { Machine } from './explore.js';
import { type Memory, memoryOf, restore } from './memory.js';

/** A session, and what it remembered. */
export interface Remembered {
  readonly session: LiveSession;
  readonly memory: Memory;
}

export interface Slot {
  /** `reading`: the caller has the head, and reads the body. */
  readonly phase: 'idle' | 'waiting' | 'sent' | 'reading';
  readonly session: Remembered | undefined;
  /** When the request asks again. */
  readonly wakeAt: number;
  /** What it asks for, if not all ask for the same. */
  readonly path?: string;
}

export interface State {
  readonly now: number;
  readonly scope: Memory;
  readonly slots: readonly Slot[];
  /** What an observer from outside has counted: first attempts that failed in a row, and since when. */
  readonly row: number;
  readonly rowSince: number;
  /** How many signs of life there were before that row, without a failure between them. */
  readonly lives: number;
  /** The end of the last window that an answer asked for. */
  readonly windowEnds: number;
  /** The paths that were asked for and not answered since the last sign of life. */
  readonly suspects: readonly string[];
  /** What went wrong in the step that led here. */
  readonly fault: string | undefined;
}

export interface Plan {
  /** Default: 3. */
  readonly requests?: number;
  /** What each of them asks for. Default: all for the same. */
  readonly paths?: readonly string[];
  readonly policy: PolicyOptions;
  /** Attempts occupy their limits until the body of their answer is over, which is read or breaks off. */
  readonly awaitsBody?: true;
  /** What hears of the limits, if anything does. */
  readonly fleet?: Fleet;
  /** How an attempt may end. */
  readonly ends: readonly End[];
  /** How far time passes in one step, if no request waits for less. */
  readonly ticksMs: readonly number[];
  /** Requests may be forgotten by their caller, without an abandon(). */
  readonly forgetful?: true;
  /** Requests that wait may ask again at any time, as those do that are called. */
  readonly asksEarly?: true;
  /** No request may be sent before the end of a window that any answer asked for. */
  readonly isHeldAtOnce?: true;
  /** How many requests end like this, one after the other (or in turn like these), before the exploration begins. */
  readonly before?: readonly [count: number, end: End | readonly End[], eachMs?: number];
  faultIn(machine: ScopeMachine, state: State): string | undefined;
}

export type End = keyof typeof ends;

const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });

export const ends = {
  succeeds: answered(200),
  'fails (503)': answered(503),
  'fails (500)': answered(500),
  'is cut off': { kind: 'error', error: reset },
  'times out': { kind: 'error', error: new AttemptTimeoutError(1_000) },
  'is refused for 3 s': answered(429, { 'retry-after': '3' }),
  'is refused for 1 s': answered(429, { 'retry-after': '1' }),
  'fails for good (404)': answered(404),
  'fails, and forbids a retry': answered(503, { 'x-should-retry': 'false' }),
  'is aborted': { kind: 'error', error: new Error('aborted'), aborted: true },
} as const satisfies Record<string, ErrorOutcome | ResponseOutcome>;

const dead: ReadonlySet<End> = new Set([
  'fails (503)',
  'fails, and forbids a retry',
  'is cut off',
  'times out',
]);
const alive: ReadonlySet<End> = new Set(['succeeds', 'fails for good (404)']);

export const idle: Slot = { phase: 'idle', session: undefined, wakeAt: Infinity };
const never = -Infinity;

export class ScopeMachine implements Machine<State> {
  readonly plan: Plan;
  readonly retrier: Retrier;
  readonly initial: State;
  readonly request: RequestFacts = requestOf();
  now = 0;
  protected readonly scope: Scope;
  protected readonly limits: Limits;
  /** The scope and its parts, which are not a part of any session. */
  private readonly ofScope: ReadonlySet<object>;

  constructor(plan: Plan) {
    this.plan = plan;
    const ports = { now: () => this.now, date: () => 0, random: () => 0.5 };
    const { fleet } = plan;
    this.retrier = createRetrier(plan.policy, ports, fleet === undefined ? {} : { fleet });
    // The whole class, since the model copies and restores its memory.
    this.scope = this.retrier.open(this.request).scope as Scope;
    const { fallback } = this.retrier.policy;
    const { settings } = fallback;
    const asked = plan.awaitsBody ? { ...settings, awaitsBody: true } : settings;
    this.limits = this.scope.limitsOf(fallback, asked);
    this.ofScope = new Set(memoryOf(this.scope).keys());
    const slots = Array.from({ length: plan.requests ?? 3 }, (_, index): Slot => {
      const path = plan.paths?.[index];
      return path === undefined ? idle : { ...idle, path };
    });
    const scope = memoryOf(this.scope);
    let state: State = {
      now: 0,
      scope,
      slots,
      row: 0,
      rowSince: 0,
      lives: 0,
      windowEnds: never,
      suspects: [],
      fault: undefined,
    };
    const [count, ended, eachMs = 0] = plan.before ?? [0, 'succeeds'];
    const ends = typeof ended === 'string' ? [ended] : ended;
    for (let done = 0; done < count; done += 1) {
      const end = ends[done % ends.length] as End;
      const begun = this.begin(state, 0);
      const after = this.settle(begun.slots[0]?.phase === 'sent' ? this.end(begun, 0, end) : begun);
      state = { ...after, now: after.now + eachMs };
    }
    this.initial = state;
  }

  // -------------------------------------------------------------- what may happen

  *steps(state: State): Iterable<readonly [string, State]> {
    const seen = new Set<string>();
    for (const [index, slot] of state.slots.entries()) {
      // Among requests with the same memory, one is enough.
      const key = this.keyOfSlot(state, slot);
      if (seen.has(key)) continue;
      seen.add(key);
      for (const [what, next] of this.stepsOf(state, slot, index)) {
        yield [`${state.now} ms: ${'ABC'[index]} ${what}`, next];
      }
    }
    const leftMs = Math.min(...state.slots.map(({ wakeAt }) => wakeAt)) - state.now;
    if (leftMs <= 0) return;
    for (const ms of leftMs < Infinity ? [leftMs] : this.plan.ticksMs) {
      yield [`${ms} ms pass`, { ...state, now: state.now + ms }];
    }
  }

  protected *stepsOf(
    state: State,
    { phase, wakeAt }: Slot,
    index: number,
  ): Iterable<readonly [string, State]> {
    if (phase === 'idle') yield ['begins', this.begin(state, index)];
    if (phase === 'waiting') {
      yield ['leaves', this.leave(state, index)];
      if (wakeAt <= state.now || this.plan.asksEarly) yield ['asks again', this.proceed(state, index)];
    }
    if (phase === 'reading') {
      yield ['reads to the end', this.reads(state, index)];
      yield ['reads, and the body breaks off', this.breaksOff(state, index)];
    }
    if (phase !== 'sent') return;
    for (const end of this.plan.ends) yield [end, this.end(state, index, end)];
    if (this.plan.forgetful) yield ['is forgotten', withSlot(state, index, idle)];
  }

  begin(state: State, index: number): State {
    this.restoreScope(state);
    const session = this.remembered(this.open(this.requestOf(state, index)));
    return this.proceed(withSlot(state, index, { ...idle, phase: 'waiting', session }), index);
  }

  private open(request: RequestFacts): LiveSession {
    if (this.plan.awaitsBody) return new LiveSession(request, this.limits).opened(allParts);
    return this.retrier.open(request) as LiveSession;
  }

  requestOf({ slots }: State, index: number): RequestFacts {
    const path = slots[index]?.path;
    return path === undefined ? this.request : requestOf({ path });
  }

  /** Does what an adapter does: sends, waits, or gives up. */
  proceed(state: State, index: number): State {
    const session = this.restore(state, index);
    const admission = session.admit();
    if (admission.kind === 'refuse') session.abandon();
    if (admission.kind === 'go') {
      const leftMs = this.plan.isHeldAtOnce ? state.windowEnds - state.now : 0;
      const fault = leftMs > 0 ? `sent ${leftMs} ms before the window is over` : undefined;
      const suspects = suspected(state, index);
      return { ...this.keep(state, index, 'sent', session), suspects, fault };
    }
    if (admission.kind === 'refuse') return this.keep(state, index, 'idle', session);
    return this.keep(state, index, 'waiting', session, state.now + admission.delayMs);
  }

  end(state: State, index: number, end: End): State {
    const session = this.restore(state, index);
    const outcome: ErrorOutcome | ResponseOutcome = ends[end];
    const before = this.gate?.kind;
    const sentAt = sentAtOf(session) ?? state.now;
    const isOver = outcome.kind === 'response' && accepts(session, outcome.status);
    const decision = isOver ? undefined : session.next(outcome, { replayable: true });
    const phase = this.plan.awaitsBody && outcome.kind === 'response' ? 'reading' : 'idle';
    const after =
      decision?.action === 'retry'
        ? this.keep(state, index, 'waiting', session, state.now + decision.delayMs)
        : this.keep(state, index, phase, session);
    const seen = { ...after, ...saw(state, end, sentAt), ...(alive.has(end) && { suspects: [] }) };
    return this.seenShut(seen, before);
  }

  private reads(state: State, index: number): State {
    const session = this.restore(state, index);
    session.bodyEnded();
    return this.keep(state, index, 'idle', session);
  }

  protected breaksOff(state: State, index: number): State {
    const session = this.restore(state, index);
    const decision = session.next(ends['is cut off'], { replayable: true, resumable: true });
    if (decision.action === 'stop') session.bodyEnded();
    return decision.action === 'retry'
      ? this.keep(state, index, 'waiting', session, state.now + decision.delayMs)
      : this.keep(state, index, 'idle', session);
  }

  /** The state, with a fault if the gate has just shut against the rule. */
  protected seenShut(seen: State, before: GateState['kind'] | undefined): State {
    const goesShut = before !== 'shut' && this.gate?.kind === 'shut';
    return goesShut ? { ...seen, fault: this.whyShut(seen, before === 'ramping') } : seen;
  }

  leave(state: State, index: number): State {
    const session = this.restore(state, index);
    session.abandon();
    return this.keep(state, index, 'idle', session);
  }

  /** All waiting requests leave. */
  settle(state: State): State {
    return state.slots.reduce(
      (at, { phase }, index) => (phase === 'waiting' ? this.leave(at, index) : at),
      state,
    );
  }

  private whyShut({ row, rowSince, lives, now }: State, wasRamping: boolean): string | undefined {
    const { gate } = this.retrier.policy.fallback.settings;
    if (gate === false) return 'shut, and there is no gate';
    const isNew = lives >= gate.failures;
    const deadForMs = isNew ? gate.deadForMs : 5 * gate.deadForMs;
    const isByTheRule = row >= gate.failures && now - rowSince >= deadForMs;
    const isTooEarly = wasRamping && row >= 10;
    if (isByTheRule || isTooEarly) return undefined;
    return `shut after ${row} failures in a row, in ${now - rowSince} ms`;
  }

  faultIn(state: State): string | undefined {
    return state.fault ?? this.permitFault(state) ?? this.plan.faultIn(this, state);
  }

  /** Every attempt that is out has a permit, and no other one does. */
  private permitFault(state: State): string | undefined {
    if (this.plan.forgetful || !this.limits.settings.needsAdmission) return undefined;
    this.restoreScope(state);
    const { out } = this.scope;
    const attempts = this.attemptsOut(state);
    return out === attempts ? undefined : `${out} permits are out, for ${attempts} attempts`;
  }

  attemptsOut({ slots }: State): number {
    return slots.filter(({ phase }) => phase === 'sent' || (phase === 'reading' && this.plan.awaitsBody))
      .length;
  }

  // -------------------------------------------------------------- memories

  get gate(): GateState | undefined {
    return this.limits.gate?.state;
  }

  get budget(): BudgetState | undefined {
    return this.limits.budget?.spendable(this.now);
  }

  get concurrency(): ReturnType<ScopeConcurrency['snapshot']> {
    return this.limits.concurrency?.snapshot();
  }

  get hold(): HoldState | undefined {
    return this.limits.hold?.state;
  }

  /** Restores the clock, the scope and one of the requests. */
  restore(state: State, index: number): LiveSession {
    this.restoreScope(state);
    const remembered = state.slots[index]?.session;
    if (remembered === undefined) throw new Error(`request ${index} has not begun`);
    return this.revived(remembered);
  }

  restoreScope(state: State): void {
    this.now = state.now;
    restore(state.scope);
  }

  protected revived({ session, memory }: Remembered): LiveSession {
    restore(memory);
    return session;
  }

  remembered(session: LiveSession): Remembered {
    return { session, memory: memoryOf(session, this.ofScope) };
  }

  protected keep(
    state: State,
    index: number,
    phase: Slot['phase'],
    session: LiveSession,
    wakeAt?: number,
  ): State {
    const slot =
      phase === 'idle'
        ? idle
        : { ...idle, phase, session: this.remembered(session), ...(wakeAt && { wakeAt }) };
    return { ...withSlot(state, index, slot), scope: memoryOf(this.scope) };
  }

  key(state: State): string {
    this.restoreScope(state);
    const slots = state.slots.map((slot) => this.keyOfSlot(state, slot)).sort();
    const { row, rowSince, lives, windowEnds, suspects, fault } = state;
    const shared = [
      this.budget,
      this.gate,
      this.hold,
      this.limits.hold?.sample,
      this.scope.waiting,
      this.scope.out,
      this.concurrency?.waiting,
    ];
    const seen = [Math.min(row, 9), lives, suspects, { rowSince, windowEnds, fault }];
    return this.say(state, [shared, slots, seen]);
  }

  protected keyOfSlot(state: State, { phase, session, wakeAt, path }: Slot): string {
    const { attempts } = fieldsOf(session);
    return this.say(state, [phase, path, { wakeAt }, permitOf(session), listIn(session, attempts)?.length]);
  }

  /** A state with times relative to now, up to the longest time that matters, and places relative to the next one. */
  protected say({ now }: State, value: unknown): string {
    const gate = this.gate?.epoch ?? 0;
    const next = this.hold?.nextPlace ?? 0;
    return JSON.stringify(value, (key, it: unknown) => {
      if (typeof it !== 'number') return it;
      const unit = unitOf(key);
      if (unit === 'time') return Math.max(-100_000, Math.round(it - now));
      if (unit === 'epoch') return Math.max(-2, it - gate);
      return Math.round((unit === 'place' ? it - next : it) * 1_000);
    });
  }
}

type Unit = 'time' | 'epoch' | 'place' | 'amount';

/** Each name of a field is looked at once: there are few, and they are asked for millions of times. */
const units = new Map<string, Unit>();

function unitOf(field: string): Unit {
  const known = units.get(field);
  if (known !== undefined) return known;
  const unit = unitFrom(field);
  units.set(field, unit);
  return unit;
}

function unitFrom(field: string): Unit {
  if (/^(at|until|since|queuesUntil)$|(At|Since|Ends|Until)$/.test(field)) return 'time';
  if (field === 'epoch') return 'epoch';
  return /place/i.test(field) ? 'place' : 'amount';
}

export function saw(state: State, end: End, sentAt: number): Partial<State> {
  const { now, row, rowSince, lives } = state;
  if (end === 'is refused for 3 s') return { windowEnds: Math.max(state.windowEnds, now + 3_000) };
  if (alive.has(end)) return { row: 0, rowSince: 0, lives: row === 0 ? Math.min(9, lives + 1) : 1 };
  if (!dead.has(end)) return {};
  const began = end === 'times out' ? sentAt : now;
  return { row: row + 1, rowSince: row === 0 ? began : rowSince };
}

/** Undefined: it was not let through yet, as far as it knows. */
export function sentAtOf({ permit }: LiveSession): number | undefined {
  return permit?.sentAt === -Infinity ? undefined : permit?.sentAt;
}

export function withSlot(state: State, index: number, slot: Slot): State {
  const path = state.slots[index]?.path;
  return { ...state, slots: state.slots.with(index, path === undefined ? slot : { ...slot, path }) };
}

function suspected({ slots, suspects }: State, index: number): readonly string[] {
  const path = slots[index]?.path;
  return path === undefined || suspects.includes(path) ? suspects : [...suspects, path];
}

/** The fields of a session as they were. */
export function fieldsOf(remembered: Remembered | undefined): Readonly<Record<string, unknown>> {
  return (remembered?.memory.get(remembered.session) ?? {}) as Readonly<Record<string, unknown>>;
}

/** A list of a session as it was. */
export function listIn<T>(remembered: Remembered | undefined, list: unknown): readonly T[] | undefined {
  return remembered?.memory.get(list as object) as readonly T[] | undefined;
}

/** What the attempt of a session held of its limits, and when it was sent. */
export function permitOf(remembered: Remembered | undefined): Permit | undefined {
  return remembered?.memory.get(fieldsOf(remembered)['permit'] as object) as Permit | undefined;
}
