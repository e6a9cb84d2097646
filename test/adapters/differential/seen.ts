/** The record of a request in both differential runs, and the comparison of two records. */

import type { Lab } from '../../faults/lab.js';
import type { Watched } from '../uploads.js';

/** The bytes on the wire. `neutral` removes random values. */
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

/** How its upload ended. */
export function endOf({ stream, events }: Partial<Watched>): object {
  if (stream === undefined) return {};
  const { destroyed, readableEnded } = stream;
  return { destroyed, readableEnded, events };
}

/** The differences, with their paths. */
export function differencesOf(before: unknown, after: unknown, path = ''): string[] {
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => differencesOf(before[key], after[key], `${path}.${key}`));
  }
  const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
  return was === is ? [] : [`${path}: ${is} instead of ${was}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
