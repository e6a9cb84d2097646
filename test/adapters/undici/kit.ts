/** What the tests of this folder say again and again. What is opened here is closed when the test ends. */

import type { Agent, Dispatcher } from 'undici';
import { onTestFinished } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/core/options.js';
import type { Sleep } from '../../../src/runtime/sleep.js';
import { endlessBody, type Lab, type LabOptions, type LabScript, startLab } from '../../faults/lab.js';
import { Waiters } from '../../faults/ledger.js';
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

const mebibyte = 1_048_576;
/** More than the kernel and undici together take for a reader that does not read. */
export const littleBytes: number = 24 * mebibyte;
export const muchBytes: number = 48 * mebibyte;

/** Another reader takes so much in the meantime: a server that was to stall has had the same chance. */
export async function whileAnotherReads(): Promise<void> {
  const lab = await openLab(endlessBody(mebibyte));
  const { body } = await openAgent().request({ origin: lab.origin, path: '/', method: 'GET' });
  body.on('error', () => undefined).resume();
  await lab.until(({ bytesSent }) => bytesSent > muchBytes);
  body.destroy();
}

interface Watch {
  readonly delayMs: number;
  readonly wake: () => void;
}

/**
 * Records how long the policy wants to wait, and wakes at once, or when told to. Timers that only watch (a
 * deadline, an attempt's timeout, the time that a rest may take: they don't keep the process alive) strike when
 * told to, and else never: what they watch may take as long as a busy machine needs for it.
 */
export class Waits {
  readonly delays: number[] = [];
  readonly #pending = new Map<number, () => void>();
  readonly #watches = new Set<Watch>();
  readonly #wakesAtOnce: boolean;
  readonly #waiters = new Waiters<Waits>();

  constructor(wakes: 'at once' | 'when told' = 'at once') {
    this.#wakesAtOnce = wakes === 'at once';
  }

  readonly sleep: Sleep = (delayMs, wake, options) => {
    if (options?.unref === true) return this.#watch({ delayMs, wake });
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

  /** The time of one that watches for so long is up, as soon as there is one. */
  async strike(delayMs: number): Promise<void> {
    const isIt = (watch: Watch): boolean => watch.delayMs === delayMs;
    await this.#waiters.until(() => [...this.#watches].some(isIt), this);
    const watch = [...this.#watches].find(isIt);
    if (watch === undefined) return;
    this.#watches.delete(watch);
    watch.wake();
  }

  /** Every wait is over. */
  wake(): void {
    for (const number of [...this.#pending.keys()]) this.#wake(number);
  }

  #watch(watch: Watch): () => void {
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
