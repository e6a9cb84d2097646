/**
 * Request bodies, and whether they can be sent again. Text, bytes, Blob and FormData can. A stream or an
 * iterator can be read once, so what was read of it is kept, up to a limit: fetch makes one of every body.
 */

import { Readable } from 'node:stream';
import { iterates } from '../../runtime/iterates.js';
import { type Chunk, isStream, KeptBody, type StreamLike } from '../../runtime/kept-body.js';

/** As much of Node's streams as is asked here. */
interface NodeStream extends StreamLike {
  read?(): Uint8Array | null;
  readonly readableEncoding?: string | null;
  readonly _readableState?: {
    readonly ended?: boolean;
    readonly objectMode?: boolean;
    readonly flowing?: boolean | null;
  };
}

/** `ready` goes out as it is, as often as needed. `once` goes out as it is, and not again. */
export type Body =
  | { readonly kind: 'ready'; readonly value: unknown }
  | { readonly kind: 'once'; readonly value: unknown }
  | { readonly kind: 'made'; readonly make: () => unknown; value: unknown }
  | { readonly kind: 'kept'; readonly value: KeptBody };

const noBody: Body = { kind: 'ready', value: undefined };

export function bodyOf(body: unknown, limitBytes: number): Body {
  if (body === undefined || body === null) return noBody;
  if (typeof body === 'function') return { kind: 'made', make: () => made(body()), value: undefined };
  if (typeof body !== 'object' || ArrayBuffer.isView(body)) return { kind: 'ready', value: body };
  if (isStream(body)) return streamBody(body, limitBytes);
  if (iterates(body, Symbol.asyncIterator) || (iterates(body, Symbol.iterator) && !beginsAnew(body)))
    return kept(body, limitBytes);
  return { kind: 'ready', value: spelledOut(body) };
}

function streamBody(body: NodeStream, limitBytes: number): Body {
  if (!iterates(body, Symbol.asyncIterator) || Readable.isDisturbed(body as unknown as Readable)) {
    return { kind: 'once', value: body };
  }
  const whole = inMemory(body);
  return whole === undefined ? kept(body, limitBytes) : { kind: 'ready', value: whole };
}

/** Of what has ended already undici knows the length, which it would not of what is read from it. */
function inMemory(body: NodeStream): Buffer | undefined {
  const { ended, objectMode, flowing } = body._readableState ?? {};
  const isWhole =
    ended === true && objectMode === false && flowing !== true && body.readableEncoding === null;
  if (!isWhole || body.read === undefined) return undefined;
  const parts: Uint8Array[] = [];
  // Since Node 26, one read() is one chunk.
  for (let part = body.read(); part !== null; part = body.read()) parts.push(part);
  return Buffer.concat(parts);
}

function kept(body: object, limitBytes: number): Body {
  const source = body as AsyncIterable<Chunk> | Iterable<Chunk>;
  // undici may begin a request again by itself; what it cannot send again is to look like what it is.
  return { kind: 'kept', value: new KeptBody(source, limitBytes, 'UND_ERR_SOCKET') };
}

/** Nothing of it has to be kept; the next attempt gets another one. */
function made(body: unknown): unknown {
  return isThenable(body) ? body.then(made) : bodyOf(body, 0).value;
}

/** undici itself would send the pairs as chunks, and fail. */
function spelledOut(body: unknown): unknown {
  return body instanceof URLSearchParams ? body.toString() : body;
}

/** Of other iterables it cannot be known: a queue looks the same. */
function beginsAnew(body: object): boolean {
  if (Array.isArray(body) || body instanceof Set || body instanceof URLSearchParams) return true;
  return 'append' in body && 'getAll' in body;
}

export function isThenable<T>(value: unknown): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** What is being read while it is sent. */
export function sourceBeingSent({ value }: Body): KeptBody | undefined {
  return value instanceof KeptBody ? value : undefined;
}
