/**
 * Very many requests that wait in backoff, compared with as many that hang in the bare client because the server does
 * not answer: the memory that each holds, the cost of aborting all of them, and what is left afterwards.
 */

import { setTimeout as elapsed } from 'node:timers/promises';
import type { Retrier } from '../src/index.js';
import { createRetrier } from '../src/index.js';
import { heldInTheEnd } from './held.js';
import { cpuSince, measureRounds, median, perRound, ratioTo } from './measure.js';
import type { Row } from './row.js';

/** Sends a request that ends only when it is aborted. */
export type Send = (signal: AbortSignal) => Promise<unknown>;

export interface Crowd {
  readonly requests: number;
  /** How many are sent at a time. */
  readonly batch: number;
  readonly send: Send;
  /** How many of the sent requests have reached the state in which they stay. */
  readonly staying: (sent: number) => number | Promise<number>;
  readonly close: () => unknown;
}

export interface Crowds {
  readonly rounds: number;
  readonly hanging: () => Crowd;
  readonly waiting: () => Crowd;
}

/** The costs of each request. */
interface Cost {
  readonly bytes: number;
  readonly abortNs: number;
  readonly leftBytes: number;
}

const mostBytes = 1_000;
const mostAbortRatio = 1.2;

export async function rowsOfWaiting({ rounds, hanging, waiting }: Crowds): Promise<Row[]> {
  const gauges = [hanging, waiting].map((gather) => () => costOf(gather));
  // The first requests create what is created only once.
  await measureRounds(gauges, 1);
  const [bare = [], ours = []] = await measureRounds(gauges, rounds);
  const series = (costs: readonly Cost[], key: keyof Cost) => costs.map((cost) => cost[key]);
  const [bytes, abortNs] = [series(ours, 'bytes'), series(ours, 'abortNs')];
  const [bareBytes, bareAbortNs] = [series(bare, 'bytes'), series(bare, 'abortNs')];
  const left = median(series(bare, 'leftBytes'));
  const peer = 'one that hangs in the bare client';
  return [
    { name: 'one holds', value: median(bytes), unit: 'bytes', ratio: ratioTo(peer, bytes, bareBytes) },
    {
      name: `beyond ${peer}`,
      value: median(perRound(bytes, bareBytes, (own, least) => own - least)),
      unit: 'bytes',
      atMost: mostBytes,
    },
    {
      name: 'aborting all, per request',
      value: median(abortNs) / 1_000,
      unit: 'µs of CPU',
      ratio: ratioTo(peer, abortNs, bareAbortNs),
      atMost: mostAbortRatio,
    },
    {
      name: 'left of each afterwards',
      value: median(series(ours, 'leftBytes')),
      unit: 'bytes',
      note: `in the bare client ${left.toFixed(1)} bytes`,
    },
  ];
}

async function costOf(gather: () => Crowd): Promise<Cost> {
  const crowd = gather();
  const { requests } = crowd;
  const before = await heldInTheEnd();
  const { heldThen, abortNs } = await lifeOf(crowd);
  const after = await heldInTheEnd();
  return {
    bytes: (heldThen - before) / requests,
    abortNs: abortNs / requests,
    leftBytes: (after - before) / requests,
  };
}

/** A function of its own, so that nothing keeps its variables after it returns. */
async function lifeOf({ requests, batch, send, staying, close }: Crowd): Promise<{
  heldThen: number;
  abortNs: number;
}> {
  const aborters: AbortController[] = [];
  const ends: Promise<unknown>[] = [];
  while (ends.length < requests) {
    for (let index = 0; index < batch; index += 1) {
      const aborter = new AbortController();
      aborters.push(aborter);
      ends.push(send(aborter.signal).catch(() => undefined));
    }
    while ((await staying(ends.length)) < ends.length) await elapsed(10);
  }
  const heldThen = await heldInTheEnd();
  const started = process.cpuUsage();
  for (const aborter of aborters) aborter.abort();
  await Promise.all(ends);
  const abortNs = cpuSince(started);
  await close();
  while ((await staying(0)) > 0) await elapsed(10);
  return { heldThen, abortNs };
}

// --------------------------------------------------------------- where they stay

/** A retrier that counts its waits, which last for an hour, with the timers that everyone has. */
export class LongWaits {
  private begun = 0;
  readonly retrier: Retrier = createRetrier({
    schedule: () => {
      this.begun += 1;
      return 3_600_000;
    },
    budget: false,
  });

  /** A wait that is aborted is over before its request is. */
  readonly staying = (sent: number): number => (sent === 0 ? 0 : this.begun);
}

/** The requests that the small server has received and does not answer. */
export async function unanswered(origin: string): Promise<number> {
  return Number(await (await fetch(`${origin}/unanswered`)).text());
}
