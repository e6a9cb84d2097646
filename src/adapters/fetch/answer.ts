/** What becomes of answers: of those that nobody is going to read, and of the one that the caller has. */

import type { BodyDeadline } from '../../runtime/loop/exchange.js';
import type { Cancel, Sleep } from '../../runtime/sleep.js';
import { dispose, isWebStream } from '../../runtime/stream-like.js';
import { whenRead as whenBodyRead } from '../../runtime/unread.js';
import { drainWeb } from '../../runtime/web-stream.js';
import type { ResponseShape } from './shapes.js';

/** Its connection is wanted for the next attempt: for so long, a small rest is read; others are cut off. */
export function release({ body }: ResponseShape, ms: number, sleep: Sleep): void {
  if (typeof body !== 'object' || body === null) return;
  if (!isWebStream(body)) dispose(body);
  else if (body.locked) return;
  else if (ms === 0) void body.cancel().catch(() => undefined);
  else void drainWeb(body, ms, sleep).catch(() => undefined);
}

/** Nothing of it may be touched. */
export function whenRead({ body }: ResponseShape, done: Cancel): void {
  if (typeof body === 'object' && body !== null) whenBodyRead(body, done);
  else done();
}

/** The platform ends a body with the reason of its signal. */
export function coverBody({ body }: ResponseShape, { ms, error, abort }: BodyDeadline, sleep: Sleep): void {
  if (typeof body !== 'object' || body === null) return;
  const cancel = sleep(Math.max(ms, 0), () => abort(error()), { unref: true });
  whenBodyRead(body, cancel);
}

/** What `retryIf` may read of it, as often as it likes. */
export async function parsedBody(answer: ResponseShape): Promise<unknown> {
  const text = await answer.clone().text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
