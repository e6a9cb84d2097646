/** undici while the server fails: a few requests in every test run, many with `npm run test:chaos`. */

import { expect, test } from 'vitest';
import {
  breakPromises,
  endure,
  endureExpiry,
  endureGuarded,
  endureHedged,
  endureWhole,
  fewer,
  limits,
  many,
  seed,
} from './chaos.js';
import { overUndici } from './clients.js';
import { cutsBodies, expiring, guarded, hedged, resets, scenarios } from './scenarios.js';

for (const scenario of scenarios) {
  test(`${overUndici.name} while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endure(overUndici, scenario, many),
  );
}

test(`${overUndici.name} with whole answers while the server ${cutsBodies.name}, seed ${seed}`, limits, () =>
  endureWhole(overUndici, cutsBodies, fewer),
);

for (const scenario of guarded) {
  test(`${overUndici.name} behind a gate while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endureGuarded(overUndici, scenario, fewer),
  );
}

for (const scenario of hedged) {
  test(`${overUndici.name} with hedges while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endureHedged(overUndici, scenario, fewer),
  );
}

for (const scenario of expiring) {
  test(`${overUndici.name} whose tokens expire while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endureExpiry(overUndici, scenario, fewer),
  );
}

test('a policy that repeats writes without proof, and under new keys, is detected', limits, async () => {
  const complaints = (await breakPromises(overUndici, resets, many)).join('\n');
  expect(complaints).toMatch(/\(write\) was applied \d+ times/);
  expect(complaints).toMatch(/\(keyed\) was applied \d+ times/);
  expect(complaints).toMatch(/\(keyed later\) arrived with the keys .+, another \d+/);
});
