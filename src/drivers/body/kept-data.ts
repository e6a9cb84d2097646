/** The data of a request by axios that can be read only once, kept so that it can be sent again; and forms of `form-data`. */

import { builtinModule } from '../../kernel/builtin-module.js';
import type { RequestBody } from '../loop/exchange.js';
import { iterates } from './iterates.js';
import { DressedBody, KeptBody } from './kept-body.js';
import { type NodeStreams, streamFrom } from './kept-stream.js';
import { MadeBody } from './made-body.js';
import { spentBody } from './spent-body.js';
import { isDestroyed, isStream, isWebStream, type StreamLike, wasRead } from './stream-like.js';
import { asWebStream, webSource } from './web-stream.js';

interface KeptData extends RequestBody {
  /** Headers that the server needs to read this body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The request is over; without an error, it succeeded. */
  close?(error?: unknown): void;
}

/** `data` can be read only once, or is a function that makes it anew. */
export function keptForAxios(data: object, limitBytes: number): KeptData {
  if (typeof data === 'function') return new MadeBody(data as () => unknown);
  const keep = (source: AsyncIterable<Uint8Array>): KeptBody => new KeptBody(source, limitBytes);
  if (isWebStream(data))
    return wasRead(data) ? spentBody(data) : new DressedBody(keep(webSource(data)), asWebStream);
  if (!isStream(data)) {
    if (!iterates(data, Symbol.asyncIterator)) return spentBody(data);
    const asIterable = (kept: KeptBody): unknown => new KeptIterable(kept);
    return new DressedBody(keep(data as AsyncIterable<Uint8Array>), asIterable);
  }
  const node = builtinModule<NodeStreams>('node:stream');
  if (node === undefined || isDestroyed(data) || wasRead(data)) return spentBody(data);
  const asStream = (kept: KeptBody): unknown => streamFrom(kept, node.Readable, false);
  if (Symbol.asyncIterator in data) return new DressedBody(keep(data as Source), asStream);
  const parts = partsOf(data);
  if (parts !== undefined) return new MadeForm(data, () => node.Readable.from(parts, { objectMode: false }));
  return new KeptForm(keep(oldSource(node, data)), asStream, data);
}

type Source = StreamLike & AsyncIterable<Uint8Array>;

// ---------------------------------------------------------------- made for each attempt

/** A form whose parts are all in memory: each attempt gets a new stream of them, and the form itself is never read. */
class MadeForm extends MadeBody {
  headers: Readonly<Record<string, string>> = {};
  private readonly form: object;

  constructor(form: object, make: () => unknown) {
    super(make);
    this.form = form;
  }

  override async next(): Promise<unknown> {
    this.headers = await headersOfForm(this.form);
    return super.next();
  }
}

// ---------------------------------------------------------------- read once, and kept

/** A form that is read, or another stream that is as old. */
class KeptForm extends DressedBody implements KeptData {
  headers: Readonly<Record<string, string>> = {};
  private readonly form: object;

  constructor(kept: KeptBody, dress: (kept: KeptBody) => unknown, form: object) {
    super(kept, dress);
    this.form = form;
  }

  override async next(): Promise<unknown> {
    // The headers are read before the form is, and its length stays the same.
    if (!this.kept.isBegun) this.headers = await headersOfForm(this.form);
    return super.next();
  }
}

// ---------------------------------------------------------------- iterables

/** An instance of a class, since axios would copy a plain object. */
class KeptIterable {
  private readonly kept: KeptBody;

  constructor(kept: KeptBody) {
    this.kept = kept;
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    return webSource(asWebStream(this.kept))[Symbol.asyncIterator]();
  }
}

// ---------------------------------------------------------------- streams of Node

/**
 * For streams older than async iteration. Reading starts with the first attempt. Errors are listened for from now on,
 * since an error that comes while the request waits would end the process.
 */
function oldSource({ PassThrough }: NodeStreams, stream: StreamLike): AsyncGenerator<Uint8Array, void> {
  const through = new PassThrough();
  // The reader gets this error, too.
  through.on('error', () => undefined);
  stream.on('error', (error) => through.destroy(error as Error));
  return piped();

  async function* piped(): AsyncGenerator<Uint8Array, void> {
    stream.pipe(through);
    yield* through;
  }
}

// ---------------------------------------------------------------- forms of the package `form-data`

interface Form {
  getHeaders(): Record<string, string>;
  getLength(done: (error: unknown, length?: number) => void): void;
}

/** The package's own fields: heads and contents, with a function after each content that ends the part. */
interface Parts extends Form {
  readonly _streams: readonly unknown[];
  readonly _released: boolean;
  getBoundary(): string;
}

/** axios would ask the form for these headers, but it gets a stream of the form's bytes instead. */
async function headersOfForm(stream: object): Promise<Readonly<Record<string, string>>> {
  if (!('getHeaders' in stream)) return {};
  const form = stream as Form;
  const headers = form.getHeaders();
  const length = await lengthOf(form);
  return length === undefined ? headers : { ...headers, 'content-length': String(length) };
}

/** Undefined if a part has an unknown length. */
function lengthOf(form: Form): Promise<number | undefined> {
  return new Promise((resolve) => form.getLength((_error, length) => resolve(length)));
}

/**
 * The bytes that the form will send, part by part; undefined if not all of them are in memory, or if the form is being
 * read already.
 */
function partsOf(stream: object): readonly (string | Uint8Array)[] | undefined {
  if (!('_streams' in stream && 'getBoundary' in stream)) return undefined;
  const { _streams: parts, _released: isBegun } = stream as Parts;
  if (!Array.isArray(parts) || parts.length === 0 || isBegun) return undefined;
  const pieces = parts.map((part: unknown) => (typeof part === 'function' ? '\r\n' : part));
  return pieces.every(isInMemory) ? [...pieces, `--${(stream as Parts).getBoundary()}--\r\n`] : undefined;
}

function isInMemory(piece: unknown): piece is string | Uint8Array {
  return typeof piece === 'string' || piece instanceof Uint8Array;
}
