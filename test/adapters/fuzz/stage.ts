/**
 * The stage for scripts of promise clients: time that runs faster, and a server whose accept queue the test can watch.
 */

import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Lab } from '../../faults/lab.js';
import { refusedOrigin } from '../../faults/origins.js';
import { FastTime } from './fast-time.js';

/** Where nothing listens. */
export const deadOrigin: string = await refusedOrigin();

/** A hang takes forever; nothing else takes nearly as long. */
const foreverMs = 60_000;
const endOfQueue = '/end-of-queue';
/** How much faster the policy's time runs than the clock. */
export const speed = 10;

/** The loop of promise clients says of a wait that it keeps the process alive; timers that only watch say nothing. */
export function fastTime(): FastTime {
  return new FastTime(speed, (options) => options?.unref === false);
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
