/** A body that can be iterated over. */

import type { Chunk, Source, SourceListener } from './body-source.js';
import { iterates } from './iterates.js';

export type AnyIterable = AsyncIterable<Chunk> | Iterable<Chunk>;
type Result = IteratorResult<Chunk, unknown>;

export class IteratorSource implements Source {
  readonly isOfObjects = true;
  readonly isEmpty = false;
  private readonly body: AnyIterable;
  private readonly listener: SourceListener;
  private next: (() => PromiseLike<Result> | Result) | undefined = undefined;
  private iterator: AsyncIterator<Chunk> | Iterator<Chunk> | undefined = undefined;
  private isWanted = false;
  private isAsking = false;
  /** A chunk that came after `pause()`. */
  private unwanted: Result | undefined = undefined;

  constructor(body: AnyIterable, listener: SourceListener) {
    this.body = body;
    this.listener = listener;
  }

  probe(): boolean {
    return false;
  }

  more(): void {
    this.isWanted = true;
    const { unwanted } = this;
    this.unwanted = undefined;
    if (unwanted !== undefined) this.take(unwanted);
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
    else this.unwanted = result;
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
    if (this.isWanted && !this.isAsking && this.unwanted === undefined) this.ask();
  }

  /** A web stream is cancelled with the error; a generator takes no notice of it. */
  close(error?: unknown): void {
    const closing = async (): Promise<unknown> => this.iterator?.return?.(error);
    closing().catch(() => undefined);
  }
}
