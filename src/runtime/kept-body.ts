/**
 * A body that can be read once, for several attempts: what was read of it is kept, up to a limit. Each attempt has
 * an outlet, which begins with what was kept and goes on reading.
 */

import type { Chunk, Source, SourceListener } from './body-source.js';
import { type AnyIterable, IteratorSource } from './iterator-source.js';
import { KeptBytes } from './kept-bytes.js';
import type { Cancel } from './sleep.js';
import { isNodeStream, StreamSource } from './stream-source.js';

/** What an attempt sends. */
export interface Outlet {
  /** False: this is enough for now. */
  push(chunk: Chunk): boolean;
  end(): void;
  /** Without an error: the source was closed before its end, and the client has its own words for that. */
  fail(error?: unknown): void;
}

export class KeptBody implements SourceListener {
  /** What was read so far; undefined once that was more than the limit. */
  private kept: KeptBytes | undefined = new KeptBytes();
  private readonly source: Source;
  private readonly limitBytes: number;
  private reader: BodyReader | undefined = undefined;
  private isBegunNow = false;
  private hasEnded = false;
  private isClosed = false;
  /** It ended in its first read; so does what each attempt sends, and they are all alike. */
  isWhole = false;
  /** The source's own end before its end, which is the caller's to hear. */
  failure: { readonly error?: unknown } | undefined = undefined;
  /** Called for a failure that no attempt can tell of: none is under way, or it has everything. */
  onFailure: ((error?: unknown) => void) | undefined = undefined;

  constructor(body: object, limitBytes: number) {
    this.limitBytes = limitBytes;
    this.source = isNodeStream(body)
      ? new StreamSource(body, this)
      : new IteratorSource(body as AnyIterable, this);
  }

  /** Some of it may have been sent. */
  get isBegun(): boolean {
    return this.isBegunNow;
  }

  /** Everything that was read is still here. */
  get isReplayable(): boolean {
    return this.kept !== undefined && this.failure === undefined;
  }

  /** There is nothing to be read, and never will be. */
  get isEmpty(): boolean {
    return this.source.isEmpty;
  }

  /** Whether it is all there, or would be; nothing is taken. */
  probe(): boolean {
    return this.hasEnded || this.source.probe();
  }

  get isOfObjects(): boolean {
    return this.source.isOfObjects;
  }

  // -------------------------------------------------------------- attempts

  /** For the next attempt; the one before it is over. */
  open(outlet: Outlet): BodyReader {
    this.leave();
    this.reader = new BodyReader(this, outlet);
    return this.reader;
  }

  /** The attempt that reads is over: what comes now is for the next one. */
  leave(): void {
    if (this.reader === undefined) return;
    this.reader.isOver = true;
    this.reader = undefined;
    if (!this.hasEnded) this.source.pause();
  }

  /** Calls for a failure that no attempt can tell of. */
  watch(listener: () => void): Cancel {
    this.onFailure = listener;
    return () => {
      this.onFailure = undefined;
    };
  }

  /** The request is over: what was not read is not wanted, unless the client goes on sending it. */
  close(error?: unknown): void {
    this.isClosed = true;
    if (error === undefined && this.reader !== undefined) return;
    this.leave();
    this.kept = undefined;
    if (!this.hasEnded) this.source.close(error);
  }

  /** By its reader: what was kept, if it is still there. */
  takeKept(): Uint8Array | undefined {
    if (this.kept !== undefined) return this.kept.bytes;
    const error = new Error('undaunted: the body cannot be sent again');
    this.failure ??= { error: Object.assign(error, { code: 'ERR_BODY_SPENT' }) };
    return undefined;
  }

  more(reader: BodyReader): void {
    if (this.failure !== undefined) reader.fail(this.failure.error);
    else if (this.hasEnded) reader.end();
    else {
      this.isBegunNow = true;
      this.source.more();
    }
  }

  /** The client reads no more of it. */
  stopped(reader: BodyReader): void {
    if (this.reader !== reader) return;
    this.leave();
    if (this.isClosed) this.close();
  }

  // -------------------------------------------------------------- what the source gives

  came(chunk: Chunk): void {
    if (this.kept?.add(chunk, this.limitBytes) === false) this.kept = undefined;
    if (this.reader?.give(chunk) === false) this.source.pause();
  }

  cameWhole(chunks: readonly Chunk[]): void {
    this.isWhole = true;
    this.hasEnded = true;
    // It is in memory anyway.
    this.kept?.addAll(chunks);
    for (const chunk of chunks) this.reader?.give(chunk);
    this.reader?.end();
  }

  ended(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.reader?.end();
  }

  failed(error?: unknown): void {
    if (this.failure !== undefined || (this.hasEnded && error === undefined)) return;
    this.failure = { error };
    if (this.isClosed) return;
    if (this.reader === undefined) this.onFailure?.(error);
    else this.reader.fail(error);
  }
}

/** One attempt's way through the body. Leaving it early leaves the source as it is. */
export class BodyReader {
  isOver = false;
  /** It has what was kept. */
  private isFollowing = false;
  private readonly body: KeptBody;
  private readonly outlet: Outlet;

  constructor(body: KeptBody, outlet: Outlet) {
    this.body = body;
    this.outlet = outlet;
  }

  /** The client asks for more. */
  more(): void {
    if (this.isOver) return;
    if (this.isFollowing || this.catchUp()) this.body.more(this);
  }

  private catchUp(): boolean {
    this.isFollowing = true;
    const kept = this.body.isBegun ? this.body.takeKept() : undefined;
    return kept === undefined || kept.byteLength === 0 || this.outlet.push(kept) || this.body.isWhole;
  }

  /** What comes before it was asked for is kept, and is given with that. */
  give(chunk: Chunk): boolean {
    return this.isFollowing ? this.outlet.push(chunk) : false;
  }

  end(): void {
    if (!this.isFollowing) return;
    this.body.leave();
    this.outlet.end();
  }

  fail(error?: unknown): void {
    this.body.leave();
    this.outlet.fail(error);
  }

  /** The client has ended what it read: well, or not. */
  stop(): void {
    this.body.stopped(this);
  }
}
