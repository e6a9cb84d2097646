/** Handles answers: releases those that are discarded, and watches the one that the caller gets. */

import type { BodyDeadline } from '../../runtime/loop/exchange.js';
import type { Cancel, Sleep } from '../../runtime/sleep.js';
import { dispose, isWebStream } from '../../runtime/stream-like.js';
import { whenRead as whenBodyRead } from '../../runtime/unread.js';
import { drainWeb } from '../../runtime/web-stream.js';
import type { ResponseShape } from './shapes.js';

/** Frees the connection for the next attempt: a small rest is read for `ms`, otherwise the body is cut off. */
export function release({ body }: ResponseShape, ms: number, sleep: Sleep): void {
  if (typeof body !== 'object' || body === null) return;
  if (!isWebStream(body)) dispose(body);
  else if (body.locked) return;
  else if (ms === 0) void body.cancel().catch(() => undefined);
  else void drainWeb(body, ms, sleep).catch(() => undefined);
}

/** Calls `done` when the caller has read the body, without touching it. */
export function whenRead({ body }: ResponseShape, done: Cancel): void {
  if (typeof body === 'object' && body !== null) whenBodyRead(body, done);
  else done();
}

/** Ends the body at the deadline: the platform fails a body with the reason of its signal. */
export function coverBody({ body }: ResponseShape, { ms, error, abort }: BodyDeadline, sleep: Sleep): void {
  if (typeof body !== 'object' || body === null) return;
  const cancel = sleep(Math.max(ms, 0), () => abort(error()), { unref: true });
  whenBodyRead(body, cancel);
}

/** The body for `retryIf`, which may read it as often as it likes. */
export async function parsedBody(answer: ResponseShape): Promise<unknown> {
  const text = await answer.clone().text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
