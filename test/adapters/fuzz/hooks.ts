/** The caller's functions, by the names that scripts use. */

import { setImmediate } from 'node:timers/promises';
import type { PolicyOptions } from '../../../src/index.js';

export interface Hooks {
  readonly retryIf?: 'undecided, later' | 'again after 500, later' | 'rejects';
  readonly beforeRetry?: 'adds a header, later' | 'goes elsewhere' | 'goes abroad' | 'rejects';
}

/** `abroad`: the origin of another server. */
export function hooksOf({ retryIf, beforeRetry }: Hooks, abroad = ''): PolicyOptions {
  return {
    ...(retryIf !== undefined && {
      retryIf: async (outcome) => {
        await outcome.body();
        await setImmediate();
        if (retryIf === 'rejects') throw new Error('retryIf rejected');
        const isIt = outcome.kind === 'response' && outcome.status === 500;
        return isIt && retryIf === 'again after 500, later' ? true : undefined;
      },
    }),
    ...(beforeRetry !== undefined && {
      beforeRetry: async (context) => {
        await setImmediate();
        if (beforeRetry === 'rejects') throw new Error('beforeRetry rejected');
        if (beforeRetry === 'goes abroad') context.url = abroad + new URL(context.url).pathname;
        else if (beforeRetry === 'goes elsewhere') context.url = `${context.url.split('?')[0]}?again`;
        else context.headers['x-again'] = 'yes';
      },
    }),
  };
}
