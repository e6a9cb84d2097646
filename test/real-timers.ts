/** For tests of timers that are set for real. */

import { vi } from 'vitest';

export function passing(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Until the list has that many, or five seconds have passed. */
export async function untilIn<T>(list: readonly T[], count: number): Promise<readonly T[]> {
  for (let waited = 0; list.length < count && waited < 500; waited += 1) await passing(10);
  return list;
}

/** The timers that are set from now on. A mock would count as the fake timers of a test. */
export function timersSet(given: (timer: NodeJS.Timeout) => unknown = (timer) => timer): NodeJS.Timeout[] {
  const real = setTimeout;
  const timers: NodeJS.Timeout[] = [];
  vi.stubGlobal('setTimeout', (...timed: Parameters<typeof setTimeout>) => {
    const timer = real(...timed);
    timers.push(timer);
    return given(timer);
  });
  return timers;
}

/** This process does nothing for so long. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
