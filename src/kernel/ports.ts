/** The clock, random numbers and timers of a retrier. Tests and the simulator bring their own. */

import { found, isPlain } from '../core/found.js';
import { sleep } from './sleep.js';
import { monotonicNow } from './stalls.js';
import type { Sleep } from './timers.js';

export interface Ports {
  /** Monotonic time in ms: waits, deadlines, budgets. */
  readonly now: () => number;
  /** Wall time in ms: only ever compared with dates that a server sent. */
  readonly date: () => number;
  /** Draws from [0, 1). */
  readonly random: () => number;
  readonly sleep: Sleep;
}

/** The real ports, except those that are given: by a plain object, or by an instance of a class, whatever else it has. */
export function portsFrom(given: Partial<Ports>): Ports {
  const isInstance = !isPlain(given);
  const names = (
    isInstance ? portNames.filter((name) => name in given) : Object.keys(given)
  ) as (keyof Ports)[];
  const strange = names.find((name) => !portNames.includes(name) || typeof given[name] !== 'function');
  if (strange !== undefined || (isInstance && names.length === 0)) {
    const got = strange === undefined ? found(given) : `${found(given[strange])} for ${strange}`;
    throw new TypeError(
      `undaunted: createRetrier() takes its settings first, then its ports (the functions ${portNames.join(', ')}), then { fleet }; it got ${got}`,
    );
  }
  if (!isInstance) return { ...realPorts, ...given };
  return {
    ...realPorts,
    ...Object.fromEntries(names.map((name) => [name, given[name]?.bind(given)])),
  };
}

export const realPorts: Ports = {
  now: monotonicNow,
  date: () => Date.now(),
  random: () => Math.random(),
  sleep,
};

const portNames: readonly (keyof Ports)[] = ['now', 'date', 'random', 'sleep'];
