/** What a reader of the report can do. */

import type { Locator } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { undaunted } from '../cli/kit.js';
import type { OpenedPage } from './opened-page.js';
import { pagesForAll } from './opened-page.js';
import { reportOf, smallOutage } from './runs.js';

const open = pagesForAll();
const mine = {
  name: '</script><b>mine',
  policy: { maxRetries: 1, schedule: { kind: 'fixed', waitMs: 10 } },
} as const;
const report = reportOf(smallOutage, [{ name: 'axios-retry' }, { name: 'default' }, mine]);

let opened: OpenedPage;
beforeEach(async () => {
  opened = await open(report, { permissions: ['clipboard-read', 'clipboard-write'] });
  await opened.page.locator('[role="tabpanel"]:not([hidden]) .above summary').click();
});
afterEach(async () => {
  expect(opened.noise).toEqual([]);
  await opened[Symbol.asyncDispose]();
});

test('the verdict and the chart that shows it are in the first screen, on a phone as well', async () => {
  for (const size of [
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await opened.page.setViewportSize(size);
    await opened.page.evaluate(() => scrollTo(0, 0));
    for (const part of ['.overview .headline', '.overview .plot']) {
      const { y = Infinity, height = Infinity } = (await opened.page.locator(part).boundingBox()) ?? {};
      expect(y + height, `${part} at ${size.width}`).toBeLessThanOrEqual(size.height);
    }
  }
});

test('totals stand in a table, and the best of each row is marked in words', async () => {
  const rows = await opened.page.locator('.totals tr').allInnerTexts();
  expect(rows[0]?.trim().split(/\s*\t\s*/)).toEqual(['axios-retry', 'default', mine.name]);
  expect(rows.find((row) => row.startsWith('Success rate'))).toMatch(/\d %\s+best/);
});

test('markup in a name is shown as text', async () => {
  expect(await opened.page.locator('b').count()).toBe(0);
  expect(await opened.page.getByRole('heading', { name: mine.name }).count()).toBe(1);
});

test('policies can be copied, and are what `check` accepts', async () => {
  await opened.page.getByRole('button', { name: `Copy ${mine.name}` }).click();
  await opened.page.getByText('Copied.').waitFor();
  const copied = await opened.page.evaluate(() => navigator.clipboard.readText());
  expect(JSON.parse(copied)).toEqual(mine.policy);
  const { exitCode } = await undaunted(['check', '-'], { stdin: copied });
  expect(exitCode).toBe(0);
});

test('text is selected where the browser does not allow copying', async () => {
  await opened.page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'));
  });
  await opened.page.getByRole('button', { name: 'Copy default' }).click();
  await opened.page.getByText('The browser did not allow copying').waitFor();
  expect(await opened.page.evaluate(() => getSelection()?.toString().trim())).toBe('{}');
});

test('a hidden policy is in no chart and in no table', async () => {
  expect(Object.keys(await opened.numbers('Failed'))).toEqual(['Time', 'axios-retry', 'default', mine.name]);
  await opened.page.getByRole('checkbox', { name: 'axios-retry' }).uncheck();
  expect(Object.keys(await opened.numbers('Failed'))).toEqual(['Time', 'default', mine.name]);
});

test('the chart of a policy has a line for each of its numbers', async () => {
  await opened.page.getByRole('radio', { name: 'policy', exact: true }).check();
  const { Attempts: attempts = [], Succeeded: good = [] } = await opened.numbers('default');
  const run = report.entries[1]?.run;
  expect(attempts.map(Number)).toEqual(run?.series.sent);
  expect(good.map(Number)).toEqual(run?.series.good);
});

describe('zooming', () => {
  const range = () =>
    opened.page
      .getByRole('spinbutton')
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
  const pixels = () =>
    opened.page
      .locator('.u-wrap canvas')
      .first()
      .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());

  test('by dragging shows a part, in all charts', async () => {
    expect(await range()).toEqual(['0', '29']);
    const before = await pixels();
    const second = opened.page.locator('.u-over').nth(1);
    await second.scrollIntoViewIfNeeded();
    const box = await second.boundingBox();
    if (box === null) throw new Error('The second chart is not to be seen');
    await opened.page.mouse.move(box.x + box.width * 0.25, box.y + 20);
    await opened.page.mouse.down();
    await opened.page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 5 });
    await opened.page.mouse.up();
    const [from, to] = (await range()).map(Number);
    expect(from).toBeGreaterThan(4);
    expect(to).toBeLessThan(18);
    expect(await pixels()).not.toBe(before);
    await opened.page.getByRole('button', { name: 'All' }).click();
    expect(await range()).toEqual(['0', '29']);
  });

  test('by numbers does the same', async () => {
    const [from, to] = ['from', 'to'].map((name) => opened.page.getByRole('spinbutton', { name })) as [
      Locator,
      Locator,
    ];
    await from.fill('5');
    await from.press('Enter');
    await to.fill('99');
    await to.press('Enter');
    expect(await range()).toEqual(['5', '29']);
  });
});

test('pointing at a chart shows the values of that second in all charts', async () => {
  await opened.page.locator('.u-over').first().hover();
  const values = await opened.page.locator('[role="tabpanel"]:not([hidden]) .value').allInnerTexts();
  expect(values.length).toBeGreaterThan(6);
  expect(values.filter((value) => value === '')).toEqual([]);
});
