/** Rulings that any server may give, in headers and statuses. */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';

export const forbidden: Hint = /* @__PURE__ */ Object.freeze({
  delayMs: null,
  retry: false,
  reason: 'server-forbids-retry',
});
const requested: Hint = /* @__PURE__ */ Object.freeze({
  delayMs: null,
  retry: true,
  reason: 'server-requests-retry',
});
const noHint: Hint = /* @__PURE__ */ Object.freeze({ delayMs: null, reason: 'no-hint' });

/** Reads `x-should-retry` and the like, from 400 on: exactly `true` or `false`. If values disagree, `false` wins. */
export function readRuling(answer: Answer, header: string): Hint | undefined {
  const values = answer.status < 400 ? undefined : answer.values(header);
  if (values === undefined) return undefined;
  if (values.includes('false')) return forbidden;
  return values.length > 0 && values.every((value) => value === 'true') ? requested : noHint;
}

/**
 * A 408 with `Connection: close` means that the server closes an idle connection without having seen a request (RFC
 * 9110 15.5.9).
 */
export function requestTimeout(answer: Answer): Hint | undefined {
  if (answer.status !== 408) return undefined;
  const closing = answer.values('connection')?.some((option) => option.toLowerCase() === 'close');
  return closing ? { delayMs: null, retry: true, reason: 'request-timeout' } : undefined;
}
