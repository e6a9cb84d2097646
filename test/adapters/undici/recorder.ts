/** Records what a caller of undici gets: through a handler of its own, and by reading a body. */

import type { Dispatcher } from 'undici';
import type {
  Controller,
  DispatchOptions,
  Handler,
  ResponseHeaders,
} from '../../../src/adapters/undici/handlers.js';
import { Waiters } from '../../faults/ledger.js';

export type Interceptor = Dispatcher.DispatcherComposeInterceptor;

/**
 * The bytes that could be read of a body, and the error that ended it early. Streams drop what was not read before an
 * error.
 */
export async function readAll(
  body: AsyncIterable<Uint8Array> | null,
): Promise<{ readonly bytes: Buffer; readonly error: unknown }> {
  const pieces: Uint8Array[] = [];
  let error: unknown;
  try {
    for await (const piece of body ?? []) pieces.push(piece);
  } catch (thrown) {
    error = thrown;
  }
  return { bytes: Buffer.concat(pieces), error };
}

/** A caller's handler (second generation, which `retry()` accepts over any undici) that records everything. */
export class Recorder implements Handler {
  controller: Controller | undefined;
  context: unknown;
  starts = 0;
  readonly heads: { readonly status: number; readonly headers: ResponseHeaders }[] = [];
  readonly pieces: Buffer[] = [];
  readonly trailers: ResponseHeaders[] = [];
  readonly errors: unknown[] = [];
  readonly #waiters = new Waiters<Recorder>();

  get bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }

  /** How many terminal callbacks it got. */
  get ends(): number {
    return this.trailers.length + this.errors.length;
  }

  until(condition: (recorder: Recorder) => boolean): Promise<void> {
    return this.#waiters.until(condition, this);
  }

  /** Resolves at the end, with or without an error. */
  async end(): Promise<this> {
    await this.until(({ ends }) => ends > 0);
    return this;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.controller = controller;
    this.context = context;
    this.starts += 1;
    this.#waiters.ask(this);
  }

  onResponseStart(_controller: Controller, status: number, headers: ResponseHeaders): void {
    this.heads.push({ status, headers });
    this.#waiters.ask(this);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.pieces.push(chunk);
    this.#waiters.ask(this);
  }

  onResponseEnd(_controller: Controller, trailers: ResponseHeaders): void {
    this.trailers.push(trailers);
    this.#waiters.ask(this);
  }

  onResponseError(_controller: Controller | null, error: unknown): void {
    this.errors.push(error);
    this.#waiters.ask(this);
  }
}

/** Dispatches a GET, or what the options say. */
export function record(
  dispatcher: Dispatcher,
  options: Partial<DispatchOptions> & { readonly origin: string },
): Recorder {
  const recorder = new Recorder();
  const all = { path: '/', method: 'GET', ...options };
  dispatcher.dispatch(all as Dispatcher.DispatchOptions, recorder as Dispatcher.DispatchHandler);
  return recorder;
}

/** An interceptor underneath `retry()` that keeps the errors of the attempts. */
export function errorsBelow(errors: unknown[]): Interceptor {
  const spied = (handler: object): object =>
    new Proxy(handler, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (key === 'onError') errors.push(given[0]);
          if (key === 'onResponseError') errors.push(given[1]);
          return value.apply(target, given);
        };
      },
    });
  return (dispatch) => (options, handler) => dispatch(options, spied(handler) as Dispatcher.DispatchHandler);
}
