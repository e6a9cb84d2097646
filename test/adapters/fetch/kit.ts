/** What the tests of this folder say again and again. */

import { withRetry } from '../../../src/adapters/fetch/index.js';
import { soon } from '../kit.js';
import type { Given } from '../suites/subject.js';

/** Node's own, with waits of 1 ms unless it is given something else. */
export function retryingFetch(given: Given = soon, doFetch: typeof fetch = fetch): typeof fetch {
  return withRetry(doFetch, given) as typeof fetch;
}
