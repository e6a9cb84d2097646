/** Bodies as they are given to a client; runs in any runtime. */

import type { ClientName } from './order.js';

export const bodies = {
  text: () => ({ body: 'pay' }),
  bytes: () => ({ body: bytes() }),
  'an ArrayBuffer': () => ({ body: bytes().buffer }),
  'a Blob': () => ({ body: new Blob(['p', 'ay']) }),
  URLSearchParams: () => ({ body: new URLSearchParams({ item: 'pay' }) }),
  FormData: () => ({ body: form() }),
  'an object': () => ({ body: { item: 'pay' } }),
  'a function that gives text': () => ({ body: () => 'pay' }),
  'a stream': () => ({ body: stream(), duplex: 'half' }),
  'an async iterable': () => ({ body: iterable(), duplex: 'half' }),
  'a function that gives a stream': () => ({ body: () => stream() }),
  'a Request with text': () => ({ ofRequest: { body: 'pay' } }),
  'a Request with FormData': () => ({ ofRequest: { body: form() } }),
  'a Request with a stream': () => ({ ofRequest: { body: stream(), duplex: 'half' } }),
} as const;

export type BodyName = keyof typeof bodies;

export interface GivenBody {
  readonly body?: unknown;
  readonly duplex?: string;
  /** It is the body of a Request, and not of an init. */
  readonly ofRequest?: { readonly body: unknown; readonly duplex?: string };
}

/** What axios knows no name for is fetch's alone. */
const ofAxios: readonly BodyName[] = [
  'text',
  'bytes',
  'an ArrayBuffer',
  'a Blob',
  'URLSearchParams',
  'FormData',
  'an object',
];

export function bodiesOf(client: ClientName): readonly BodyName[] {
  if (client === 'axios over http') return ofAxios.filter((name) => name !== 'a Blob');
  if (client !== 'fetch') return ofAxios;
  return (Object.keys(bodies) as BodyName[]).filter((name) => name !== 'an object');
}

function bytes(): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode('pay');
}

function form(): FormData {
  const data = new FormData();
  data.append('item', 'pay');
  data.append('file', new Blob(['pay']), 'file.txt');
  return data;
}

function stream(): ReadableStream<Uint8Array> {
  return new Blob(['p', 'ay']).stream();
}

async function* iterable(): AsyncGenerator<Uint8Array> {
  yield bytes().subarray(0, 1);
  yield bytes().subarray(1);
}
