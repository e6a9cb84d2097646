/**
 * Ten thousand requests that wait in back-off, against as many that hang in bare axios because the server does
 * not answer: what each holds in memory, and what it costs to abort them all. Needs `--expose-gc`.
 */

import { Agent } from 'node:http';
import axios, { type AxiosInstance } from 'axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import type { Row } from './measure.js';
import { quantile } from './measure.js';
import { withSmallServer } from './with-small-server.js';

const requests = 10_000;
const rounds = 5;
/** So many connect at a time. */
const batch = 500;

interface Cost {
  readonly bytes: number;
  readonly abortMs: number;
}

export function benchAxiosWaiting(): Promise<Row[]> {
  return withSmallServer(async (origin) => {
    const bare: Cost[] = [];
    const ours: Cost[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bare.push(await costOf(`${origin}/silence`, () => undefined));
      ours.push(await costOf(`${origin}/busy`, waitForever));
    }
    const median = (costs: readonly Cost[], key: keyof Cost): number =>
      quantile(
        costs.map((cost) => cost[key]),
        0.5,
      );
    const row = (what: string, key: keyof Cost, unit: string): Row => {
      const [hanging, waiting] = [median(bare, key), median(ours, key)];
      return {
        name: `axios, ${requests} waiting against hanging in bare axios: ${what}`,
        value: `${(waiting / hanging).toFixed(2)}x`,
        note: `${waiting.toFixed(0)} against ${hanging.toFixed(0)} ${unit}`,
      };
    };
    return [row('memory', 'bytes', 'bytes each'), row('aborting all', 'abortMs', 'ms of CPU')];
  });
}

/** The first attempt is answered with 503; the second never begins. */
function waitForever(instance: AxiosInstance): void {
  attachRetry(instance, { schedule: { kind: 'fixed', waitMs: 3_600_000, jitter: 'none' }, budget: false });
}

async function costOf(url: string, attach: (instance: AxiosInstance) => void): Promise<Cost> {
  const httpAgent = new Agent({ keepAlive: true });
  const instance = axios.create({ httpAgent });
  attach(instance);
  const before = heapUsed();
  const aborters: AbortController[] = [];
  const ends: Promise<unknown>[] = [];
  for (let begun = 0; begun < requests; begun += batch) {
    for (let index = 0; index < batch; index += 1) {
      const aborter = new AbortController();
      aborters.push(aborter);
      ends.push(instance.get(url, { signal: aborter.signal }).catch(() => undefined));
    }
    await isAtRest();
  }
  const bytes = (heapUsed() - before) / requests;
  const started = process.cpuUsage();
  for (const aborter of aborters) aborter.abort();
  await Promise.all(ends);
  const { user, system } = process.cpuUsage(started);
  httpAgent.destroy();
  return { bytes, abortMs: (user + system) / 1_000 };
}

/** Everything that was sent is where it stays: nothing has happened for a while. */
async function isAtRest(): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { user, system } = process.cpuUsage(before);
    quiet = user + system < 4_000 ? quiet + 1 : 0;
  }
}

function heapUsed(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed: heap, external } = process.memoryUsage();
  return heap + external;
}
