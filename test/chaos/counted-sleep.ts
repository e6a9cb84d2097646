/** Counts the library's timers, including those that keep no process alive, which the process does not list. */

import { sleep } from '../../src/kernel/sleep.js';
import type { Sleep } from '../../src/kernel/timers.js';

export class CountedSleep {
  readonly #pending = new Set<object>();

  get pending(): number {
    return this.#pending.size;
  }

  readonly sleep: Sleep = (delayMs, wake, options) => {
    const timer = {};
    const woken = (): void => {
      this.#pending.delete(timer);
      wake();
    };
    this.#pending.add(timer);
    const cancel = sleep(delayMs, woken, options);
    return () => {
      this.#pending.delete(timer);
      cancel();
    };
  };
}
