/** Wrong return values of a policy's functions, as they occur in plain JavaScript without a compiler. */

import { expect } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import { answer } from '../faults/plays.js';
import { openLab, settled, soon } from './kit.js';

export interface WrongAnswer {
  readonly name: string;
  readonly policy: PolicyOptions;
  readonly says: string;
  /** How many attempts the server gets. */
  readonly sent: number;
}

const answers: readonly (readonly [name: string, answer: () => unknown, found: string])[] = [
  ['1', () => 1, 'the number 1'],
  ['a text', () => 'yes', 'a string "yes"'],
  ['an object', () => ({ retry: true }), 'an object'],
];

const later: readonly (typeof answers)[number][] = [
  ['a promise', async () => true, 'a promise'],
  ['a promise that fails', () => Promise.reject(new Error('uncaught')), 'a promise'],
];

function wrong(
  what: string,
  sent: number,
  policyOf: (answer: () => never) => PolicyOptions,
  cases: readonly (typeof answers)[number][],
): WrongAnswer[] {
  return cases.map(([name, answer, found]) => ({
    name: `${what}: ${name}`,
    policy: { ...soon, ...policyOf(answer as () => never) },
    says: `undaunted: ${what} returned ${found}`,
    sent,
  }));
}

const nothing = [['nothing', () => undefined, 'nothing']] as const;

/** Each fails the request with an error that names it. */
export const wrongAnswers: readonly WrongAnswer[] = [
  ...wrong('retryIf', 1, (retryIf) => ({ retryIf }), answers),
  ...wrong(
    'retryIf',
    1,
    (answer) => ({ retryIf: (async () => (answer as () => unknown)()) as never }),
    answers,
  ),
  ...wrong('scope', 0, (scope) => ({ scope }), [
    ...later,
    ...nothing,
    ['blank', () => ' ', 'a string " "'],
    ['null', () => null, 'null'],
    ['a number', () => 7, 'the number 7'],
  ]),
  ...wrong('match.test', 0, (test) => ({ rules: [{ match: { test } }] }), [...answers, ...later]),
  ...wrong('schedule', 1, (schedule) => ({ schedule }), later),
];

export async function expectFailure(
  { policy, says, sent }: WrongAnswer,
  ask: (policy: PolicyOptions, origin: string) => Promise<unknown>,
): Promise<void> {
  const lab = await openLab(answer(503));
  const { error } = await settled(ask(policy, lab.origin));
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toContain(says);
  expect(lab.requests).toHaveLength(sent);
}
