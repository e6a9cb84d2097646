/**
 * Where a body comes from that can be read once: a stream of Node, or anything that can be iterated over. Needs no
 * module of Node's, so that it works wherever there are such bodies.
 */

import { iterates } from './iterates.js';

export type Chunk = Uint8Array | string;

export interface StreamLike {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  destroy?(error?: unknown): unknown;
}

export function isStream(body: object): body is StreamLike {
  return 'pipe' in body && 'on' in body && typeof body.on === 'function';
}

export function isWebStream(body: object): body is ReadableStream<Uint8Array> {
  return 'getReader' in body;
}

/** What is not going to be read. */
export function dispose(body: unknown, error?: unknown): void {
  if (typeof body !== 'object' || body === null || !isStream(body)) return;
  body.on('error', () => undefined);
  if (isIncomingRequest(body)) {
    // It would take its connection along, and its own client would never be answered.
    const { socket } = body;
    body.socket = null;
    body.destroy?.(error);
    body.socket = socket;
  } else body.destroy?.(error);
}

/** By what Node itself knows it. */
function isIncomingRequest(stream: StreamLike): stream is StreamLike & { socket: unknown } {
  const { _consuming, _dumped, req } = stream as unknown as Record<string, unknown>;
  return typeof _consuming === 'boolean' && typeof _dumped === 'boolean' && req === undefined;
}

/** Who is told what a source gives. */
export interface SourceListener {
  came(chunk: Chunk): void;
  /** All of it was there at once. */
  cameWhole(chunks: readonly Chunk[]): void;
  ended(): void;
  /** Without an error: it was closed before its end. */
  failed(error?: unknown): void;
}

export interface Source {
  /** Its chunks may be empty strings, or what is no bytes at all. */
  readonly isOfObjects: boolean;
  /** It has ended, and there is nothing in it. */
  readonly isEmpty: boolean;
  /** What ends in its first read is whole after this, and has a length. Takes nothing. */
  probe(): boolean;
  /** Asks for what comes next. What is there comes at once. */
  more(): void;
  /** Enough for now. */
  pause(): void;
  close(error?: unknown): void;
}

export function sourceOf(body: object, listener: SourceListener): Source {
  return isNodeStream(body) ? new StreamSource(body, listener) : new IteratorSource(body as Any, listener);
}

// ---------------------------------------------------------------- streams

/** As much of Node's streams as is used here. */
interface NodeStream extends StreamLike {
  readonly _readableState: {
    readonly ended: boolean;
    readonly length: number;
    readonly objectMode: boolean;
    readonly autoDestroy?: boolean;
  };
  on(event: 'data' | 'end' | 'close' | 'error', listener: (given: never) => void): unknown;
  read(bytes?: number): Chunk | null;
  pause(): unknown;
  resume(): unknown;
}

function isNodeStream(body: object): body is NodeStream {
  return isStream(body) && '_readableState' in body && 'read' in body && 'resume' in body;
}

class StreamSource implements Source {
  readonly isOfObjects: boolean;
  private readonly stream: NodeStream;
  private readonly listener: SourceListener;
  private isTapped = false;

  constructor(stream: NodeStream, listener: SourceListener) {
    this.stream = stream;
    this.listener = listener;
    this.isOfObjects = stream._readableState.objectMode;
    stream.on('error', (error: unknown) => listener.failed(error));
    stream.on('end', () => {
      listener.ended();
      if (stream._readableState.autoDestroy !== true) dispose(stream);
    });
    // Some tell of their error only after they have closed.
    stream.on('close', () => queueMicrotask(() => listener.failed()));
  }

  get isEmpty(): boolean {
    return this.isWhole && this.stream._readableState.length === 0;
  }

  private get isWhole(): boolean {
    return this.stream._readableState.ended && !this.isOfObjects;
  }

  more(): void {
    if (!this.isTapped) this.tap();
    this.stream.resume();
  }

  probe(): boolean {
    if (!this.isTapped) this.stream.read(0);
    return this.isWhole;
  }

  private tap(): void {
    const { stream, listener } = this;
    const isWhole = this.probe();
    this.isTapped = true;
    if (isWhole) {
      const chunks: Chunk[] = [];
      // Since Node 26, one read() is one chunk.
      for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk);
      listener.cameWhole(chunks);
    } else stream.on('data', (chunk: Chunk) => listener.came(chunk));
  }

  pause(): void {
    this.stream.pause();
  }

  close(error?: unknown): void {
    dispose(this.stream, error);
  }
}

// ---------------------------------------------------------------- iterators

type Any = AsyncIterable<Chunk> | Iterable<Chunk>;
type Result = IteratorResult<Chunk, unknown>;

class IteratorSource implements Source {
  readonly isOfObjects = true;
  readonly isEmpty = false;
  private readonly body: Any;
  private readonly listener: SourceListener;
  private next: (() => PromiseLike<Result> | Result) | undefined = undefined;
  private iterator: AsyncIterator<Chunk> | Iterator<Chunk> | undefined = undefined;
  private isWanted = false;
  private isAsking = false;
  /** Came when it was not wanted any more. */
  private held: Result | undefined = undefined;

  constructor(body: Any, listener: SourceListener) {
    this.body = body;
    this.listener = listener;
  }

  probe(): boolean {
    return false;
  }

  more(): void {
    this.isWanted = true;
    const { held } = this;
    this.held = undefined;
    if (held !== undefined) this.take(held);
    else if (!this.isAsking) this.ask();
  }

  pause(): void {
    this.isWanted = false;
  }

  private ask(): void {
    this.isAsking = true;
    try {
      this.next ??= this.begin();
      Promise.resolve(this.next()).then(this.answered, this.failed);
    } catch (error) {
      this.failed(error);
    }
  }

  private begin(): () => PromiseLike<Result> | Result {
    if (iterates(this.body, Symbol.asyncIterator)) {
      const iterator = (this.body as AsyncIterable<Chunk>)[Symbol.asyncIterator]();
      this.iterator = iterator;
      return () => iterator.next();
    }
    const iterator = (this.body as Iterable<Chunk>)[Symbol.iterator]();
    this.iterator = iterator;
    return async () => {
      const { done = false, value } = iterator.next();
      return { done, value: await value } as Result;
    };
  }

  private readonly answered = (result: Result): void => {
    this.isAsking = false;
    if (this.isWanted) this.take(result);
    else this.held = result;
  };

  private readonly failed = (error: unknown): void => {
    this.isAsking = false;
    this.listener.failed(error);
  };

  private take(result: Result): void {
    if (result.done === true) {
      this.listener.ended();
      return;
    }
    this.listener.came(result.value);
    if (this.isWanted && !this.isAsking && this.held === undefined) this.ask();
  }

  close(): void {
    const closing = async (): Promise<unknown> => this.iterator?.return?.();
    closing().catch(() => undefined);
  }
}
