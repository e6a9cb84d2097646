/**
 * The body of an answer: read from a copy for hints and for `retryIf`, released if the answer is discarded, and watched
 * while the caller reads it.
 */

import type { HeadersLike } from '../../core/types.js';
import { lengthIn } from '../../drivers/body/drain.js';
import { dispose, isStream, isWebStream } from '../../drivers/body/stream-like.js';
import { whenRead as whenBodyRead } from '../../drivers/body/unread.js';
import { drainWeb } from '../../drivers/body/web-stream.js';
import type { BodyDeadline } from '../../drivers/loop/exchange.js';
import { isEventStream, mostBodyBytes, parsedOrText } from '../../drivers/told-outcome.js';
import { type Cancel, judging, type Sleep } from '../../kernel/sleep.js';
import type { ResponseShape } from './shapes.js';

/** Frees the connection for the next attempt: a small rest is read for `ms`, otherwise the body is cut off. */
export function release(answer: ResponseShape | undefined, ms: number, sleep: Sleep): void {
  const body = bodyOfAnswer(answer);
  if (body === undefined) return;
  if (!isWebStream(body)) dispose(body);
  else if (body.locked) return;
  else if (ms === 0) void body.cancel().catch(() => undefined);
  else void drainWeb(body, ms, sleep).catch(() => undefined);
}

/** Calls `done` when the caller has read the body, without touching it. */
export function whenRead(answer: ResponseShape | undefined, done: Cancel): void {
  const body = bodyOfAnswer(answer);
  if (body === undefined) done();
  else whenBodyRead(body, done);
}

/** Ends the body at the deadline: the platform fails a body with the reason of its signal. */
export function coverBody(
  answer: ResponseShape | undefined,
  { ms, error, abort }: BodyDeadline,
  sleep: Sleep,
): void {
  const body = bodyOfAnswer(answer);
  if (body === undefined) return;
  const cancel = sleep(Math.max(ms, 0), (stalledMs) => abort(error(stalledMs)), judging('elapsed', true));
  whenBodyRead(body, cancel);
}

/** A mock may return nothing at all. */
export function bodyOfAnswer(answer: ResponseShape | undefined): object | undefined {
  const body = answer?.body;
  return typeof body === 'object' && body !== null ? body : undefined;
}

// ---------------------------------------------------------------- read from a copy: the answer itself stays unread

/**
 * Reads up to `mostBytes` to look for a hint, for up to `ms`: a hint that is complete by then counts, whatever
 * follows. Undefined if there is nothing to read.
 */
export async function textOfHint(
  answer: ResponseShape,
  mostBytes: number,
  ms: number,
  sleep: Sleep,
): Promise<string | undefined> {
  const { body, bodyUsed } = answer;
  if (bodyUsed === true || typeof body !== 'object' || body === null || isStream(body)) return undefined;
  const reader = readerOfCopy(answer);
  if (reader === undefined) return undefined;
  const cancel = sleep(ms, () => stop(reader), judging('awake', true));
  const { text } = await textUpTo(reader, mostBytes);
  cancel();
  return text;
}

/** Gives `retryIf` the body as often as it asks for it. It is read only once, and parsed anew each time. */
export function readerOf(answer: ResponseShape): () => Promise<unknown> {
  let text: Promise<string | undefined> | undefined;
  return async () => {
    text ??= wholeText(answer).catch(() => undefined);
    const whole = await text;
    return whole === undefined ? undefined : parsedOrText(whole);
  };
}

/** A package's Node streams share one buffer of this size with their copies, which then have to be read, too. */
const sharedBytes = 16_384;

async function wholeText(answer: ResponseShape): Promise<string | undefined> {
  const { body, headers } = answer;
  if (isEventStream(headers as HeadersLike | undefined)) return undefined;
  // Mocks and React Native have no stream.
  const hasStream = typeof body === 'object' && body !== null;
  if (hasStream && isWebStream(body)) {
    const reader = readerOfCopy(answer);
    const { text, isWhole } = reader === undefined ? nothing : await textUpTo(reader, mostBodyBytes + 1);
    return isWhole ? text : undefined;
  }
  if (hasStream && !(Number(lengthIn(headers) ?? Number.NaN) <= sharedBytes)) return undefined;
  const text = await answer.clone().text();
  return text.length > mostBodyBytes ? undefined : text;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

function readerOfCopy(answer: ResponseShape): Reader | undefined {
  const copy = answer.clone().body;
  return typeof copy === 'object' && copy !== null && isWebStream(copy) ? copy.getReader() : undefined;
}

function stop(reader: Reader): void {
  void reader.cancel().catch(() => undefined);
}

const nothing = { text: '', isWhole: false };

/** Stops reading at `mostBytes`, so that the copy keeps nothing more in memory. Whole: the body ended before that. */
async function textUpTo(reader: Reader, mostBytes: number): Promise<typeof nothing> {
  const decoder = new TextDecoder();
  let [text, left, isWhole] = ['', mostBytes, false];
  try {
    while (left > 0) {
      const part = await reader.read();
      isWhole = part.done;
      if (part.done) break;
      text += decoder.decode(part.value.subarray(0, left), { stream: true });
      left -= part.value.byteLength;
    }
    if (!isWhole) stop(reader);
  } catch {
    // The body broke off or could not be unpacked; the caller will see that when it reads the body.
  }
  return { text: text + decoder.decode(), isWhole };
}
