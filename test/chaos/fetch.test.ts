/** Plain fetch while the server fails: a few requests in every test run, many with `npm run test:chaos`. */

import { test } from 'vitest';
import {
  endure,
  endureExpiry,
  endureGuarded,
  endureHedged,
  endureWhole,
  fewer,
  isLong,
  limits,
  seed,
} from './chaos.js';
import { overPlainFetch } from './clients.js';
import { cutsBodies, expiring, expiringFew, guarded, hedged, hedgedFew, scenarios } from './scenarios.js';

for (const scenario of scenarios) {
  test(`${overPlainFetch.name} while the server ${scenario.name}, seed ${seed}`, limits, () =>
    // A body that breaks off has been handed over: no retry repairs it, and its decision is certain.
    endure(
      overPlainFetch,
      scenario.name === 'cuts bodies' ? { ...scenario, canBeMended: false, leavesDoubt: 'never' } : scenario,
      fewer,
    ),
  );
}

test(
  `${overPlainFetch.name} with whole answers while the server ${cutsBodies.name}, seed ${seed}`,
  limits,
  () => endureWhole(overPlainFetch, cutsBodies, fewer),
);

for (const scenario of isLong ? expiring : expiringFew) {
  test(
    `${overPlainFetch.name} whose tokens expire while the server ${scenario.name}, seed ${seed}`,
    limits,
    () => endureExpiry(overPlainFetch, scenario, fewer),
  );
}

for (const scenario of guarded) {
  test(`${overPlainFetch.name} behind a gate while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endureGuarded(overPlainFetch, scenario, fewer),
  );
}

for (const scenario of isLong ? hedged : hedgedFew) {
  test(`${overPlainFetch.name} with hedges while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endureHedged(overPlainFetch, scenario, fewer),
  );
}
