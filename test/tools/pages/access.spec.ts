/** The page with the keyboard alone, for a screen reader, on a phone, and in dark colours. */

import { mkdirSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { scenarios } from '../../../src/tools/sim/scenarios.js';
import type { OpenedPage, Reader } from './opened-page.js';
import { pagesForAll } from './opened-page.js';
import { reportOf } from './runs.js';

const open = pagesForAll();
const [outage] = scenarios;
if (outage === undefined) throw new Error('There are no scenarios');
const report = reportOf(outage, [{ name: 'fixed-for-ever' }, { name: 'default' }, { name: 'service' }]);

const pictures = 'reports/pages';
mkdirSync(pictures, { recursive: true });

const sizes = { desk: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } } as const;

const views = (['report', 'lab'] as const).flatMap((fragment) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    (['desk', 'phone'] as const).map((size) => ({ fragment, colorScheme, size })),
  ),
);

async function seen({ size, ...reader }: Omit<Reader, 'viewport'> & { size: keyof typeof sizes }) {
  const opened = await open(report, { ...reader, viewport: sizes[size] });
  if (reader.fragment === 'lab') await opened.settled();
  return opened;
}

describe.each(views)('the $fragment, $colorScheme, at a $size', (view) => {
  test('fits the width, can be read, and says nothing to the console', async () => {
    await using opened = await seen(view);
    await opened.page.screenshot({
      path: `${pictures}/${view.fragment}-${view.colorScheme}-${view.size}.png`,
      fullPage: true,
    });
    expect(await opened.page.evaluate(() => document.documentElement.scrollWidth)).toBe(
      sizes[view.size].width,
    );
    expect((await contrasts(opened.page)).filter(({ ratio, least }) => ratio < least)).toEqual([]);
    expect(opened.noise).toEqual([]);
  });

  test('has names for all that can be used', async () => {
    await using opened = await seen(view);
    for (const summary of await opened.page.locator('[role="tabpanel"]:not([hidden]) summary').all())
      await summary.click();
    expect(await opened.page.evaluate(faultsForReaders)).toEqual([]);
  });
});

test('open charts follow from light to dark', async () => {
  await using opened = await seen({ size: 'desk', colorScheme: 'light' });
  const canvas = opened.page.locator('.chart canvas').first();
  const pixels = () => canvas.evaluate((node) => (node as HTMLCanvasElement).toDataURL());
  const light = await pixels();
  await opened.page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(pixels, { timeout: 10_000 }).not.toBe(light);
});

/** Of text and of lines against the ground, by the page's own colours (WCAG 2.2: 1.4.3 and 1.4.11). */
function contrasts(page: Page): Promise<{ name: string; ratio: number; least: number }[]> {
  return page.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    const luminance = (property: string): number => {
      const hex = style.getPropertyValue(property).trim();
      const channels = [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16) / 255);
      const [red = 0, green = 0, blue = 0] = channels.map((value) =>
        value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const ratio = (one: string, other: string): number => {
      const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    };
    const lines = [1, 2, 3, 4, 5, 6].map((line) => `--line-${line}`);
    return [
      ...['--text', '--quiet', '--accent'].map((name) => ({
        name,
        ratio: ratio(name, '--ground'),
        least: 4.5,
      })),
      ...lines.map((name) => ({ name, ratio: ratio(name, '--ground'), least: 3 })),
      ...lines.map((name) => ({ name: `${name} on the shade`, ratio: ratio(name, '--shade'), least: 2.5 })),
    ];
  });
}

/** Runs in the page. */
function faultsForReaders(): string[] {
  const isShown = (node: Element): boolean => (node as HTMLElement).checkVisibility();
  const all = (selector: string): Element[] =>
    Array.from(document.querySelectorAll(selector)).filter(isShown);
  const text = (node: Element | null): string => node?.textContent?.trim() ?? '';
  const inputs = all('input, select, textarea').filter(
    (node) => !Array.from((node as HTMLInputElement).labels ?? []).some((label) => text(label) !== ''),
  );
  const unnamed = all('button, summary, [role="tab"]').filter((node) => text(node) === '');
  const groups = all('fieldset').filter((node) => text(node.querySelector('legend')) === '');
  const tables = all('table').filter((node) => text(node.querySelector('caption')) === '');
  const headers = all('th').filter((node) => node.getAttribute('scope') === null);
  const regions = all('[tabindex="0"]:not([role="tab"])').filter(
    (node) => node.getAttribute('aria-label') === null && node.getAttribute('aria-labelledby') === null,
  );
  const drawings = all('svg').filter((node) => node.getAttribute('aria-hidden') !== 'true');
  const dangling = ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for'].flatMap((name) =>
    all(`[${name}]`).filter((node) => document.getElementById(node.getAttribute(name) ?? '') === null),
  );
  const ids = Array.from(document.querySelectorAll('[id]'), ({ id }) => id);
  const doubled = ids.filter((id, index) => ids.indexOf(id) < index);
  const levels = all('h1, h2, h3, h4').map(({ tagName }) => Number(tagName.slice(1)));
  const skipped = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);
  const words = { inputs, unnamed, groups, tables, headers, regions, drawings, dangling };
  return [
    ...Object.entries(words).flatMap(([fault, nodes]) =>
      nodes.map(({ outerHTML }) => `${fault}: ${outerHTML.slice(0, 120)}`),
    ),
    ...doubled.map((id) => `the id ${id} is there twice`),
    ...skipped.map((level) => `a heading of level ${level} comes too early`),
    ...(document.querySelectorAll('h1').length === 1 ? [] : ['not one h1']),
    ...(document.documentElement.lang === 'en' ? [] : ['no language']),
    ...(document.title.length > 10 ? [] : ['no title']),
  ];
}

describe('the first screen', () => {
  async function isInView(opened: OpenedPage, locator: Locator): Promise<boolean> {
    const box = await locator.boundingBox();
    const height = opened.page.viewportSize()?.height ?? 0;
    return box !== null && box.y >= 0 && box.y + box.height <= height;
  }

  test('of the lab at 1280x900 has the verdict, the first chart and what is copied', async () => {
    await using opened = await open(report, { fragment: 'lab', viewport: { width: 1280, height: 900 } });
    await opened.settled();
    const { page } = opened;
    for (const part of [
      page.getByRole('button', { name: 'Copy policy' }),
      page.getByRole('button', { name: 'Copy link' }),
      page.locator('.verdict:visible'),
      page.locator('.chart:visible').first(),
    ]) {
      expect(await isInView(opened, part)).toBe(true);
    }
  });

  test('of the lab at 390x844 has both policies: which they are, and how they did', async () => {
    await using opened = await open(report, { fragment: 'lab', viewport: { width: 390, height: 844 } });
    await opened.settled();
    const { page } = opened;
    const against = page.getByLabel('Compared with');
    expect(await against.inputValue()).toBe('fixed-for-ever');
    expect(await isInView(opened, against)).toBe(true);
    const verdicts = page.locator('.verdict:visible li');
    expect(await verdicts.allInnerTexts()).toEqual([
      expect.stringMatching(/^your policy: /),
      expect.stringMatching(/^fixed-for-ever: /),
    ]);
    expect(await isInView(opened, verdicts.nth(1))).toBe(true);
    const columns = page.locator('.totals:visible thead th');
    await columns.last().scrollIntoViewIfNeeded();
    const box = await columns.last().boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  });
});

describe('with the keyboard alone', () => {
  /** Presses Tab until the element with this name has the focus; whatever has it on the way shows that. */
  async function tabTo(page: Page, name: RegExp): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const node = document.activeElement as HTMLElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(node);
        const labels = Array.from((node as HTMLInputElement).labels ?? [], (label) => label.textContent);
        const referred = document.getElementById(node.getAttribute('aria-labelledby') ?? '')?.textContent;
        const label = node.getAttribute('aria-label') ?? referred ?? labels[0] ?? node.textContent ?? '';
        return { label, isSeen: outlineStyle !== 'none' && outlineWidth !== '0px' };
      });
      expect(focused).toMatchObject({ isSeen: true });
      if (name.test(focused.label)) return;
    }
    throw new Error(`Tab does not lead to ${name}`);
  }

  test('charts are read and zoomed, and their numbers opened', async () => {
    await using opened = await seen({ size: 'desk' });
    const { page } = opened;
    await tabTo(page, /^Succeeded/);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('ArrowRight');
    const good = report.entries.map(({ name, run }) => `${name} ${run.series.good[10]}`).join(', ');
    expect(await page.locator('.announcement').innerText()).toBe(
      `10 s: ${good} (requests that succeeded, per second)`,
    );
    await page.keyboard.press('+');
    expect(await page.getByLabel('to', { exact: true }).first().inputValue()).not.toBe('99');
    await page.keyboard.press('0');
    expect(await page.getByLabel('to', { exact: true }).first().inputValue()).toBe('99');
    await tabTo(page, /^Show as table/);
    await page.keyboard.press('Enter');
    await page.locator('.chart details table').first().waitFor({ state: 'visible', timeout: 10_000 });
  });

  test('the lab is reached, and a policy changed there', async () => {
    await using opened = await seen({ size: 'desk' });
    const { page } = opened;
    await tabTo(page, /^Report/);
    await page.keyboard.press('ArrowRight');
    expect(page.url()).toMatch(/#lab$/);
    await opened.settled();
    await tabTo(page, /^Retries$/);
    await page.keyboard.press('ArrowRight');
    await opened.settled();
    expect(JSON.parse(await opened.policy())).toEqual({ maxRetries: 4 });
  });
});
