/** How much later the first content of a stream comes to a caller where its beginning is waited for, in turns with bare. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axios from 'axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import { withRetry } from '../src/adapters/fetch/index.js';
import { retry } from '../src/adapters/undici/index.js';
import { median } from './measure.js';
import type { Row } from './row.js';
import { undici } from './undici-under-test.js';

const policy = { hints: 'anthropic', streamStart: {} } as const;
const begun = 'event: message_start\ndata: {"type":"message_start"}\n\n';
const content =
  'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"hello"}}\n\n';

type Chunks = AsyncIterable<Uint8Array>;
type Open = (url: string) => Promise<Chunks>;

interface Subject {
  readonly name: string;
  readonly bare: Open;
  readonly ours: Open;
}

export async function benchStreamStarts(): Promise<Row[]> {
  let sentAt = 0;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(begun);
    setTimeout(() => {
      sentAt = performance.now();
      response.write(content);
      setTimeout(() => response.end(), 1);
    }, 2);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  /** From the moment at which the server writes the content to the one at which the caller has it. */
  const lateness = async (open: Open): Promise<number> => {
    let text = '';
    let late = 0;
    for await (const chunk of await open(url)) {
      text += Buffer.from(chunk).toString();
      if (late === 0 && text.includes('hello')) late = performance.now() - sentAt;
    }
    return late;
  };

  const rows: Row[] = [];
  for (const { name, bare, ours } of subjects()) {
    const [alone, waited]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < 250; turn += 1) {
      const [first, second] = [await lateness(bare), await lateness(ours)];
      // The first ones warm up.
      if (turn >= 50) [alone.push(first), waited.push(second)];
    }
    rows.push({ name: `${name}, bare`, value: median(alone), unit: 'ms' });
    rows.push({
      name: `${name}, later than bare`,
      value: median(waited) - median(alone),
      unit: 'ms',
      atMost: 1,
    });
  }
  server.closeAllConnections();
  server.close();
  return rows;
}

function subjects(): readonly Subject[] {
  const bodyOf = async (answer: Promise<Response>): Promise<Chunks> =>
    (await answer).body as unknown as Chunks;
  const retrying = withRetry(fetch, policy);
  const plain = new undici.Agent();
  const composed = new undici.Agent().compose(retry(policy));
  const through = async (dispatcher: typeof composed, url: string): Promise<Chunks> =>
    (await undici.request(url, { dispatcher })).body;
  const alone = axios.create({ responseType: 'stream' });
  const attached = axios.create({ responseType: 'stream' });
  attachRetry(attached, policy);
  return [
    { name: 'undici', bare: (url) => through(plain, url), ours: (url) => through(composed, url) },
    {
      name: 'axios',
      bare: async (url) => (await alone.get<Chunks>(url)).data,
      ours: async (url) => (await attached.get<Chunks>(url)).data,
    },
    { name: 'fetch', bare: (url) => bodyOf(fetch(url)), ours: (url) => bodyOf(retrying(url)) },
  ];
}
