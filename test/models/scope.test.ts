/**
 * The gate, the hold and the budget of a scope, in every interleaving of three requests (each may be sent again and
 * again) up to a given number of steps. The model explores the same sessions and scopes that adapters use.
 */

import { describe, expect, test } from 'vitest';
import type { RequestFacts } from '../../src/core/types.js';
import { explore, moreSteps } from './explore.js';
import {
  anyOf,
  type Check,
  crowds,
  doesNotComeBack,
  givesPlacesTwice,
  keepsPlaces,
  miscounts,
  overdraws,
  probesAtPace,
  refusesInnocent,
  story,
  triesFairly,
  triesTwice,
} from './faults.js';
import { memoryOf } from './memory.js';
import { type End, idle, type Plan, ScopeMachine, type State } from './scope-machine.js';

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
  'a gate that is shut, and probes that are not answered': [
    {
      policy: { maxRetries: 0, budget: false, gate: atOnce },
      ends: ['succeeds', 'times out', 'is aborted'],
      ticksMs: [250, 1_000],
      before: [2, 'fails (503)'],
      faultIn: anyOf(miscounts, probesAtPace, doesNotComeBack),
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
  'a gate that is shut, and requests of another kind': [
    {
      policy: { maxRetries: 0, budget: false, gate: atOnce },
      paths: ['/events', '/state', '/state'],
      ends: ['succeeds', 'fails (503)', 'is aborted'],
      ticksMs: [250, 2_500],
      before: [2, 'fails (503)'],
      faultIn: anyOf(miscounts, doesNotComeBack, refusesInnocent, triesTwice),
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
  'a hold that tries whether sending less helps': [
    {
      policy: {
        maxRetries: 1,
        budget: false,
        hintJitter: 0,
        deadlineMs: 10_000,
        hold: { maxQueueMs: 2_000 },
      },
      ends: ['succeeds', 'is refused for 1 s', 'is aborted'],
      ticksMs: [500, 1_500],
      before: [82, ['is refused for 1 s', 'is refused for 1 s', 'succeeds'], 25],
      faultIn: anyOf(givesPlacesTwice, keepsPlaces, triesFairly),
    },
    7,
  ],
  'a trickle, where everything is refused': [
    {
      policy: {
        maxRetries: 1,
        budget: false,
        hintJitter: 0,
        deadlineMs: 10_000,
        hold: { maxQueueMs: 2_000 },
      },
      ends: ['succeeds', 'is refused for 3 s', 'is aborted'],
      ticksMs: [500, 3_000],
      before: [82, 'is refused for 3 s', 25],
      faultIn: anyOf(givesPlacesTwice, keepsPlaces),
    },
    7,
  ],
  'a hold after forty refusals at once, and a queue that is short': [
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
  'bodies that occupy a gate and a hold': [
    {
      policy: {
        maxRetries: 1,
        budget: false,
        schedule: { kind: 'fixed', waitMs: 100, jitter: 'none' },
        hintJitter: 0,
        gate: atOnce,
        hold: { refusedShare: 0 },
      },
      ends: ['succeeds', 'fails (503)', 'is refused for 3 s', 'is aborted'],
      ticksMs: [500, 3_000],
      awaitsBody: true,
      faultIn: anyOf(miscounts, givesPlacesTwice),
    },
    6,
  ],
  'attempts that are in flight until the end of their bodies': [
    {
      policy: {
        maxRetries: 1,
        budget: false,
        schedule: { kind: 'fixed', waitMs: 100, jitter: 'none' },
        concurrency: { limit: 1, maxWaiting: 1 },
      },
      ends: ['succeeds', 'fails (503)', 'is aborted'],
      ticksMs: [500],
      awaitsBody: true,
      asksEarly: true,
      faultIn: crowds,
    },
    8,
  ],
  'attempts in flight, behind a gate and a hold': [
    {
      policy: {
        maxRetries: 1,
        budget: false,
        schedule: { kind: 'fixed', waitMs: 100, jitter: 'none' },
        hintJitter: 0,
        gate: atOnce,
        hold: { refusedShare: 0 },
        concurrency: 2,
      },
      ends: ['succeeds', 'fails (503)', 'is refused for 3 s', 'is aborted'],
      ticksMs: [500, 3_000],
      awaitsBody: true,
      asksEarly: true,
      faultIn: anyOf(crowds, miscounts, givesPlacesTwice),
    },
    6,
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

describe('three requests', () => {
  test.each(Object.entries(plans))('%s', (_, [plan, depth]) => {
    const exploration = explore(new ScopeMachine(plan), depth + moreSteps);
    expect(story(exploration)).toBe('no fault');
    expect(exploration.states).toBeGreaterThan(moreSteps < 0 ? 250 : 500);
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

/** Planted fault: a body is over, and no one says so. */
class Silent extends ScopeMachine {
  protected override *stepsOf(
    ...given: Parameters<ScopeMachine['stepsOf']>
  ): ReturnType<ScopeMachine['stepsOf']> {
    yield* super.stepsOf(...given);
    const [state, { phase }, index] = given;
    if (phase === 'reading') yield ['stops reading', { ...state, slots: state.slots.with(index, idle) }];
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

/** Planted fault: for the gate, all requests are of one kind. */
class Uniform extends ScopeMachine {
  override requestOf(): RequestFacts {
    return this.request;
  }
}

/** Planted fault: the gate forgets whom it tries. */
class Forgetful extends ScopeMachine {
  override restoreScope(state: State): void {
    super.restoreScope(state);
    const { gate } = this.limits;
    if (gate?.state.kind === 'shut') gate.state = { ...gate.state, tried: [] };
  }
}

/** Planted fault: the next probe comes so much sooner or later than the gate has settled. */
class Paced extends ScopeMachine {
  protected readonly byMs: number = 0;

  override restoreScope(state: State): void {
    super.restoreScope(state);
    const { gate } = this.limits;
    if (gate?.state.kind !== 'shut' || gate.state.probes.length === 0) return;
    gate.state = { ...gate.state, probeAt: (gate.state.probes.at(-1) ?? 0) + this.byMs };
  }
}

class Impatient extends Paced {
  protected override readonly byMs = 0;
}

class Patient extends Paced {
  protected override readonly byMs = 5_000;
}

/** Planted fault: the gate forgets a probe when the next one is sent. */
class SingleMinded extends ScopeMachine {
  override restoreScope(state: State): void {
    super.restoreScope(state);
    const { gate } = this.limits;
    if (gate?.state.kind === 'shut') gate.state = { ...gate.state, probes: gate.state.probes.slice(-1) };
  }
}

/** Planted fault: the observer expects a longer row than the gate does. */
class Strict extends ScopeMachine {
  override end(state: State, index: number, end: End): State {
    return super.end({ ...state, rowSince: state.row > 0 ? state.now - 100 : 0 }, index, end);
  }
}

/** Planted fault: every request that asks prolongs the trial. */
class Prolonged extends ScopeMachine {
  override proceed(state: State, index: number): State {
    const after = super.proceed(state, index);
    const { hold } = this.limits;
    if (hold !== undefined) hold.state = { ...hold.state, dueAt: hold.state.dueAt + 400 };
    return { ...after, scope: memoryOf(this.scope) };
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
      /-1 permits are out, for 0 attempts/,
    ],
    [
      'bodies that occupy a gate and a hold',
      'the end of a body is not told',
      Silent,
      nothingElse,
      /1 permits are out, for 0 attempts/,
    ],
    [
      'bodies that occupy a gate and a hold',
      'a permit is given back twice',
      Stutterers,
      nothingElse,
      /-1 permits are out, for 0 attempts|0 permits are out, for 1 attempts/,
    ],
    [
      'attempts that are in flight until the end of their bodies',
      'a permit leaks',
      Silent,
      crowds,
      /1 permits are out, for 0 attempts/,
    ],
    [
      'attempts that are in flight until the end of their bodies',
      'a permit is given back twice',
      Stutterers,
      crowds,
      /permits are out, for|are counted/,
    ],
    [
      'attempts that are in flight until the end of their bodies',
      'requests leave the line without saying so',
      Ghosts,
      crowds,
      /of 0 wait/,
    ],
    ['a hold at the first word', 'a clock is fast', Hasty, nothingElse, /sent .* before the window is over/],
    [
      'a hold that tries whether sending less helps',
      'every request prolongs the trial',
      Prolonged,
      triesFairly,
      /a trial of \d+ ms/,
    ],
    [
      'a trickle, where everything is refused',
      'requests leave without saying so',
      Ghosts,
      keepsPlaces,
      /told to wait/,
    ],
    [
      'a gate that is shut, and requests of another kind',
      'all are of one kind',
      Uniform,
      refusesInnocent,
      /nothing of \/state has failed/,
    ],
    [
      'a gate that is shut, and requests of another kind',
      'those that are tried are forgotten',
      Forgetful,
      triesTwice,
      /tried at once: \/state,\/state/,
    ],
    [
      'a gate that is shut, and probes that are not answered',
      'a probe does not hold back the next one',
      Impatient,
      probesAtPace,
      /probes at \d+,\d+$/,
    ],
    [
      'a gate that is shut, and probes that are not answered',
      'a probe holds back the next one for long',
      Patient,
      probesAtPace,
      /ms after the last probe/,
    ],
    [
      'a gate that is shut, and probes that are not answered',
      'only the last probe is known',
      SingleMinded,
      miscounts,
      /the probes of \d+,\d+ are out, and the gate knows of \d+$/,
    ],
    ['a gate that is open', 'another rule', Strict, nothingElse, /shut after 2 failures in a row, in 100 ms/],
  ])('%s: %s', (name, _, Machine, faultIn, what) => {
    const [plan, depth] = plans[name] ?? [];
    if (plan === undefined || depth === undefined) throw new Error(`no such plan: ${name}`);
    expect(story(explore(new Machine({ ...plan, faultIn }), depth + moreSteps))).toMatch(what);
  });
});
