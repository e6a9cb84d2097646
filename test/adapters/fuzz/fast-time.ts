/**
 * A policy's time, which runs faster than the clock: seconds that a script waits cost a test milliseconds, and all times
 * keep their order. Every timer of the library goes through here, and none may be left at the end.
 */

import { performance } from 'node:perf_hooks';
import type { Ports } from '../../../src/kernel/ports.js';
import { sleep as realSleep } from '../../../src/kernel/sleep.js';
import type { Sleep, SleepOptions } from '../../../src/kernel/timers.js';

export class FastTime {
  /** Timers that are set and neither fired nor cancelled. */
  pending = 0;
  waits = 0;
  onWait: () => void = () => undefined;
  readonly #speed: number;
  readonly #isWait: (options: SleepOptions | undefined) => boolean;

  /** `speed`: how much faster it runs than the clock. `isWait` tells waits from timers that only watch. */
  constructor(speed: number, isWait: (options: SleepOptions | undefined) => boolean) {
    this.#speed = speed;
    this.#isWait = isWait;
  }

  get ports(): Pick<Ports, 'now' | 'sleep'> {
    return { now: () => performance.now() * this.#speed, sleep: this.#sleep };
  }

  readonly #sleep: Sleep = (delayMs, wake, options) => {
    let isOver = false;
    const end = (): void => {
      if (!isOver) this.pending -= 1;
      isOver = true;
    };
    this.pending += 1;
    const woken = (): void => {
      end();
      wake();
    };
    const cancel = realSleep(delayMs / this.#speed, woken, options);
    // The wait begins once this has returned.
    if (this.#isWait(options)) queueMicrotask(() => this.#began());
    return () => {
      end();
      cancel();
    };
  };

  #began(): void {
    this.waits += 1;
    this.onWait();
  }
}
