/** What fetch says, Node's and browsers': hardly more than texts. */

import type { Failures } from './row.js';
import { unclear, unheardOf } from './row.js';

export const fetchFailures: Failures = {
  // One that is not the caller's own; its code is the number 23.
  byName: [['TimeoutError', unclear]],
  byText: [
    // What Node's says of what can never work.
    { code: undefined, text: 'redirect count exceeded', row: unheardOf },
    { code: undefined, text: 'unknown scheme', row: unheardOf },
    { code: undefined, text: 'bad port', row: unheardOf },
    // The body was cut off, or a browser that tells nothing else.
    { code: undefined, text: 'terminated', row: unclear },
    { code: undefined, text: 'Failed to fetch', row: unclear },
    { code: undefined, text: 'Load failed', row: unclear },
    { code: undefined, text: 'NetworkError when attempting to fetch resource.', row: unclear },
  ],
};
