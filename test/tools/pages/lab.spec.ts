/** What can be done in the lab. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { undaunted } from '../cli/kit.js';
import type { OpenedPage } from './opened-page.js';
import { pagesForAll } from './opened-page.js';
import { reportOf, smallOutage } from './runs.js';

const open = pagesForAll();
const mine = {
  name: 'policy.json',
  policy: { statuses: [503], schedule: { kind: 'exponential', slotMs: 5 } },
} as const;
const report = reportOf(smallOutage, [{ name: 'none' }, mine]);

let opened: OpenedPage;
beforeEach(async () => {
  opened = await open(report, { fragment: 'lab', permissions: ['clipboard-read', 'clipboard-write'] });
  await opened.settled();
});
afterEach(async () => {
  expect(opened.noise).toEqual([]);
  await opened[Symbol.asyncDispose]();
});

async function set(slider: string, keys: readonly string[]): Promise<void> {
  for (const key of keys) await opened.page.getByRole('slider', { name: slider, exact: true }).press(key);
  await opened.settled();
}

test('begins with the first policy of the user or of undaunted, beside another one', async () => {
  expect(JSON.parse(await opened.policy())).toEqual(mine.policy);
  expect(Object.keys(await opened.numbers('Succeeded'))).toEqual(['Time', 'your policy', 'no retry']);
});

test('a slider changes waits, policy and curve', async () => {
  const before = await opened.numbers('Attempts');
  const waits = () => opened.page.locator('.waits tbody tr').count();
  expect(await waits()).toBe(3);
  await set('Retries', ['Home', 'ArrowRight']);
  expect(await waits()).toBe(1);
  expect(JSON.parse(await opened.policy())).toEqual({ ...mine.policy, maxRetries: 1 });
  const after = await opened.numbers('Attempts');
  expect(after['your policy']).not.toEqual(before['your policy']);
  expect(after['no retry']).toEqual(before['no retry']);
});

test('the copied policy keeps the settings without a slider, and `check` accepts it', async () => {
  await set('First wait', ['ArrowRight']);
  await opened.page.getByRole('checkbox', { name: 'Gate' }).check();
  await opened.page.getByRole('button', { name: 'Copy policy' }).click();
  await opened.page.getByText('Copied.').waitFor();
  const copied = await opened.page.evaluate(() => navigator.clipboard.readText());
  expect(JSON.parse(copied)).toEqual({
    statuses: [503],
    schedule: { kind: 'exponential', slotMs: 5, firstMs: 200 },
    gate: true,
  });
  expect((await undaunted(['check', '-'], { stdin: copied })).exitCode).toBe(0);
});

test('hedges are switched on and moved by controls, and cut the tail', async () => {
  const hedge = opened.page.getByRole('checkbox', { name: 'Hedge' });
  const headline = opened.page.locator('.results .headline');
  await opened.page.getByLabel('Policy as JSON').fill('{}');
  await opened.page.getByLabel('Scenario').selectOption('slow-tail');
  await opened.settled();
  expect(await headline.innerText()).toMatch(/^The policy makes no difference; 99.9 % .* within [2-9]/);
  await hedge.check();
  await opened.settled();
  expect(await headline.innerText()).toMatch(
    /^99.9 % of the requests succeed within \d+ ms with your policy/,
  );
  await set('Sent after', ['ArrowRight']);
  await set('At most', ['ArrowRight']);
  expect(JSON.parse(await opened.policy())).toEqual({ hedge: { factor: 5, share: 0.1 } });
  await hedge.uncheck();
  expect(JSON.parse(await opened.policy())).toEqual({});
});

test('the attempt timeout may be adaptive', async () => {
  await opened.page.getByLabel('Policy as JSON').fill('{}');
  await opened.page.getByRole('checkbox', { name: 'Attempt timeout' }).check();
  await opened.page.getByLabel('Adaptive').selectOption({ index: 1 });
  await set('For one attempt', ['ArrowRight']);
  expect(JSON.parse(await opened.policy())).toEqual({
    attemptTimeoutMs: { quantile: 0.95, factor: 2, maxMs: 5_000 },
  });
});

describe('the JSON', () => {
  const text = () => opened.page.getByLabel('Policy as JSON');

  test('moves the sliders', async () => {
    await text().fill('{ "maxRetries": 7, "deadlineMs": 1234 }');
    await opened.settled();
    const retries = opened.page.getByRole('slider', { name: 'Retries', exact: true });
    expect(await retries.getAttribute('aria-valuetext')).toBe('7');
    expect(await opened.page.getByRole('checkbox', { name: 'Deadline' }).isChecked()).toBe(true);
    expect(
      await opened.page.getByRole('slider', { name: 'For the whole request' }).getAttribute('aria-valuetext'),
    ).toBe('1.23 s');
  });

  test.each([
    ['{', 'This is not JSON'],
    ['{ "maxRetry": 3 }', 'maxRetry: unknown setting. Did you mean "maxRetries"?'],
    ['[]', 'the policy: found an empty list; allowed: an object'],
  ])('says what is wrong with %s, and leaves the run as it is', async (written, problem) => {
    const before = await opened.numbers('Attempts');
    await text().fill(written);
    expect(await opened.page.locator('.problems').innerText()).toContain(problem);
    expect(await text().getAttribute('aria-invalid')).toBe('true');
    expect(await opened.page.getByRole('button', { name: 'Copy policy' }).isDisabled()).toBe(true);
    expect(await opened.numbers('Attempts')).toEqual(before);
  });

  test('says so as well where sliders contradict each other', async () => {
    await opened.page.getByRole('checkbox', { name: 'Deadline' }).check();
    await opened.page.getByRole('checkbox', { name: 'Attempt timeout' }).check();
    await set('For the whole request', ['Home']);
    expect(await opened.page.locator('.problems').innerText()).toContain('attemptTimeoutMs');
    await set('For one attempt', ['Home']);
    expect(await opened.page.locator('.problems').innerText()).toBe('');
  });
});

test('another scenario, another seed and another policy run at once', async () => {
  await opened.page.getByLabel('Scenario').selectOption('surge');
  await opened.settled();
  const first = await opened.numbers('Requests');
  expect(first['your policy']?.length).toBe(80);
  await opened.page.getByLabel('Seed').fill('2');
  await opened.page.getByLabel('Seed').press('Enter');
  await opened.settled();
  expect((await opened.numbers('Requests'))['your policy']).not.toEqual(first['your policy']);
  await opened.page.getByLabel('Compared with').selectOption('aws-standard');
  await opened.settled();
  expect(Object.keys(await opened.numbers('Requests'))).toEqual(['Time', 'your policy', 'aws-standard']);
});

test('the page responds while a scenario runs', async () => {
  await opened.page.getByLabel('Scenario').selectOption('layers');
  await opened.page.getByLabel('Compared with').selectOption('fixed-for-ever');
  await opened.page.waitForSelector('.results[aria-busy="true"]');
  // Answered by the page's own thread, while its worker has seconds to do.
  await opened.page.getByLabel('Compared with').selectOption('none');
  await opened.settled();
  expect(Object.keys(await opened.numbers('Succeeded'))).toEqual(['Time', 'your policy', 'no retry']);
});

describe('a run that takes long', () => {
  /** Retries without a pause that no answer ends: it takes minutes. */
  const endless = '{ "maxRetries": 1000000, "budget": false, "schedule": { "kind": "fixed", "waitMs": 1 } }';

  async function startEndless(): Promise<void> {
    await opened.page.getByLabel('Scenario').selectOption('layers');
    await opened.page.getByLabel('Policy as JSON').fill(endless);
    await opened.page.getByRole('progressbar', { name: 'Progress of the run' }).waitFor();
  }

  test('shows its progress, and can be cancelled and run again', async () => {
    await startEndless();
    await opened.page.getByRole('button', { name: 'Cancel' }).click();
    await opened.settled();
    expect(await opened.page.getByText('Cancelled.').isVisible()).toBe(true);
    expect(await opened.page.getByRole('progressbar').isVisible()).toBe(false);
    await opened.page.getByRole('button', { name: 'Run again' }).click();
    await opened.page.getByRole('button', { name: 'Cancel' }).click();
    await opened.settled();
  });

  test('is stopped for a newer one', async () => {
    await startEndless();
    await opened.page.getByLabel('Start from').selectOption({ label: 'no retry' });
    await opened.page.getByLabel('Scenario').selectOption('surge');
    await opened.settled();
    expect(await opened.page.getByText(/^Finished: /).isVisible()).toBe(true);
  });
});

describe('lines that coincide', () => {
  test('are named, and each is seen', async () => {
    await opened.page.getByLabel('Policy as JSON').fill('{}');
    await opened.page.getByLabel('Compared with').selectOption('default');
    await opened.settled();
    const chart = opened.page.locator('.chart:visible').first();
    expect(await chart.locator('.hint').innerText()).toBe('Same line: your policy, default.');
    expect(await chart.locator('canvas').evaluate(linePixels)).toEqual([true, true]);
  });
});

/** Runs in the page: whether both of the first two lines have pixels of their own colour. */
function linePixels(node: Element): boolean[] {
  const { width, height } = node as HTMLCanvasElement;
  const pixels = (node as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
  const style = getComputedStyle(document.documentElement);
  return ['--line-1', '--line-2'].map((property) => {
    const hex = style.getPropertyValue(property).trim();
    const colour = [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
    let count = 0;
    for (let at = 0; at < pixels.length; at += 4) {
      if (colour.every((value, channel) => pixels[at + channel] === value)) count += 1;
    }
    return count > 100;
  });
}
