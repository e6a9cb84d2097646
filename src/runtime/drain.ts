/** How much of a discarded response is worth reading, to keep its connection. */

/** What is longer is cut off. */
export const drainBytes = 65_536;
/** If its length is known; a body that never ends must not keep the connection from others. */
const drainMs = { known: 1_000, unknown: 100 };

/** How long the rest may be read; 0: not at all. */
export function drainTime(method: string, contentLength: unknown): number {
  const length = method === 'HEAD' ? '0' : contentLength;
  if (length === undefined) return drainMs.unknown;
  return Number(length) <= drainBytes ? drainMs.known : 0;
}

/** The content-length of headers of whatever class. */
export function lengthIn(headers: unknown): string | undefined {
  const { get } = Object(headers) as { readonly get?: unknown };
  // A mock's may be a plain object.
  const length: unknown = typeof get === 'function' ? get.call(headers, 'content-length') : undefined;
  return length === undefined || length === null ? undefined : String(length);
}
