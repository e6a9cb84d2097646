/** Rulings that any server may give: in headers, statuses and problem documents (RFC 9457). */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import { textAt } from './content.js';
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

const keyProblems: Readonly<Record<number, Hint>> = {
  // The first request with this key is still running: the same request may be sent later.
  409: { delayMs: null, retry: true, reason: 'idempotency-key-in-flight' },
  422: { delayMs: null, retry: false, reason: 'idempotency-key-reuse' },
  400: { delayMs: null, retry: false, reason: 'idempotency-key-missing' },
};

/** The problem documents of draft-ietf-httpapi-idempotency-key-header, 2.7. */
export function idempotencyKeyProblem(answer: Answer): Hint | undefined {
  const hint = keyProblems[answer.status];
  if (hint === undefined) return undefined;
  const problem = answer.content();
  const title = textAt(problem, 'title').toLowerCase();
  const type = textAt(problem, 'type').toLowerCase();
  return title.includes('idempotency-key') || type.includes('idempotency') ? hint : undefined;
}

/** The problem type of the RateLimit draft, section 5.3: waiting does not help. */
export function abnormalUsage(answer: Answer): Hint | undefined {
  return textAt(answer.content(), 'type').endsWith('#abnormal-usage-detected') ? forbidden : undefined;
}
