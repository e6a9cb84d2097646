/** What the answers of fetch that wait for their bodies keep in memory. */

import { describe } from 'vitest';
import { programsOf } from '../programs.js';
import { testsOfWholeMemory } from '../whole-memory.js';

describe.each([
  ["Node's own", 'fetch'],
  ["undici's", 'client.fetch'],
])('over %s', (_name, doFetch) => {
  testsOfWholeMemory(
    programsOf('fetch'),
    `const send = (url, policy) =>
       (policy === undefined ? ${doFetch} : undaunted.withRetry(${doFetch}, policy))(url);`,
  );
});
