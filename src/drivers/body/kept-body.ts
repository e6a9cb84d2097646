/**
 * Makes a body that can be read only once serve several attempts. What was read is kept, up to a limit. Each attempt
 * has an outlet, which first gets what was kept and then goes on reading.
 */

import type { Cancel } from '../../kernel/timers.js';
import type { Chunk, Source, SourceListener } from './body-source.js';
import { type AnyIterable, IteratorSource } from './iterator-source.js';
import { KeptBytes } from './kept-bytes.js';
import { isNodeStream, StreamSource } from './stream-source.js';

/** Where an attempt takes its body from. */
interface Outlet {
  /** False asks for a pause. */
  push(chunk: Chunk): boolean;
  end(): void;
  /** Without an error, the source was closed before its end; the client has an error of its own for that. */
  fail(error?: unknown): void;
}

export class KeptBody implements SourceListener {
  /** What was read so far; undefined once it exceeded the limit. */
  private kept: KeptBytes | undefined = new KeptBytes();
  private readonly source: Source;
  private readonly limitBytes: number;
  private reader: BodyReader | undefined = undefined;
  /** Whether some of the body may have been sent. */
  isBegun = false;
  private hasEnded = false;
  private isClosed = false;
  /**
   * The source ended in its first read. The body of every attempt does so, too, so that all attempts look alike on the
   * wire.
   */
  isWhole = false;
  /** How the source failed, which the caller has to hear about. */
  failure: { readonly error?: unknown } | undefined = undefined;
  /** Called for a failure that no attempt can report: no attempt is reading. */
  onFailure: ((error?: unknown) => void) | undefined = undefined;

  constructor(body: object, limitBytes: number) {
    this.limitBytes = limitBytes;
    this.source = isNodeStream(body)
      ? new StreamSource(body, this)
      : new IteratorSource(body as AnyIterable, this);
  }

  /** Whether everything that was read is still kept. */
  get isReplayable(): boolean {
    return this.kept !== undefined && this.failure === undefined;
  }

  /** Whether the source has ended and nothing is left in it. */
  get isEmpty(): boolean {
    return this.source.isEmpty;
  }

  /** Whether the whole body is there. Nothing is taken from the source. */
  probe(): boolean {
    return this.hasEnded || this.source.probe();
  }

  get isOfObjects(): boolean {
    return this.source.isOfObjects;
  }

  // -------------------------------------------------------------- attempts

  /** Begins the next attempt; the one before is over. */
  open(outlet: Outlet): BodyReader {
    this.leave();
    this.reader = new BodyReader(this, outlet);
    return this.reader;
  }

  /** The attempt that was reading is over: chunks that come now are for the next one. */
  leave(): void {
    if (this.reader === undefined) return;
    this.reader.isOver = true;
    this.reader = undefined;
    if (!this.hasEnded) this.source.pause();
  }

  /** Calls the listener for a failure that no attempt can report. */
  watch(listener: () => void): Cancel {
    this.onFailure = listener;
    return () => {
      this.onFailure = undefined;
    };
  }

  /** The request is over: the rest of the source is discarded, unless the client is still sending it. */
  close(error?: unknown): void {
    this.isClosed = true;
    if (error === undefined && this.reader !== undefined) return;
    this.leave();
    this.kept = undefined;
    if (!this.hasEnded) this.source.close(error);
  }

  /** For the reader: what was kept, if it is still there. */
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
      this.isBegun = true;
      this.source.more();
    }
  }

  /** The client has stopped reading. */
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
    // The limit does not matter here: the whole body is in memory anyway.
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

/** Reads the body for one attempt. An attempt that stops early leaves the source as it is. */
export class BodyReader {
  isOver = false;
  /** The attempt has been given what was kept. */
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

  /**
   * A chunk that comes before the attempt asks for one is kept, and is given together with the rest of what was kept.
   */
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

  /** The client has finished reading, or has given up. */
  stop(): void {
    this.body.stopped(this);
  }
}

/** The body of a request that is read once and kept: each attempt gets it dressed as its client takes it. */
export class DressedBody {
  protected readonly kept: KeptBody;
  private readonly dress: (kept: KeptBody) => unknown;

  constructor(kept: KeptBody, dress: (kept: KeptBody) => unknown) {
    this.kept = kept;
    this.dress = dress;
  }

  get isReplayable(): boolean {
    return this.kept.isReplayable;
  }

  next(): unknown {
    return this.dress(this.kept);
  }

  leave(): void {
    this.kept.leave();
  }

  onFailure(listener: () => void): Cancel {
    return this.kept.watch(listener);
  }

  /** The request is over; without an error, it succeeded. */
  close(error?: unknown): void {
    this.kept.close(error);
  }
}
