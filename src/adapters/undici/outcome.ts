/** What undici reports, as outcomes that the policy judges. */

import type { ErrorOutcome, Evidence, HeadersLike, ResponseOutcome } from '../../core/types.js';
import type { Head } from './handlers.js';
import type { Sending } from './sending.js';

export function outcomeOfHead({ status, headers }: Head, content?: unknown): ResponseOutcome {
  return content === undefined
    ? { kind: 'response', status, headers }
    : { kind: 'response', status, headers, content };
}

/** The interceptor `responseError` underneath makes errors of answers: they are judged as answers. */
export function outcomeOfError(
  error: unknown,
  evidence: Evidence | undefined,
  unasked = false,
): ErrorOutcome | ResponseOutcome {
  if (isResponseError(error)) {
    const { statusCode: status, headers = {} } = error;
    return { kind: 'response', status, headers };
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
}

function isResponseError(error: unknown): error is ResponseError {
  if (typeof error !== 'object' || error === null) return false;
  const { code, statusCode } = error as Record<string, unknown>;
  return code === 'UND_ERR_RESPONSE' && typeof statusCode === 'number';
}

/**
 * undici tells just before it writes: what was never told to start never left. What was may have, even if
 * the error is one of connecting (a second hop of a redirect, or a request that moved to another
 * connection). Only HTTP/2 can say of a stream that was begun that it was not processed, and undici moves
 * only such streams by itself.
 */
export function evidenceOf(sending: Sending, error: unknown): Evidence | undefined {
  if (sending.starts === 0) return 'unsent';
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const isOfHttp2 = typeof code === 'string' && code.startsWith('ERR_HTTP2_');
  return isOfHttp2 && !sending.isRedirected ? undefined : 'unknown';
}
