/** Rulings that any server may give, in headers and statuses. */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import { linesOf, valuesOf } from './values.js';

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

/** Reads `x-should-retry` and the like: exactly `true` or `false`. If values disagree, `false` wins. */
export function readRuling(header: string, answer: Answer): Hint | undefined {
  const field = answer.field(header);
  if (field === undefined) return undefined;
  const values = valuesOf(field);
  if (values.includes('false')) return forbidden;
  return values.length > 0 && values.every((value) => value === 'true') ? requested : noHint;
}

/**
 * A 408 with `Connection: close` means that the server closes an idle connection without having seen a request (RFC
 * 9110 15.5.9).
 */
export function requestTimeout(answer: Answer): Hint | undefined {
  if (answer.status !== 408) return undefined;
  const options = linesOf(answer.field('connection') ?? []).flatMap((line) => valuesOf(line));
  const closing = options.some((option) => option.toLowerCase() === 'close');
  return closing ? { delayMs: null, retry: true, reason: 'request-timeout' } : undefined;
}
