/** Turns what undici reports into outcomes that the policy judges. */

import type { ClientOutcome } from '../../core/events.js';
import type { Evidence, HeadersLike, ResponseOutcome } from '../../core/types.js';
import { parsedOrText } from '../../runtime/told-outcome.js';
import type { Head } from './handlers.js';
import type { Sending } from './sending.js';

/** How an attempt ended: with a head, whose body may still follow, or with an error. */
export type Ending =
  | { readonly kind: 'head'; readonly head: Head }
  | { readonly kind: 'error'; readonly error: unknown };

export function outcomeOfHead({ status, headers }: Head, content?: unknown): ResponseOutcome {
  return content === undefined
    ? { kind: 'response', status, headers }
    : { kind: 'response', status, headers, content };
}

/** The interceptor `responseError` turns answers into errors; underneath us, its errors are judged as answers. */
export function outcomeOfError(
  error: unknown,
  evidence: Evidence | undefined,
  unasked = false,
): ClientOutcome {
  if (isResponseError(error)) {
    const { statusCode: status, headers = {}, body } = error;
    return { kind: 'response', status, headers, body: async () => bodyOf(body) };
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
  readonly headers?: HeadersLike;
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

/**
 * undici calls onRequestStart just before it writes, so a request without a start never left. A request with a start
 * may have left, even if the error is a connect error (from the second hop of a redirect, or because undici moved the
 * request to another connection). Only HTTP/2 can say that a stream was not processed after all, and undici moves only
 * such streams to another connection by itself.
 */
export function evidenceOf(sending: Sending, error: unknown): Evidence | undefined {
  if (sending.starts === 0) return 'unsent';
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const isOfHttp2 = typeof code === 'string' && code.startsWith('ERR_HTTP2_');
  return isOfHttp2 && !sending.isRedirected ? undefined : 'unknown';
}
