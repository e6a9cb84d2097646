/** A process that is busy with something else for a while: then it is late itself, and not the store. */

import { expect, test } from 'vitest';
import { Fleets } from './kit.js';

/** A report of the process is in the store, and the answer is under way. */
function asking(): Fleets {
  const fleets = new Fleets({ gate: true }, 1);
  fleets.at(0).ask();
  fleets.pass(1_000);
  fleets.at(0).ask();
  const before = fleets.store.exchanges;
  while (fleets.store.exchanges === before) fleets.pass(1);
  return fleets;
}

test.each([300, 1_000, 5_000])('it shares as before after %i ms', (busyMs) => {
  const fleets = asking();
  fleets.stall(busyMs);
  fleets.pass(10_000);
  expect(fleets.events).toEqual([[0, true]]);
});

test('it shares as before although it is busy again and again', () => {
  const fleets = asking();
  for (let time = 0; time < 10; time += 1) {
    fleets.at(0).ask();
    fleets.pass(108);
    fleets.stall(1_000);
  }
  expect(fleets.events).toEqual([[0, true]]);
});

test('it still notices that the store is silent', () => {
  const fleets = asking();
  fleets.store.isStopped = true;
  for (let time = 0; time < 10; time += 1) {
    fleets.at(0).ask();
    fleets.pass(20);
    fleets.stall(500);
  }
  expect(fleets.at(0).isShared).toBe(false);
});
