/**
 * What a retry layer costs an axios request that succeeds at once: on an adapter that answers from memory, and over
 * loopback with the server in another process. The contestants take turns in one run.
 */

import type { CreateAxiosDefaults, InternalAxiosRequestConfig } from 'axios';
import { measuredApart } from './apart.js';
import { bare, type Contestant, retrying, serving } from './axios-contestants.js';
import { inLines } from './lines.js';
import { type AsyncSubject, type Costs, measureAsync, measureRounds, median, ratioTo } from './measure.js';
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

/** Each in a process of its own: in one, each would pay for what the others made the compiler believe. */
function overLoopback(concurrency: number): Promise<Row[]> {
  return withSmallServer(async (origin) => {
    const names = sendingOverLoopback(() => ({})).map(({ name }) => name);
    const given = [origin, String(concurrency)];
    const cpu = await measureRounds(
      names.map(
        (name) => async () => (await measuredApart('./axios-sockets-variant.js', [name, ...given])).ns,
      ),
      9,
    );
    const costs = names.map((name, index) => ({ name, cpu: cpu[index] ?? [] }));
    return rowsOf(`loopback, ${concurrency} at a time`, costs);
  });
}

export function sendingOverLoopback(defaults: () => CreateAxiosDefaults): Contestant[] {
  return [...bare(defaults), ...retrying(defaults), serving(defaults)];
}

function subject(contestant: Contestant, origin: string, concurrency: number): AsyncSubject {
  return { name: contestant.name, work: (turns) => getting(contestant, origin, concurrency, turns) };
}

/** The sum of the statuses. */
export async function getting(
  { instance }: Contestant,
  origin: string,
  concurrency: number,
  turns: number,
): Promise<number> {
  let sum = 0;
  await inLines(concurrency, turns, async () => {
    sum += (await instance.get(`${origin}/things/1`)).status;
  });
  return sum;
}

function rowsOf(what: string, costs: readonly Pick<Costs, 'name' | 'cpu'>[]): Row[] {
  const [peer] = costs;
  return costs.map(({ name, cpu }) => ({
    name: `${what}: ${name}`,
    value: median(cpu) / 1_000,
    unit: 'µs of CPU',
    ...(cpu !== peer?.cpu && { ratio: ratioTo('bare', cpu, peer?.cpu ?? []) }),
  }));
}
