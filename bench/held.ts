/** The memory that is still held when everything else is collected. Needs `--expose-gc`. */

import { setTimeout as elapsed } from 'node:timers/promises';

/** In bytes. */
export function held(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Waits until it no longer decreases: sockets take a while to close, and no event tells when they have. */
export async function heldInTheEnd(): Promise<number> {
  for (let before = held(); ; ) {
    await elapsed(50);
    const now = held();
    if (now > before * 0.999) return now;
    before = now;
  }
}
