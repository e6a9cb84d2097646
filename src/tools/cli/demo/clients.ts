/** The clients of the demo: with our adapters, and otherwise with their defaults. */

import type { AxiosStatic } from 'axios';
import type { Retrier } from '../../../index.js';
import type { Undici } from '../undici.js';

export type ClientName = 'fetch' | 'undici' | 'axios';

export interface DemoRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
}

export interface DemoClient {
  readonly name: ClientName;
  /** A new client that uses this retrier. */
  connect(retrier: Retrier): Connected;
}

export interface Connected {
  /** Returns the status, or throws, as a program would see it. */
  send(request: DemoRequest): Promise<number>;
  close(): Promise<void>;
}

/** Those that are the user's own, so that they can be missing. */
export type ClientModules = {
  readonly undici: () => Promise<Undici>;
  readonly axios: () => Promise<{ readonly default: AxiosStatic }>;
};

export const ownModules: ClientModules = {
  undici: () => import('undici'),
  axios: () => import('axios'),
};

export interface Cast {
  /** The first one is always there. */
  readonly clients: readonly [DemoClient, ...DemoClient[]];
  /** Why each of the missing ones is missing. */
  readonly missing: readonly string[];
}

export async function castFrom(modules: ClientModules): Promise<Cast> {
  const [undici, axios] = await Promise.allSettled([modules.undici(), modules.axios()]);
  return {
    clients: [
      await fetchClient(),
      ...(undici.status === 'fulfilled' ? [await undiciClient(undici.value)] : []),
      ...(axios.status === 'fulfilled' ? [await axiosClient(axios.value.default)] : []),
    ],
    missing: [...reasonOf('undici', undici), ...reasonOf('axios', axios)],
  };
}

function reasonOf(name: keyof ClientModules, result: PromiseSettledResult<unknown>): string[] {
  if (result.status === 'fulfilled') return [];
  const { code, message } = result.reason as NodeJS.ErrnoException;
  if (code === 'ERR_MODULE_NOT_FOUND') return [`${name} is not installed`];
  return [`${name} does not load on Node ${process.versions.node} (${message})`];
}

// The adapters are loaded here, so that the other commands start without them.

async function fetchClient(): Promise<DemoClient> {
  const { withRetry } = await import('../../../adapters/fetch/index.js');
  return {
    name: 'fetch',
    connect(retrier) {
      const fetch = withRetry(globalThis.fetch, retrier);
      return {
        async send({ method, url }) {
          const response = await fetch(url, { method, ...(method === 'POST' ? { body: '{}' } : {}) });
          await response.arrayBuffer();
          return response.status;
        },
        async close() {
          // The server closes the connections, which belong to Node's own dispatcher.
        },
      };
    },
  };
}

async function undiciClient({ Agent, request }: Undici): Promise<DemoClient> {
  const { retry } = await import('../../../adapters/undici/index.js');
  return {
    name: 'undici',
    connect(retrier) {
      const agent = new Agent();
      const dispatcher = agent.compose(retry(retrier));
      return {
        async send({ method, url }) {
          const data = method === 'POST' ? '{}' : null;
          const { statusCode, body } = await request(url, { dispatcher, method, body: data });
          await body.dump();
          return statusCode;
        },
        close: () => agent.destroy(),
      };
    },
  };
}

async function axiosClient(axios: AxiosStatic): Promise<DemoClient> {
  const { attachRetry } = await import('../../../adapters/axios/index.js');
  return {
    name: 'axios',
    connect(retrier) {
      // A proxy could not reach a server on this machine's loopback interface.
      const api = axios.create({ adapter: 'http', proxy: false, validateStatus: null });
      attachRetry(api, retrier);
      return {
        async send({ method, url }) {
          const { status } = await api.request({ method, url, ...(method === 'POST' ? { data: {} } : {}) });
          return status;
        },
        async close() {
          // The server closes the connections, which belong to Node's own agent.
        },
      };
    },
  };
}
