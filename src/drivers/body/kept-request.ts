/** The body of a request by fetch that can be read only once, kept so that it can be sent again. */

import { builtinModule } from '../../kernel/builtin-module.js';
import type { RequestBody } from '../loop/exchange.js';
import { DressedBody, KeptBody } from './kept-body.js';
import { type NodeStreams, streamFrom } from './kept-stream.js';
import { isStream, isWebStream } from './stream-like.js';
import { asWebStream, copyOf, webSource } from './web-stream.js';

interface KeptRequest extends RequestBody {
  readonly isStream: true;
  /** The request is over; without an error, it succeeded. */
  close?(error?: unknown): void;
}

/** As much of a Request as is used here. */
interface Clonable {
  readonly headers: object;
  clone(): { readonly body?: ReadableStream<Uint8Array> | null };
}

/** A web stream, a stream of Node's, or another async iterable, that nothing has read yet. */
export function keptForFetch(body: object, limitBytes: number): KeptRequest {
  const source = isWebStream(body) ? lockedSource(body) : body;
  return new Kept(new KeptBody(source, limitBytes), isStream(body) ? asNodeStream : asWebStream);
}

/**
 * The body of a Request, for the attempts after the first. Undefined if there is no body, or if the fetch itself will reject
 * the Request: its body is locked.
 */
export function spareOf(request: Clonable, limitBytes: number): KeptRequest | undefined {
  // Bun adds the body's type to a Request's headers only if they are read before it is sent.
  void request.headers;
  const body = bodyOfClone(request);
  if (body === null) return undefined;
  // Some platforms do not expose a Request's body.
  if (body === undefined) return { isReplayable: false, isStream: true, next: () => undefined };
  return new Spare(lockedSource(body), limitBytes);
}

/**
 * A stream of Node's stays one: packages such as node-fetch know no other streams. It is one of objects, since Deno's
 * fetch fails with one of bytes.
 */
function asNodeStream(kept: KeptBody): unknown {
  const { Readable } = builtinModule<NodeStreams>('node:stream') ?? {};
  return Readable === undefined ? asWebStream(kept) : streamFrom(kept, Readable, true);
}

/** Locks the stream at once, as fetch does. */
function lockedSource(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const iterator = webSource(stream)[Symbol.asyncIterator]();
  return { [Symbol.asyncIterator]: () => iterator };
}

class Kept extends DressedBody implements KeptRequest {
  readonly isStream = true;
}

/**
 * A clone of a Request's body, read while the first attempt sends the original, up to the limit. Later attempts wait until
 * it is complete, and send it as bytes: with a length, and also where streams cannot be sent, as by a browser over
 * HTTP/1.1, whose copy comes from another process and may be later than the answer.
 */
class Spare extends Kept {
  private readonly copied: Promise<void>;

  constructor(source: AsyncIterable<Uint8Array>, limitBytes: number) {
    super(new KeptBody(source, limitBytes), asWebStream);
    const { kept } = this;
    this.copied = new Promise((resolve) => {
      const reader = kept.open({
        push: () => {
          if (kept.isReplayable) return true;
          reader.stop();
          kept.close(new Error('undaunted: the body is larger than bufferBodyBytes'));
          resolve();
          return false;
        },
        end: resolve,
        fail: (error) => {
          resolve();
          kept.onFailure?.(error);
        },
      });
      reader.more();
    });
  }

  override next(): unknown {
    return this.kept.probe() ? this.kept.takeKept() : this.copied.then(() => this.copy());
  }

  /** The copying goes on between the attempts. */
  override leave(): void {}

  private copy(): unknown {
    return this.kept.probe() ? this.kept.takeKept() : super.next();
  }
}

function bodyOfClone(request: Clonable): ReadableStream<Uint8Array> | null | undefined {
  try {
    return copyOf(request).body;
  } catch {
    return null;
  }
}
