/** Ten thousand axios requests that wait or hang; each one that hangs has a socket of its own. */

import { Agent } from 'node:http';
import axios, { type AxiosInstance } from 'axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import type { Row } from './row.js';
import { type Crowd, LongWaits, rowsOfWaiting, unanswered } from './waiting.js';
import { withSmallServer } from './with-small-server.js';

export function benchAxiosWaiting(): Promise<Row[]> {
  return withSmallServer((origin) =>
    rowsOfWaiting({
      rounds: 5,
      hanging: () => ({
        ...crowd(`${origin}/silence`, () => undefined),
        staying: () => unanswered(origin),
      }),
      waiting: () => {
        const { retrier, staying } = new LongWaits();
        return { ...crowd(`${origin}/busy`, (instance) => attachRetry(instance, retrier)), staying };
      },
    }),
  );
}

function crowd(url: string, attach: (instance: AxiosInstance) => unknown): Omit<Crowd, 'staying'> {
  const httpAgent = new Agent({ keepAlive: true });
  const instance = axios.create({ httpAgent });
  attach(instance);
  return {
    requests: 10_000,
    batch: 500,
    send: (signal) => instance.get(url, { signal }),
    close: () => httpAgent.destroy(),
  };
}
