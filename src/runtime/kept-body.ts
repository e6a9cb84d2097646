/**
 * A body that can be read once, for several attempts: what was read of it is kept, up to a limit. Needs neither
 * Node's streams nor its buffers, so that it works wherever a body is an iterable.
 */

import { iterates } from './iterates.js';

export type Chunk = Uint8Array | string;
type Source = AsyncIterator<Chunk> | Iterator<Chunk>;

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

/** What nobody is going to read. */
export function dispose(body: unknown, error?: unknown): void {
  if (typeof body !== 'object' || body === null || !isStream(body)) return;
  body.on('error', () => undefined);
  body.destroy?.(error);
}

/**
 * One source, read once, and a reader for each attempt: it begins with what was kept and goes on reading. A
 * chunk that arrives for an attempt that is over stays for the next one.
 */
export class KeptBody {
  /** What was read so far; undefined once that was more than the limit. */
  private kept: Chunk[] | undefined = [];
  private keptBytes = 0;
  private source: Source | undefined = undefined;
  /** The next chunk, asked for and not yet taken. */
  private pending: Promise<IteratorResult<Chunk, unknown>> | undefined = undefined;
  private reader: Reader | undefined = undefined;
  /** There is nothing more to send. */
  isReadOut = false;
  /** HTTP/2 goes on sending after the response has ended. */
  outlivesResponse = false;
  private isClosed = false;
  /** The source's own error, which is the caller's to hear. */
  failure: { readonly error: unknown } | undefined = undefined;
  private readonly body: AsyncIterable<Chunk> | Iterable<Chunk>;
  private readonly limitBytes: number;
  private readonly spentCode: string;

  /** `spentCode`: of the error that a client gets which begins again although not everything was kept. */
  constructor(
    body: AsyncIterable<Chunk> | Iterable<Chunk>,
    limitBytes: number,
    spentCode = 'ERR_BODY_SPENT',
  ) {
    this.body = body;
    this.limitBytes = limitBytes;
    this.spentCode = spentCode;
    // While nobody reads, nobody else listens.
    if (isStream(body)) body.on('error', (error) => this.fail(error));
  }

  /** Some of it may have been sent. */
  get isBegun(): boolean {
    return this.source !== undefined;
  }

  /** Everything that was read is still here. */
  get isReplayable(): boolean {
    return this.kept !== undefined && this.failure === undefined;
  }

  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
    this.leave();
    if (this.isBegun && this.kept === undefined) {
      const error = new Error('undaunted: the body cannot be sent again');
      this.fail(Object.assign(error, { code: this.spentCode }));
    }
    this.reader = new Reader(this);
    return this.reader;
  }

  /** The attempt that reads is over: what comes now is for the next one. */
  leave(): void {
    this.reader?.leave();
  }

  /** The attempt is to be given up while it is being sent. */
  breakOff(abort: () => void): void {
    if (this.reader === undefined || this.isReadOut) abort();
    else this.reader.breakOff(abort);
  }

  /** The request is over: what was not read is not wanted, unless the client still sends it. */
  close(error?: unknown): void {
    this.isClosed = true;
    const isStillSent = error === undefined && this.outlivesResponse && this.reader?.isOver === false;
    if (isStillSent) return;
    this.kept = undefined;
    this.closeSource(error);
  }

  /** Nobody reads on. */
  stopped(): void {
    if (this.isClosed) this.closeSource();
  }

  private closeSource(error?: unknown): void {
    this.leave();
    if (isStream(this.body)) dispose(this.body, error);
    else {
      const closing = async (): Promise<unknown> => this.source?.return?.();
      closing().catch(() => undefined);
    }
  }

  keptAt(position: number): Chunk | undefined {
    return this.kept?.[position];
  }

  async pull(reader: Reader): Promise<IteratorResult<Chunk, unknown>> {
    this.pending ??= this.readSource();
    const result = await this.pending;
    if (reader.hasLeft) return never();
    if (result.done === true) {
      this.isReadOut = true;
      return result;
    }
    this.pending = undefined;
    this.keep(result.value);
    return result;
  }

  private async readSource(): Promise<IteratorResult<Chunk, unknown>> {
    try {
      this.source ??= sourceOf(this.body);
      return await this.source.next();
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
  }

  private keep(chunk: Chunk): void {
    if (this.kept === undefined) return;
    const copy = copyOf(chunk);
    this.keptBytes += typeof copy === 'string' ? encoder.encode(copy).byteLength : copy.byteLength;
    if (this.keptBytes > this.limitBytes) this.kept = undefined;
    else this.kept.push(copy);
  }
}

/** A source may fill the same buffer again. */
function copyOf(chunk: Chunk): Chunk {
  if (!ArrayBuffer.isView(chunk)) return chunk;
  return new Uint8Array(chunk.buffer.slice(chunk.byteOffset, chunk.byteOffset + chunk.byteLength));
}

function sourceOf(body: AsyncIterable<Chunk> | Iterable<Chunk>): Source {
  return iterates(body, Symbol.asyncIterator)
    ? (body as AsyncIterable<Chunk>)[Symbol.asyncIterator]()
    : (body as Iterable<Chunk>)[Symbol.iterator]();
}

/**
 * What a reader gets whose attempt is over. An end would make a shorter body look whole to the server, and an
 * error makes undici throw where nobody can catch it if other requests are on the connection. A promise of
 * its own, which goes with the reader.
 */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

const nothing = new Uint8Array(0);
const encoder = new TextEncoder();

/** One attempt's way through the body. Leaving it early leaves the source as it is. */
class Reader implements AsyncIterator<Chunk, unknown> {
  hasLeft = false;
  /** It was told the end, or wants to hear no more. */
  isOver = false;
  private position = 0;
  private readonly body: KeptBody;
  /** undici is waiting for a chunk. */
  private answer: ((chunk: IteratorResult<Chunk, unknown>) => void) | undefined = undefined;
  private onNext: (() => void) | undefined = undefined;

  constructor(body: KeptBody) {
    this.body = body;
  }

  leave(): void {
    this.hasLeft = true;
    this.isOver = true;
  }

  /**
   * Over HTTP/2, undici 7 and 8 abort by closing the stream, which Node makes a regular end of it: the server
   * would take a part of the body for all of it. Not while something is being written.
   */
  breakOff(abort: () => void): void {
    this.leave();
    if (this.answer === undefined) abort();
    else {
      this.onNext = abort;
      this.answer({ done: false, value: nothing });
    }
  }

  next(): Promise<IteratorResult<Chunk, unknown>> {
    const { onNext } = this;
    this.onNext = undefined;
    onNext?.();
    if (this.hasLeft) return never();
    const { failure } = this.body;
    if (failure !== undefined) return Promise.reject(failure.error);
    const kept = this.body.keptAt(this.position);
    this.position += 1;
    if (kept !== undefined) return Promise.resolve({ done: false, value: kept });
    return new Promise((resolve, reject) => {
      this.answer = (chunk) => {
        this.answer = undefined;
        if (chunk.done === true) this.isOver = true;
        resolve(chunk);
      };
      this.body.pull(this).then(this.answer, reject);
    });
  }

  async return(): Promise<IteratorResult<Chunk, unknown>> {
    this.leave();
    this.body.stopped();
    return { done: true, value: undefined };
  }
}
