/** How callers of axios cancel, by each of its builds and adapters. */

import type { AxiosStatic } from 'axios';
import type { Caller, GivingUp } from '../suites/callers.js';
import type { Asked, Way } from '../suites/subject.js';
import { expectCanceled, type MakeCaller, plainCallers, rareCallers } from './callers.js';
import { isFirst } from './client.js';

type Named = readonly [name: string, make: () => Caller];

/** `adapter`: before 1.16, the error that `fetch` gives while it sends is not an AxiosError. */
function expecting(build: AxiosStatic, adapter: 'http' | 'fetch'): Caller['expectError'] {
  return (error, isSending = false) => expectCanceled(error, build, adapter === 'fetch' && isSending);
}

export function givingUp(
  name: string,
  build: AxiosStatic,
  adapter: 'http' | 'fetch',
  way: Way,
  bare: GivingUp['bare'],
): GivingUp {
  const expectError = expecting(build, adapter);
  const named = ([who, make]: readonly [string, MakeCaller]): Named => [
    who,
    () => {
      const { config, giveUp, listeners } = make(build);
      return { asked: config as Asked, giveUp, listeners, expectError };
    },
  ];
  // The first fetch adapter ignores tokens.
  const isDeaf = isFirst && adapter === 'fetch';
  return {
    name,
    way,
    bare,
    plain: plainCallers.filter(([who]) => !isDeaf || who !== 'CancelToken').map(named),
    rare: name === 'http' ? rareCallers.map(named) : [],
    bySignal: (signal) => ({ asked: { signal }, expectError }),
    takesFactories: true,
  };
}
