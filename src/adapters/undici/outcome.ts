/** Turns what undici reports into outcomes that the policy judges. */

import type { ClientOutcome } from '../../core/events.js';
import type { Settings } from '../../core/policy/settings.js';
import type { Evidence, ResponseOutcome } from '../../core/types.js';
import { unpackedText } from '../../drivers/body/unpack.js';
import { isEventStream, mostBodyBytes, parsedOrText } from '../../drivers/told-outcome.js';
import type { Session } from '../../kernel/session.js';
import type { HeldEnding } from './aside.js';
import type { Download } from './download.js';
import type { Head, ResponseHeaders } from './handlers.js';
import { isOfHttp2 } from './hops.js';
import type { Sending } from './sending.js';

/** How an attempt ended: with a head, whose body may still follow, or with an error. */
export type Ending =
  | {
      readonly kind: 'head';
      readonly head: Head;
      readonly isHeld?: false;
      readonly cut?: undefined;
      readonly began?: undefined;
    }
  | HeldEnding
  | { readonly kind: 'error'; readonly error: unknown };

export type HeadEnding = Exclude<Ending, { kind: 'error' }>;

/** How much of the body may say how long to wait; 0: nothing is to be read. */
export function bytesToGather(
  { settings, request }: Session,
  sending: Sending,
  { head, isHeld, cut, began }: HeadEnding,
): number {
  // What was waited for, and is not whole, is waited for no longer.
  if (cut !== undefined || began !== undefined || (isHeld === true && !sending.isComplete)) return 0;
  return settings.bodies?.bytesToRead(settings, request, head.status, head.headers) ?? 0;
}

/** The status of the answer that the request has ended with; 0: there is none. */
export function statusAtEnd({ history }: Session): number {
  const finding = history.at(-1)?.decision.finding;
  return finding?.kind === 'response' ? finding.status : 0;
}

export function outcomeOfHead(
  { status, headers }: Head,
  evidence: Evidence | undefined,
  content?: unknown,
): ResponseOutcome {
  return {
    kind: 'response',
    status,
    headers,
    ...(content !== undefined && { content }),
    ...(evidence !== undefined && { evidence }),
  };
}

/** The interceptor `responseError` turns answers into errors; underneath us, its errors are judged as answers. */
export function outcomeOfError(
  error: unknown,
  evidence: Evidence | undefined,
  unasked = false,
): ClientOutcome {
  if (isResponseError(error)) {
    const { statusCode: status, headers = {}, body } = error;
    return { ...outcomeOfHead({ status, headers }, evidence), body: async () => bodyOf(body) };
  }
  return {
    kind: 'error',
    error,
    aborted: false,
    ...(evidence !== undefined && { evidence }),
    ...(unasked && { unasked }),
  };
}

interface ResponseError {
  readonly statusCode: number;
  readonly headers?: ResponseHeaders;
  /** Parsed, if it is JSON. */
  readonly body?: unknown;
}

/** The interceptor parses JSON by its type alone, and has no text of bodies of other types. */
function bodyOf(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  return body === '' ? undefined : parsedOrText(body);
}

function isResponseError(error: unknown): error is ResponseError {
  if (typeof error !== 'object' || error === null) return false;
  const { code, statusCode } = error as Record<string, unknown>;
  return code === 'UND_ERR_RESPONSE' && typeof statusCode === 'number';
}

/** What an answer proves, unless that is up to its status: after a redirect it is another server's. */
export function evidenceOfHead({ hops, isRedirected }: Sending): Evidence | undefined {
  return isRedirected ? 'unknown' : hops?.evidence;
}

/**
 * What an error proves, unless that is up to the error. If the request may be repeated in any case, its hops are not
 * counted: undici calls onRequestStart just before it writes, so without a start it most probably never left.
 */
export function evidenceOf(sending: Sending, error: unknown): Evidence | undefined {
  const { hops, starts } = sending;
  if (hops !== undefined) return hops.evidence;
  if (starts === 0) return 'unsent';
  // undici 8 itself repeats a stream that was refused, so it may have started more than once.
  return isOfHttp2(error) && !sending.isRedirected ? undefined : 'unknown';
}

/**
 * Gives `retryIf` the body of an answer that is still being judged, as often as it asks for it. It is gathered only
 * once, and parsed anew each time.
 */
function readerOf(sending: Sending, headers: ResponseHeaders): () => Promise<unknown> {
  let text: Promise<string | undefined> | undefined;
  return async () => {
    text ??= isEventStream(headers) ? Promise.resolve(undefined) : wholeText(sending, headers);
    const whole = await text;
    return whole === undefined ? undefined : parsedOrText(whole);
  };
}

function wholeText(sending: Sending, headers: ResponseHeaders): Promise<string | undefined> {
  return new Promise((resolve) => {
    sending.gatherWhole(mostBodyBytes, (bytes) => {
      const text = bytes && unpackedText(bytes, headers['content-encoding'], mostBodyBytes);
      resolve(typeof text === 'string' ? text : undefined);
    });
  });
}

/**
 * The outcome as `retryIf` is told it: with the body of an answer, which it may read as often as it likes. Undefined if it
 * is not asked: a resource that is another one now is no failure of the attempt.
 */
export function toldOf(
  sending: Sending,
  ending: Ending,
  rest: Download | undefined,
  outcome: ClientOutcome,
  { retryIf }: Settings,
): ClientOutcome | undefined {
  if (ending.kind === 'error' || ending.cut !== undefined || ending.began !== undefined) return outcome;
  if (rest !== undefined) return outcome.kind === 'error' ? undefined : outcome;
  return retryIf === undefined ? outcome : { ...outcome, body: readerOf(sending, ending.head.headers) };
}
