/** With Object.prototype polluted by an iterator, headers and bodies still work. */

import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { answer, closeAfter } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { readsIterableHeaders, undici } from './client.js';
import { recorder } from './generations.js';
import { retryingAgent } from './kit.js';

/** Every setting that reads headers. */
const busy: PolicyOptions = {
  ...soon,
  idempotencyKey: true,
  attemptHeader: true,
  beforeRetry: ({ headers }) => {
    headers['x-token'] = 'fresh';
  },
};

function pollute(symbol: symbol): void {
  Object.defineProperty(Object.prototype, symbol, {
    configurable: true,
    writable: true,
    *value() {},
  });
  onTestFinished(() => {
    Reflect.deleteProperty(Object.prototype, symbol);
  });
}

const bodies: [string, () => unknown][] = [
  ['a string', () => 'hello'],
  ['bytes', () => Buffer.from('hello')],
  ['a Blob', () => new Blob(['hello'])],
  ['a stream', () => Readable.from(['hello'], { objectMode: false })],
  ['an async iterator', () => Readable.from(['hello'], { objectMode: false }).iterator()],
];

const symbols = readsIterableHeaders ? [Symbol.iterator, Symbol.asyncIterator] : [Symbol.asyncIterator];

test.each(
  symbols.flatMap((symbol) => bodies.map(([name, make]) => [String(symbol), name, symbol, make] as const)),
)(
  'with a polluted %s, %s is sent whole, with its headers, in each attempt',
  async (_s, _name, symbol, make) => {
    const lab = await openLab([closeAfter(answer(503)), answer(429), answer(200)]);
    const heard = recorder(2);
    const body = make() as Buffer;
    pollute(symbol);
    const options = {
      origin: lab.origin,
      path: '/',
      method: 'PUT' as const,
      headers: { 'X-Mine': 'mine' },
      body,
    };
    retryingAgent(busy).dispatch(options, heard);
    await heard.settled;
    Reflect.deleteProperty(Object.prototype, symbol);
    expect(heard.error).toBeUndefined();
    expect(
      lab.requests.map(({ headers, body: sent }) => [headers['x-mine'], headers['x-token'], sent.toString()]),
    ).toEqual([
      ['mine', undefined, 'hello'],
      ['mine', 'fresh', 'hello'],
      ['mine', 'fresh', 'hello'],
    ]);
  },
);

test.runIf(readsIterableHeaders)('headers that do yield pairs are read, and so is FormData', async () => {
  const lab = await openLab([closeAfter(answer(503)), answer(200)]);
  const heard = recorder(2);
  pollute(Symbol.iterator);
  const body = new undici.FormData();
  body.set('name', 'value');
  const headers = new Map([['X-Mine', 'mine']]);
  const options = { origin: lab.origin, path: '/', method: 'PUT' as const, headers, body: body as never };
  retryingAgent(busy).dispatch(options as never, heard);
  await heard.settled;
  Reflect.deleteProperty(Object.prototype, Symbol.iterator);
  expect(heard.error).toBeUndefined();
  expect(lab.requests.map(({ headers: sent }) => sent['x-mine'])).toEqual(['mine', 'mine']);
  for (const { body: sent } of lab.requests) expect(sent.toString()).toContain('name="name"\r\n\r\nvalue');
});
