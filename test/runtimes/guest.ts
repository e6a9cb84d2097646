/** Runs in another runtime: plays scenarios and faults through a client there, and reports what came of it. */

import axios, { type AxiosInstance } from 'axios';
import { attachRetry } from '../../src/adapters/axios/index.js';
import { withRetry } from '../../src/adapters/fetch/index.js';
import { createRetrier, historyOf } from '../../src/index.js';
import { policyOf } from '../conformance/functions.js';
import { defaultUrl } from '../conformance/scenario.js';
import type { Send } from '../conformance/stage.js';
import { bodies, type GivenBody } from './bodies.js';
import { FarStage } from './far-stage.js';
import type {
  ClientName,
  CutsOrder,
  CutsReport,
  FaultOrder,
  FaultReport,
  Order,
  Report,
  ScenarioOrder,
  ScenarioReport,
  UploadOrder,
  UploadReport,
} from './order.js';

export function perform<O extends Order>(order: O): Promise<Report<O>>;
export function perform(order: Order): Promise<Report> {
  if (order.kind === 'upload') return upload(order);
  if (order.kind === 'cuts') return readThroughCuts(order);
  return order.kind === 'scenario' ? playScenario(order) : meetFault(order);
}

// ---------------------------------------------------------------- scenarios

async function playScenario(order: ScenarioOrder): Promise<ScenarioReport> {
  const { client, scenario } = order;
  const stage = new FarStage(order);
  const send = client === 'fetch' ? throughFetch(stage, policyOf(scenario)) : throughAxios(stage, order);
  return { records: await stage.play(send) };
}

function throughFetch(stage: FarStage, policy: ScenarioOrder['scenario']['policy']): Send {
  const through: typeof fetch = (_url, init) => fetch(stage.takeAddress(), init);
  const doFetch = withRetry(
    through,
    stage.attend(createRetrier(policy, stage.portsWithoutDrains)),
  ) as typeof fetch;
  return async ({ method = 'GET', url = defaultUrl, headers, body, stream, retry }) => {
    const init = {
      method,
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
      ...(stream !== undefined && { body: new Blob([stream]).stream(), duplex: 'half' }),
      ...(retry !== undefined && { retry }),
    };
    try {
      const response = await doFetch(url, init as object);
      await response.arrayBuffer();
      return { with: response.status, history: historyOf(response) };
    } catch (error) {
      return { with: told(error), history: historyOf(error) };
    }
  };
}

function throughAxios(stage: FarStage, { client, scenario }: ScenarioOrder): Send {
  const instance = instanceOver(client, () => stage.takeAddress());
  attachRetry(instance, stage.attend(createRetrier(policyOf(scenario), stage.ports)));
  return async ({ method = 'GET', url = defaultUrl, headers, body, stream, retry }) => {
    try {
      const response = await instance.request({
        method,
        url,
        ...(headers !== undefined && { headers }),
        ...(body !== undefined && { data: body }),
        ...(stream !== undefined && { data: streamFor(client, stream) }),
        ...(retry !== undefined && { retry }),
      });
      return { with: response.status, history: historyOf(response) };
    } catch (error) {
      const { response } = error as { readonly response?: { readonly status: number } };
      return { with: response?.status ?? told(error), history: historyOf(error) };
    }
  };
}

/** Its requests go where they are told to, whatever their URLs say. */
function instanceOver(client: ClientName, addressOf: (url: string) => string): AxiosInstance {
  const send = axios.getAdapter(adapterOf(client));
  return axios.create({ adapter: (config) => send({ ...config, url: addressOf(config.url ?? '') }) });
}

function adapterOf(client: ClientName): 'fetch' | 'http' | 'xhr' {
  return client.replace('axios over ', '') as 'fetch' | 'http' | 'xhr';
}

/** Streams of Node for what sends by Node's http, and those of the web for all others. */
function streamFor(client: ClientName, content: string): unknown {
  if (client !== 'axios over http') return new Blob([content]).stream();
  return process.getBuiltinModule('node:stream').Readable.from([Buffer.from(content)]);
}

// ---------------------------------------------------------------- faults

async function meetFault(order: FaultOrder): Promise<FaultReport> {
  try {
    const response = await ask(order, signalOf(order));
    const read = await response.read().then(
      () => 'all of it',
      (error: unknown) => told(error),
    );
    return { got: response.status, read, decisions: decisionsOf(response.own) };
  } catch (error) {
    return { got: told(error), decisions: decisionsOf(error) };
  }
}

function signalOf({ giveUp }: FaultOrder): AbortSignal | undefined {
  if (giveUp === undefined) return undefined;
  if (giveUp.by === 'timeout') return AbortSignal.timeout(giveUp.afterMs);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), giveUp.afterMs);
  return controller.signal;
}

interface Answered {
  readonly status: number;
  readonly own: object;
  read(): Promise<unknown>;
}

async function ask(
  { client, url, method, policy, redirect }: FaultOrder,
  signal: AbortSignal | undefined,
): Promise<Answered> {
  const body = method === 'POST' ? 'pay' : undefined;
  if (client === 'fetch') {
    const init = {
      method,
      ...(signal && { signal }),
      ...(body !== undefined && { body }),
      ...(redirect && { redirect }),
    };
    const own = await withRetry(undefined, policy)(url, init);
    return { status: own.status, own, read: () => own.text() };
  }
  const instance = axios.create({ adapter: adapterOf(client) });
  attachRetry(instance, policy);
  const own = await instance.request({ url, method, data: body, ...(signal && { signal }) });
  return { status: own.status, own, read: async () => own.data };
}

function decisionsOf(result: unknown): FaultReport['decisions'] {
  return historyOf(result)?.map(({ decision: { reason, finding } }) => ({
    reason,
    class: finding.class,
    evidence: finding.evidence,
  }));
}

// ---------------------------------------------------------------- uploads

async function upload({ client, url, body, policy }: UploadOrder): Promise<UploadReport> {
  const { ofRequest, ...given }: GivenBody = bodies[body]();
  try {
    if (client !== 'fetch') {
      const instance = axios.create({ adapter: adapterOf(client) });
      attachRetry(instance, policy);
      return { got: (await instance.post(url, given.body)).status };
    }
    const doFetch = withRetry(undefined, policy) as typeof fetch;
    const init = { method: 'POST', ...given, ...ofRequest } as RequestInit;
    const answered = await (ofRequest === undefined ? doFetch(url, init) : doFetch(new Request(url, init)));
    return { got: answered.status };
  } catch (error) {
    return { got: told(error) };
  }
}

// ---------------------------------------------------------------- cuts

async function readThroughCuts({ client, url, requests, policy }: CutsOrder): Promise<CutsReport> {
  const read = readerOf(client, policy);
  const got: Record<string, number> = {};
  for (let request = 0; request < requests; request += 1) {
    const text = await read(url).catch(told);
    got[text] = (got[text] ?? 0) + 1;
  }
  return { got };
}

function readerOf(client: ClientName, policy: CutsOrder['policy']): (url: string) => Promise<string> {
  if (client === 'fetch') {
    const doFetch = withRetry(undefined, policy) as typeof fetch;
    return async (url) => (await doFetch(url)).text();
  }
  // As text: a page that parses JSON itself would take half of it for text, and no error.
  const instance = axios.create({ adapter: adapterOf(client), responseType: 'text', transformResponse: [] });
  attachRetry(instance, policy);
  return async (url) => (await instance.get<string>(url)).data;
}

/** Our own errors by their codes; all others in the words of the runtime, with what caused them. */
function told(error: unknown): string {
  const links: string[] = [];
  for (let at = error; typeof at === 'object' && at !== null && links.length < 5; ) {
    const { name, code, message, cause } = at as Error & { readonly code?: unknown };
    if (typeof code === 'string' && code.startsWith('ERR_UNDAUNTED_')) return code;
    links.push([name, ...(code === undefined ? [] : [`[${String(code)}]`]), message].join(' '));
    at = cause;
  }
  return links.length === 0 ? String(error) : links.join(' < ');
}
