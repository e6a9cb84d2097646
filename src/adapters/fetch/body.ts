/**
 * Bodies of requests, and whether they can be sent again. Text, bytes, Blob, FormData and URLSearchParams can, of
 * whatever class they are: fetch takes them as they are. A stream or an async iterable can be read once.
 */

import type { Settings } from '../../core/policy/settings.js';
import { iterates } from '../../runtime/iterates.js';
import { KeptBody } from '../../runtime/kept-body.js';
import type { RequestBody } from '../../runtime/loop/exchange.js';
import { MadeBody } from '../../runtime/made-body.js';
import { isSentAtOnce } from '../../runtime/sent-at-once.js';
import type { Cancel } from '../../runtime/sleep.js';
import { isWebStream } from '../../runtime/stream-like.js';
import { asWebStream, webSource } from '../../runtime/web-stream.js';
import { type InitShape, isRequest, type RequestShape } from './shapes.js';

export interface Body extends RequestBody {
  /** Whether fetch itself would have made a stream of it. */
  readonly isStream: boolean;
  /** The request is over: with this error, or well. */
  close?(error?: unknown): void;
}

type Limits = Pick<Settings, 'maxRetries' | 'gate' | 'hold' | 'bufferBodyBytes'>;

/** Undefined: fetch can send it again itself, or it is sent once, as it is. */
export function bodyOf(init: InitShape | null | undefined, limits: Limits): Body | undefined {
  const body = init?.body;
  if (typeof body === 'function') return new Made(body as () => unknown);
  if (typeof body !== 'object' || body === null || isSentAtOnce(limits)) return undefined;
  if (isWebStream(body))
    return body.locked ? spent(body) : new Kept(lockedSource(body), limits.bufferBodyBytes);
  const isIterable = iterates(body, Symbol.asyncIterator);
  return isIterable ? new Kept(body as AsyncIterable<Uint8Array>, limits.bufferBodyBytes) : undefined;
}

/** Of a Request: what its first attempt sends is its own; this is for the others. */
export function spareBodyOf(
  input: unknown,
  init: InitShape | null | undefined,
  limits: Limits,
): Body | undefined {
  if (!isRequest(input) || typeof input.clone !== 'function' || isSentAtOnce(limits)) return undefined;
  if ((init?.body !== undefined && init.body !== null) || input.bodyUsed === true) return undefined;
  // The fetch itself has the words for it.
  if (input.body?.locked === true) return undefined;
  // Firefox does not show what there is.
  const hasNone = input.body === null || (input.body === undefined && /^(GET|HEAD)$/i.test(input.method));
  return hasNone ? undefined : Spare.of(input, limits.bufferBodyBytes);
}

class Made extends MadeBody implements Body {
  readonly isStream = true;
}

function spent(body: unknown): Body {
  return { isReplayable: false, isStream: true, next: () => body };
}

/** As fetch does, it locks the stream at once. */
function lockedSource(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const iterator = webSource(stream)[Symbol.asyncIterator]();
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Read once, and kept as far as there is room. */
class Kept implements Body {
  readonly isStream = true;
  protected readonly kept: KeptBody;

  constructor(source: AsyncIterable<Uint8Array>, limitBytes: number) {
    this.kept = new KeptBody(source, limitBytes);
  }

  get isReplayable(): boolean {
    return this.kept.isReplayable;
  }

  next(): unknown {
    return asWebStream(this.kept);
  }

  leave(): void {
    this.kept.leave();
  }

  onFailure(listener: () => void): Cancel {
    return this.kept.watch(listener);
  }

  close(error?: unknown): void {
    this.kept.close(error);
  }
}

/**
 * A copy of what a Request sends, read while that is being sent, until there is too much of it. What is whole by then
 * is sent again as bytes: with its length, and where no streams can be sent.
 */
class Spare extends Kept {
  static of(request: RequestShape, limitBytes: number): Body | undefined {
    // Bun's has the type of its body among its headers only if it is asked for them before it is sent.
    void request.headers;
    const { body } = request.clone();
    // Some platforms have no body to show.
    if (body === undefined || body === null) return spent(undefined);
    return new Spare(lockedSource(body), limitBytes);
  }

  constructor(source: AsyncIterable<Uint8Array>, limitBytes: number) {
    super(source, limitBytes);
    const reader = this.kept.open({
      push: () => {
        if (this.kept.isReplayable) return true;
        reader.stop();
        this.kept.close(new Error('undaunted: too much to be kept'));
        return false;
      },
      end: () => undefined,
      fail: () => undefined,
    });
    reader.more();
  }

  override next(): unknown {
    return this.kept.probe() ? this.kept.takeKept() : asWebStream(this.kept);
  }
}
