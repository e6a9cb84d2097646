/**
 * What a retry layer costs an axios request that succeeds at once: on an adapter that answers from memory, and over
 * loopback with the server in another process. The contestants take turns in one run.
 */

import type { CreateAxiosDefaults, InternalAxiosRequestConfig } from 'axios';
import { cpuApart } from './apart.js';
import { bare, type Contestant, retrying, serving } from './axios-contestants.js';
import { rowsBesideBare } from './beside-bare.js';
import { inLines } from './lines.js';
import { type AsyncSubject, measureAsync } from './measure.js';
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
    ...rowsBesideBare('from memory', await measureAsync(inMemory, 100, 401)),
    ...(await overLoopback(1)),
    ...(await overLoopback(16)),
  ];
}

/** Each in a process of its own: in one, each would pay for what the others made the compiler believe. */
function overLoopback(concurrency: number): Promise<Row[]> {
  return withSmallServer(async (origin) => {
    const names = sendingOverLoopback(() => ({})).map(({ name }) => name);
    const costs = await cpuApart('./axios-sockets-variant.js', names, [origin, String(concurrency)], 9);
    return rowsBesideBare(`loopback, ${concurrency} at a time`, costs);
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
