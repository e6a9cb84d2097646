/** The key that makes a write safe to repeat: one for each request, the same in all its attempts. */

import type { IdempotencyKey } from '../core/types.js';

/** RFC 9110 9.2.1, and QUERY. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** Safe methods change nothing: they need none. */
export function takesKey(method: string): boolean {
  return !safeMethods.has(method.toUpperCase());
}

export function newKey({ header, quoted, generate }: IdempotencyKey): Readonly<Record<string, string>> {
  const key = generate?.() ?? crypto.randomUUID();
  return { [header]: quoted ? `"${key}"` : key };
}
