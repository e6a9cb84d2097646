/**
 * The stage for scripts of promise clients: time that runs faster, and a server whose accept queue the test can watch.
 */

import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Ports } from '../../../src/runtime/ports.js';
import { sleep as realSleep, type Sleep } from '../../../src/runtime/sleep.js';
import type { Lab } from '../../faults/lab.js';

/** A hang takes forever; nothing else takes nearly as long. */
const foreverMs = 60_000;
const endOfQueue = '/end-of-queue';
/** How much faster the policy's time runs than the clock. */
const speed = 10;

/** Fast time that counts its waits; timers that only watch are not waits. */
export class FastTime {
  pending = 0;
  waits = 0;
  onWait: () => void = () => undefined;

  get ports(): Pick<Ports, 'now' | 'sleep'> {
    return { now: () => performance.now() * speed, sleep: this.#sleep };
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
    const cancel = realSleep(delayMs / speed, woken, options);
    // The wait begins once this has returned.
    if (options?.unref === false) queueMicrotask(() => this.#began());
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

/**
 * A client that closes its socket may leave a request in the accept queue, which is taken in order: a connection of our
 * own queues last and waits for its turn.
 */
export function allHaveArrived(lab: Lab): Promise<void> {
  const last = connect(lab.port, '127.0.0.1');
  last.on('error', () => undefined);
  last.end(`GET ${endOfQueue} HTTP/1.1\r\nhost: me\r\n\r\n`);
  return new Promise((resolve) => last.once('close', () => resolve()));
}

export async function hangs(what: string, work: Promise<unknown>): Promise<string[]> {
  const late = new AbortController();
  const { signal } = late;
  const complaints = await Promise.race([
    work.then<string[]>(() => []),
    setTimeout<string[]>(foreverMs, [`${what} hangs`], { signal }).catch(() => []),
  ]);
  late.abort();
  return complaints;
}
