/**
 * CPU per request over loopback, the server in a process of its own: with and without a retry interceptor,
 * in turns. A second bare agent tells how much of a difference is noise.
 */

import type { Dispatcher } from 'undici';
import { retry } from '../src/adapters/undici/index.js';
import type { Row } from './measure.js';
import { quantile } from './measure.js';
import { undici } from './undici-under-test.js';
import { withSmallServer } from './with-small-server.js';

const rounds = 21;
const requestsPerRound = 2_000;
const connections = 50;

export function benchUndiciSockets(): Promise<Row[]> {
  return withSmallServer(compare);
}

async function compare(origin: string): Promise<Row[]> {
  const agent = (): Dispatcher => new undici.Agent({ connections, pipelining: 1 });
  const subjects = [
    { name: 'bare Agent', dispatcher: agent() },
    { name: 'bare Agent again (the noise)', dispatcher: agent() },
    {
      name: 'interceptors.retry()',
      dispatcher: agent().compose(undici.interceptors.retry({ throwOnError: false } as object)),
    },
    { name: 'undaunted', dispatcher: agent().compose(retry()) },
  ];
  const costs = subjects.map(() => [] as number[]);
  for (const { dispatcher } of subjects) await cpuPerRequest(dispatcher, origin);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { dispatcher }] of subjects.entries()) {
      costs[index]?.push(await cpuPerRequest(dispatcher, origin));
    }
  }
  await Promise.all(subjects.map(({ dispatcher }) => dispatcher.close()));
  const bare = costs[0] ?? [];
  return subjects.slice(1).map(({ name }, before) => {
    const ratios = (costs[before + 1] ?? []).map((cost, round) => cost / (bare[round] ?? Number.NaN));
    const [low = 0, middle = 0, high = 0] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share));
    return {
      name: `CPU per request, ${connections} sockets: ${name}`,
      value: `${middle.toFixed(2)}x bare`,
      note: `half of ${rounds} rounds between ${low.toFixed(2)}x and ${high.toFixed(2)}x`,
    };
  });
}

async function cpuPerRequest(dispatcher: Dispatcher, origin: string): Promise<number> {
  const before = process.cpuUsage();
  let left = requestsPerRound;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { body } = await dispatcher.request({ origin, path: '/', method: 'GET' });
      await body.dump();
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requestsPerRound;
}
