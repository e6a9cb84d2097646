/**
 * Request bodies that can be sent again: text, bytes, Blob, FormData and URLSearchParams, whatever their class, since fetch
 * takes them as they are. A stream or an async iterable can be read only once.
 */

import { isReadOnce } from '../../drivers/body/iterates.js';
import { dispose } from '../../drivers/body/stream-like.js';
import type { RequestBody } from '../../drivers/loop/exchange.js';
import { lacksStreams } from '../../drivers/parts.js';
import { type InitShape, isRequest, type RequestShape } from './shapes.js';

export interface Body extends RequestBody {
  /** The request is over; without an error, it succeeded. */
  close?(error?: unknown): void;
}

/** Without the part that keeps streams, each is sent once. Undefined if fetch can send the request again as it is. */
export function bodyWithoutStreams(input: unknown, init: InitShape | null | undefined): Body | undefined {
  const body = init?.body ?? undefined;
  if (typeof body === 'function') throw lacksStreams();
  const isSentOnce =
    body === undefined
      ? isRequest(input) && !/^(GET|HEAD)$/i.test(input.method)
      : typeof body === 'object' && isReadOnce(body as object);
  return isSentOnce ? sentOnce(body, input) : undefined;
}

/** Nothing else closes a stream that fetch has not taken, since the request was refused. */
function sentOnce(body: unknown, input: unknown): Body {
  return {
    get isReplayable() {
      return body === undefined && isBodiless(input as RequestShape);
    },
    next: () => body,
    close: (error) => error !== undefined && dispose(body, error),
  };
}

/**
 * A Request is asked this only after an attempt: Deno sends a body in another way once it was looked at. Firefox has no `body`
 * on Request, but there as everywhere, a body that was sent is used.
 */
function isBodiless({ body, bodyUsed }: RequestShape): boolean {
  return body === null || (body === undefined && bodyUsed === false);
}
