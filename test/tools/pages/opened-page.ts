/** A page in a real browser, opened from a file as its reader opens it. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { pageTemplate } from '../../../scripts/page-template.js';
import type { Report } from '../../../src/tools/pages/report.js';
import { fillTemplate } from '../../../src/tools/pages/template.js';
import { launch } from '../../browser/tab.js';

/** Set by `npm run test:browser`: where the package is installed. */
const installed = process.env['PACKAGE_UNDER_TEST'];

export interface Reader extends BrowserContextOptions {
  /** What the address has after its #: a tab, or a link into the lab. */
  readonly fragment?: string;
  /** Where the page is served. Default: it is opened from a file. */
  readonly address?: string;
}

/** Opens pages for all tests of a file, in one browser. */
export function pagesForAll(): (report: Report, reader?: Reader) => Promise<OpenedPage> {
  let browser: Browser | undefined;
  let folder = '';
  let template = '';
  let count = 0;
  beforeAll(async () => {
    template = await templateUnderTest();
    folder = await mkdtemp(join(tmpdir(), 'pages-'));
    browser = await launch();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    if (folder !== '') await rm(folder, { recursive: true });
  });
  return async (report, { fragment = 'report', address, ...options } = {}) => {
    if (browser === undefined) throw new Error('pages can be opened only while tests run');
    count += 1;
    const file = join(folder, `report-${count}.html`);
    await writeFile(file, fillTemplate(template, report));
    const context = await browser.newContext(options);
    const opened = new OpenedPage(await context.newPage());
    await opened.page.goto(address ?? `${pathToFileURL(file)}#${fragment}`);
    return opened;
  };
}

/** Without its data. */
export function templateUnderTest(): Promise<string> {
  if (installed === undefined) return pageTemplate();
  return readFile(join(installed, 'node_modules/undaunted/dist/page.html'), 'utf8');
}

export class OpenedPage implements AsyncDisposable {
  readonly page: Page;
  /** Errors, what scripts wrote to the console, and every request to a network. */
  readonly noise: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.noise.push(String(error)));
    page.on('console', (message) => this.noise.push(message.text()));
    page.on('request', (request) => {
      if (!/^(file|blob|data):/.test(request.url())) this.noise.push(request.url());
    });
  }

  /** Waits until the lab has run what it was last asked for. */
  async settled(): Promise<void> {
    await this.page.waitForSelector('.results[aria-busy="false"]');
  }

  policy(): Promise<string> {
    return this.page.getByLabel('Policy as JSON').inputValue();
  }

  /** The numbers that a chart of the open tab shows, column by column: names, and values by the second. */
  async numbers(title: string): Promise<Readonly<Record<string, readonly string[]>>> {
    const chart = this.page.locator('.chart', {
      has: this.page.getByRole('heading', { name: new RegExp(`^${title}\\b`), level: 3 }),
    });
    const details = chart.locator('details');
    if ((await details.getAttribute('open')) === null) await details.locator('summary').click();
    // The browser tells the page in a later turn that it is open, and only then are the rows made.
    await details.locator('tr').first().waitFor();
    const rows = await details
      .locator('tr')
      .evaluateAll((all) =>
        all.map((row) => Array.from(row.children, ({ textContent }) => textContent ?? '')),
      );
    const [names = [], ...seconds] = rows;
    return Object.fromEntries(
      names.map((name, column) => [name, seconds.map((cells) => cells[column] ?? '')]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}
