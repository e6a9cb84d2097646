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
import { LiveSession } from '../../src/runtime/live-session.js';
import { createRetrier, type Retrier } from '../../src/runtime/retrier.js';
import type { Scope } from '../../src/runtime/scope.js';
import { type RuleTail, Tails } from '../../src/runtime/tails.js';
import { answered, requestOf } from '../kit.js';
import type { Machine } from './explore.js';

type Fields = { [key: string]: unknown };

/** The fields of an object. */
export type Memory = Readonly<Record<string, unknown>>;

export interface Slot {
  /** `reading`: the caller has the head, and reads the body. */
  readonly phase: 'idle' | 'waiting' | 'sent' | 'reading';
  readonly session: Memory | undefined;
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
  /** How an attempt may end. */
  readonly ends: readonly End[];
  /** How far time passes in one step, if no request waits for less. */
  readonly ticksMs: readonly number[];
  /** Requests may be forgotten by their caller, without an abandon(). */
  readonly forgetful?: true;
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

export const idle: Slot = { phase: 'idle', session: undefined, wakeAt: Number.POSITIVE_INFINITY };
const never = Number.NEGATIVE_INFINITY;

export class ScopeMachine implements Machine<State> {
  readonly plan: Plan;
  readonly retrier: Retrier;
  readonly initial: State;
  readonly request: RequestFacts = requestOf();
  now = 0;
  protected readonly scope: Scope;

  constructor(plan: Plan) {
    this.plan = plan;
    this.retrier = createRetrier(plan.policy, { now: () => this.now, date: () => 0, random: () => 0.5 });
    // The whole class, since the model copies and restores its memory.
    this.scope = this.retrier.open(this.request).scope as Scope;
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
    for (const ms of leftMs < Number.POSITIVE_INFINITY ? [leftMs] : this.plan.ticksMs) {
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
      if (wakeAt <= state.now) yield ['asks again', this.proceed(state, index)];
    }
    if (phase !== 'sent') return;
    for (const end of this.plan.ends) yield [end, this.end(state, index, end)];
    if (this.plan.forgetful) yield ['is forgotten', withSlot(state, index, idle)];
  }

  begin(state: State, index: number): State {
    this.restoreScope(state);
    const session = this.remembered(this.retrier.open(this.requestOf(state, index)) as LiveSession);
    return this.proceed(withSlot(state, index, { ...idle, phase: 'waiting', session }), index);
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
    const isOver = outcome.kind === 'response' && session.acceptAtOnce(outcome.status);
    const decision = isOver ? undefined : session.next(outcome, { replayable: true });
    const after =
      decision?.action === 'retry'
        ? this.keep(state, index, 'waiting', session, state.now + decision.delayMs)
        : this.keep(state, index, 'idle', session);
    const seen = { ...after, ...saw(state, end, sentAt), ...(alive.has(end) && { suspects: [] }) };
    return this.seenShut(seen, before);
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
    return state.fault ?? this.plan.faultIn(this, state);
  }

  // -------------------------------------------------------------- memories

  get gate(): GateState | undefined {
    return only<GateState>(this.scope, 'gates');
  }

  get budget(): BudgetState | undefined {
    return only<BudgetState>(this.scope, 'budgets');
  }

  get hold(): HoldState | undefined {
    return only<HoldState>(this.scope, 'holds');
  }

  /** Restores the clock, the scope and one of the requests. */
  restore(state: State, index: number): LiveSession {
    this.restoreScope(state);
    return this.revived(state.slots[index]?.session ?? {});
  }

  restoreScope(state: State): void {
    this.now = state.now;
    copyTo(this.scope, state.scope);
  }

  protected revived(memory: Memory): LiveSession {
    return copyTo(Object.create(LiveSession.prototype), memory);
  }

  protected remembered(session: LiveSession): Memory {
    return memoryOf(session);
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
    const slots = state.slots.map((slot) => this.keyOfSlot(state, slot)).sort();
    const { row, rowSince, lives, windowEnds, suspects, fault, scope } = state;
    const { budgets, gates, holds, samples, waiting } = scope as Record<string, ReadonlyMap<object, unknown>>;
    const shared = [budgets, gates, holds, samples].map((map) => [...(map?.values() ?? [])]);
    return this.say(state, [
      shared,
      waiting,
      slots,
      Math.min(row, 9),
      lives,
      suspects,
      { rowSince, windowEnds, fault },
    ]);
  }

  protected keyOfSlot(state: State, { phase, session, wakeAt, path }: Slot): string {
    const { turn, attempts } = (session ?? {}) as { turn?: unknown; attempts?: readonly unknown[] };
    return this.say(state, [phase, path, { wakeAt }, turn, attempts?.length]);
  }

  /** A state with times relative to now, up to the longest time that matters, and places relative to the next one. */
  protected say({ now, scope }: State, value: unknown): string {
    const gate = only<GateState>(scope, 'gates')?.epoch ?? 0;
    const next = only<HoldState>(scope, 'holds')?.nextPlace ?? 0;
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

export function sentAtOf(session: unknown): number | undefined {
  return (session as { readonly turn?: { readonly sentAt: number } }).turn?.sentAt;
}

export function withSlot(state: State, index: number, slot: Slot): State {
  const path = state.slots[index]?.path;
  return { ...state, slots: state.slots.with(index, path === undefined ? slot : { ...slot, path }) };
}

function suspected({ slots, suspects }: State, index: number): readonly string[] {
  const path = slots[index]?.path;
  return path === undefined || suspects.includes(path) ? suspects : [...suspects, path];
}

function only<T>(scope: unknown, map: string): T | undefined {
  return [...((scope as Record<string, ReadonlyMap<object, T>>)[map]?.values() ?? [])][0];
}

export function memoryOf(object: object): Memory {
  return copyTo({}, object as Memory);
}

/** Copies one level deep: nothing below that is changed in place. */
function copyTo<T extends object>(target: T, memory: Memory): T {
  for (const key of Object.keys(memory)) (target as Fields)[key] = fresh(key, memory[key]);
  return target;
}

function fresh(key: string, value: unknown): unknown {
  if (value instanceof Tails) return copyTo(new Tails(), value as unknown as Memory);
  if (key === 'byRule') {
    return new Map([...(value as Map<unknown, RuleTail>)].map(([rule, known]) => [rule, { ...known }]));
  }
  if (value instanceof Map) return new Map(value);
  if (Array.isArray(value)) return [...value];
  return key === 'turn' && value !== undefined ? { ...(value as object) } : value;
}
