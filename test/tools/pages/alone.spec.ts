/** The lab as `undaunted lab` serves it: without a report, and without any network. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPageServer } from '../../../src/tools/cli/lab/page-server.js';
import type { Report } from '../../../src/tools/pages/report.js';
import { fillTemplate } from '../../../src/tools/pages/template.js';
import type { Lab } from '../../faults/lab.js';
import { answer, startLab } from '../../faults/lab.js';
import { pagesForAll, templateUnderTest } from './opened-page.js';
import { smallOutage } from './runs.js';

const open = pagesForAll();
const mine = { name: 'policy.json', policy: { maxRetries: 1 } };
const report: Report = {
  format: 1,
  scenario: { ...smallOutage, policies: [mine, 'none', 'ky'] },
  seed: 1,
  entries: [],
};

describe('opened from a file', () => {
  test('it begins with the first policy, beside another way to retry', async () => {
    await using opened = await open(report, { fragment: '' });
    await opened.settled();
    expect(JSON.parse(await opened.policy())).toEqual(mine.policy);
    expect(Object.keys(await opened.numbers('Succeeded'))).toEqual(['Time', 'your policy', 'ky']);
    expect(await opened.page.getByRole('tab').count()).toBe(0);
    expect(await opened.page.getByRole('heading', { level: 1 }).innerText()).toBe(smallOutage.title);
    expect(opened.noise).toEqual([]);
  });

  test('it begins with the link that it was written with, unless its address has another one', async () => {
    const linked = { ...report, link: '#lab=1&scenario=surge&seed=7' };
    const shown = async (fragment: string): Promise<string[]> => {
      await using opened = await open(linked, { fragment });
      await opened.settled();
      expect(opened.noise).toEqual([]);
      const labels = ['Scenario', 'Seed'];
      return await Promise.all(
        labels.map((label) => opened.page.getByLabel(label, { exact: true }).inputValue()),
      );
    };
    expect(await shown('')).toEqual(['surge', '7']);
    expect(await shown('lab=1&seed=3')).toEqual([smallOutage.name, '3']);
  });

  test('offers outages, known ones too, limits, ordinary days and slow answers, and policies to start from', async () => {
    await using opened = await open(report, { fragment: '' });
    const groups = (label: string) =>
      opened.page
        .getByLabel(label)
        .locator('optgroup')
        .evaluateAll((all) => all.map((group) => (group as HTMLOptGroupElement).label));
    expect(await groups('Scenario')).toEqual([
      'From this report',
      'Outages',
      'Known outages',
      'Limits',
      'Ordinary days',
      'Slow answers',
    ]);
    expect(await groups('Start from')).toEqual([
      'From this report',
      'undaunted',
      'How others retry',
      'Famous policies',
      'Default, with a famous schedule',
    ]);
    const start = opened.page.getByLabel('Start from');
    for (const name of await start.locator('optgroup option').allInnerTexts()) {
      await start.selectOption({ label: name });
      expect(await opened.page.locator('.problems').innerText()).toBe('');
      expect(await start.evaluate((select) => (select as HTMLSelectElement).selectedOptions[0]?.text)).toBe(
        name,
      );
    }
    await opened.page.getByRole('slider', { name: 'Retries', exact: true }).press('Home');
    expect(await start.inputValue()).toBe('');
  });

  test('a broken link is told about here, too', async () => {
    await using opened = await open(report, { fragment: 'chart' });
    await opened.settled();
    expect(await opened.page.getByRole('alert').innerText()).toContain('it does not begin with "lab="');
  });
});

describe('served', () => {
  let server: Awaited<ReturnType<typeof openPageServer>>;
  let elsewhere: Lab;
  beforeAll(async () => {
    server = await openPageServer(fillTemplate(await templateUnderTest(), report), 0);
    elsewhere = await startLab(() => answer(200, '', { 'access-control-allow-origin': '*' }));
  });
  afterAll(async () => {
    await server.close();
    await elsewhere.close();
  });

  test('it asks the network for nothing but itself', async () => {
    await using opened = await open(report, { address: server.url });
    await opened.settled();
    await opened.page.getByLabel('Scenario').selectOption('surge');
    await opened.settled();
    expect(opened.noise).toEqual([server.url]);
  });

  test('and nothing in it could ask: the page forbids every request', async () => {
    await using opened = await open(report, { address: server.url });
    await opened.settled();
    const refused = await opened.page.evaluate(async (origin) => {
      const violations: string[] = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        violations.push(effectiveDirective);
      });
      await fetch(`${origin}/fetch`).catch(() => {});
      navigator.sendBeacon(`${origin}/beacon`, 'x');
      new Image().src = `${origin}/image`;
      document.body.append(Object.assign(document.createElement('script'), { src: `${origin}/script` }));
      document.body.append(Object.assign(document.createElement('iframe'), { src: `${origin}/frame` }));
      const style = { rel: 'stylesheet', href: `${origin}/style` };
      document.body.append(Object.assign(document.createElement('link'), style));
      const blob = new Blob([`fetch('${origin}/worker').catch(() => {}).then(() => postMessage('tried'))`]);
      const worker = new Worker(URL.createObjectURL(blob));
      await new Promise((resolve) => {
        worker.onmessage = resolve;
      });
      return violations;
    }, elsewhere.origin);
    expect(new Set(refused)).toEqual(
      new Set(['connect-src', 'img-src', 'script-src-elem', 'frame-src', 'style-src-elem']),
    );
    expect(elsewhere.requests).toEqual([]);
  });
});
