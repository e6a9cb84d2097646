/** Nothing that a page loads grows unnoticed: whoever has a reason for it raises the bound. */

import { expect, test } from 'vitest';
import { bounds } from '../../bench/bundle-entries.js';
import { bundle } from '../../bench/bundling.js';

test.each(bounds)('$name: at most $atMost kB', async ({ code, atMost }) => {
  const { gzipped } = await bundle(code);
  expect(gzipped).toBeLessThanOrEqual(atMost);
});
