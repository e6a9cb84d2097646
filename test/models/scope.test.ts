/**
 * The gate, the hold and the budget of a scope, in every interleaving of three requests (each may be sent again and
 * again) up to a given number of steps. The model explores the same sessions and scopes that adapters use.
 */

import { describe, expect, test } from 'vitest';
import type { GateState } from '../../src/core/limits/gate/state.js';
import { timeOf } from '../../src/core/limits/hold/queue.js';
import { refusedOfTen } from './burst.js';
import { type Exploration, explore } from './explore.js';
import { type End, idle, type Memory, type Plan, ScopeMachine, type State } from './scope-machine.js';

// ---------------------------------------------------------------- what is never so

/**
 * After all requests have left or been answered and half a minute has passed, ten requests at once must not be refused.
 */
function doesNotComeBack(machine: ScopeMachine, state: State): string | undefined {
  const answered = machine.settle(state).slots.reduce<State>((at, { phase }, index) => {
    return phase === 'sent' ? machine.end(at, index, 'succeeds') : at;
  }, machine.settle(state));
  const quiet = machine.settle({ ...answered, now: answered.now + 30_000 });
  machine.restore(quiet);
  const refused = refusedOfTen(machine, quiet);
  return refused === 0 ? undefined : `a server that is well: ${refused} of ten requests at once are refused`;
}

/**
 * After all waiting requests have left, a new one waits only for the window and one distance, and not for places of
 * requests that are gone.
 */
function keepsPlaces(machine: ScopeMachine, state: State): string | undefined {
  const at = machine.settle(state);
  machine.restore(at);
  const newcomer = machine.retrier.open(machine.request);
  const admission = newcomer.admit();
  const { hold } = machine;
  if (admission.kind === 'go' || machine.gate?.kind === 'shut' || hold === undefined) return undefined;
  const place = turnOf(newcomer as unknown as Memory)?.claim.place;
  const waitMs = place === undefined ? 0 : timeOf(hold, place) - at.now;
  // One more millisecond, for rounding.
  const most = Math.max(0, hold.until - at.now) + hold.spacingMs + 1;
  if (admission.kind === 'wait' ? waitMs <= most : most > longestQueueOf(machine)) return undefined;
  return `no request is waiting, but a new one is told to wait: ${JSON.stringify(admission)}, for ${waitMs} ms`;
}

function longestQueueOf(machine: ScopeMachine): number {
  const { hold } = machine.retrier.policy.fallback.settings;
  return (hold !== false && hold.maxQueueMs) || Number.POSITIVE_INFINITY;
}

/** Every request has a place of its own that was not given back. */
function givesPlacesTwice(machine: ScopeMachine, state: State): string | undefined {
  machine.restore(state);
  const { hold } = machine;
  if (hold === undefined) return undefined;
  const places = state.slots.flatMap((slot) => turnOf(slot.session)?.claim.place ?? []);
  const isWrong = (place: number): boolean => place >= hold.nextPlace || hold.gaps.includes(place);
  return new Set(places).size < places.length || places.some(isWrong)
    ? `places ${places}, of which ${hold.gaps} were given back; the next is ${hold.nextPlace}`
    : undefined;
}

/** The ramp counts as many places as requests hold, and there is at most one probe. */
function miscounts(machine: ScopeMachine, state: State): string | undefined {
  machine.restore(state);
  const { gate } = machine;
  if (gate === undefined || gate.kind === 'open') return undefined;
  const out = state.slots.filter(({ phase }) => phase === 'sent').map((slot) => turnOf(slot.session));
  const passes = out.filter((turn) => turn?.epoch === gate.epoch);
  return gate.kind === 'shut' ? probesOf(gate, passes, state.now) : rampOf(gate, passes, state.now);
}

type Of<K extends GateState['kind']> = Extract<GateState, { kind: K }>;
type Passes = readonly ({ readonly sentAt: number } | undefined)[];

function probesOf({ probingSince }: Of<'shut'>, passes: Passes, now: number): string | undefined {
  // A probe that hangs for five seconds is given up.
  const probes = passes.filter((turn) => now - (turn?.sentAt ?? 0) < 5_000).length;
  const known = probingSince !== undefined && now - probingSince < 5_000 ? 1 : 0;
  return probes === known ? undefined : `${probes} probes are out, and the gate knows of ${known}`;
}

function rampOf(
  { placesSince, places, placesBefore }: Of<'ramping'>,
  passes: Passes,
  now: number,
): string | undefined {
  if (now - placesSince >= 1_000) return undefined;
  const since = (fromMs: number): number => passes.filter((turn) => (turn?.sentAt ?? 0) >= fromMs).length;
  const taken = since(placesSince);
  const before = since(placesSince - 1_000) - taken;
  return taken === places && before === placesBefore
    ? undefined
    : `${before} and ${taken} requests have places in the ramp, and ${placesBefore} and ${places} are taken`;
}

function overdraws(machine: ScopeMachine, state: State): string | undefined {
  machine.restore(state);
  const { budget } = machine;
  const { budget: settings } = machine.retrier.policy.fallback.settings;
  if (budget === undefined || settings === false || settings.kind !== 'bucket' || !('tokens' in budget))
    return;
  const isWithin = budget.tokens >= 0 && budget.tokens <= settings.capacity * 1_000;
  return isWithin ? undefined : `${budget.tokens} thousandths of a token`;
}

interface TurnInside {
  readonly epoch: number;
  readonly sentAt: number;
  readonly claim: { readonly place: number | undefined };
}

function turnOf(session: Memory | undefined): TurnInside | undefined {
  return session?.['turn'] as TurnInside | undefined;
}

type Check = Plan['faultIn'];

function anyOf(...checks: readonly Check[]): Check {
  return (machine, state) => {
    for (const check of checks) {
      const fault = check(machine, state);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

// ---------------------------------------------------------------- what is explored

const gate = { failures: 2, deadForMs: 200, probeMs: 1_000, rampMs: 2_000 } as const;
const atOnce = { ...gate, deadForMs: 0 };

const plans: Readonly<Record<string, readonly [plan: Plan, depth: number]>> = {
  'a gate that is open': [
    {
      policy: { maxRetries: 0, budget: false, gate },
      ends: ['succeeds', 'fails (503)', 'fails (500)', 'is refused for 1 s', 'is aborted'],
      ticksMs: [250, 2_500],
      faultIn: anyOf(miscounts, doesNotComeBack),
    },
    8,
  ],
  'a gate that is shut': [
    {
      policy: { maxRetries: 0, budget: false, gate: atOnce },
      ends: ['succeeds', 'fails (503)', 'fails (500)', 'is refused for 1 s', 'is aborted'],
      ticksMs: [250, 2_500],
      before: [2, 'fails (503)'],
      faultIn: anyOf(miscounts, doesNotComeBack),
    },
    8,
  ],
  'a gate, and requests that are forgotten': [
    {
      policy: { maxRetries: 0, budget: false, gate: atOnce },
      ends: ['succeeds', 'times out', 'is aborted'],
      ticksMs: [250, 2_500],
      before: [2, 'fails (503)'],
      forgetful: true,
      faultIn: doesNotComeBack,
    },
    8,
  ],
  'a hold at the first word': [
    {
      policy: { maxRetries: 1, budget: false, hintJitter: 0, hold: { refusedShare: 0 } },
      ends: ['succeeds', 'is refused for 3 s', 'is refused for 1 s', 'is aborted'],
      ticksMs: [500, 12_000],
      isHeldAtOnce: true,
      faultIn: anyOf(givesPlacesTwice, keepsPlaces),
    },
    7,
  ],
  'a hold after thirty refusals, and a queue that is short': [
    {
      policy: {
        maxRetries: 1,
        budget: false,
        hintJitter: 0,
        deadlineMs: 10_000,
        hold: { maxQueueMs: 2_000 },
      },
      ends: ['succeeds', 'is refused for 3 s', 'is aborted'],
      ticksMs: [500],
      before: [40, 'is refused for 1 s'],
      faultIn: anyOf(givesPlacesTwice, keepsPlaces),
    },
    7,
  ],
  'all of them': [
    {
      policy: {
        maxRetries: 2,
        schedule: { kind: 'fixed', waitMs: 100, jitter: 'none' },
        budget: {
          capacity: 2,
          perSuccess: 0.5,
          perSecond: 0.1,
          cost: { transient: 1, throttled: 1, timeout: 2 },
        },
        gate: atOnce,
        hold: { refusedShare: 0 },
        hintJitter: 0,
      },
      ends: ['succeeds', 'fails (503)', 'times out', 'is refused for 3 s'],
      ticksMs: [300],
      isHeldAtOnce: true,
      faultIn: anyOf(overdraws, miscounts, givesPlacesTwice, doesNotComeBack),
    },
    6,
  ],
};

/** The path to a fault, one step per line, for people who read a failure. */
function story({ fault }: Exploration): string {
  return fault === undefined ? 'no fault' : [...fault.path, fault.what].join('\n');
}

describe('three requests', () => {
  test.each(Object.entries(plans))('%s', (_, [plan, depth]) => {
    const exploration = explore(new ScopeMachine(plan), depth);
    expect(story(exploration)).toBe('no fault');
    expect(exploration.states).toBeGreaterThan(500);
  });
});

// ---------------------------------------------------------------- the checker itself

/** Planted fault: requests leave without saying so. */
class Ghosts extends ScopeMachine {
  override leave(state: State, index: number): State {
    return { ...state, slots: state.slots.with(index, idle) };
  }
}

/** Planted fault: an attempt ends twice. */
class Stutterers extends ScopeMachine {
  override end(state: State, index: number, end: End): State {
    const after = super.end(state, index, end);
    return { ...super.end({ ...after, slots: state.slots }, index, end), slots: after.slots };
  }
}

/** Planted fault: the clock of the request that asks is three seconds fast. */
class Hasty extends ScopeMachine {
  override proceed(state: State, index: number): State {
    const after = super.proceed(
      { ...state, now: state.now + 3_000, windowEnds: state.windowEnds + 3_000 },
      index,
    );
    return { ...after, now: state.now, windowEnds: state.windowEnds };
  }
}

/** Planted fault: the observer expects a longer row than the gate does. */
class Strict extends ScopeMachine {
  override end(state: State, index: number, end: End): State {
    return super.end({ ...state, rowSince: state.row > 0 ? state.now - 100 : 0 }, index, end);
  }
}

const nothingElse: Check = () => undefined;

describe('a planted fault is found', () => {
  test.each<[string, string, new (plan: Plan) => ScopeMachine, Check, RegExp]>([
    [
      'a hold at the first word',
      'requests leave without saying so',
      Ghosts,
      keepsPlaces,
      /a new one is told to wait/,
    ],
    [
      'a gate that is shut',
      'an attempt ends twice',
      Stutterers,
      miscounts,
      /requests have places in the ramp/,
    ],
    ['a hold at the first word', 'a clock is fast', Hasty, nothingElse, /sent .* before the window is over/],
    ['a gate that is open', 'another rule', Strict, nothingElse, /shut after 2 failures in a row, in 100 ms/],
  ])('%s: %s', (name, _, Machine, faultIn, what) => {
    const [plan, depth] = plans[name] ?? [];
    if (plan === undefined || depth === undefined) throw new Error(`no such plan: ${name}`);
    expect(story(explore(new Machine({ ...plan, faultIn }), depth))).toMatch(what);
  });
});
