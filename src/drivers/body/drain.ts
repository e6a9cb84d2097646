/** How much of a discarded response is worth reading so that its connection can be used again. */

/** A longer body is cut off. */
export const drainBytes = 65_536;
/**
 * The time depends on whether the length is known: a body that never ends must not keep the connection from other
 * requests.
 */
const drainMs = { known: 1_000, unknown: 100 };

/** How long to read the rest of the body; 0 means not at all. */
export function drainTime(method: string, contentLength: unknown): number {
  const length = method === 'HEAD' ? '0' : contentLength;
  if (length === undefined) return drainMs.unknown;
  return Number(length) <= drainBytes ? drainMs.known : 0;
}

/** The content-length in headers of any class. */
export function lengthIn(headers: unknown): string | undefined {
  const { get } = Object(headers) as { readonly get?: unknown };
  // A mock may give a plain object.
  const length: unknown = typeof get === 'function' ? get.call(headers, 'content-length') : undefined;
  return length === undefined || length === null ? undefined : String(length);
}
