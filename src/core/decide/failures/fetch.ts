/**
 * The failures of fetch: Node's few messages, Bun's codes, the one property of Workers, and little more than messages
 * on other platforms.
 */

import { pageTexts } from './page.js';
import type { FailureRow, Failures, FailureText } from './row.js';
import { unclear, unheardOf, unsent } from './row.js';

/** A message alone never proves that nothing was sent. */
function texts(row: FailureRow, ...all: readonly string[]): FailureText[] {
  return all.map((text) => ({ code: undefined, text, row }));
}

export const fetchFailures: Failures = /* @__PURE__ */ (() => ({
  byCode: [
    // Bun's own codes. Where Node has a code, Bun uses the same.
    ['ConnectionRefused', unsent],
    ['FailedToOpenSocket', unsent],
    ['ConnectionClosed', unclear],
    ['Timeout', unclear],
  ],
  // A TimeoutError that is not from the caller's signal. Its code is the number 23.
  byName: [['TimeoutError', unclear]],
  byText: [
    // Node's messages for requests that can never work.
    ...texts(unheardOf, 'redirect count exceeded', 'unknown scheme', 'bad port'),
    // Deno's messages, which name the reason after a text that is the same for all failures.
    ...texts(unheardOf, 'invalid peer certificate', 'too many redirects'),
    // Bytes that are not HTTP.
    ...texts(unheardOf, '(SendRequest): invalid HTTP ', '(SendRequest): message head is too large'),
    ...texts(
      unclear,
      'error sending request',
      'client error (',
      'connection closed before message completed',
    ),
    // A reset is recognised only by the operating system's error: on Linux, macOS and Windows.
    ...texts(unclear, '(os error 104)', '(os error 54)', '(os error 10054)', 'Broken pipe (os error 32)'),
    // The body was cut off, as Deno says it.
    ...texts(unclear, 'error reading a body from connection'),
    ...texts(unclear, ...pageTexts),
    // Workers, without the property that says whether a retry makes sense.
    ...texts(unclear, 'Network connection lost.'),
    // Workers say this for a name that is not found, and for every internal failure.
    ...texts(unclear, 'internal error; reference = '),
  ],
}))();

/** Workers have a property that says whether a retry makes sense, and another one for overload (Durable Objects). */
export function rowFromPlatform(error: Record<string, unknown>): FailureRow | undefined {
  const { retryable, overloaded } = error;
  if (typeof retryable !== 'boolean' || error['code'] !== undefined) return undefined;
  return retryable && overloaded !== true ? unclear : unheardOf;
}
