/** What both differential runs write down of a request: what was on the wire, and what became of its upload. */

import type { Lab } from '../faults/lab.js';
import type { Watched } from './uploads.js';

/** `neutral`: without what is drawn by lot. */
export function wireOf(
  { method, path, rawHeaders, body, complete, connection }: Lab['requests'][number],
  neutral: (given: string) => string,
): unknown {
  const headers = rawHeaders.map((part) => neutral(part));
  return {
    connection,
    start: `${method} ${path}`,
    headers,
    body: complete ? neutral(String(body)) : 'in part',
  };
}

export function endOf({ stream, events }: Partial<Watched>): object {
  if (stream === undefined) return {};
  const { destroyed, readableEnded } = stream;
  return { destroyed, readableEnded, events };
}
