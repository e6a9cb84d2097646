/** The key that makes a write safe to repeat: one for each request, the same in all its attempts. */

import type { IdempotencyKey } from '../core/policy/options.js';
import { isPromise, wrongReturn } from '../core/returned.js';

/** RFC 9110 9.2.1, and QUERY. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** Safe methods change nothing: they need none. */
export function takesKey(method: string): boolean {
  return !safeMethods.has(method.toUpperCase());
}

/** Whether what stands in the header tells this request from others: an empty text, in quotes or not, does not. */
export function isKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isKey);
  if (value === undefined || value === null || value === false) return false;
  return !/^\s*"?\s*"?\s*$/.test(String(value));
}

/** A request, as far as its key goes. */
interface KeyBearer {
  readonly method: string;
  /** The caller's own, in this header; its name is in lower case. */
  hasKey(header: string): boolean;
}

/** By the caller, or by us. */
export function isKeyed(request: KeyBearer, setting: IdempotencyKey | false): boolean {
  return (setting !== false && takesKey(request.method)) || request.hasKey('idempotency-key');
}

/** The header that this request gets of us, if any. */
export function keyFor(
  request: KeyBearer,
  setting: IdempotencyKey | false,
): Readonly<Record<string, string>> | undefined {
  if (setting === false || !takesKey(request.method) || request.hasKey(setting.header)) return undefined;
  return newKey(setting);
}

export function newKey({ header, quoted, generate }: IdempotencyKey): Readonly<Record<string, string>> {
  const key = generate === undefined ? randomUUID() : generated(generate);
  return { [header]: quoted ? quotedText(key) : key };
}

/** RFC 9651 3.3.3. */
function quotedText(key: string): string {
  return `"${key.replace(/["\\]/g, '\\$&')}"`;
}

/** What every request would get is worse than no key: a server would answer all of them as it did the first. */
function generated(generate: () => unknown): string {
  const key = generate();
  if ((typeof key === 'string' || typeof key === 'number') && isKey(key)) return String(key);
  if (isPromise(key))
    throw wrongReturn('idempotencyKey.generate', key, 'a text that is new for each request');
  const found =
    typeof key === 'string' ? 'an empty text' : key !== null && typeof key === 'object' ? 'an object' : key;
  throw new TypeError(
    `undaunted: idempotencyKey.generate returned ${String(found)}; it has to return a text that is new for each request`,
  );
}

/** RFC 9562 5.4. Browsers have it ready-made only on pages that came over https. */
function randomUUID(): string {
  if (crypto.randomUUID !== undefined) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte, index) => {
    const marked = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte;
    return marked.toString(16).padStart(2, '0');
  }).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
