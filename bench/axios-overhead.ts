/**
 * What a retry layer costs a request of axios that succeeds at once: on an adapter that answers from memory, and
 * over loopback with the server in a process of its own. All take turns in one run.
 */

import { Agent } from 'node:http';
import type { InternalAxiosRequestConfig } from 'axios';
import { type Contestant, contestants, rowsOf } from './axios-contestants.js';
import type { AsyncSubject, Row } from './measure.js';
import { compareAsync } from './measure.js';
import { withSmallServer } from './with-small-server.js';

export async function benchAxiosOverhead(): Promise<Row[]> {
  const answer = (config: InternalAxiosRequestConfig) =>
    Promise.resolve({ data: '{"ok":true}', status: 200, statusText: 'OK', headers: {}, config });
  const inMemory = contestants(() => ({ adapter: answer })).map((contestant) =>
    subject(contestant, 'http://a.example', 1),
  );
  return [
    ...rowsOf('from memory', await compareAsync(inMemory, 100, 401)),
    ...(await overLoopback(1)),
    ...(await overLoopback(16)),
  ];
}

function overLoopback(concurrency: number): Promise<Row[]> {
  return withSmallServer(async (origin) => {
    const agents: Agent[] = [];
    const withAgent = () => {
      const httpAgent = new Agent({ keepAlive: true, maxSockets: concurrency });
      agents.push(httpAgent);
      return { httpAgent };
    };
    const subjects = contestants(withAgent).map((contestant) => subject(contestant, origin, concurrency));
    const compared = await compareAsync(subjects, 160, 101);
    for (const agent of agents) agent.destroy();
    return rowsOf(`loopback, ${concurrency} at a time`, compared);
  });
}

function subject({ name, instance }: Contestant, origin: string, concurrency: number): AsyncSubject {
  return {
    name,
    async work(turns) {
      let left = turns;
      let sum = 0;
      const line = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          sum += (await instance.get(`${origin}/things/1`)).status;
        }
      };
      await Promise.all(Array.from({ length: concurrency }, line));
      return sum;
    },
  };
}
