/** The body of an answer, read for hints and for `retryIf`: the answer itself stays unread. Of fetch, a copy is read. */

import { msToAwait } from '../../core/decide/whole.js';
import { gatherMs } from '../../core/hints/worth-reading.js';
import { isObject } from '../../core/is-object.js';
import type { Settings } from '../../core/policy/settings.js';
import type { HeadersLike } from '../../core/types.js';
import { judging, type Sleep } from '../../kernel/timers.js';
import { isEventStream, mostBodyBytes, parsedOrText } from '../told-outcome.js';
import { lengthIn } from './drain.js';
import { isStream, isWebStream } from './stream-like.js';
import { copyOf, free, stop } from './web-stream.js';

/** As much of an answer of fetch as is looked at here. */
export interface HintedAnswer {
  readonly status: number;
  readonly headers: object;
  readonly body?: object | null;
  readonly bodyUsed?: boolean;
  clone(): HintedAnswer;
  text(): Promise<string>;
}

/**
 * Reads up to `mostBytes` to look for a hint, for a time: a hint that is complete by then counts, whatever
 * follows. Undefined if there is nothing to read.
 */
export async function textOfHint(
  answer: HintedAnswer,
  mostBytes: number,
  settings: Settings,
  sleep: Sleep,
): Promise<string | undefined> {
  const { body, bodyUsed } = answer;
  if (bodyUsed === true || !isObject(body) || isStream(body)) return undefined;
  const reader = readerOfCopy(answer);
  if (reader === undefined) return undefined;
  const ms = answer.status < 300 ? msToAwait(settings) : gatherMs;
  const cancel = sleep(ms, () => stop(reader), judging('awake', true));
  const { text } = await textUpTo(reader, mostBytes);
  cancel();
  return text;
}

/** Gives `retryIf` the body as often as it asks for it. It is read only once, and parsed anew each time. */
export function readerOf(answer: HintedAnswer): () => Promise<unknown> {
  let text: Promise<string | undefined> | undefined;
  return async () => {
    text ??= wholeText(answer).catch(() => undefined);
    const whole = await text;
    return whole === undefined ? undefined : parsedOrText(whole);
  };
}

/** A package's Node streams share one buffer of this size with their copies, which then have to be read, too. */
const sharedBytes = 16_384;

async function wholeText(answer: HintedAnswer): Promise<string | undefined> {
  const { body, headers } = answer;
  if (isEventStream(headers as HeadersLike | undefined)) return undefined;
  // Mocks and React Native have no stream.
  if (isWebStream(body)) {
    const reader = readerOfCopy(answer);
    const { text, isWhole } = reader === undefined ? nothing : await textUpTo(reader, mostBodyBytes + 1);
    return isWhole ? text : undefined;
  }
  if (isObject(body) && !(Number(lengthIn(headers) ?? Number.NaN) <= sharedBytes)) return undefined;
  const text = await copyOf(answer).text();
  return text.length > mostBodyBytes ? undefined : text;
}

/** Of a request by axios, what makes the caller's value of its answer. */
interface Transforming {
  readonly headers: object;
  readonly transformResponse?: Transform | readonly Transform[] | undefined;
}

type Transform = (this: unknown, data: unknown, headers: unknown, status?: number) => unknown;

/**
 * The value that the caller of axios would get as `response.data`. Parsed anew at each call, since axios's transforms may
 * change what they are given. A stream is left for the caller to read.
 */
export async function parsedBody(
  { data, headers, status }: { readonly data: unknown; readonly headers: unknown; readonly status: number },
  config: Transforming,
): Promise<unknown> {
  if (isStream(data) || isWebStream(data)) return undefined;
  const Headers = config.headers.constructor as new (from: unknown) => unknown;
  const ofAnswer = new Headers(headers);
  const transforms = [config.transformResponse ?? []].flat();
  return transforms.reduce(
    (value: unknown, transform) => transform.call(config, value, ofAnswer, status),
    data,
  );
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

function readerOfCopy(answer: HintedAnswer): Reader | undefined {
  free(answer.body);
  const copy = copyOf(answer).body;
  return isWebStream(copy) ? copy.getReader() : undefined;
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
