/** axe finds no fault in any state of the page. Runs where `npm run test:browser` has installed axe. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { OpenedPage } from './opened-page.js';
import { pagesForAll } from './opened-page.js';
import { reportOf, smallOutage } from './runs.js';

const installed = process.env['PACKAGE_UNDER_TEST'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

async function violations(page: Page): Promise<readonly string[]> {
  const source = readFileSync(join(installed ?? '', 'node_modules/axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const found = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as Violation[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}

async function openAll({ page }: OpenedPage): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
}

describe.skipIf(installed === undefined)('axe', () => {
  const open = pagesForAll();
  const report = reportOf(smallOutage, [{ name: 'none' }, { name: 'default' }, { name: 'axios-retry' }]);
  const sizes = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const;
  const views = (['light', 'dark'] as const).flatMap((colorScheme) =>
    (['desk', 'phone'] as const).map((size) => ({ colorScheme, size })),
  );

  describe.each(views)('in $colorScheme colours, at a $size', ({ colorScheme, size }) => {
    const reader = { colorScheme, viewport: sizes[size] };

    test('has nothing to say about the report', async () => {
      await using opened = await open(report, reader);
      expect(await violations(opened.page)).toEqual([]);
      await openAll(opened);
      expect(await violations(opened.page)).toEqual([]);
    });

    test('has nothing to say about the lab', async () => {
      await using opened = await open(report, { ...reader, fragment: 'lab' });
      await opened.settled();
      expect(await violations(opened.page)).toEqual([]);
      await openAll(opened);
      expect(await violations(opened.page)).toEqual([]);
    });

    test('has nothing to say about the lab alone, its warning, a problem and a run that lasts', async () => {
      await using opened = await open({ ...report, entries: [] }, { ...reader, fragment: 'lab=0' });
      await opened.settled();
      expect(await violations(opened.page)).toEqual([]);
      await openAll(opened);
      await opened.page.getByLabel('Policy as JSON').fill('{ "maxRetry": 3 }');
      expect(await violations(opened.page)).toEqual([]);
      await opened.page.getByLabel('Scenario').selectOption('layers');
      const endless =
        '{ "maxRetries": 1000000, "budget": false, "schedule": { "kind": "fixed", "waitMs": 1 } }';
      await opened.page.getByLabel('Policy as JSON').fill(endless);
      await opened.page.getByRole('button', { name: 'Cancel' }).waitFor();
      expect(await violations(opened.page)).toEqual([]);
    });
  });
});
