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
