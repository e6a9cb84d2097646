/** A tab of a real browser, on a site of its own. */

import { existsSync } from 'node:fs';
import { type Browser, type ConsoleMessage, chromium, type Page } from 'playwright-core';
import { answer, type Lab, type LabScript, type Play, startLab } from '../faults/lab.js';
import { nthOf } from '../faults/play.js';
import type { Plan, Report } from './page.js';

const path = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

export const hasChromium: boolean = existsSync(path);

/** A name of this machine. A page there is not a secure context, as it would be on 127.0.0.1. */
export const insecureHost = 'insecure.test';

/** What Chromium itself logs about failed requests; no script can prevent it. */
const linesOfTheNetwork = /^(Failed to load resource:|Access to (XMLHttpRequest|fetch) at )/;

export class Tab implements AsyncDisposable {
  readonly site: Lab;
  readonly #browser: Browser;
  readonly #page: Page;
  readonly #script: string;
  #noise: string[] = [];

  private constructor(site: Lab, browser: Browser, page: Page, script: string) {
    this.site = site;
    this.#browser = browser;
    this.#page = page;
    this.#script = script;
    page.on('pageerror', (error) => this.#noise.push(String(error)));
    page.on('console', (message) => this.#hear(message));
  }

  static async open(script: string, host = '127.0.0.1'): Promise<Tab> {
    const site = await startLab(siteWith(script));
    let browser: Browser | undefined;
    try {
      browser = await launch();
      const tab = new Tab(site, browser, await browser.newPage(), script);
      await tab.#page.goto(`http://${host}:${site.port}/`);
      return tab;
    } catch (error) {
      await browser?.close();
      await site.close();
      throw error;
    }
  }

  perform(plan: Plan): Promise<Report> {
    return this.#page.evaluate((given) => perform(given as Plan), plan);
  }

  /** What else the site answers, in this order. */
  serve(...plays: readonly Play[]): void {
    this.site.play(siteWith(this.#script, plays));
  }

  run(script: string): Promise<unknown> {
    return this.#page.evaluate(script);
  }

  /** What happened since the last call: uncaught errors, and what scripts wrote to the console. */
  takeNoise(): string[] {
    const noise = this.#noise;
    this.#noise = [];
    return noise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.site.close();
  }

  #hear(message: ConsoleMessage): void {
    if (!linesOfTheNetwork.test(message.text())) this.#noise.push(message.text());
  }
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
      '--disable-quic',
      '--disable-sync',
      '--no-first-run',
      '--no-proxy-server',
      // What is not to be found is not looked for outside.
      `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1, MAP *.invalid ~NOTFOUND`,
    ],
  });
}

/** The page and its script; every other request gets the next of the plays. */
function siteWith(script: string, plays: readonly Play[] = [answer(404)]): LabScript {
  const page = '<!doctype html><link rel="icon" href="data:,"><script src="/page.js"></script>';
  let turn = 0;
  return (request) => {
    if (request.path === '/') return answer(200, page, { 'content-type': 'text/html' });
    if (request.path === '/page.js') return answer(200, script, { 'content-type': 'text/javascript' });
    turn += 1;
    return nthOf(plays, turn);
  };
}
