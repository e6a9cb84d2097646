/** A simulated policy is asked by its functions, as in the adapters. */

import { expect, test } from 'vitest';
import { definePolicy, type PolicyOptions, type ToldRequest } from '../../../src/index.js';
import { strategyOf } from '../../../src/tools/sim/strategies.js';

const request = { method: 'get', origin: 'http://first.example', path: '/things?q=1', keyed: false };
const answer = (status: number) => ({ kind: 'response', status, headers: { 'x-final': 'yes' } }) as const;
const prospects = { replayable: true };

function pursuitOf(policy: PolicyOptions) {
  const strategy = strategyOf(definePolicy(policy), { now: () => 0, dice: () => 0.5 });
  return strategy.open(request, 0);
}

test.each([
  [false, 503, 'stop'],
  [true, 404, 'retry'],
  [undefined, 503, 'retry'],
  [undefined, 404, 'stop'],
])('%s to a %i: %s', (verdict, status, action) => {
  const pursuit = pursuitOf({ retryIf: () => verdict });
  expect(pursuit.acceptAtOnce(status)).toBe(false);
  expect(pursuit.next(answer(status), prospects).action).toBe(action);
});

test('it is told what the adapters tell it', () => {
  const told: unknown[] = [];
  const pursuit = pursuitOf({
    scope: ({ path }) => path,
    rules: [{ match: { test: ({ path }: ToldRequest) => path === '/things?q=1' }, maxRetries: 7 }],
    retryIf: ({ header }, { method, origin, path, url }) => {
      told.push([header('X-Final'), method, origin, path, url]);
      return undefined;
    },
  });
  pursuit.next(answer(503), prospects);
  expect(told).toEqual([
    ['yes', 'GET', 'http://first.example', '/things?q=1', 'http://first.example/things?q=1'],
  ]);
});

test('one that is async is refused, since nothing waits in a simulation', () => {
  const pursuit = pursuitOf({ retryIf: async () => true });
  expect(() => pursuit.next(answer(503), prospects)).toThrow(/retryIf cannot be async/);
});
