/** Where a body comes from that can be read once: a stream of Node, or anything that can be iterated over. */

export type Chunk = Uint8Array | string;

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
