/** What docs/runtimes.md says that a page carries with each part. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bundle } from '../../bench/bundling.js';
import { saidSizes, sizedPages } from '../../scripts/docs/page-sizes.js';

const text = readFileSync('docs/runtimes.md', 'utf8');

describe.each(['fetch', 'axios'] as const)('%s', (client) => {
  test.each(sizedPages)('$row', async (page) => {
    const { gzipped } = await bundle(page.codeFor(client));
    expect(Math.abs(gzipped - saidSizes(text, page)[client]), `${gzipped} kB`).toBeLessThan(0.5);
  });
});
