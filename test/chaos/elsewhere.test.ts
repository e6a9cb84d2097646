/** Clients whose servers send them elsewhere: what happens there tells nothing about a write that was taken before. */

import { expect, test } from 'vitest';
import { breakPromises, endure, fewer, limits, many, seed } from './chaos.js';
import { overPlainFetch } from './clients.js';
import { asking, redirected } from './elsewhere-clients.js';
import { sendsElsewhere, wantsToken } from './scenarios.js';

for (const kind of redirected) {
  test(`${kind.name} while the server ${sendsElsewhere.name}, seed ${seed}`, limits, () =>
    endure(kind, sendsElsewhere, fewer),
  );
}

for (const kind of asking) {
  test(`${kind.name} while the server ${wantsToken.name}, seed ${seed}`, limits, () =>
    endure(kind, wantsToken, fewer),
  );
}

test('a policy that believes the second server is detected', limits, async () => {
  const complaints = (await breakPromises(overPlainFetch, sendsElsewhere, many)).join('\n');
  expect(complaints).toMatch(/\(write\) was applied \d+ times/);
});
