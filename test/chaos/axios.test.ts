/** axios while the server fails: a few requests in every test run, many with `npm run test:chaos`. */

import { test } from 'vitest';
import { endure, endureGuarded, fewer, isLong, limits, many, seed } from './chaos.js';
import { overFetch, overHttp } from './clients.js';
import { guarded, harshest, scenarios } from './scenarios.js';

for (const scenario of isLong ? scenarios : harshest) {
  test(`${overHttp.name} while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endure(overHttp, scenario, many),
  );
}

for (const scenario of isLong ? scenarios : harshest) {
  test(`${overFetch.name} while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endure(overFetch, scenario, fewer),
  );
}

for (const scenario of guarded) {
  test(`${overHttp.name} behind a gate while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endureGuarded(overHttp, scenario, fewer),
  );
}
