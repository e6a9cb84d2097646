/** The lab's address: a link that others open and see the same. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenedPage } from './opened-page.js';
import { pagesForAll } from './opened-page.js';
import { reportOf, smallOutage } from './runs.js';

const open = pagesForAll();
const report = reportOf(smallOutage, [{ name: 'none' }, { name: 'default' }]);
const permissions = ['clipboard-read', 'clipboard-write'];

let opened: OpenedPage;
beforeEach(async () => {
  opened = await open(report, { fragment: 'lab', permissions });
  await opened.settled();
});
afterEach(async () => {
  expect(opened.noise).toEqual([]);
  await opened[Symbol.asyncDispose]();
});

function fragmentOf({ page }: OpenedPage): string {
  return new URL(page.url()).hash.slice(1);
}

async function chosen({ page }: OpenedPage): Promise<readonly string[]> {
  const labels = ['Scenario', 'Compared with', 'Seed'];
  return Promise.all(labels.map((label) => page.getByLabel(label, { exact: true }).inputValue()));
}

async function change({ page }: OpenedPage): Promise<void> {
  await page.getByLabel('Scenario', { exact: true }).selectOption('surge');
  await page.getByLabel('Compared with').selectOption('ky');
  await page.getByLabel('Seed').fill('7');
  await page.getByLabel('Seed').press('Enter');
  await page.getByLabel('Start from').selectOption({ label: 'service' });
  await page.getByRole('slider', { name: 'Retries', exact: true }).press('ArrowRight');
  await opened.settled();
}

test('a link that others open shows the same policy, scenario, comparison, seed and numbers', async () => {
  await change(opened);
  await expect.poll(() => fragmentOf(opened), { timeout: 10_000 }).toContain('maxRetries');
  await using other = await open(report, { fragment: fragmentOf(opened) });
  await other.settled();
  expect(await chosen(other)).toEqual(['surge', 'ky', '7']);
  expect(JSON.parse(await other.policy())).toMatchObject({ gate: true, maxRetries: 4 });
  expect(await other.policy()).toBe(await opened.policy());
  expect(await other.numbers('Succeeded')).toEqual(await opened.numbers('Succeeded'));
  expect(other.noise).toEqual([]);
});

test('changes do not add to the history, and an untouched lab has a short address', async () => {
  expect(fragmentOf(opened)).toBe('lab');
  const before = await opened.page.evaluate(() => history.length);
  await change(opened);
  await expect.poll(() => fragmentOf(opened), { timeout: 10_000 }).toContain('maxRetries');
  expect(await opened.page.evaluate(() => history.length)).toBe(before);
});

test('the link can be copied, and is the address', async () => {
  await change(opened);
  await opened.page.getByRole('button', { name: 'Copy link' }).click();
  await opened.page.getByText('Link copied.').waitFor();
  const copied = await opened.page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(() => opened.page.url(), { timeout: 10_000 }).toBe(copied);
});

test('the heading and the title are those of the scenario', async () => {
  const heading = opened.page.getByRole('heading', { level: 1 });
  expect(await heading.innerText()).toBe(smallOutage.title);
  await opened.page.getByLabel('Scenario', { exact: true }).selectOption('deploy');
  expect(await heading.innerText()).toBe('Everything in flight is cut off once');
  expect(await opened.page.title()).toBe('Everything in flight is cut off once: undaunted lab');
  await opened.page.getByRole('tab', { name: 'Report' }).click();
  expect(await heading.innerText()).toBe(smallOutage.title);
});

test('a link that is pasted over the address is followed', async () => {
  await opened.page.evaluate(() => {
    location.hash = '#lab=1&scenario=surge&seed=3';
  });
  await expect.poll(() => chosen(opened)).toEqual(['surge', 'none', '3']);
  await opened.settled();
});

test('a policy that is too long for a link is not put into the address', async () => {
  const rules = Array.from({ length: 400 }, (_, index) => ({ match: `/${index}`, maxRetries: 1 }));
  await opened.page.getByLabel('Policy as JSON').fill(JSON.stringify({ rules }));
  await opened.settled();
  await opened.page.getByRole('button', { name: 'Copy link' }).click();
  await opened.page.getByText('The policy is too long for a link of 8,000 characters.').waitFor();
  expect(fragmentOf(opened)).toBe('lab');
});

test('there is no link to a policy that has a problem', async () => {
  await opened.page.getByLabel('Policy as JSON').fill('{ "maxRetry": 3 }');
  expect(await opened.page.getByRole('button', { name: 'Copy link' }).isDisabled()).toBe(true);
  await opened.page.getByLabel('Start from').selectOption({ label: 'service' });
  expect(await opened.page.getByRole('button', { name: 'Copy link' }).isDisabled()).toBe(false);
});

describe('a broken link', () => {
  const markup = '<img src=x onerror="document.title=1">';

  test.each([
    ['it names the scenario "nowhere", which this page does not have', 'lab=1&scenario=nowhere'],
    ['it has the version "7", and this page reads version "1"', 'lab=7'],
    [`it names the scenario ${JSON.stringify(markup)}`, `lab=1&scenario=${encodeURIComponent(markup)}`],
    ['its policy is not JSON', 'lab=1&policy=%7B%22maxRetries%22%3A'],
    [
      'its policy has a problem at __proto__: unknown setting',
      `lab=1&policy=${encodeURIComponent('{"__proto__":{"maxRetries":9}}')}`,
    ],
    ['it does not begin with "lab="', 'lab%3D1%26seed%3D2'],
    ['it has 200,013 characters; at most 8,000 are read', `lab=1&policy=${'['.repeat(200_000)}`],
  ])('says that %s, and shows the default', async (fault, fragment) => {
    await using broken = await open(report, { fragment });
    await broken.settled();
    const warning = broken.page.getByRole('alert');
    expect(await warning.innerText()).toContain(`The link in the address cannot be used: ${fault}`);
    expect(await warning.innerText()).toContain('This is the default instead.');
    expect(await chosen(broken)).toEqual(['small-outage', 'none', '1']);
    expect(await broken.policy()).toBe('{}');
    expect(await broken.page.locator('img').count()).toBe(0);
    expect(broken.noise).toEqual([]);
    await broken.page.getByLabel('Seed').fill('2');
    await broken.page.getByLabel('Seed').press('Enter');
    await warning.waitFor({ state: 'hidden' });
  });
});
