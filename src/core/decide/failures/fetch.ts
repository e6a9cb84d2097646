/** What fetch says: Node's little, Bun's codes, Workers' one property, and of the others hardly more than texts. */

import type { FailureRow, Failures, FailureText } from './row.js';
import { unclear, unheardOf, unsent } from './row.js';

/** A text never proves that nothing was sent. */
function texts(row: FailureRow, ...all: readonly string[]): FailureText[] {
  return all.map((text) => ({ code: undefined, text, row }));
}

export const fetchFailures: Failures = {
  byCode: [
    // Bun's own; what Node has a code for, it calls so, too.
    ['ConnectionRefused', unsent],
    ['FailedToOpenSocket', unsent],
    ['ConnectionClosed', unclear],
    ['Timeout', unclear],
  ],
  // One that is not the caller's own; its code is the number 23.
  byName: [['TimeoutError', unclear]],
  byText: [
    // What Node's says of what can never work.
    ...texts(unheardOf, 'redirect count exceeded', 'unknown scheme', 'bad port'),
    // Deno's, which names what failed behind the words for all that does.
    ...texts(unheardOf, 'invalid peer certificate', 'too many redirects'),
    // Bytes that are no HTTP.
    ...texts(unheardOf, '(SendRequest): invalid HTTP ', '(SendRequest): message head is too large'),
    ...texts(
      unclear,
      'error sending request',
      'client error (',
      'connection closed before message completed',
    ),
    // A reset is named by the system alone: on Linux, macOS and Windows.
    ...texts(unclear, '(os error 104)', '(os error 54)', '(os error 10054)', 'Broken pipe (os error 32)'),
    // The body was cut off: Node's word, and Deno's.
    ...texts(unclear, 'terminated', 'error reading a body from connection'),
    // Chromium, Firefox, Safari and React Native, of whatever failed: CORS alike.
    ...texts(unclear, 'Failed to fetch', 'NetworkError when attempting to fetch resource.'),
    ...texts(unclear, 'Load failed', 'The network connection was lost.', 'Could not connect to the server.'),
    ...texts(unclear, 'Network request failed'),
    // Workers, where it does not say whether a retry is of use.
    ...texts(unclear, 'Network connection lost.'),
    // What Workers say of a name that is not found, as of all that failed within.
    ...texts(unclear, 'internal error; reference = '),
  ],
  timeouts: ['Timeout'],
};

/** Workers say in a property whether a retry is of use, and that there is too much already (Durable Objects). */
export function rowFromPlatform(error: Record<string, unknown>): FailureRow | undefined {
  const { retryable, overloaded } = error;
  if (typeof retryable !== 'boolean' || error['code'] !== undefined) return undefined;
  return retryable && overloaded !== true ? unclear : unheardOf;
}
