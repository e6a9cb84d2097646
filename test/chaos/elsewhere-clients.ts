/** Clients that send more than they were asked for: they follow redirects in a layer, or ask for a token, and hide it. */

import type { InternalAxiosRequestConfig } from 'axios';
import { axios } from '../adapters/axios/client.js';
import { undici } from '../adapters/undici/client.js';
import { asksForToken } from '../adapters/undici/token-layer.js';
import {
  axiosOver,
  type ClientKind,
  overFetch,
  overHttp,
  overPlainFetch,
  overUndici,
  plainFetchOver,
  undiciOver,
} from './clients.js';

type AnyFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const mostRedirects = 5;

/** A wrapper that asks for a token after a 401, with the dispatcher that it was given. */
function tokenFetch(send: AnyFetch): AnyFetch {
  return async (input, init) => {
    const answer = await send(input, init);
    if (answer.status !== 401) return answer;
    await answer.body?.cancel();
    return send(answer.headers.get('location') ?? '', { ...init, method: 'GET', body: null, headers: {} });
  };
}

/** A wrapper that follows redirects by means of its fetch, and hides that it did. */
function rebuildingFetch(send: AnyFetch): AnyFetch {
  return async (input, init) => {
    const { status, headers, body } = await send(input, init);
    return new undici.Response(body as ConstructorParameters<typeof undici.Response>[0], {
      status,
      headers: [...headers],
    }) as unknown as Response;
  };
}

/** An adapter of the caller's. */
function tokenAdapter(name: 'http' | 'fetch') {
  return async (config: InternalAxiosRequestConfig) => {
    const send = axios.getAdapter(name, config);
    const answer = await send({ ...config, validateStatus: null } as InternalAxiosRequestConfig);
    const asked = {
      ...config,
      method: 'get',
      url: String(answer.headers['location']),
      data: undefined,
      headers: new axios.AxiosHeaders(),
    };
    return answer.status === 401 ? send(asked) : accepted(answer);
  };
}

function accepted<T extends { readonly status: number; readonly config: object }>(answer: T): T {
  if (answer.status < 300) return answer;
  throw new axios.AxiosError(
    `status ${answer.status}`,
    'ERR_BAD_RESPONSE',
    answer.config as never,
    null,
    answer as never,
  );
}

function layered({ name, ...kind }: ClientKind, layer: string, open: ClientKind['open']): ClientKind {
  return { ...kind, name: `${name} with ${layer}`, open };
}

const { redirect } = undici.interceptors;

/** For a server that sends its clients elsewhere. */
export const redirected: readonly ClientKind[] = [
  layered(overUndici, 'a layer for redirects', undiciOver(redirect({ maxRedirections: mostRedirects }))),
  overPlainFetch,
  layered(overPlainFetch, 'a wrapper that rebuilds answers', plainFetchOver(rebuildingFetch)),
  overHttp,
  overFetch,
  layered(
    overFetch,
    'an adapter of its own',
    axiosOver('fetch', (config) => axios.getAdapter('fetch', config)(config)),
  ),
];

/** For a server that wants a token. */
export const asking: readonly ClientKind[] = [
  layered(overUndici, 'a layer that asks for tokens', undiciOver(asksForToken({ hidesStart: true }))),
  layered(overPlainFetch, 'a wrapper that asks for tokens', plainFetchOver(tokenFetch)),
  layered(overHttp, 'an adapter that asks for tokens', axiosOver('http', tokenAdapter('http'))),
  layered(overFetch, 'an adapter that asks for tokens', axiosOver('fetch', tokenAdapter('fetch'))),
];
