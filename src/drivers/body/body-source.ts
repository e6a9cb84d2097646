/** The source of a body that can be read only once: a stream of Node, or anything that can be iterated over. */

export type Chunk = Uint8Array | string;

/** Gets what a source gives. */
export interface SourceListener {
  came(chunk: Chunk): void;
  /** The whole body was there at once. */
  cameWhole(chunks: readonly Chunk[]): void;
  ended(): void;
  /** The source failed. Without an error, it was closed before its end. */
  failed(error?: unknown): void;
}

export interface Source {
  /** The source is in object mode: its chunks may be empty strings, or values that are not bytes at all. */
  readonly isOfObjects: boolean;
  /** The source has ended, and nothing is left in it. */
  readonly isEmpty: boolean;
  /**
   * Starts the first read without taking anything. True if the source has ended in it: then the whole body is there,
   * and its length is known.
   */
  probe(): boolean;
  /** Asks for the next chunk. A chunk that is there already comes at once. */
  more(): void;
  /** Asks the source to stop giving for now. */
  pause(): void;
  close(error?: unknown): void;
}
