/**
 * Request bodies after axios's transforms, and whether they can be sent again. Text, bytes, Blob and the platform's
 * FormData can. A stream or an iterator can be read only once, and so can a form of the package `form-data`, into
 * which axios turns every object that is to be multipart; if all of its parts are in memory, it can be sent again
 * nevertheless.
 */

import type { Settings } from '../../core/policy/settings.js';
import { iterates } from '../../drivers/body/iterates.js';
import type { KeptBody } from '../../drivers/body/kept-body.js';
import { MadeBody } from '../../drivers/body/made-body.js';
import { isSentAtOnce } from '../../drivers/body/sent-at-once.js';
import { dispose, isStream, isWebStream, type StreamLike, wasRead } from '../../drivers/body/stream-like.js';
import type { Streams } from '../../drivers/parts.js';
import { builtinModule } from '../../kernel/builtin-module.js';
import type { Cancel } from '../../kernel/sleep.js';

export interface Body {
  /** Whether the next attempt could send it, as far as is known by now. */
  readonly isReplayable: boolean;
  /** The data for the next attempt. */
  next(): unknown;
  /** Headers that the server needs to read this body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The attempt that reads it is over. */
  leave?(): void;
  onFailure?(listener: () => void): Cancel;
  /** The request is over; without an error, it succeeded. */
  close?(error?: unknown): void;
}

type BodySettings = Pick<Settings, 'maxRetries' | 'needsAdmission' | 'credentials' | 'bufferBodyBytes'>;

/** Undefined if axios can send the data as it is: it is sent only once, or axios can send it again itself. */
export function bodyOf(
  data: unknown,
  settings: BodySettings,
  streams: Streams | undefined,
): Body | undefined {
  if (typeof data === 'function') return new MadeBody(data as () => unknown);
  if (typeof data !== 'object' || data === null || isSentAtOnce(settings)) return undefined;
  if (!isReadOnce(data)) return undefined;
  // Without the part that keeps streams, each is sent once.
  return streams === undefined ? spent(data) : keptBody(data, settings.bufferBodyBytes, streams);
}

/** Iterables: only `fetch` and adapters of the caller's get such a body, and only past axios's default transforms. */
function isReadOnce(data: object): boolean {
  if (isWebStream(data) || isStream(data) || iterates(data, Symbol.asyncIterator)) return true;
  return iterates(data, Symbol.iterator) && !beginsAnew(data);
}

function keptBody(data: object, limitBytes: number, streams: Streams): Body {
  const { asWebStream, streamFrom, webSource } = streams;
  const keep = (source: AsyncIterable<Uint8Array>): KeptBody => new streams.KeptBody(source, limitBytes);
  if (isWebStream(data)) return wasRead(data) ? spent(data) : new Kept(keep(webSource(data)), asWebStream);
  if (!isStream(data)) {
    if (!iterates(data, Symbol.asyncIterator)) return spent(data);
    const asIterable = (kept: KeptBody): unknown => new KeptIterable(kept, streams);
    return new Kept(keep(data as AsyncIterable<Uint8Array>), asIterable);
  }
  const node = builtinModule<NodeStreams>('node:stream');
  if (node === undefined || isDestroyed(data) || wasRead(data)) return spent(data);
  const asStream = (kept: KeptBody): unknown => streamFrom(kept, node.Readable, false);
  if (Symbol.asyncIterator in data) return new Kept(keep(data as Source), asStream);
  const parts = partsOf(data);
  if (parts !== undefined) return new MadeForm(data, () => node.Readable.from(parts, { objectMode: false }));
  return new Kept(keep(oldSource(node, data)), asStream, data);
}

/** Any other iterable may be spent after one pass: an iterator that has ended looks the same as one that is empty. */
function beginsAnew(data: object): boolean {
  const [, kind = ''] = /^\[object (.*)\]$/.exec(Object.prototype.toString.call(data)) ?? [];
  return ArrayBuffer.isView(data) || collections.has(kind);
}

const collections: ReadonlySet<string> = new Set([
  'Array',
  'FileList',
  'FormData',
  'HTMLCollection',
  'Map',
  'NodeList',
  'Set',
  'String',
  'URLSearchParams',
]);

type Source = StreamLike & AsyncIterable<Uint8Array>;

/** The body was read before it came to us, so nothing of it can be kept. */
function spent(data: unknown): Body {
  return { isReplayable: false, next: () => data };
}

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

class Kept implements Body {
  headers: Readonly<Record<string, string>> = {};
  private readonly kept: KeptBody;
  private readonly dress: (kept: KeptBody) => unknown;
  private readonly form: object | undefined;

  constructor(kept: KeptBody, dress: (kept: KeptBody) => unknown, form?: object) {
    this.kept = kept;
    this.dress = dress;
    this.form = form;
  }

  get isReplayable(): boolean {
    return this.kept.isReplayable;
  }

  async next(): Promise<unknown> {
    // The headers are read before the form is, and its length stays the same.
    if (this.form !== undefined && !this.kept.isBegun) this.headers = await headersOfForm(this.form);
    return this.dress(this.kept);
  }

  leave(): void {
    this.kept.leave();
  }

  onFailure(listener: () => void): Cancel {
    return this.kept.watch(listener);
  }

  close(error?: unknown): void {
    this.kept.close(error);
  }
}

// ---------------------------------------------------------------- iterables

/** An instance of a class, since axios would copy a plain object. */
class KeptIterable {
  private readonly kept: KeptBody;
  private readonly streams: Streams;

  constructor(kept: KeptBody, streams: Streams) {
    this.kept = kept;
    this.streams = streams;
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    const { asWebStream, webSource } = this.streams;
    return webSource(asWebStream(this.kept))[Symbol.asyncIterator]();
  }
}

// ---------------------------------------------------------------- still being sent

/**
 * Over HTTP/2, axios ends an aborted request as if its body were whole, so a body that is still being sent is broken
 * first.
 */
export function breakBody(data: unknown, done: () => void): void {
  const isSending = typeof data === 'object' && data !== null && isStream(data);
  if (isSending && !('destroyed' in data && data.destroyed === true)) {
    data.on('close', done);
    // Not with the caller's reason, which older versions of axios fail to recognise as their own.
    dispose(data, new Error('undaunted: the attempt has ended'));
  } else done();
}

// ---------------------------------------------------------------- streams of Node

type NodeStreams = Pick<typeof import('node:stream'), 'PassThrough' | 'Readable'>;

function isDestroyed(stream: StreamLike): boolean {
  return 'destroyed' in stream && stream.destroyed === true;
}

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
