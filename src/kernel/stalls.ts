/**
 * When this process last stood still, as its late timers have shown. What it did not hear meanwhile says nothing about
 * the servers.
 */

let from = -Infinity;
let to = -Infinity;

/** The clock of all retriers that are given none. Only its times can be compared with those of a stall. */
export function monotonicNow(): number {
  return performance.now();
}

/** A timer that was due at `dueAt` has fired `now`. Several timers may tell of the same stall. */
export function noteStall(dueAt: number, now: number): void {
  from = dueAt <= to ? Math.min(from, dueAt) : dueAt;
  to = now;
}

/** For how long it stood still after that time, as far as the last stall goes. */
export function stalledSince(clock: () => number, at: number): number {
  return clock === monotonicNow ? Math.max(0, to - Math.max(from, at)) : 0;
}
