/** For `npm run test:everywhere`, which names the runtime and the folder in which it is installed. */

import { afterAll, beforeAll, describe } from 'vitest';
import { type Lab, startLab } from '../faults/lab.js';
import { conformsThere } from './conforms.js';
import { cutsThere } from './cuts.js';
import { failsThere } from './fails.js';
import { FarServer } from './far-server.js';
import { type ServingRuntime, startHost } from './host.js';
import type { ClientName } from './order.js';
import type { Host, Runtime } from './runtime.js';
import { uploadsThere } from './uploads.js';

const names = { bun: 'Bun', deno: 'Deno', workerd: 'workerd', 'happy-dom': 'happy-dom' } as const;
const clients: Readonly<Record<ServingRuntime, readonly ClientName[]>> = {
  bun: ['fetch', 'axios over fetch', 'axios over http'],
  deno: ['fetch', 'axios over fetch', 'axios over http'],
  workerd: ['fetch', 'axios over fetch'],
  'happy-dom': ['fetch'],
};

const runtime = process.env['RUNTIME'] as ServingRuntime;
const place = process.env['PLACE'] ?? '';

let lab: Lab;
let server: FarServer;
let host: Host & AsyncDisposable;

beforeAll(async () => {
  lab = await startLab((request) => server.playFor(request));
  server = await FarServer.open(lab);
  host = await startHost(runtime, place);
});

afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await lab?.close();
});

const there: Runtime = {
  name: names[runtime],
  clients: clients[runtime],
  host: () => host,
  server: () => server,
};

// happy-dom ends the process with what its own fetch throws.
describe.skipIf(runtime === 'happy-dom')('scenarios', () => conformsThere(there));
describe.skipIf(runtime === 'happy-dom')('faults', () => failsThere(there));
describe.skipIf(runtime === 'happy-dom')('cuts', () => cutsThere(there));
describe('uploads', () => uploadsThere(there));
