/**
 * A body that can be read once, for several attempts: what was read of it is kept, up to a limit. Each attempt has
 * an outlet, which begins with what was kept and goes on reading.
 */

import { type Chunk, type Source, type SourceListener, sourceOf } from './body-source.js';

export { dispose, isStream, isWebStream, type StreamLike } from './body-source.js';

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
  private readonly spentCode: string;
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

  /** `spentCode`: of the error for an attempt that would begin again although not everything was kept. */
  constructor(body: object, limitBytes: number, spentCode = 'ERR_BODY_SPENT') {
    this.limitBytes = limitBytes;
    this.spentCode = spentCode;
    this.source = sourceOf(body, this);
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
    this.failure ??= { error: this.spent() };
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

  private spent(): Error {
    return Object.assign(new Error('undaunted: the body cannot be sent again'), { code: this.spentCode });
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
    for (const chunk of chunks) this.kept?.add(chunk, Number.POSITIVE_INFINITY);
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

const encoder = new TextEncoder();

function bytesOf(chunk: Chunk): Uint8Array | undefined {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === 'string') return encoder.encode(chunk);
  if (!ArrayBuffer.isView(chunk)) return undefined;
  const { buffer, byteOffset, byteLength } = chunk as ArrayBufferView;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Copies, one after the other: a source may fill the same buffer again. */
class KeptBytes {
  private room: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  private length = 0;

  get bytes(): Uint8Array {
    return this.room.subarray(0, this.length);
  }

  /** False: that is more than the limit. What is neither bytes nor text is the client's to refuse. */
  add(chunk: Chunk, limitBytes: number): boolean {
    const bytes = bytesOf(chunk);
    if (bytes === undefined) return false;
    const length = this.length + bytes.byteLength;
    if (length > limitBytes) return false;
    if (length > this.room.byteLength) this.grow(length);
    this.room.set(bytes, this.length);
    this.length = length;
    return true;
  }

  private grow(length: number): void {
    const before = this.bytes;
    this.room = new Uint8Array(Math.max(length, Math.min(2 * length, 65_536)));
    this.room.set(before);
  }
}
