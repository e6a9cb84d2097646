/** Time that stands still: every timer of the library fires when the test says so, and not before. */

import { createRetrier, type PolicyOptions, type Retrier } from '../../src/index.js';
import type { Ports } from '../../src/kernel/ports.js';
import type { Sleep } from '../../src/kernel/timers.js';
import { Waiters } from '../faults/ledger.js';

interface SetTimer {
  readonly delayMs: number;
  readonly at: number;
  readonly unref: boolean;
  readonly wake: () => void;
}

/** Time that stands still: timers fire when the test says so, and the test is told when they are set. */
export class HandTime {
  now = 0;
  /** Every timer that was ever set. */
  readonly timers: SetTimer[] = [];
  readonly #pending = new Set<SetTimer>();
  readonly #waiters = new Waiters<HandTime>();

  get pending(): readonly number[] {
    return [...this.#pending].map(({ delayMs }) => delayMs);
  }

  /** When the pending timers are due. */
  get pendingAt(): readonly number[] {
    return [...this.#pending].map(({ at }) => at);
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

  /** Waits until such a timer is set, and fires it. */
  fire(delayMs: number): Promise<void> {
    return this.#fireOne((timer) => timer.delayMs === delayMs);
  }

  /** The same for a timer that is set to this moment. */
  fireAt(moment: number): Promise<void> {
    return this.#fireOne(({ at }) => at === moment);
  }

  async #fireOne(isIt: (timer: SetTimer) => boolean): Promise<void> {
    await this.until(() => [...this.#pending].some(isIt));
    const timer = [...this.#pending].find(isIt);
    if (timer === undefined) return;
    this.#pending.delete(timer);
    this.now = Math.max(this.now, timer.at);
    timer.wake();
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

/** For scenes that count timers: leaves out those that only watch, which are longer. */
export function withTimersBelow(longMs: number, time: HandTime): HandTime {
  return new Proxy(time, {
    get(target, key) {
      if (key === 'until') {
        return (condition: (seen: HandTime) => boolean) =>
          target.until(() => condition(withTimersBelow(longMs, target)));
      }
      if (key === 'timers') return target.timers.filter(({ delayMs }) => delayMs < longMs);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A retrier in time that stands still, and what it has decided. */
export function stageOf(policy: PolicyOptions): {
  readonly time: HandTime;
  readonly told: readonly string[];
  readonly retrier: Retrier;
} {
  const time = new HandTime();
  const told: string[] = [];
  const observe: PolicyOptions['observe'] = (event) => {
    if (event.type === 'decision') told.push(event.decision.reason);
    if (event.type === 'settled') told.push(`settled ${event.outcome} after ${event.attempts}`);
  };
  return { time, told, retrier: createRetrier({ ...policy, observe }, time.ports) };
}
