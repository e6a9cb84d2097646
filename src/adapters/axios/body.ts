/**
 * Request bodies as they leave axios's transforms, and whether they can be sent again. Text, bytes, Blob and the
 * platform's FormData can. A stream or an iterator can be read once, and so can the `form-data` package's body, of
 * which axios makes one of every object that is to be multipart.
 */

import type { Settings } from '../../core/policy/settings.js';
import { builtinModule } from '../../runtime/builtin-module.js';
import { iterates } from '../../runtime/iterates.js';
import { KeptBody } from '../../runtime/kept-body.js';
import { streamFrom } from '../../runtime/kept-stream.js';
import { MadeBody } from '../../runtime/made-body.js';
import { isSentAtOnce } from '../../runtime/sent-at-once.js';
import type { Cancel } from '../../runtime/sleep.js';
import { isStream, isWebStream, type StreamLike } from '../../runtime/stream-like.js';
import { asWebStream, webSource } from '../../runtime/web-stream.js';
import { headersOfForm, partsOf } from './form.js';

export interface Body {
  /** As things stand now. */
  readonly isReplayable: boolean;
  /** What the next attempt sends. */
  next(): unknown;
  /** Headers that it cannot be read without. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The attempt that reads it is over. */
  leave?(): void;
  onFailure?(listener: () => void): Cancel;
  /** The request is over: with this error, or well. */
  close?(error?: unknown): void;
}

type Limits = Pick<Settings, 'maxRetries' | 'gate' | 'hold' | 'bufferBodyBytes'>;

/** Undefined: axios sends it as it is, for the one time that it is sent, or can send it again itself. */
export function bodyOf(data: unknown, limits: Limits): Body | undefined {
  if (typeof data === 'function') return new MadeBody(data as () => unknown);
  if (typeof data !== 'object' || data === null || isSentAtOnce(limits)) return undefined;
  const { bufferBodyBytes } = limits;
  if (isWebStream(data))
    return data.locked ? spent(data) : new Kept(webSource(data), bufferBodyBytes, asWebStream);
  if (!isStream(data)) return iterableBody(data, bufferBodyBytes);
  const node = builtinModule<NodeStreams>('node:stream');
  if (node === undefined || isDisturbed(data)) return spent(data);
  const asStream = (kept: KeptBody): unknown => streamFrom(kept, node.Readable, false);
  if (Symbol.asyncIterator in data) return new Kept(data as Source, bufferBodyBytes, asStream);
  const parts = partsOf(data);
  if (parts !== undefined) return new MadeForm(data, () => node.Readable.from(parts, { objectMode: false }));
  return new Kept(oldSource(node, data), bufferBodyBytes, asStream, data);
}

/** Such a body comes past axios's default transforms alone, for `fetch` or an adapter of the caller. */
function iterableBody(data: object, limitBytes: number): Body | undefined {
  if (iterates(data, Symbol.asyncIterator)) {
    const asIterable = (kept: KeptBody): unknown => new KeptIterable(kept);
    return new Kept(data as AsyncIterable<Uint8Array>, limitBytes, asIterable);
  }
  return iterates(data, Symbol.iterator) && !beginsAnew(data) ? spent(data) : undefined;
}

/** Of any other it cannot be known: what has ended looks the same as what is empty. */
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

/** It has been read before us: nothing can be kept of it. */
function spent(data: unknown): Body {
  return { isReplayable: false, next: () => data };
}

// ---------------------------------------------------------------- made for each attempt

/** All that it is made of stays in memory: it is not read itself. */
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

  constructor(
    source: AsyncIterable<Uint8Array>,
    limitBytes: number,
    dress: (kept: KeptBody) => unknown,
    form?: object,
  ) {
    this.kept = new KeptBody(source, limitBytes);
    this.dress = dress;
    this.form = form;
  }

  get isReplayable(): boolean {
    return this.kept.isReplayable;
  }

  async next(): Promise<unknown> {
    // Before it is read; its length stays the same.
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

/** Of a class, or axios would copy it as it does plain objects. */
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

type NodeStreams = Pick<typeof import('node:stream'), 'PassThrough' | 'Readable'>;

function isDisturbed(stream: StreamLike): boolean {
  const { readableDidRead, destroyed } = stream as { readableDidRead?: boolean; destroyed?: boolean };
  return readableDidRead === true || destroyed === true;
}

/**
 * From before streams could be iterated over; it is not read before the first attempt reads. But its errors are
 * listened to from now on: one that comes while the request waits would end the process.
 */
function oldSource({ PassThrough }: NodeStreams, stream: StreamLike): AsyncGenerator<Uint8Array, void> {
  const through = new PassThrough();
  // The one that reads it hears of it, too.
  through.on('error', () => undefined);
  stream.on('error', (error) => through.destroy(error as Error));
  return piped();

  async function* piped(): AsyncGenerator<Uint8Array, void> {
    (stream as unknown as { pipe(to: unknown): void }).pipe(through);
    yield* through;
  }
}
