/**
 * A policy's time, which runs faster than the clock: seconds that a script waits cost a test milliseconds, and
 * all times keep their order. Every timer of the library goes through here, and none may be left at the end.
 */

import { performance } from 'node:perf_hooks';
import type { Ports } from '../../../src/runtime/ports.js';
import { sleep as realSleep, type Sleep } from '../../../src/runtime/sleep.js';

const speed = 50;

export class FastTime {
  /** Timers that are set and neither fired nor cancelled. */
  pending = 0;
  readonly #onWait: () => void;

  /** Waits keep the process alive; timers that only watch do not. */
  constructor(onWait: () => void) {
    this.#onWait = onWait;
  }

  get ports(): Partial<Ports> {
    return { now: () => performance.now() * speed, sleep: this.#sleep };
  }

  readonly #sleep: Sleep = (delayMs, wake, options) => {
    let isOver = false;
    const end = (): void => {
      if (!isOver) this.pending -= 1;
      isOver = true;
    };
    this.pending += 1;
    const cancel = realSleep(
      delayMs / speed,
      () => {
        end();
        wake();
      },
      options,
    );
    // The wait begins once this has returned.
    if (options?.unref !== true) queueMicrotask(this.#onWait);
    return () => {
      end();
      cancel();
    };
  };
}
