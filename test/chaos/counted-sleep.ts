/** Counts the library's timers, including those that keep no process alive, which the process does not list. */

import { type Sleep, sleep } from '../../src/kernel/sleep.js';

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
