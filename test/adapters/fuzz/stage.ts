/** What scripts for promise clients are played on: time that runs faster, and a server at whose queue the test can stand. */

import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Ports } from '../../../src/runtime/ports.js';
import { sleep as realSleep, type Sleep } from '../../../src/runtime/sleep.js';
import type { Lab } from '../../faults/lab.js';

/** What hangs takes forever; nothing else takes nearly so long. */
const foreverMs = 60_000;
const endOfQueue = '/end-of-queue';
/** Of the policy's time, which runs faster than the clock. */
const speed = 10;

/** Counts its timers; those that only watch are no waits. */
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
    // It begins when this has returned.
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
 * A client that closes its socket may leave a request in the accept queue, which is taken in order: so somebody
 * stands at its end and waits for his turn.
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
