/** axios while the server fails: a few requests in every test run, many with `npm run test:chaos`. */

import { test } from 'vitest';
import {
  endure,
  endureExpiry,
  endureGuarded,
  endureHedged,
  fewer,
  isLong,
  limits,
  many,
  seed,
} from './chaos.js';
import { overFetch, overHttp } from './clients.js';
import { expiring, expiringFew, guarded, harshest, hedged, hedgedFew, scenarios } from './scenarios.js';

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

for (const scenario of isLong ? expiring : expiringFew) {
  test(`${overHttp.name} whose tokens expire while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endureExpiry(overHttp, scenario, fewer),
  );
}

for (const scenario of isLong ? expiring : expiringFew) {
  test(`${overFetch.name} whose tokens expire while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endureExpiry(overFetch, scenario, fewer),
  );
}

for (const scenario of guarded) {
  test(`${overHttp.name} behind a gate while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endureGuarded(overHttp, scenario, fewer),
  );
}

for (const scenario of isLong ? hedged : hedgedFew) {
  test(`${overHttp.name} with hedges while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endureHedged(overHttp, scenario, fewer),
  );
}

for (const scenario of isLong ? hedged : hedgedFew.slice(0, 1)) {
  test(`${overFetch.name} with hedges while the server ${scenario.name}, seed ${seed}`, limits, () =>
    endureHedged(overFetch, scenario, fewer),
  );
}
