/** The world as a retrier reaches it. Tests and the simulator bring their own. */

import type { Sleep } from './sleep.js';
import { sleep } from './sleep.js';

export interface Ports {
  /** Monotonic time in ms: waits, deadlines, budgets. */
  readonly now: () => number;
  /** Wall time in ms: only compared with dates that a server sent. */
  readonly date: () => number;
  /** Draws from [0, 1). */
  readonly random: () => number;
  readonly sleep: Sleep;
}

export const realPorts: Ports = {
  now: () => performance.now(),
  date: () => Date.now(),
  random: () => Math.random(),
  sleep,
};
