/** The body of a request by fetch that can be read only once, kept so that it can be sent again. */

import { isObject } from '../../core/is-object.js';
import type { Settings } from '../../core/policy/settings.js';
import { builtinModule } from '../../kernel/builtin-module.js';
import type { RequestBody } from '../loop/exchange.js';
import { isReadOnce, iterates } from './iterates.js';
import { DressedBody, KeptBody } from './kept-body.js';
import { type NodeStreams, streamFrom } from './kept-stream.js';
import { MadeBody } from './made-body.js';
import { isSentAtOnce } from './sent-at-once.js';
import { spentBody } from './spent-body.js';
import { isStream, isWebStream, wasRead } from './stream-like.js';
import { asWebStream, copyOf, webSource } from './web-stream.js';

interface KeptRequest extends RequestBody {
  /** The request is over; without an error, it succeeded. */
  close?(error?: unknown): void;
}

type BodySettings = Pick<Settings, 'maxRetries' | 'needsAdmission' | 'credentials' | 'bufferBodyBytes'>;

interface Init {
  readonly body?: unknown;
  readonly duplex?: string;
}

/** As much of a Request as is used here. */
interface RequestShape {
  readonly method: string;
  readonly headers: object;
  readonly body?: object | null;
  readonly bodyUsed?: boolean;
  clone(): { readonly body?: object | null };
}

/** Undefined if fetch can send the body as it is: again, or the only time that it is sent. */
export function keptForFetch(body: unknown, settings: BodySettings): KeptRequest | undefined {
  if (typeof body === 'function') return new MadeBody(body as () => unknown);
  if (!isObject(body) || isSentAtOnce(settings) || !isReadOnce(body)) return undefined;
  // The fetch itself rejects a stream that was read before. Some packages take streams that cannot be iterated over.
  if (wasRead(body) || !(isWebStream(body) || iterates(body, Symbol.asyncIterator))) return spentBody(body);
  const source = isWebStream(body) ? lockedSource(body) : body;
  const kept = new KeptBody(source, settings.bufferBodyBytes);
  return new DressedBody(kept, isStream(body) ? asNodeStream : asWebStream);
}

/**
 * The body of a Request, for the attempts after the first: the first one sends the Request's own. The body of the
 * platform's own Request is not looked at before it is cloned: from then on, Deno sends even a text as a stream, without
 * its length. Undefined if there is no body, or if the fetch itself will reject the Request.
 */
export function spareOf(
  request: RequestShape,
  init: Init | null | undefined,
  settings: BodySettings,
  ignoresInit: boolean,
): KeptRequest | undefined {
  if (typeof request.clone !== 'function' || isSentAtOnce(settings)) return undefined;
  const hasOther = init?.body !== undefined && init.body !== null && !ignoresInit;
  if (hasOther || request.bodyUsed === true) return undefined;
  const maybeBody = !/^(GET|HEAD)$/i.test(request.method);
  if (typeof Request === 'function' && request instanceof Request)
    return maybeBody ? spareOfClone(request, settings.bufferBodyBytes) : undefined;
  const body = request.body as ReadableStream | null | undefined;
  // The fetch itself rejects a locked body, in its own words.
  if (body?.locked === true) return undefined;
  // Firefox has no `body` on Request, so the method decides.
  const hasNone = body === null || (body === undefined && !maybeBody);
  if (hasNone) return undefined;
  // A package's Request may have a stream of Node's. Its clone would be read at the pace of the slower copy.
  if (typeof body === 'object' && !isWebStream(body)) return spentBody(undefined);
  return spareOfClone(request, settings.bufferBodyBytes);
}

function spareOfClone(request: RequestShape, limitBytes: number): KeptRequest | undefined {
  // Bun adds the body's type to a Request's headers only if they are read before it is sent.
  void request.headers;
  const body = bodyOfClone(request);
  if (body === null) return undefined;
  // Some platforms do not expose a Request's body.
  if (body === undefined) return spentBody(undefined);
  return new Spare(lockedSource(body as ReadableStream<Uint8Array>), limitBytes);
}

/** The request whose body it is. */
interface Sending {
  readonly body: object | undefined;
  readonly spare: object | undefined;
  readonly initAtFirst: Init | null | undefined;
}

/** What init needs to send this body. The first attempt sends a Request's own. */
export function initOfBody(
  body: unknown,
  { body: kept, initAtFirst, spare }: Sending,
  isRepeated: boolean,
): Init | undefined {
  if (kept === undefined || (spare !== undefined && !isRepeated)) return undefined;
  const isStream = isObject(body) && isReadOnce(body);
  // If the stream is made here, the caller did not say how it is sent.
  const isOurs = spare !== undefined || typeof initAtFirst?.body === 'function';
  return isStream && isOurs && initAtFirst?.duplex === undefined ? { body, duplex: 'half' } : { body };
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

/**
 * A clone of a Request's body, read while the first attempt sends the original, up to the limit. Later attempts wait until
 * it is complete, and send it as bytes: with a length, and also where streams cannot be sent, as by a browser over
 * HTTP/1.1, whose copy comes from another process and may be later than the answer.
 */
class Spare extends DressedBody {
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

function bodyOfClone(request: RequestShape): object | null | undefined {
  try {
    return copyOf(request).body;
  } catch {
    return null;
  }
}
