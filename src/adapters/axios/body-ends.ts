/** The end of bodies: of one that is still being sent, and of one that is being read. */

import { dispose, isStream, isWebStream } from '../../drivers/body/stream-like.js';
import { whenRead as whenBodyRead, whenCollected } from '../../drivers/body/unread.js';
import type { Abortable } from '../../drivers/loop/exchange.js';
import type { Cancel } from '../../kernel/sleep.js';
import type { ResponseShape } from './shapes.js';

/**
 * Over HTTP/2, axios ends an aborted request as if its body were whole, so a body that is still being sent is broken
 * first.
 */
export function breakBody(data: unknown, done: () => void): void {
  const isSending = typeof data === 'object' && data !== null && isStream(data);
  if (isSending && !('destroyed' in data && data.destroyed === true)) {
    data.on('close', done);
    // Not with the caller's reason, which older versions of axios fail to recognise as their own.
    dispose(data, new Error('undaunted: the attempt has ended'));
  } else done();
}

/**
 * Calls `done` when a body has been read. A Node stream emits `close`; a web stream is done when it ends, or when axios
 * stops listening to the signal.
 */
export function whenRead(answer: ResponseShape | undefined, sent: Abortable, done: Cancel): void {
  const data = answer?.data;
  if (typeof data !== 'object' || data === null) done();
  else if (isStream(data)) data.on('close', done);
  else if (isWebStream(data)) {
    whenBodyRead(data, done);
    cutOnceCollected(data, sent, answer?.request);
    const { signal } = sent;
    const stopListening = signal.removeEventListener.bind(signal);
    signal.removeEventListener = (type: string, listener: EventListenerOrEventListenerObject): void => {
      stopListening(type, listener);
      done();
    };
  } else {
    done();
    if ('body' in data && isWebStream(Object(data.body)))
      cutOnceCollected(data.body as object, sent, answer?.request);
  }
}

/** The body that the caller has still to read; axios has read any other by now. */
export function bodyToRead(answer: ResponseShape | undefined, method: string): object | undefined {
  const data = answer?.data;
  const isEmpty = method === 'HEAD' || answer?.status === 204 || answer?.status === 304;
  if (isEmpty || typeof data !== 'object' || data === null) return undefined;
  if (isStream(data) || isWebStream(data)) return data;
  return 'body' in data && isWebStream(Object(data.body)) ? (data.body as object) : undefined;
}

/**
 * If there is a signal, axios puts a stream of its own around the body. The platform then no longer notices that an
 * answer is dropped unread, so its connection would never come back. Node follows the signal of a Request only until
 * that is collected.
 */
function cutOnceCollected(body: object, sent: Abortable, request: unknown): void {
  whenCollected(body, { end: () => sent.abort(), needs: request });
}
