/** What the budget of a scope pays for real sessions, and whether it can bear hedges. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { Outcome } from '../../../src/core/types.js';
import { answered, errorWith, failed } from '../../kit.js';
import { Stage } from './stage.js';

const alone: PolicyOptions = { gate: false, hold: false, maxRetries: 9 };
const ten = { capacity: 10, perSuccess: 0, perSecond: 0 };
const replayable = { replayable: true };

test('a retry that goes elsewhere is paid there, and this scope gets its tokens back', () => {
  const stage = new Stage({ ...alone, budget: { ...ten, cost: 3 } });
  const levels = () => stage.retrier.snapshot().scopes.map(({ budgets }) => budgets[0]?.tokens);
  const session = stage.sent();
  session.next(answered(503), replayable);
  expect(levels()).toEqual([7]);
  session.movesTo('https://b.example/');
  expect(levels()).toEqual([10, 7]);
  session.movesTo('https://b.example/other');
  expect(levels()).toEqual([10, 7]);
});

test('a reset fills it up for requests that are under way, too', () => {
  const stage = new Stage({ ...alone, budget: { ...ten, cost: 10 } });
  const waiting = stage.sent();
  expect(stage.ends(answered(503), true).action).toBe('retry');
  expect(stage.ends(answered(503), true)).toMatchObject({ reason: 'budget-spent' });
  stage.retrier.reset();
  expect(waiting.next(answered(503), replayable).action).toBe('retry');
});

describe('where failures are charged', () => {
  test.each<[string, Outcome, number]>([
    ['a 503', answered(503), 9],
    ['a reset', failed(errorWith({ code: 'ECONNRESET' })), 9],
    ['a 501, which no retry could mend,', answered(501), 10],
    ['a broken protocol', failed(errorWith({ code: 'EPROTO' })), 10],
    ['an abort', { kind: 'error', error: new Error('aborted'), aborted: true }, 10],
  ])('%s leaves so many tokens', (_, outcome, tokens) => {
    const stage = new Stage({ ...alone, budget: { ...ten, charge: 'failure', cost: 1 } });
    stage.ends(outcome);
    expect(stage.tokens ?? 10).toBe(tokens);
  });

  test('an outcome that retryIf calls a failure is one', () => {
    const stage = new Stage({ ...alone, budget: { ...ten, charge: 'failure', cost: 1 } });
    stage.sent().next(answered(404), { ...replayable, verdict: true });
    expect(stage.tokens).toBe(9);
  });
});
