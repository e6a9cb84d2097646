/** Waits that are only recorded, and take no time. */

import { sleep as realSleep } from '../../src/kernel/sleep.js';
import type { Cancel, Sleep } from '../../src/kernel/timers.js';
import { Waiters } from '../faults/ledger.js';

interface Watch {
  readonly delayMs: number;
  readonly wake: () => void;
}

/**
 * Records how long the policy wants to wait, and wakes at once, or when told to. A wait is a timer with `unref: false`,
 * which keeps the process alive. All others only watch (a deadline, an attempt's timeout, the drain time): by default
 * they fire only when told to, since whatever they watch may take as long as a busy machine needs; or they fire in time.
 */
export class Waits {
  readonly delays: number[] = [];
  readonly #pending = new Map<number, () => void>();
  readonly #watches = new Set<Watch>();
  readonly #wakesAtOnce: boolean;
  readonly #watchesRun: boolean;
  readonly #waiters = new Waiters<Waits>();

  constructor(wakes: 'at once' | 'when told' = 'at once', watches: 'when told' | 'in time' = 'when told') {
    this.#wakesAtOnce = wakes === 'at once';
    this.#watchesRun = watches === 'in time';
  }

  readonly sleep: Sleep = (delayMs, wake, options) => {
    if (options?.unref !== false) {
      return this.#watchesRun ? realSleep(delayMs, wake, options) : this.#watch({ delayMs, wake });
    }
    const number = this.delays.push(delayMs);
    this.#pending.set(number, wake);
    if (this.#wakesAtOnce) setImmediate(() => this.#wake(number));
    this.#waiters.ask(this);
    return () => this.#pending.delete(number);
  };

  get pending(): number {
    return this.#pending.size;
  }

  /** Resolves when this many waits have begun, now or earlier. */
  until(count: number): Promise<void> {
    return this.#waiters.until(({ delays }) => delays.length >= count, this);
  }

  /** Fires a watching timer of this length, as soon as there is one. */
  async strike(delayMs: number): Promise<void> {
    const isIt = (watch: Watch): boolean => watch.delayMs === delayMs;
    await this.#waiters.until(() => [...this.#watches].some(isIt), this);
    const watch = [...this.#watches].find(isIt);
    if (watch === undefined) return;
    this.#watches.delete(watch);
    watch.wake();
  }

  /** Ends every wait. */
  wake(): void {
    for (const number of [...this.#pending.keys()]) this.#wake(number);
  }

  #watch(watch: Watch): Cancel {
    this.#watches.add(watch);
    this.#waiters.ask(this);
    return () => this.#watches.delete(watch);
  }

  #wake(number: number): void {
    const wake = this.#pending.get(number);
    this.#pending.delete(number);
    wake?.();
  }
}
