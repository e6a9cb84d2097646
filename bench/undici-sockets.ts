/**
 * CPU per request over loopback, the server in a process of its own: with and without a retry interceptor,
 * in turns. A second bare agent tells how much of a difference is noise.
 */

import type { Dispatcher } from 'undici';
import { retry } from '../src/adapters/undici/index.js';
import type { Row } from './measure.js';
import { compareAsync } from './measure.js';
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
  const compared = await compareAsync(
    subjects.map(({ name, dispatcher }) => ({ name, work: (turns) => askFor(turns, dispatcher, origin) })),
    requestsPerRound,
    rounds,
  );
  await Promise.all(subjects.map(({ dispatcher }) => dispatcher.close()));
  return compared.slice(1).map(({ name, ratio, from, to }) => ({
    name: `CPU per request, ${connections} sockets: ${name}`,
    value: `${ratio.toFixed(2)}x bare`,
    note: `half of ${rounds} rounds between ${from.toFixed(2)}x and ${to.toFixed(2)}x`,
  }));
}

async function askFor(requests: number, dispatcher: Dispatcher, origin: string): Promise<number> {
  let left = requests;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { body } = await dispatcher.request({ origin, path: '/', method: 'GET' });
      await body.dump();
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return requests;
}
