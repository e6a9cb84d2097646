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
