/** How long an attempt over fetch is in flight: until its body is over. */

import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { comesTrue, openLab } from '../kit.js';
import { nodeFetch, undiciFetch } from './client.js';

const long = 'x'.repeat(1_000_000);

describe.each([
  ["Node's own", nodeFetch],
  ["undici's", undiciFetch],
])('%s', (_name, doFetch) => {
  test.each<[string, (response: Response) => unknown]>([
    ['it is read', (response) => response.text()],
    ['it is cancelled', (response) => response.body?.cancel()],
    // A body of which nothing was read within a second counts as unread.
    ['a second is over, if it is never read', () => setTimeout(1_000)],
  ])('the next request waits until %s', async (_what, end) => {
    const lab = await openLab([answer(200, long), answer(200, 'next')]);
    const retrier = createRetrier({ concurrency: 1 });
    const retrying = withRetry(doFetch as unknown as typeof fetch, retrier);
    const response = await retrying(lab.origin);
    const next = retrying(lab.origin);
    await setTimeout(20);
    expect(lab.requests).toHaveLength(1);
    await end(response);
    expect(await (await next).text()).toBe('next');
    expect(await comesTrue(() => retrier.snapshot().scopes[0]?.concurrencies?.[0]?.inFlight === 0)).toBe(
      true,
    );
    await response.body?.cancel().catch(() => undefined);
  });
});
