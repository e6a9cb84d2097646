/** Plays schedules and policies that are plain data, and states their numbers. */

import { expect, test } from 'vitest';
import { scheduledWait } from '../../../src/core/decide/schedule.js';
import { AttemptTimeoutError } from '../../../src/core/errors.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { Schedule } from '../../../src/core/policy/schedules.js';
import type { Outcome } from '../../../src/core/types.js';
import type { Ports } from '../../../src/kernel/ports.js';
import type { Retrier } from '../../../src/kernel/retrier.js';
import { createRetrier, definePolicy } from '../../../src/parts/all.js';
import { errorWith, failed, requestOf } from '../../kit.js';

/** The waits before retries 1 to `count`, each given the one before it, all with the same draw. */
export function waits(schedule: Schedule, count: number, draw: number): number[] {
  const series: number[] = [];
  for (let retry = 1; retry <= count; retry++) {
    series.push(scheduledWait(schedule, retry, series.at(-1), draw));
  }
  return series;
}

/** The waits at the lowest draw and at the middle one, and the upper bound for any draw. */
export interface Numbers {
  readonly lowest: readonly number[];
  readonly middle: readonly number[];
  readonly longest: readonly number[];
}

export function always(...series: readonly number[]): Numbers {
  return { lowest: series, middle: series, longest: series };
}

export function near(expected: number): unknown {
  return expect.closeTo(expected, 9);
}

/**
 * Sends a GET that gets these outcomes, of which the last one repeats. Returns the waits and the reason of the stop.
 */
export function flow(
  policy: PolicyOptions,
  outcomes: readonly Outcome[],
  draw = 0,
  request = requestOf(),
): [number[], string] {
  let now = 0;
  const { open } = boundRetrier(policy, { now: () => now, random: () => draw });
  const session = open(request);
  const delays: number[] = [];
  for (let attempt = 0; ; attempt++) {
    const outcome = outcomes[Math.min(attempt, outcomes.length - 1)] as Outcome;
    const decision = session.next(outcome, { replayable: true });
    if (decision.action === 'stop') return [delays, decision.reason];
    delays.push(decision.delayMs);
    now += decision.delayMs;
  }
}

function boundRetrier(policy: PolicyOptions, ports: Partial<Ports>): Pick<Retrier, 'open'> {
  const retrier = createRetrier(definePolicy(policy), ports);
  return { open: retrier.open.bind(retrier) };
}

export const refused = failed(errorWith({ code: 'ECONNREFUSED', syscall: 'connect' }));
export const tooSlow = failed(new AttemptTimeoutError(2_500));

/** The entries of a shelf that could be changed, however deep. */
function notFrozenIn(shelf: object): string[] {
  const open = Object.entries(shelf).flatMap(([group, values]: [string, object]) =>
    Object.entries(values).flatMap(([name, value]) => (isFrozen(value) ? [] : [`${group}.${name}`])),
  );
  return Object.isFrozen(shelf) && Object.values(shelf).every(Object.isFrozen)
    ? open
    : ['the shelf', ...open];
}

function isFrozen(value: unknown): boolean {
  return typeof value !== 'object' || (Object.isFrozen(value) && Object.values(value ?? {}).every(isFrozen));
}

/** Declares what holds for every shelf: its policies are complete, and all of it is frozen, plain data. */
export function expectValues(shelf: object, policies: Readonly<Record<string, PolicyOptions>>): void {
  test.each(Object.entries(policies))('%s is a policy as it is', (_, policy) => {
    expect(definePolicy(policy).toJSON()).toEqual(policy);
  });

  test('all are plain data', () => {
    expect(JSON.parse(JSON.stringify(shelf))).toEqual(shelf);
  });

  test('all are frozen, to the last table', () => {
    expect(notFrozenIn(shelf)).toEqual([]);
  });
}
