/** A window of another process that is longer than requests wait for one here. */

import { expect, test } from 'vitest';
import { fleetOver } from '../../src/fleet/fleet.js';
import { factsIn } from '../../src/fleet/reading.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import { createRetrier } from '../../src/parts/all.js';
import { answered, requestOf } from '../kit.js';
import { Fleets } from './kit.js';

const hold = { refusedShare: 0, spacingMs: 50 };
const settings = { retry: false, budget: false, hintJitter: 0, hold } as const;

/** Another version of the program, with other settings beside the hold. */
function joined(fleets: Fleets, maxHintMs: number): Retrier {
  const { ports } = fleets.at(0).retrier;
  const fleet = fleetOver(fleets.store.link(), { process: 'another' });
  return createRetrier({ ...settings, maxHintMs }, ports, { fleet });
}

test.each([
  { maxHintMs: 10_000, admission: 'go' },
  { maxHintMs: 3_600_000, admission: 'wait' },
])('a window of 50 s, where requests wait for $maxHintMs ms: $admission', ({ maxHintMs, admission }) => {
  const fleets = new Fleets({ ...settings, maxHintMs: 60_000 }, 1);
  const other = joined(fleets, maxHintMs);
  const session = other.open(requestOf());
  session.admit();
  session.acceptAtOnce(200);
  fleets.at(0).ask();
  fleets.pass(1_000);
  fleets.at(0).ask(answered(429, { 'retry-after': '50' }));
  fleets.pass(50);
  expect(fleets.at(0).open().admit().kind).toBe('wait');
  expect(other.open(requestOf()).admit().kind).toBe(admission);
});

const facts = {
  limit: 'hold',
  firsts: 1,
  refusals: 1,
  successes: 0,
  sent: 0,
  turn: 1,
  forMs: 1,
  pacedMs: -5_000,
  places: 0,
  spacingMs: 50,
  phase: 'paced',
  dueMs: 0,
  share: 0,
  restMs: 0,
  nextPlace: 0,
  granted: [],
};

test('facts whose numbers cannot be right are none', () => {
  expect(factsIn(facts)).toEqual(facts);
  for (const wrong of [
    { forMs: -1 },
    { forMs: 1e308 },
    { turn: 2 ** 60 },
    { spacingMs: 0 },
    { places: Number.NaN },
    { pacedMs: -1e17 },
    { granted: [-1] },
    { granted: [1e300] },
  ]) {
    expect(factsIn({ ...facts, ...wrong })).toBeUndefined();
  }
});
