/**
 * Bodies that can be sent any number of times are, over both protocols, and with no more connections than other bodies.
 */

import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { answer, type Play } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { isFirst6, undici } from './client.js';
import { freesPlaces, openH2Agent, openH2Lab, wires } from './h2-client.js';
import { openAgent, retryingAgent } from './kit.js';

const sources: [name: string, make: () => unknown][] = [
  ['text', () => 'abc'],
  ['a Buffer', () => Buffer.from('abc')],
  ['a typed array', () => new Uint8Array(Buffer.from('abc'))],
  ['an ArrayBuffer', () => new Uint8Array(Buffer.from('abc')).buffer],
  ['a Blob', () => new Blob(['abc'])],
  [
    'a FormData',
    () => {
      const form = new undici.FormData();
      form.append('a', 'abc');
      return form;
    },
  ],
];

const wordless: Play = { steps: [{ do: 'write', text: 'HTTP/1.1 503 \r\ncontent-length: 4\r\n\r\nbusy' }] };

describe.each(sources)('%s', (name, make) => {
  const put = { path: '/', method: 'PUT' } as const;

  test.each<[string, Play]>([
    ['with a reason phrase', answer(503, 'busy')],
    ['without one, as from Tomcat', wordless],
  ])('over HTTP/1.1, 503 %s: four attempts on one connection', async (_play, busy) => {
    const lab = await openLab([busy, busy, busy, answer(200)]);
    const agent = retryingAgent();
    const { statusCode, body } = await agent.request({
      ...put,
      origin: lab.origin,
      body: make() as string,
    });
    await body.dump();
    expect([statusCode, lab.requests.length, lab.connections]).toEqual([200, 4, 1]);
    expect(new Set(lab.requests.map((request) => request.body.length)).size).toBe(1);
  });

  // The oldest undici 6 that we support cannot do that.
  const over = name === 'a FormData' && isFirst6 ? [] : wires;
  test.each(over)('over HTTP/2 ($name): four attempts on one connection', async (wire) => {
    const busy = answer(503, 'busy');
    const lab = await openH2Lab([busy, busy, busy, answer(200)], wire);
    const agent = openH2Agent(wire, { connections: freesPlaces ? 1 : null }).compose(retry(soon));
    const { statusCode, body } = await agent.request({
      ...put,
      origin: lab.origin,
      body: make() as string,
    });
    await body.dump();
    expect([statusCode, lab.requests.length]).toEqual([200, 4]);
    if (freesPlaces) expect(lab.connections).toBe(1);
    expect(lab.requests.every(({ complete }) => complete)).toBe(true);
  });

  test('through fetch', async () => {
    const lab = await openLab([wordless, wordless, answer(200)]);
    const dispatcher = openAgent().compose(retry(soon));
    const response = await undici.fetch(lab.origin, {
      method: 'PUT',
      body: make() as string,
      dispatcher,
    });
    await response.text();
    expect([response.status, lab.requests.length, lab.connections]).toEqual([200, 3, 1]);
  });
});
