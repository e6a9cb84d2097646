/** The world as a retrier reaches it. Tests and the simulator bring their own. */

import { found } from '../core/found.js';
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

/** The real ones, but for those that are given. */
export function portsFrom(given: Partial<Ports>): Ports {
  for (const [name, port] of Object.entries(given)) {
    if (Object.hasOwn(realPorts, name) && typeof port === 'function') continue;
    const known = Object.keys(realPorts).join(', ');
    throw new TypeError(
      `undaunted: the ports of createRetrier() are the functions ${known}, but got ${found(port)} for ${name}; settings come first`,
    );
  }
  return { ...realPorts, ...given };
}

const realPorts: Ports = {
  now: () => performance.now(),
  date: () => Date.now(),
  random: () => Math.random(),
  sleep,
};
