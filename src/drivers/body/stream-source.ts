/** A body that is a Node stream. */

import type { Chunk, Source, SourceListener } from './body-source.js';
import { dispose, isStream, type StreamLike } from './stream-like.js';

/** The part of Node's streams that is used here. */
interface NodeStream extends StreamLike {
  readonly _readableState: {
    readonly ended: boolean;
    readonly length: number;
    readonly objectMode: boolean;
    readonly autoDestroy?: boolean;
  };
  on(event: 'data' | 'end' | 'close' | 'error', listener: (given: never) => void): unknown;
  readonly destroyed?: boolean;
  readonly errored?: unknown;
  read(bytes?: number): Chunk | null;
  pause(): unknown;
  resume(): unknown;
}

export function isNodeStream(body: object): body is NodeStream {
  return isStream(body) && '_readableState' in body && 'read' in body && 'resume' in body;
}

export class StreamSource implements Source {
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
    // Some streams emit their error only after `close`.
    stream.on('close', () => queueMicrotask(() => listener.failed()));
  }

  get isEmpty(): boolean {
    return this.isWhole && this.stream._readableState.length === 0;
  }

  private get isWhole(): boolean {
    return this.stream._readableState.ended && !this.isOfObjects;
  }

  more(): void {
    const { stream } = this;
    // With `emitClose: false`, the stream emits nothing when it is destroyed.
    if (stream.destroyed === true) this.listener.failed(stream.errored ?? undefined);
    else {
      if (!this.isTapped) this.tap();
      stream.resume();
    }
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
      // Since Node 26, one read() returns one chunk.
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
