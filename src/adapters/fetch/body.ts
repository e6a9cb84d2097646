/**
 * Request bodies, and whether they can be sent again. Text, bytes, Blob, FormData and URLSearchParams can, whatever
 * their class: fetch takes them as they are. A stream or an async iterable can be read only once.
 */

import type { Settings } from '../../core/policy/settings.js';
import { iterates } from '../../drivers/body/iterates.js';
import { MadeBody } from '../../drivers/body/made-body.js';
import { isSentAtOnce } from '../../drivers/body/sent-at-once.js';
import { dispose, isStream, isWebStream, wasRead } from '../../drivers/body/stream-like.js';
import type { RequestBody } from '../../drivers/loop/exchange.js';
import type { FetchParts, FetchStreams } from '../../drivers/parts.js';
import { type InitShape, isRequest, type RequestShape } from './shapes.js';

export interface Body extends RequestBody {
  /** True if fetch itself would have turned this body into a stream. */
  readonly isStream: boolean;
  /** The request is over; without an error, it succeeded. */
  close?(error?: unknown): void;
}

type BodySettings = Pick<Settings, 'maxRetries' | 'needsAdmission' | 'credentials' | 'bufferBodyBytes'>;

/** Undefined if fetch can send the body as it is: again, or the only time that it is sent. */
export function bodyOf(
  init: InitShape | null | undefined,
  settings: BodySettings,
  streams: FetchStreams | undefined,
): Body | undefined {
  const body = init?.body;
  if (typeof body === 'function') return new Made(body as () => unknown);
  if (typeof body !== 'object' || body === null || isSentAtOnce(settings)) return undefined;
  const isReadOnce = isWebStream(body) || isStream(body) || iterates(body, Symbol.asyncIterator);
  return isReadOnce ? keptBody(body, settings.bufferBodyBytes, streams) : undefined;
}

/** Without the part that keeps streams, each is sent once. */
function keptBody(body: object, limitBytes: number, streams: FetchStreams | undefined): Body {
  // The fetch itself rejects a stream that was read before. Some packages take streams that cannot be iterated over.
  if (wasRead(body) || !(isWebStream(body) || iterates(body, Symbol.asyncIterator))) return spent(body);
  if (streams === undefined) return sentOnce(body);
  return streams.keptForFetch(body, limitBytes);
}

/**
 * The body of a Request, for the attempts after the first: the first one sends the Request's own. The body of the
 * platform's own Request is not looked at before it is cloned: from then on, Deno sends even a text as a stream, without
 * its length.
 */
export function spareBodyOf(
  input: unknown,
  init: InitShape | null | undefined,
  settings: BodySettings,
  { advice, streams }: FetchParts,
): Body | undefined {
  if (!isRequest(input) || typeof input.clone !== 'function' || isSentAtOnce(settings)) return undefined;
  const hasOther = init?.body !== undefined && init.body !== null && advice?.ignoresInit(input) !== true;
  if (hasOther || input.bodyUsed === true) return undefined;
  const maybeBody = !/^(GET|HEAD)$/i.test(input.method);
  if (typeof Request === 'function' && input instanceof Request)
    return maybeBody ? spareBody(input, settings.bufferBodyBytes, streams) : undefined;
  // The fetch itself rejects a locked body, in its own words.
  if (input.body?.locked === true) return undefined;
  // Firefox has no `body` on Request, so the method decides.
  const hasNone = input.body === null || (input.body === undefined && !maybeBody);
  if (hasNone) return undefined;
  // A package's Request may have a stream of Node's. Its clone would be read at the pace of the slower copy.
  if (typeof input.body === 'object' && !isWebStream(input.body)) return spent(undefined);
  return spareBody(input, settings.bufferBodyBytes, streams);
}

function spareBody(
  request: RequestShape,
  limitBytes: number,
  streams: FetchStreams | undefined,
): Body | undefined {
  return streams === undefined ? spent(undefined) : streams.spareOf(request, limitBytes);
}

class Made extends MadeBody implements Body {
  readonly isStream = true;
}

function spent(body: unknown): Body {
  return { isReplayable: false, isStream: true, next: () => body };
}

/** A stream that fetch reads itself may be read on even after an abort. */
function sentOnce(body: object): Body {
  return { ...spent(body), close: (error) => error !== undefined && dispose(body, error) };
}
