/** What the tests of a file share: one tab, whose errors fail the test. */

import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { bundlePage } from './bundle.js';
import { Tab } from './tab.js';

export const adapters = ['xhr', 'fetch'] as const;

export const soon = { kind: 'fixed', waitMs: 1, jitter: 'none' } as const;

/** Set by `npm run test:browser`: where the package is installed. */
export const installed: string | undefined = process.env['PACKAGE_UNDER_TEST'];

export function tabForAll(host?: string): () => Tab {
  let tab: Tab | undefined;
  const theTab = (): Tab => {
    if (tab === undefined) throw new Error('a tab is open only while tests run');
    return tab;
  };
  beforeAll(async () => {
    tab = await Tab.open(await bundlePage(installed), host);
  });
  afterAll(() => tab?.[Symbol.asyncDispose]());
  afterEach(() => expect(theTab().takeNoise()).toEqual([]));
  return theTab;
}
