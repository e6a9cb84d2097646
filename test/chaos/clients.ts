/** The clients behind one interface: a request goes out, and the whole answer comes back, or an error. */

import { Agent } from 'node:http';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { attachRetry } from '../../src/adapters/axios/index.js';
import { withRetry } from '../../src/adapters/fetch/index.js';
import { retry } from '../../src/adapters/undici/index.js';
import type { PolicyOptions, Retrier } from '../../src/index.js';
import { axios, version as axiosVersion } from '../adapters/axios/client.js';
import { undici, version as undiciVersion } from '../adapters/undici/client.js';

export interface Outgoing {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable | null;
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

export interface Client {
  send(request: Outgoing, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

export interface ClientKind {
  readonly name: string;
  /** Settings that differ for this client. */
  readonly policy?: PolicyOptions;
  open(origin: string, retrier: Retrier): Client;
}

/** `layers` are beneath ours. */
export function undiciOver(...layers: Dispatcher.DispatcherComposeInterceptor[]): ClientKind['open'] {
  return (origin, retrier) => {
    // An attempt's timeout runs to the head: undici's own timeout is for bodies that stall.
    const agent = new undici.Agent({ bodyTimeout: 200 });
    const dispatcher = agent.compose([...layers, retry(retrier)]);
    return {
      send: async ({ path, method, headers, body }, signal) => {
        const answer = await dispatcher.request({ origin, path, method, headers, body, signal });
        return { status: answer.statusCode, body: Buffer.from(await answer.body.arrayBuffer()) };
      },
      close: () => agent.close(),
    };
  };
}

export const overUndici: ClientKind = { name: `undici ${undiciVersion}`, open: undiciOver() };

/** The answer was handed over, and its body broke off: only the caller notices. */
export class BrokenBody extends Error {
  override readonly name = 'BrokenBody';
}

function wholeBody(answer: { arrayBuffer(): Promise<ArrayBuffer> }): Promise<ArrayBuffer> {
  return answer.arrayBuffer().catch((cause: unknown) => {
    throw new BrokenBody('The body broke off', { cause });
  });
}

type PlainFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** `wrap` makes the fetch that ours wraps. */
export function plainFetchOver(wrap: (send: PlainFetch) => PlainFetch): ClientKind['open'] {
  return (origin, retrier) => {
    const dispatcher = new undici.Agent({ bodyTimeout: 200 });
    const doFetch = withRetry(wrap(undici.fetch as unknown as PlainFetch), retrier);
    return {
      send: async ({ path, method, headers, body }, signal) => {
        const init = { method, headers: { ...headers }, body, signal, dispatcher, duplex: 'half' } as const;
        const answer = await doFetch(origin + path, init as object);
        return { status: answer.status, body: Buffer.from(await wholeBody(answer)) };
      },
      close: () => dispatcher.close(),
    };
  };
}

export const overPlainFetch: ClientKind = {
  name: `the fetch of undici ${undiciVersion}`,
  // With `'body'`, the deadline's timer, which keeps nothing alive, may stay until it fires, and the run would count
  // it.
  policy: { deadlineCovers: 'head' },
  open: plainFetchOver((send) => send),
};

type Adapter = Exclude<NonNullable<Parameters<typeof axios.create>[0]>['adapter'], undefined>;

/** `adapter` may be one of the caller's own over the named one. */
export function axiosOver(name: 'http' | 'fetch', adapter: Adapter = name): ClientKind['open'] {
  return (baseURL, retrier) => {
    const httpAgent = new Agent({ keepAlive: true });
    const dispatcher = new undici.Agent();
    const options = { http: { httpAgent }, fetch: { fetchOptions: { dispatcher } } }[name];
    const close = async (): Promise<void> => {
      httpAgent.destroy();
      await dispatcher.close();
    };
    return { send: axiosSend({ ...options, adapter, baseURL }, retrier), close };
  };
}

export const overHttp: ClientKind = { name: `axios ${axiosVersion} over http`, open: axiosOver('http') };
export const overFetch: ClientKind = { name: `axios ${axiosVersion} over fetch`, open: axiosOver('fetch') };

function axiosSend(defaults: Parameters<typeof axios.create>[0], retrier: Retrier): Client['send'] {
  const instance = axios.create({ ...defaults, proxy: false, responseType: 'arraybuffer' });
  attachRetry(instance, retrier);
  return async ({ path, method, headers, body }, signal) => {
    const { status, data } = await instance.request({
      url: path,
      method,
      headers: { ...headers },
      data: body,
      signal,
    });
    return { status, body: Buffer.from(data as ArrayBuffer) };
  };
}
