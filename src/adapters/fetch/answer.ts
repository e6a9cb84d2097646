/** The body of an answer: released if the answer is discarded, and watched while the caller reads it. */

import { isObject } from '../../core/is-object.js';
import { dispose, isWebStream } from '../../drivers/body/stream-like.js';
import { type TellingEnds, whenRead as whenBodyRead } from '../../drivers/body/unread.js';
import { drained } from '../../drivers/body/web-stream.js';
import type { Rest } from '../../drivers/loop/exchange.js';
import type { Cancel, Sleep } from '../../kernel/timers.js';
import type { ResponseShape } from './shapes.js';

/** Frees the connection for the next attempt: a small rest is read for `ms`, otherwise the body is cut off. */
export function release(answer: ResponseShape | undefined, ms: number, sleep: Sleep): Rest | undefined {
  const body = bodyOfAnswer(answer);
  if (body === undefined) return undefined;
  if (isWebStream(body)) return drained(body, ms, sleep);
  dispose(body);
  return undefined;
}

/** Calls `done` when the caller has read the body, without touching it. */
export function whenRead(
  answer: ResponseShape | undefined,
  done: Cancel,
  node: TellingEnds | undefined,
): void {
  const body = bodyOfAnswer(answer);
  if (body === undefined) done();
  else whenBodyRead(body, done, node);
}

/** A mock may return nothing at all. */
export function bodyOfAnswer(answer: ResponseShape | undefined): object | undefined {
  const body = answer?.body;
  return isObject(body) ? body : undefined;
}
