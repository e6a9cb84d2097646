/**
 * The client's own instrumentation already makes a span of each attempt. Only the request itself can tell it which
 * retry the attempt is: connections queue and share requests, so no async context would be the right one.
 */

import type { Span } from '@opentelemetry/api';
import { defaults } from '../core/policy/defaults.js';
import { retryNumberIn } from '../kernel/attempt-header.js';

/**
 * For the `requestHook` of `@opentelemetry/instrumentation-undici` and `-http`: sets `http.request.resend_count` if the
 * policy has an `attemptHeader`.
 */
export function resendCount(
  attemptHeader: string = defaults.attemptHeader,
): (span: Span, request: object) => void {
  const name = attemptHeader.toLowerCase();
  return (span, request) => {
    const number = retryNumberIn(sentHeader(request, name));
    if (number !== undefined) span.setAttribute('http.request.resend_count', number);
  };
}

interface OutgoingMessage {
  getHeader(name: string): unknown;
}

/** undici's request has a list of names and values, Node's has a getter; an incoming request has neither. */
function sentHeader(request: object, name: string): unknown {
  if ('getHeader' in request) return (request as OutgoingMessage).getHeader(name);
  if (!('headers' in request) || !Array.isArray(request.headers)) return undefined;
  const { headers } = request;
  const at = headers.findIndex((part, index) => index % 2 === 0 && String(part).toLowerCase() === name);
  return at === -1 ? undefined : headers[at + 1];
}
