/** What the tests of this folder say again and again. What is opened here is closed when the test ends. */

import type { Agent, Dispatcher } from 'undici';
import { onTestFinished } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/core/options.js';
import type { Sleep } from '../../../src/runtime/sleep.js';
import { sleep as realSleep } from '../../../src/runtime/sleep.js';
import { type Lab, type LabOptions, type LabScript, startLab } from '../../faults/lab.js';
import { undici } from './client.js';

/** Waits of 1 ms, so that no test waits for a schedule. */
export const soon: PolicyOptions = {
  schedule: { kind: 'fixed', waitMs: 1, jitter: 'none' },
  throttledSchedule: { kind: 'fixed', waitMs: 1, jitter: 'none' },
};

export async function openLab(script: LabScript, options?: LabOptions): Promise<Lab> {
  const lab = await startLab(script, options);
  onTestFinished(() => lab.close());
  return lab;
}

export function openAgent(options?: Agent.Options): Agent {
  const agent = new undici.Agent(options);
  onTestFinished(() => agent.destroy());
  return agent;
}

/** An Agent with retry() on it; what may be given is what retry() takes. */
export function retryingAgent(
  given: Parameters<typeof retry>[0] = soon,
  options?: Agent.Options,
): Dispatcher {
  return openAgent(options).compose(retry(given));
}

export async function settled<T>(
  promise: Promise<T>,
): Promise<{ readonly value?: T; readonly error?: unknown }> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/**
 * Records how long the policy wants to wait, and wakes at once, or when told to. Timers that only watch (a
 * deadline, an attempt's timeout: they don't keep the process alive) run as they do.
 */
export class Waits {
  readonly delays: number[] = [];
  readonly #pending = new Map<number, () => void>();
  readonly #wakesAtOnce: boolean;
  #told = (): void => undefined;

  constructor(wakes: 'at once' | 'when told' = 'at once') {
    this.#wakesAtOnce = wakes === 'at once';
  }

  readonly sleep: Sleep = (delayMs, wake, options) => {
    if (options?.unref === true) return realSleep(delayMs, wake, options);
    const number = this.delays.push(delayMs);
    this.#pending.set(number, wake);
    if (this.#wakesAtOnce) setImmediate(() => this.#wake(number));
    this.#told();
    return () => this.#pending.delete(number);
  };

  get pending(): number {
    return this.#pending.size;
  }

  /** Resolves when so many waits have begun, now or before. */
  async until(count: number): Promise<void> {
    while (this.delays.length < count) {
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
    }
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

/** A promise that somebody else settles. (`Promise.withResolvers` is younger than Node 20.) */
export class Deferred<T = void> {
  resolve: (value: T) => void = () => undefined;
  reject: (reason: unknown) => void = () => undefined;
  readonly promise: Promise<T>;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}
