/** The attempts in flight and the line of requests that wait for room, as values. */

/** What a request finds. */
export interface Room {
  /** How many more attempts may be in flight. */
  readonly free: number;
  /** How many requests wait that came before this one; those that are more than `free` need not be counted. */
  readonly ahead: number;
  /** How many wait in all. What matters of it is whether one that is not in line yet may join. */
  readonly waiting: number;
  /** Until when this one waits; undefined: it is not in line yet. */
  readonly until: number | undefined;
}

/** What a retry would find in line: for how long the first request has waited there so far. */
export interface Line {
  readonly waiting: number;
  readonly waitedMs: number;
}
