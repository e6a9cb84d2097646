/** Plain fetch while the server fails: a few requests in every test run, many with `npm run test:chaos`. */

import { test } from 'vitest';
import { endure, endureGuarded, endureHedged, fewer, isLong, limits, seed } from './chaos.js';
import { overPlainFetch } from './clients.js';
import { guarded, hedged, hedgedFew, scenarios } from './scenarios.js';

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
