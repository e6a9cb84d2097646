/**
 * CPU per POST without a key that succeeds at once, over loopback, with the server in another process. It may be sent
 * again only if its evidence counts, so its hops are counted; with `unsafeMethods: 'never'`, none are.
 */

import { Agent } from 'node:http';
import axios, { type AxiosInstance } from 'axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import { withRetry } from '../src/adapters/fetch/index.js';
import { retry } from '../src/adapters/undici/index.js';
import type { PolicyOptions } from '../src/index.js';
import { inLines } from './lines.js';
import { type AsyncSubject, type Costs, measureAsync, median, ratioTo } from './measure.js';
import type { Row } from './row.js';
import { undici } from './undici-under-test.js';
import { withSmallServer } from './with-small-server.js';

const atATime = 4;
const requestsPerRound = 400;
const rounds = 41;
const body = '{"amount":1}';
const headers = { 'content-type': 'application/json' };

/** Sends one request, reads its answer to the end, and returns its status. */
type Send = () => Promise<number>;

/** A policy, or no layer at all. */
type Layer = PolicyOptions | undefined;

const layers: readonly (readonly [name: string, layer: Layer])[] = [
  ['bare', undefined],
  ['bare again (the noise)', undefined],
  ['undaunted', {}],
  ["undaunted, unsafeMethods: 'never'", { unsafeMethods: 'never' }],
];

export function benchPostSockets(): Promise<Row[]> {
  return withSmallServer(async (origin) => {
    const agents: { destroy(): unknown }[] = [];
    const clients = {
      fetch: (layer: Layer) => overFetch(origin, layer),
      undici: (layer: Layer) => overUndici(origin, layer, agents, null),
      'undici, all connections busy': (layer: Layer) => overUndici(origin, layer, agents, atATime),
      axios: (layer: Layer) => overAxios(origin, layer, agents),
    };
    const rows: Row[] = [];
    for (const [client, open] of Object.entries(clients)) {
      const subjects = layers.map(([name, layer]) => subjectOf(name, open(layer)));
      const costs = await measureAsync(subjects, requestsPerRound, rounds);
      rows.push(...costs.map((cost) => rowOf(client, cost, costs[0])));
    }
    await Promise.all(agents.map((agent) => agent.destroy()));
    return rows;
  });
}

function overFetch(origin: string, layer: Layer): Send {
  const send: typeof fetch = layer === undefined ? fetch : withRetry(fetch, layer);
  return async () => {
    const answer = await send(origin, { method: 'POST', body, headers });
    await answer.arrayBuffer();
    return answer.status;
  };
}

function overUndici(
  origin: string,
  layer: Layer,
  agents: { destroy(): unknown }[],
  connections: number | null,
): Send {
  const agent = new undici.Agent({ connections, keepAliveTimeout: 300_000 });
  agents.push(agent);
  const dispatcher = layer === undefined ? agent : agent.compose(retry(layer));
  return async () => {
    const answer = await dispatcher.request({ origin, path: '/', method: 'POST', body, headers });
    await answer.body.arrayBuffer();
    return answer.statusCode;
  };
}

function overAxios(baseURL: string, layer: Layer, agents: { destroy(): unknown }[]): Send {
  const httpAgent = new Agent({ keepAlive: true });
  agents.push(httpAgent);
  const instance: AxiosInstance = axios.create({ adapter: 'http', baseURL, httpAgent, proxy: false });
  if (layer !== undefined) attachRetry(instance, layer);
  return async () => (await instance.post('/', body, { headers })).status;
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

function rowOf(client: string, { name, cpu }: Costs, peer: Costs | undefined): Row {
  return {
    name: `POST, ${client}: ${name}`,
    value: median(cpu) / 1_000,
    unit: 'µs of CPU',
    ...(cpu !== peer?.cpu && { ratio: ratioTo('bare', cpu, peer?.cpu ?? []) }),
  };
}
