/** The part of the page's tests that `npm test` runs; `npm run test:browser` runs all, with the package. */

import { describe, expect, test } from 'vitest';
import { pageTemplate } from '../../../scripts/page-template.js';
import { remarksOn } from '../../../src/tools/pages/remarks.js';
import { dataPlace } from '../../../src/tools/pages/template.js';
import { hasChromium } from '../../browser/tab.js';
import { pagesForAll } from './opened-page.js';
import { reportOf, smallOutage } from './runs.js';

test('the page has everything inside, with the licences of what it uses', async () => {
  const template = await pageTemplate();
  expect(template.split(dataPlace).length).toBe(2);
  expect(template).not.toMatch(/(src|href)="(?!data:)/);
  for (const name of ['undaunted', 'uplot']) expect(template).toContain(`${name}\n\n`);
  expect(template).toContain('Copyright (c) 2022 Leon Sorokin');
});

describe.skipIf(!hasChromium)('in Chromium', () => {
  const open = pagesForAll();
  const report = reportOf(smallOutage, [{ name: 'none' }, { name: 'default' }]);

  test('the report shows what the simulator counted', async () => {
    await using opened = await open(report);
    const { 'no retry': none = [] } = await opened.numbers('Succeeded');
    expect(none.map(Number)).toEqual(report.entries[0]?.run.series.good);
    expect(opened.noise).toEqual([]);
  });

  test('the report remarks on what the table does not say', async () => {
    const policy = { rules: [{ match: '/a' }] };
    const remarked = reportOf(smallOutage, [{ name: '<b>mine', policy }]);
    await using opened = await open(remarked);
    const [remark = ''] = remarksOn(remarked);
    expect(remark).toContain('<b>mine');
    expect(await opened.page.getByText(remark).isVisible()).toBe(true);
    expect(opened.noise).toEqual([]);
  });

  test('the lab runs in the page, with the same result', async () => {
    await using opened = await open(report, { fragment: 'lab' });
    await opened.settled();
    const { 'your policy': yours = [] } = await opened.numbers('Succeeded');
    expect(yours.map(Number)).toEqual(report.entries[1]?.run.series.good);
    expect(opened.noise).toEqual([]);
  });
});
