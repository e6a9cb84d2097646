/**
 * The body of an answer, in whatever form axios was asked for: released if the answer is discarded, and watched while the
 * caller reads it.
 */

import { drainTime, lengthIn } from '../../drivers/body/drain.js';
import { dispose, isStream, isWebStream } from '../../drivers/body/stream-like.js';
import { whenRead as whenBodyRead, whenCollected } from '../../drivers/body/unread.js';
import { drained } from '../../drivers/body/web-stream.js';
import type { Abortable } from '../../drivers/loop/exchange.js';
import type { AxiosParts } from '../../drivers/parts.js';
import type { Cancel, Sleep } from '../../kernel/timers.js';
import type { ResponseShape } from './shapes.js';

/**
 * Reads a small rest, so that the connection can be used again; otherwise cuts the response off, and the connection
 * with it. Without the part for Node, its streams are cut off.
 */
export function release(
  response: ResponseShape,
  method: string,
  sleep: Sleep,
  node: AxiosParts['node'],
): void {
  const { data, headers, request } = response;
  const ms = drainTime(method, lengthIn(headers));
  if (isWebStream(data)) drained(data, ms, sleep);
  else if (node === undefined) {
    dispose(data);
    // It may still be sent, or axios may have put streams in between that do not pass their end on. Without an error,
    // HTTP/2 would end it regularly.
    dispose(request, new Error('undaunted: the answer is discarded'));
  }
  node?.releaseOfNode(response, ms, sleep);
}

/**
 * Calls `done` when a body has been read. A Node stream emits `close`; a web stream is done when it ends, or when axios
 * stops listening to the signal.
 */
export function whenRead(
  answer: ResponseShape | undefined,
  sent: Abortable,
  done: Cancel,
  node: AxiosParts['node'],
): void {
  const data = answer?.data;
  if (isStream(data)) data.on('close', done);
  else if (isWebStream(data)) {
    whenBodyRead(data, done, node);
    cutOnceCollected(data, sent, answer?.request);
    const { signal } = sent;
    const stopListening = signal.removeEventListener.bind(signal);
    signal.removeEventListener = (type: string, listener: EventListenerOrEventListenerObject): void => {
      stopListening(type, listener);
      done();
    };
  } else {
    done();
    const body = bodyIn(data);
    if (body !== undefined) cutOnceCollected(body, sent, answer?.request);
  }
}

/** The body that the caller has still to read; axios has read any other by now. */
export function bodyToRead(answer: ResponseShape | undefined, method: string): object | undefined {
  const data = answer?.data;
  const isEmpty = method === 'HEAD' || answer?.status === 204 || answer?.status === 304;
  if (isEmpty) return undefined;
  return isStream(data) || isWebStream(data) ? data : bodyIn(data);
}

/** Of an adapter whose data is a Response. */
function bodyIn(data: unknown): object | undefined {
  const { body } = Object(data) as { readonly body?: unknown };
  return isWebStream(body) ? body : undefined;
}

/**
 * If there is a signal, axios puts a stream of its own around the body. The platform then no longer notices that an
 * answer is dropped unread, so its connection would never come back. Node follows the signal of a Request only until
 * that is collected.
 */
function cutOnceCollected(body: object, sent: Abortable, request: unknown): void {
  whenCollected(body, { end: () => sent.abort(), needs: request });
}
