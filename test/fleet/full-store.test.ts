/** A store that can take nothing for a while, since it is slow or its connection is being made. */

import { expect, test } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import { answered } from '../kit.js';
import { Fleets, type Process } from './kit.js';

const hold = { refusedShare: 0, spacingMs: 50 };
const policy: PolicyOptions = { retry: false, budget: false, hintJitter: 0, deadlineMs: 60_000, hold };

function sharing(): Fleets {
  const fleets = new Fleets(policy, 2);
  fleets.every(25, 3_000, (process) => process.ask());
  fleets.pass(200);
  return fleets;
}

/** As Redis with four commands under way: what is sent all the same is dropped. Returns how that ends. */
function takesNothing({ link }: Process): () => void {
  const { exchange, canTake } = link;
  link.canTake = () => false;
  link.exchange = (_reports, told) => queueMicrotask(() => told(undefined));
  return () => Object.assign(link, { exchange, canTake });
}

test.each([150, 450, 800])('for %i ms: what happened meanwhile is told afterwards', async (forMs) => {
  const fleets = sharing();
  const takesAgain = takesNothing(fleets.at(0));
  fleets.at(0).ask(answered(429, { 'retry-after': '5' }));
  for (const until = fleets.now + forMs; fleets.now < until; ) {
    fleets.pass(10);
    await Promise.resolve();
  }
  takesAgain();
  fleets.pass(120);
  expect(fleets.at(1).open().admit().kind).toBe('wait');
  expect(fleets.events).toEqual([
    [0, true],
    [1, true],
  ]);
});

test('for long: the process goes on alone, and tells what happened when it shares again', async () => {
  const fleets = sharing();
  const takesAgain = takesNothing(fleets.at(0));
  fleets.at(0).ask(answered(429, { 'retry-after': '20' }));
  for (const until = fleets.now + 3_000; fleets.now < until; ) {
    fleets.pass(10);
    await Promise.resolve();
  }
  expect(fleets.at(0).isShared).toBe(false);
  takesAgain();
  fleets.pass(6_500);
  expect(fleets.at(0).isShared).toBe(true);
  expect(fleets.at(1).open().admit().kind).toBe('wait');
});
