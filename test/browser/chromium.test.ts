/** The part of the browser tests that `npm test` runs; `npm run test:browser` runs all, with the package. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer } from '../faults/lab.js';
import { bundle, bundlePage } from './bundle.js';
import { adapters, soon } from './scene.js';
import { hasChromium, Tab } from './tab.js';

describe('a bundle for browsers', () => {
  test('holds the axios adapter', async () => {
    await expect(bundlePage()).resolves.toContain('ERR_UNDAUNTED_ATTEMPT_TIMEOUT');
  });

  test.each([
    "import { channel } from 'node:diagnostics_channel'; console.log(channel);",
    "import { randomUUID } from 'crypto'; console.log(randomUUID());",
    "import('node:timers').then(console.log);",
    "console.log(require('fs'));",
  ])('cannot be made of what needs Node: %s', async (source) => {
    await expect(bundle(source, '.')).rejects.toThrow('Could not resolve');
  });
});

if (!hasChromium)
  console.log('The browser part was skipped: no Chromium here. `npm run test:browser` needs it.');

describe.skipIf(!hasChromium)('Chromium', () => {
  let tab: Tab;
  beforeAll(async () => {
    tab = await Tab.open(await bundlePage());
  }, 60_000);
  afterAll(() => tab?.[Symbol.asyncDispose]());

  test.each(adapters)('sends a request again over %s', async (adapter) => {
    tab.serve(answer(503), answer(200, 'tea'));
    const report = await tab.perform({ request: { adapter, url: '/menu' }, retry: { schedule: soon } });
    expect(report.response).toEqual({ status: 200, data: 'tea' });
    expect(tab.takeNoise()).toEqual([]);
  });

  test('reports errors of the page', async () => {
    await tab.run("void Promise.reject(new Error('not caught'))");
    await tab.run("console.error('not well')");
    expect(tab.takeNoise()).toEqual(['Error: not caught', 'not well']);
  });
});
