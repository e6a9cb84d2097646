/**
 * Looks at the beginning of a body and leaves it to its reader as if nothing had looked. A Node stream stays unread, with
 * every byte in it, and does not break off before its reader has it.
 */

import type { StreamLike } from './stream-like.js';
import { whenCollected } from './unread.js';

/** What is used of Node's Readable. `_readableState` is undocumented, but as old as the class. */
interface PeekedStream extends StreamLike {
  readonly readableLength: number;
  readonly readableHighWaterMark: number;
  readable: boolean;
  readonly closed?: boolean;
  readonly _readableState?: {
    readonly ended?: boolean;
    /** A list in Node 20, an array since. */
    readonly buffer?: Iterable<unknown>;
    readonly bufferIndex?: number;
  };
  destroy(error?: unknown): unknown;
  read(): Uint8Array | null;
  unshift(chunk: Uint8Array): void;
  push(chunk: Uint8Array): unknown;
  readonly _transform?: unknown;
  on(event: string, listener: (error: unknown) => void): unknown;
  off(event: string, listener: (error: unknown) => void): unknown;
  prependListener(event: string, listener: () => void): unknown;
}

/** A look at the beginning of a body. */
export interface Look {
  /** Calls `over` once: when enough was seen, when the body has ended or broken off, or when it is stopped. */
  start(over: (peeked: Peeked) => void): void;
  stop(): void;
  /** To be called in the turn in which the caller gets the body, or in which it is discarded. */
  release(): void;
}

/** How the body was when the look at it ended. */
export type Peeked = 'enough' | 'ended' | { readonly cut: unknown };

/**
 * One of objects or of text, as in a mock, is left as it is, since its length does not count bytes; and so is one that has
 * broken off already.
 */
export function isPeekable(body: object): body is PeekedStream {
  const stream = body as Partial<PeekedStream & Modes>;
  return (
    typeof stream.readableLength === 'number' &&
    stream.readableFlowing === null &&
    stream.readableObjectMode === false &&
    stream.readableEncoding === null &&
    stream.destroyed === false &&
    typeof stream.unshift === 'function' &&
    typeof stream._readableState?.ended === 'boolean'
  );
}

interface Modes {
  readonly readableFlowing: unknown;
  readonly readableObjectMode: unknown;
  readonly readableEncoding: unknown;
  readonly destroyed: unknown;
}

export class Peek implements Look {
  private readonly stream: PeekedStream;
  /** Sees what is new; true: that is enough. */
  private readonly sees: (bytes: Uint8Array) => boolean;
  private over: (peeked: Peeked) => void = () => undefined;
  private seenBytes = 0;
  /** Bytes that had to be read, so that more could come: they go back at the end. */
  private taken: Uint8Array[] = [];
  private isOver = false;
  /** The stream is to be destroyed with this error once the caller has it. */
  private broken: { readonly error: unknown } | undefined = undefined;
  /** The error that was emitted before the stream was destroyed, as axios does for an abort. */
  private emitted: unknown = undefined;

  constructor(stream: PeekedStream, sees: (bytes: Uint8Array) => boolean) {
    this.stream = stream;
    this.sees = sees;
  }

  start(over: (peeked: Peeked) => void): void {
    const { stream } = this;
    this.over = over;
    stream.on('error', this.onError);
    const destroy = (error: unknown): PeekedStream => {
      this.breaks(error);
      return stream;
    };
    Object.defineProperty(stream, 'destroy', { value: destroy, configurable: true, writable: true });
    this.look();
    if (!this.isOver) stream.on('readable', this.look);
  }

  stop(): void {
    this.end('enough');
  }

  private readonly onError = (error: unknown): void => {
    this.emitted ??= error;
  };

  private readonly look = (): void => {
    const { stream } = this;
    if (this.isOver || this.broken !== undefined) return;
    const { readableLength } = stream;
    const bytes = readableLength >= stream.readableHighWaterMark ? this.take() : this.fresh(readableLength);
    if (bytes !== undefined && this.sees(bytes)) this.end('enough');
    else if (stream._readableState?.ended === true) this.end('ended');
  };

  /** What has come since, which stays where it is. */
  private fresh(readableLength: number): Uint8Array | undefined {
    if (readableLength <= this.seenBytes) return undefined;
    const { buffer = [], bufferIndex = 0 } = this.stream._readableState ?? {};
    const bytes = Buffer.concat(([...buffer] as Uint8Array[]).slice(bufferIndex)).subarray(this.seenBytes);
    this.seenBytes = readableLength;
    return bytes;
  }

  /** A stream that is full gets no more, unless it is read. */
  private take(): Uint8Array | undefined {
    const bytes = this.stream.read();
    if (bytes === null) return undefined;
    const fresh = bytes.subarray(this.seenBytes);
    this.taken.push(bytes);
    this.seenBytes = 0;
    return fresh;
  }

  /**
   * A destroyed stream drops what has not been read, so this one is destroyed once the caller has it, or at once if it
   * is not to have it. Node would end it regularly meanwhile, if it could still be read.
   */
  private breaks(error: unknown): void {
    if (this.broken !== undefined) return;
    const { stream } = this;
    this.broken = { error };
    stream.readable = false;
    process.nextTick(() => {
      stream.readable = true;
      // Set by Node's pipeline() on a stream that is not destroyed at once: then an iterator would end regularly.
      Reflect.deleteProperty(stream, Symbol.for('nodejs.stream.destroyed'));
      this.end({ cut: error ?? this.emitted });
    });
  }

  private end(peeked: Peeked): void {
    if (this.isOver) return;
    this.isOver = true;
    const { stream, taken } = this;
    stream.off('readable', this.look);
    if (taken.length > 0) putBack(stream, Buffer.concat(taken));
    this.taken = [];
    this.over(peeked);
  }

  release(): void {
    const { stream } = this;
    Reflect.deleteProperty(stream, 'destroy');
    if (this.broken === undefined) keepReadable(stream);
    setImmediate(() => {
      stream.off('error', this.onError);
      if (this.broken !== undefined) stream.destroy(this.broken.error);
    });
  }
}

/**
 * A transform that was asked for more, and is full now, waits until it is asked again; but Node asks only once until
 * something comes. An empty push ends that first question.
 */
function putBack(stream: PeekedStream, bytes: Uint8Array): void {
  stream.unshift(bytes);
  if (typeof stream._transform === 'function') stream.push(new Uint8Array(0));
}

/**
 * Node 24 and 26 take an HTTP/2 stream that its server has closed already for one that breaks off, if a reader comes only
 * then.
 */
function keepReadable(stream: PeekedStream): void {
  if (!('rstCode' in stream) || stream.closed !== true || stream.readableLength === 0) return;
  Object.defineProperty(stream, 'closed', { value: false, configurable: true });
  stream.prependListener('end', () => Reflect.deleteProperty(stream, 'closed'));
}

type Read = ReadableStreamReadResult<Uint8Array>;

/** A web stream cannot be looked at without reading it: a copy, or what is read again later. */
export interface Readings {
  read(): Promise<Read>;
  /** As in a look. */
  release(): void;
}

export class ReadingLook implements Look {
  private readonly readings: Readings;
  private readonly sees: (bytes: Uint8Array) => boolean;
  private over: ((peeked: Peeked) => void) | undefined = undefined;

  constructor(readings: Readings, sees: (bytes: Uint8Array) => boolean) {
    this.readings = readings;
    this.sees = sees;
  }

  start(over: (peeked: Peeked) => void): void {
    this.over = over;
    const { readings } = this;
    const cut = (error: unknown): void => this.end({ cut: error });
    const next = ({ done, value }: ReadableStreamReadResult<unknown>): void => {
      if (this.over === undefined) return;
      if (done) this.end('ended');
      // A stream of the caller's, as in a mock, may give what is no bytes.
      else if (!(value instanceof Uint8Array) || this.sees(value)) this.end('enough');
      else readings.read().then(next, cut);
    };
    readings.read().then(next, cut);
  }

  stop(): void {
    this.end('enough');
  }

  private end(peeked: Peeked): void {
    const { over } = this;
    this.over = undefined;
    over?.(peeked);
  }

  release(): void {
    this.readings.release();
  }
}

/** The caller has the other one. */
export function readingsOfCopy(copy: ReadableStream<Uint8Array>): Readings {
  const reader = copy.getReader();
  return {
    read: () => reader.read(),
    // Left unread, the copy would keep all that its reader reads.
    release: () => void reader.cancel().catch(() => undefined),
  };
}

/**
 * What is read is read again by the caller, from the stream that takes the place of this one. It is no branch of a
 * `tee()`: the source keeps its branches, so that one that is dropped unread would never be collected, and its connection
 * never come back.
 */
export function readAhead(
  stream: ReadableStream<Uint8Array>,
): readonly [Readings, ReadableStream<Uint8Array>] {
  const reader = stream.getReader();
  const reads: Promise<Read>[] = [];
  const theirs = replayed(reads, reader);
  whenCollected(theirs, { end: () => void reader.cancel().catch(() => undefined) });
  const read = (): Promise<Read> => {
    const next = reader.read();
    reads.push(next);
    return next;
  };
  return [{ read, release: () => undefined }, theirs];
}

function replayed(
  reads: Promise<Read>[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await (reads.shift() ?? reader.read());
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
