/** The answers of a server to a page of another origin. */

import { answer, type HeaderFields, type Play, type Received, stallAfterHead } from '../faults/lab.js';
import { nthOf } from '../faults/play.js';

const forEveryPage = { 'access-control-allow-origin': '*' };

const preflight = answer(204, '', {
  ...forEveryPage,
  'access-control-allow-methods': 'GET, POST, PUT',
  'access-control-allow-headers': 'content-type, idempotency-key',
});

/** An answer that the page may read. */
export function readable(status: number, body = '', headers: HeaderFields = {}): Play {
  return answer(status, body, { ...forEveryPage, ...headers });
}

export function readableHead(status: number): Play {
  return stallAfterHead(status, forEveryPage);
}

/** The n-th request gets the n-th play, and every preflight request is allowed. */
export function allowing(...plays: readonly Play[]): (request: Received) => Play {
  let turn = 0;
  return ({ method }) => {
    if (method === 'OPTIONS') return preflight;
    turn += 1;
    return nthOf(plays, turn);
  };
}

/** Without the browser's preflight requests. */
export function sentBy(requests: readonly Received[]): readonly Received[] {
  return requests.filter(({ method }) => method !== 'OPTIONS');
}
