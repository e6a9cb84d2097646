/**
 * Request bodies after axios's transforms, and whether they can be sent again. Text, bytes, Blob and the platform's
 * FormData can. A stream or an iterator can be read only once, and so can a form of the package `form-data`, into
 * which axios turns every object that is to be multipart; if all of its parts are in memory, it can be sent again
 * nevertheless.
 */

import { isObject } from '../../core/is-object.js';
import type { Settings } from '../../core/policy/settings.js';
import { isReadOnce, iterates } from '../../drivers/body/iterates.js';
import { isSentAtOnce } from '../../drivers/body/sent-at-once.js';
import { spentBody } from '../../drivers/body/spent-body.js';
import { dispose, isDestroyed, isStream } from '../../drivers/body/stream-like.js';
import { type AxiosStreams, lacksStreams } from '../../drivers/parts.js';
import type { Cancel } from '../../kernel/timers.js';
import { answerOf } from './outcome.js';

export interface Body {
  /** Whether the next attempt could send it, as far as is known by now. */
  readonly isReplayable: boolean;
  /** The data for the next attempt. */
  next(): unknown;
  /** Headers that the server needs to read this body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The attempt that reads it is over. */
  leave?(): void;
  onFailure?(listener: () => void): Cancel;
  /** The request is over; without an error, it succeeded. */
  close?(error?: unknown): void;
}

/**
 * Undefined if axios can send the data as it is: it is sent only once, or axios can send it again itself. Without the part
 * for streams, each of them is sent once.
 */
export function bodyOf(
  data: unknown,
  settings: Settings,
  streams: AxiosStreams | undefined,
): Body | undefined {
  if (typeof data === 'function') {
    if (streams === undefined) throw lacksStreams();
    return streams.keptForAxios(data, settings.bufferBodyBytes);
  }
  if (!isObject(data) || isSentAtOnce(settings)) return undefined;
  if (!readsOnce(data)) return undefined;
  return streams === undefined ? spent(data) : streams.keptForAxios(data, settings.bufferBodyBytes);
}

/** Iterables: only `fetch` and adapters of the caller's get such a body, and only past axios's default transforms. */
function readsOnce(data: object): boolean {
  return isReadOnce(data) || (iterates(data, Symbol.iterator) && !beginsAnew(data));
}

/** Any other iterable may be spent after one pass: an iterator that has ended looks the same as one that is empty. */
function beginsAnew(data: object): boolean {
  return ArrayBuffer.isView(data) || collection.test(Object.prototype.toString.call(data));
}

const collection: RegExp =
  /^\[object (Array|FileList|FormData|HTMLCollection|Map|NodeList|Set|String|URLSearchParams)\]$/;

/** It is sent once. What was answered goes on to its end, as by axios itself: cut off, HTTP/2 would take it for all of it. */
function spent(data: unknown): Body {
  return {
    ...spentBody(data),
    close: (error) => {
      if (error !== undefined && answerOf({ kind: 'error', error }) === undefined) dispose(data, error);
    },
  };
}

/**
 * Over HTTP/2, axios ends an aborted request as if its body were whole, so a body that is still being sent is broken first.
 * A stream of the oldest kind cannot be.
 */
export function breakBody(data: unknown, done: () => void): void {
  const isSending = isStream(data) && 'destroy' in data;
  if (isSending && !isDestroyed(data)) {
    data.on('close', done);
    // Not with the caller's reason, which older versions of axios fail to recognise as their own.
    dispose(data, new Error('undaunted: the attempt has ended'));
  } else done();
}
