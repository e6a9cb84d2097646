/** CPU per request of every client over loopback, with the server in another process: bare and in layers, in turns. */

import { Agent } from 'node:http';
import axios, { type AxiosInstance } from 'axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import { withRetry } from '../src/adapters/fetch/index.js';
import { retry } from '../src/adapters/undici/index.js';
import type { PolicyOptions } from '../src/index.js';
import { inLines } from './lines.js';
import { type AsyncSubject, type Costs, measureAsync } from './measure.js';
import { undici } from './undici-under-test.js';
import { withSmallServer } from './with-small-server.js';

const atATime = 4;
const requestsPerRound = 400;
const rounds = 41;

/** What is sent each time. */
export interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** Neither: the client alone. */
export interface Layer {
  readonly name: string;
  readonly policy?: PolicyOptions;
  /** What only fetch has. */
  readonly fetch?: Fetch;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientCosts {
  readonly client: string;
  /** In the order of the layers, without those that this client does not have. */
  readonly costs: readonly Costs[];
}

/** Sends one request, reads its answer to the end, and returns its status. */
type Send = () => Promise<number>;

interface Place {
  readonly origin: string;
  readonly asked: Asked;
  /** To be closed at the end. */
  readonly agents: { destroy(): unknown }[];
}

export function costsOfClients(asked: Asked, layers: readonly Layer[]): Promise<readonly ClientCosts[]> {
  return withSmallServer(async (origin) => {
    const place: Place = { origin, asked, agents: [] };
    const clients = {
      fetch: (layer: Layer) => overFetch(place, layer),
      undici: (layer: Layer) => overUndici(place, layer, null),
      'undici, all connections busy': (layer: Layer) => overUndici(place, layer, atATime),
      axios: (layer: Layer) => overAxios(place, layer),
    };
    const found: ClientCosts[] = [];
    for (const [client, open] of Object.entries(clients)) {
      const some = layers.filter((layer) => layer.fetch === undefined || client === 'fetch');
      const subjects = some.map((layer) => subjectOf(layer.name, open(layer)));
      found.push({ client, costs: await measureAsync(subjects, requestsPerRound, rounds) });
    }
    await Promise.all(place.agents.map((agent) => agent.destroy()));
    return found;
  });
}

function overFetch({ origin, asked: { path, ...init } }: Place, layer: Layer): Send {
  const send = layer.fetch ?? (layer.policy === undefined ? fetch : withRetry(fetch, layer.policy));
  return async () => {
    const answer = await send(origin + path, init);
    await answer.arrayBuffer();
    return answer.status;
  };
}

function overUndici({ origin, asked, agents }: Place, { policy }: Layer, connections: number | null): Send {
  const agent = new undici.Agent({ connections, keepAliveTimeout: 300_000 });
  agents.push(agent);
  const dispatcher = policy === undefined ? agent : agent.compose(retry(policy));
  return async () => {
    const answer = await dispatcher.request({ origin, ...asked });
    await answer.body.arrayBuffer();
    return answer.statusCode;
  };
}

function overAxios({ origin, asked, agents }: Place, { policy }: Layer): Send {
  const httpAgent = new Agent({ keepAlive: true });
  agents.push(httpAgent);
  const instance: AxiosInstance = axios.create({
    adapter: 'http',
    baseURL: origin,
    httpAgent,
    proxy: false,
  });
  if (policy !== undefined) attachRetry(instance, policy);
  const { path: url, body: data, ...rest } = asked;
  return async () => (await instance.request({ url, ...rest, ...(data !== undefined && { data }) })).status;
}

function subjectOf(name: string, send: Send): AsyncSubject {
  return {
    name,
    async work(turns) {
      let sum = 0;
      await inLines(atATime, turns, async () => {
        sum += await send();
      });
      return sum;
    },
  };
}
