/** The clock, random numbers and timers of a retrier. Tests and the simulator bring their own. */

import { found } from '../core/found.js';
import type { Sleep } from './sleep.js';
import { sleep } from './sleep.js';
import { monotonicNow } from './stalls.js';

export interface Ports {
  /** Monotonic time in ms: waits, deadlines, budgets. */
  readonly now: () => number;
  /** Wall time in ms: only ever compared with dates that a server sent. */
  readonly date: () => number;
  /** Draws from [0, 1). */
  readonly random: () => number;
  readonly sleep: Sleep;
}

/** The real ports, except those that are given. */
export function portsFrom(given: Partial<Ports>): Ports {
  for (const [name, port] of Object.entries(given)) {
    if (Object.hasOwn(realPorts, name) && typeof port === 'function') continue;
    const known = Object.keys(realPorts).join(', ');
    throw new TypeError(
      `undaunted: createRetrier() takes its settings first, then its ports (the functions ${known}), then { fleet }; it got ${found(port)} for ${name}`,
    );
  }
  return { ...realPorts, ...given };
}

const realPorts: Ports = {
  now: monotonicNow,
  date: () => Date.now(),
  random: () => Math.random(),
  sleep,
};
