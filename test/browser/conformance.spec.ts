/** Every scenario in a page. Its attempts go to its own site, which does not ask for leave. */

import { afterAll, beforeAll, describe } from 'vitest';
import { bundleGuest } from '../runtimes/bundle.js';
import { conformsThere } from '../runtimes/conforms.js';
import { cutsThere } from '../runtimes/cuts.js';
import { failsThere } from '../runtimes/fails.js';
import { FarServer } from '../runtimes/far-server.js';
import type { Order, Report } from '../runtimes/order.js';
import type { Runtime } from '../runtimes/runtime.js';
import { uploadsThere } from '../runtimes/uploads.js';
import { installed, tabForAll } from './scene.js';

const tab = tabForAll();
let server: FarServer;

const main = `
import { perform } from './guest.js';
globalThis.performThere = perform;
`;

beforeAll(async () => {
  const { site } = tab();
  await tab().run(await bundleGuest(main, { place: installed, format: 'iife' }));
  server = await FarServer.open(site);
  site.play((request) => server.playFor(request));
});

afterAll(() => server?.[Symbol.asyncDispose]());

const host = {
  ask: <O extends Order>(order: O): Promise<Report<O>> =>
    tab().run(`performThere(${JSON.stringify(order)})`) as Promise<Report<O>>,
};

const there: Runtime = {
  name: 'Chromium',
  clients: ['fetch', 'axios over fetch', 'axios over xhr'],
  host: () => host,
  server: () => server,
};

describe('scenarios', () => conformsThere(there));
describe('faults', () => failsThere(there));
describe('cuts', () => cutsThere(there));
describe('uploads', () => uploadsThere(there));
