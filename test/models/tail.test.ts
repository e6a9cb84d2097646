/**
 * Two requests that may be hedged, with the limits of their scope, in every interleaving up to a given number of steps:
 * each attempt of each request ends well, badly or not at all, before or after the other attempt.
 */

import { describe, expect, test } from 'vitest';
import { explore, moreSteps } from './explore.js';
import {
  anyOf,
  type Check,
  doesNotComeBack,
  givesPlacesTwice,
  keepsPlaces,
  miscounts,
  overdraws,
  story,
} from './faults.js';
import type { End, State } from './scope-machine.js';
import { type HedgedSlot, type LatencyState, TailMachine, type TailPlan } from './tail-machine.js';

// ---------------------------------------------------------------- what is never so

/** After all requests are over, the scope counts nothing of them. */
const leavesSomething: Check = (machine, state) => {
  const { losers, waiting } = (machine as TailMachine).countsIn(state);
  const { ledger } = state as LatencyState;
  const isIdle = state.slots.every(({ phase }) => phase === 'idle');
  if (losers !== (ledger?.losers.length ?? 0)) return `the scope counts ${losers} losers`;
  if (losers > 10) return `${losers} losers are left running`;
  return isIdle && waiting > 0 ? `${waiting} requests wait, and there is none` : undefined;
};

/** The bucket of the hedges is what the observer has counted. */
const hasOtherCredit: Check = (machine, state) => {
  const { tokens } = (machine as TailMachine).countsIn(state);
  const credit = (state as LatencyState).ledger?.credit ?? 0;
  return tokens === credit ? undefined : `${tokens} thousandths of a hedge, and ${credit} are paid for`;
};

const neverTwo: Check = (_, { slots }) => {
  const isHedged = slots.some(({ flights = [] }: HedgedSlot) => flights.length > 1);
  return isHedged ? 'two attempts are out' : undefined;
};

const always = [leavesSomething, hasOtherCredit];

// ---------------------------------------------------------------- what is explored

const hedge = { afterMs: 100, share: 1, capacity: 3 } as const;
const schedule = { kind: 'fixed', waitMs: 50, jitter: 'none' } as const;
const gate = { failures: 2, deadForMs: 0, probeMs: 1_000, rampMs: 2_000 } as const;

const budget = {
  capacity: 4,
  perSuccess: 0.5,
  perSecond: 0.1,
  cost: { transient: 1, throttled: 1, timeout: 2 },
} as const;
const breaks = ['is aborted', 'has a hook that throws'] as const;

const plans: Readonly<Record<string, readonly [plan: TailPlan, depth: number]>> = {
  'one request and its retry': [
    {
      requests: 1,
      policy: { maxRetries: 1, deadlineMs: 1_000, budget: false, schedule, hedge, hintJitter: 0 },
      ends: [
        'succeeds',
        'fails (503)',
        'is cut off',
        'fails for good (404)',
        'times out',
        'fails, and forbids a retry',
      ],
      breaks: [...breaks, 'is past its deadline'],
      ticksMs: [500],
      before: [2, 'succeeds'],
      isEager: true,
      faultIn: anyOf(...always),
    },
    11,
  ],
  'and bodies that break off': [
    {
      requests: 1,
      policy: { maxRetries: 2, budget: false, schedule, hedge },
      ends: ['succeeds', 'fails (503)', 'is cut off'],
      breaks,
      ticksMs: [500],
      before: [2, 'succeeds'],
      isEager: true,
      hasBodies: true,
      faultIn: anyOf(...always),
    },
    12,
  ],
  'whose method is not hedged': [
    {
      requests: 1,
      policy: { maxRetries: 1, budget: false, schedule, hedge: { ...hedge, methods: ['HEAD'] } },
      ends: ['succeeds', 'fails (503)', 'times out'],
      breaks,
      ticksMs: [500],
      before: [2, 'succeeds'],
      faultIn: anyOf(...always, neverTwo),
    },
    12,
  ],
  'whose body cannot be sent twice': [
    {
      requests: 1,
      policy: { maxRetries: 1, budget: false, schedule, hedge },
      ends: ['succeeds', 'fails (503)', 'times out'],
      breaks,
      ticksMs: [500],
      before: [2, 'succeeds'],
      isSendable: false,
      faultIn: anyOf(...always, neverTwo),
    },
    12,
  ],
  'and a budget': [
    {
      requests: 2,
      policy: { maxRetries: 2, budget, schedule, hedge },
      ends: ['succeeds', 'fails (503)', 'times out', 'is refused for 1 s'],
      ticksMs: [300],
      before: [2, 'succeeds'],
      isEager: true,
      faultIn: anyOf(...always, overdraws),
    },
    8,
  ],
  'and a gate': [
    {
      requests: 2,
      policy: { maxRetries: 1, budget: false, schedule, hedge, gate },
      ends: ['succeeds', 'fails (503)', 'is cut off'],
      breaks,
      ticksMs: [250, 2_500],
      before: [2, 'succeeds'],
      isEager: true,
      faultIn: anyOf(...always, miscounts, doesNotComeBack),
    },
    8,
  ],
  'and a gate that is shut': [
    {
      requests: 2,
      policy: { maxRetries: 1, budget: false, schedule, hedge, gate },
      ends: ['succeeds', 'fails (503)', 'is aborted'],
      ticksMs: [250, 2_500],
      before: [2, 'fails (503)'],
      faultIn: anyOf(...always, miscounts, doesNotComeBack),
    },
    7,
  ],
  'and a hold at the first word': [
    {
      requests: 2,
      policy: { maxRetries: 1, budget: false, hintJitter: 0, schedule, hedge, hold: { refusedShare: 0 } },
      ends: ['succeeds', 'fails (503)', 'is refused for 3 s', 'is refused for 1 s'],
      breaks,
      ticksMs: [500, 12_000],
      before: [2, 'succeeds'],
      isHeldAtOnce: true,
      faultIn: anyOf(...always, givesPlacesTwice, keepsPlaces),
    },
    7,
  ],
  'and all of them': [
    {
      requests: 2,
      policy: { maxRetries: 2, budget, gate, hold: { refusedShare: 0 }, schedule, hedge, hintJitter: 0 },
      ends: ['succeeds', 'fails (503)', 'times out', 'is refused for 3 s'],
      ticksMs: [300],
      before: [2, 'succeeds'],
      isHeldAtOnce: true,
      faultIn: anyOf(...always, overdraws, miscounts, givesPlacesTwice, doesNotComeBack),
    },
    8,
  ],
};

describe('requests with hedges', () => {
  test.each(Object.entries(plans))('%s', (_, [plan, depth]) => {
    const exploration = explore(new TailMachine(plan), depth + moreSteps);
    expect(story(exploration)).toBe('no fault');
    expect(exploration.states).toBeGreaterThan(20);
  });
});

// ---------------------------------------------------------------- the checker itself

/** Planted fault: a hedge that was never on the wire stays paid for. */
class Forgetful extends TailMachine {
  protected override withdrawn(state: LatencyState, index: number): LatencyState {
    const before = state.slots[index] as HedgedSlot;
    const after = super.withdrawn(state, index);
    return before.flights?.length === (after.slots[index] as HedgedSlot).flights?.length
      ? after
      : { ...after, scope: state.scope };
  }
}

/** Planted fault: losers that are gone go on being counted. */
class Haunted extends TailMachine {
  protected override loserGoes(...given: Parameters<TailMachine['loserGoes']>): State {
    return { ...super.loserGoes(...given), scope: given[0].scope };
  }
}

/** Planted fault: an attempt ends twice. */
class Stutterers extends TailMachine {
  protected override endOf(state: LatencyState, index: number, attempt: number, end: End): State {
    const after = super.endOf(state, index, attempt, end);
    const again = super.endOf({ ...after, slots: state.slots }, index, attempt, end);
    return { ...again, slots: after.slots, ledger: (after as LatencyState).ledger } as LatencyState;
  }
}

/** Planted fault: the clock of the hedges is six seconds fast. */
class Hasty extends TailMachine {
  protected override hedges(state: LatencyState, index: number): State {
    return { ...super.hedges({ ...state, now: state.now + 6_000 }, index), now: state.now };
  }

  protected override whyNot(state: LatencyState): string | undefined {
    return super.whyNot({ ...state, now: state.now - 6_000 });
  }
}

describe('a planted fault is found', () => {
  test.each<[string, string, new (plan: TailPlan) => TailMachine, RegExp]>([
    ['one request and its retry', 'a withdrawal is forgotten', Forgetful, /thousandths of a hedge/],
    ['one request and its retry', 'losers stay', Haunted, /the scope counts \d+ losers/],
    ['one request and its retry', 'an attempt ends twice', Stutterers, /thousandths of a hedge/],
    ['and a gate', 'a loser keeps its permit', Haunted, /permits are out/],
    ['and a gate', 'a permit is given back twice', Stutterers, /permits are out/],
    ['and a budget', 'a clock is fast', Hasty, /hedged, although/],
  ])('%s: %s', (name, _, Machine, what) => {
    const [plan, depth] = plans[name] ?? [];
    if (plan === undefined || depth === undefined) throw new Error(`no such plan: ${name}`);
    expect(story(explore(new Machine(plan), depth + moreSteps))).toMatch(what);
  });
});
