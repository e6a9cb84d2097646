/** The two fetches that scripts are played through, each with its own classes. */

import type { OverrideOptions } from '../../../src/index.js';
import { nodeFetch, undici, undiciFetch } from './client.js';
import type { FuzzCall, FuzzScript } from './fuzz-script.js';

export interface Platform {
  readonly FormData: typeof FormData;
  readonly Response: typeof Response;
  readonly send: typeof fetch;
  /** The arguments of the fetch. */
  asked(
    call: FuzzCall,
    url: string,
    init: object,
    retry: OverrideOptions | false | undefined,
  ): [input: unknown, init: RequestInit | undefined];
}

/** A fetch of the caller's that sends more than it was asked for, or hides what it did. */
export function wrapped(wrapper: FuzzScript['wrapper'], { send, Response }: Platform): typeof fetch {
  if (wrapper === 'none') return send;
  return async (input, init) => {
    const answer = await send(input, init);
    const { status, headers, body } = answer;
    const location = headers.get('location');
    if (wrapper === 'rebuilds answers') return new Response(body, { status, headers });
    if (status !== 401 || location === null) return answer;
    await body?.cancel();
    const request = typeof input === 'object' && 'url' in input ? input : undefined;
    const url = new URL(location, request?.url ?? String(input));
    const method = (init?.method ?? request?.method) === 'HEAD' ? 'HEAD' : 'GET';
    const signal = init?.signal ?? request?.signal ?? null;
    const { dispatcher } = (init ?? {}) as { readonly dispatcher?: unknown };
    return send(url, { method, signal, ...(dispatcher !== undefined && { dispatcher }) });
  };
}

function platformOf(send: typeof fetch, { FormData, Request, Response }: typeof globalThis): Platform {
  return {
    FormData,
    Response,
    send,
    asked: ({ input }, url, init, retry) => {
      const own = retry === undefined ? undefined : ({ retry } as RequestInit);
      if (input === 'Request') return [new Request(url, init), own];
      // The same object if nothing has to be added.
      return [input === 'URL' ? new URL(url) : url, own === undefined ? init : { ...init, ...own }];
    },
  };
}

export const platforms: Readonly<Record<FuzzScript['doFetch'], Platform>> = {
  node: platformOf(nodeFetch, globalThis),
  undici: platformOf(undiciFetch, undici as unknown as typeof globalThis),
};
