/**
 * What a retry layer costs an axios request that succeeds at once: on an adapter that answers from memory, and over
 * loopback with the server in another process. The contestants take turns in one run.
 */

import type { InternalAxiosRequestConfig } from 'axios';
import { bare, type Contestant, retrying, withSockets } from './axios-contestants.js';
import { inLines } from './lines.js';
import { type AsyncSubject, type Costs, measureAsync, median, ratioTo } from './measure.js';
import type { Row } from './row.js';
import { withSmallServer } from './with-small-server.js';

export async function benchAxiosOverhead(): Promise<Row[]> {
  const answer = (config: InternalAxiosRequestConfig) =>
    Promise.resolve({ data: '{"ok":true}', status: 200, statusText: 'OK', headers: {}, config });
  const defaults = () => ({ adapter: answer });
  const inMemory = [...bare(defaults), ...retrying(defaults)].map((contestant) =>
    subject(contestant, 'http://a.example', 1),
  );
  return [
    ...rowsOf('from memory', await measureAsync(inMemory, 100, 401)),
    ...(await overLoopback(1)),
    ...(await overLoopback(16)),
  ];
}

function overLoopback(concurrency: number): Promise<Row[]> {
  return withSmallServer((origin) =>
    withSockets(concurrency, async (defaults) => {
      const subjects = [...bare(defaults), ...retrying(defaults)].map((contestant) =>
        subject(contestant, origin, concurrency),
      );
      return rowsOf(`loopback, ${concurrency} at a time`, await measureAsync(subjects, 160, 41));
    }),
  );
}

function subject({ name, instance }: Contestant, origin: string, concurrency: number): AsyncSubject {
  return {
    name,
    async work(turns) {
      let sum = 0;
      await inLines(concurrency, turns, async () => {
        sum += (await instance.get(`${origin}/things/1`)).status;
      });
      return sum;
    },
  };
}

function rowsOf(what: string, costs: readonly Costs[]): Row[] {
  const [peer] = costs;
  return costs.map(({ name, cpu }) => ({
    name: `${what}: ${name}`,
    value: median(cpu) / 1_000,
    unit: 'µs of CPU',
    ...(cpu !== peer?.cpu && { ratio: ratioTo('bare', cpu, peer?.cpu ?? []) }),
  }));
}
