/** Time under the test's control: waits that are only recorded, and a clock that stands still. */

import type { Ports } from '../../../src/runtime/ports.js';
import type { Sleep } from '../../../src/runtime/sleep.js';
import { sleep as realSleep } from '../../../src/runtime/sleep.js';
import { Waiters } from '../../faults/ledger.js';

/**
 * Records how long the policy wants to wait, and wakes at once, or when told to. Timers that only watch (a
 * deadline, an attempt's timeout, which have no options; a drain, which doesn't keep the process alive) run as
 * they do.
 */
export class Waits {
  readonly delays: number[] = [];
  readonly #pending = new Map<number, () => void>();
  readonly #wakesAtOnce: boolean;
  readonly #waiters = new Waiters<Waits>();

  constructor(wakes: 'at once' | 'when told' = 'at once') {
    this.#wakesAtOnce = wakes === 'at once';
  }

  readonly sleep: Sleep = (delayMs, wake, options) => {
    if (options === undefined || options.unref === true) return realSleep(delayMs, wake, options);
    const number = this.delays.push(delayMs);
    this.#pending.set(number, wake);
    if (this.#wakesAtOnce) setImmediate(() => this.#wake(number));
    this.#waiters.ask(this);
    return () => this.#pending.delete(number);
  };

  get pending(): number {
    return this.#pending.size;
  }

  /** Resolves when so many waits have begun, now or before. */
  until(count: number): Promise<void> {
    return this.#waiters.until(({ delays }) => delays.length >= count, this);
  }

  /** Every wait is over. */
  wake(): void {
    for (const number of [...this.#pending.keys()]) this.#wake(number);
  }

  #wake(number: number): void {
    const wake = this.#pending.get(number);
    this.#pending.delete(number);
    wake?.();
  }
}

interface SetTimer {
  readonly delayMs: number;
  readonly at: number;
  readonly unref: boolean;
  readonly wake: () => void;
}

/** Every timer of the library fires when the test says so, and not before; the test is told when one is set. */
export class HandTime {
  now = 0;
  /** All that were ever set. */
  readonly timers: SetTimer[] = [];
  readonly #pending = new Set<SetTimer>();
  readonly #waiters = new Waiters<HandTime>();

  get pending(): readonly number[] {
    return [...this.#pending].map(({ delayMs }) => delayMs);
  }

  get ports(): Ports {
    return {
      now: () => this.now,
      date: () => Date.UTC(2026, 2, 10) + this.now,
      random: () => 0.5,
      sleep: this.#sleep,
    };
  }

  until(condition: (time: HandTime) => boolean): Promise<void> {
    return this.#waiters.until(condition, this);
  }

  /** Waits until such a timer is set, and lets its time come. */
  async fire(delayMs: number): Promise<void> {
    await this.until(({ pending }) => pending.includes(delayMs));
    for (const timer of this.#pending) {
      if (timer.delayMs !== delayMs) continue;
      this.#pending.delete(timer);
      this.now = Math.max(this.now, timer.at);
      timer.wake();
      return;
    }
  }

  readonly #sleep: Sleep = (delayMs, wake, options = {}) => {
    const timer = { delayMs, at: this.now + delayMs, unref: options.unref === true, wake };
    this.timers.push(timer);
    this.#pending.add(timer);
    this.#waiters.ask(this);
    return () => {
      this.#pending.delete(timer);
      this.#waiters.ask(this);
    };
  };
}
