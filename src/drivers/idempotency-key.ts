/** The idempotency key, which makes a write safe to repeat: one key per request, the same in all attempts. */

import type { IdempotencyKey } from '../core/policy/options.js';
import { wrongReturn } from '../core/returned.js';

/** The safe methods of RFC 9110 9.2.1, and QUERY. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** Safe methods change nothing, so they need no key. */
export function takesKey(method: string): boolean {
  return !safeMethods.has(method.toUpperCase());
}

/** Whether the header's value can tell this request from others. An empty text cannot, with or without quotes. */
export function isKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isKey);
  if (value === undefined || value === null || value === false) return false;
  return !/^\s*"?\s*"?\s*$/.test(String(value));
}

/** What has to be known of a request to decide about its key. */
export interface KeyBearer {
  readonly method: string;
  /** Whether the caller has set a key in this header; `header` is in lower case. */
  hasKey(header: string): boolean;
}

/** Whether the request carries a key: one from the caller, or one that we make. */
export function isKeyed(request: KeyBearer, setting: IdempotencyKey | false): boolean {
  return (setting !== false && takesKey(request.method)) || request.hasKey('idempotency-key');
}

/** The header that we add to this request, if it needs one. */
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

/** Serialises a string as RFC 9651 3.3.3 says. */
function quotedText(key: string): string {
  return `"${key.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * An empty key or an object's text would be the same for every request, which is worse than no key: the server would
 * answer all of them as it answered the first.
 */
function generated(generate: () => unknown): string {
  const key = generate();
  if ((typeof key === 'string' || typeof key === 'number') && isKey(key)) return String(key);
  throw wrongReturn('idempotencyKey.generate', key, 'a new string for each request');
}

/** A random UUID (RFC 9562 5.4). In browsers, `crypto.randomUUID` exists only on pages that came over https. */
function randomUUID(): string {
  if (crypto.randomUUID !== undefined) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte, index) => {
    const marked = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte;
    return marked.toString(16).padStart(2, '0');
  }).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
