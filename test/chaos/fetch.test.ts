/** Plain fetch, whatever befalls the server: a little of it in every test run, all of it by `npm run test:chaos`. */

import { test } from 'vitest';
import { endure, endureGuarded, fewer, limits, seed } from './chaos.js';
import { overPlainFetch } from './clients.js';
import { guarded, scenarios } from './scenarios.js';

for (const scenario of scenarios) {
  test(`${overPlainFetch.name} while the server ${scenario.name}, seed ${seed}`, limits, () =>
    // A body that breaks off has been handed over: no retry mends it, and no decision is in doubt about it.
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
