import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Agenda } from '../../../src/tools/sim/agenda.js';

interface Plan {
  /** Before this one happens, how long after the one that planned it. */
  readonly delayMs: number;
  /** What is planned when it happens. */
  readonly next: readonly Plan[];
}

/** Of both near and far, whole and not, and of many at the same instant. */
const delay = fc.oneof(
  fc.constantFrom(0, 1, 50, 1_000, 65_536),
  fc.double({ min: 0, max: 3, noNaN: true }),
  fc.double({ min: 0, max: 300_000, noNaN: true }),
);

const { plan } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.record({
    delayMs: delay,
    next: fc.oneof({ depthSize: 'small' }, fc.constant([]), fc.array(tie('plan'), { maxLength: 4 })),
  }),
}));

/** Happens in the order of time, and at one instant in the order of planning: with a list that is searched. */
function expected(plans: readonly Plan[]): [number, number][] {
  const open: { at: number; order: number; plan: Plan }[] = [];
  const found: [number, number][] = [];
  let planned = 0;
  const add = (now: number, some: readonly Plan[]): void => {
    for (const one of some) {
      open.push({ at: now + one.delayMs, order: planned++, plan: one });
    }
  };
  add(0, plans);
  while (open.length > 0) {
    open.sort((one, other) => one.at - other.at || one.order - other.order);
    const first = open.shift() as (typeof open)[number];
    found.push([first.at, first.order]);
    add(first.at, first.plan.next);
  }
  return found;
}

function happened(plans: readonly Plan[], stepMs: number): [number, number][] {
  const agenda = new Agenda();
  const all: Plan[] = [];
  const found: [number, number][] = [];
  const handler = (index: number, stamp: number): void => {
    expect(stamp).toBe(index + 7);
    found.push([agenda.now, index]);
    add((all[index] as Plan).next);
  };
  const add = (some: readonly Plan[]): void => {
    for (const one of some) {
      const index = all.push(one) - 1;
      agenda.at(agenda.now + one.delayMs, handler, index, index + 7);
    }
  };
  add(plans);
  for (let until = 0; until < 2_000_000; until += stepMs) agenda.run(until);
  expect(agenda.happened).toBe(found.length);
  return found;
}

describe('the agenda', () => {
  test('happens in the order of time, and at one instant in the order of planning', () => {
    const check = fc.property(
      fc.array(plan, { maxLength: 30 }),
      fc.constantFrom(777, 100_000),
      (plans, stepMs) => {
        expect(happened(plans, stepMs)).toEqual(expected(plans));
      },
    );
    fc.assert(check, { seed: 1, numRuns: 150 });
  });

  test('keeps the order of thousands, near and far', () => {
    const agenda = new Agenda();
    const times: number[] = [];
    const handler = (): void => {
      times.push(agenda.now);
    };
    for (let index = 0; index < 5_000; index += 1) {
      agenda.at((index * 7_919) % 150_000, handler, index, 0);
      agenda.at(70_000, handler, index, 0);
    }
    agenda.run(200_000);
    expect(times).toHaveLength(10_000);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  test('stops where it is told to, and goes on from there', () => {
    const agenda = new Agenda();
    const seen: number[] = [];
    for (const at of [10, 10.5, 11]) agenda.at(at, (subject) => seen.push(subject), at * 10, 0);
    agenda.run(10.5);
    expect(seen).toEqual([100, 105]);
    expect(agenda.now).toBe(10.5);
    agenda.run(12);
    expect(seen).toEqual([100, 105, 110]);
  });

  test('plans nothing for the past', () => {
    const agenda = new Agenda();
    agenda.run(100);
    const times: number[] = [];
    agenda.at(50, () => times.push(agenda.now), 0, 0);
    agenda.run(200);
    expect(times).toEqual([100]);
  });
});
