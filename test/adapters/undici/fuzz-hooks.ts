/** The hooks that a script names. */

import { setImmediate } from 'node:timers/promises';
import type { BeforeRetry, RetryIf } from '../../../src/core/events.js';
import type { BeforeRetryName, FuzzScript, RetryIfName } from './fuzz-script.js';

interface Hooks {
  retryIf?: RetryIf;
  beforeRetry?: BeforeRetry;
}

export function hooksOf({ retryIf, beforeRetry }: FuzzScript): Hooks {
  return {
    ...(retryIf !== undefined && { retryIf: retryIfs[retryIf] }),
    ...(beforeRetry !== undefined && { beforeRetry: beforeRetries[beforeRetry] }),
  };
}

const retryIfs: Readonly<Record<RetryIfName, RetryIf>> = {
  undecided: () => undefined,
  'undecided later': async () => {
    await setImmediate();
    return undefined;
  },
  'again after 503, later': async (outcome) => {
    await setImmediate();
    return outcome.kind === 'response' && outcome.status === 503 ? true : undefined;
  },
  'never, later': async () => {
    await setImmediate();
    return false;
  },
  throws: () => {
    throw new Error('retryIf threw');
  },
  rejects: async () => {
    await setImmediate();
    throw new Error('retryIf rejected');
  },
};

const beforeRetries: Readonly<Record<BeforeRetryName, BeforeRetry>> = {
  'adds a header': ({ headers }) => {
    headers['x-again'] = 'yes';
  },
  'adds a header later': async ({ headers }) => {
    await setImmediate();
    headers['x-again'] = 'yes';
  },
  throws: () => {
    throw new Error('beforeRetry threw');
  },
  rejects: async () => {
    await setImmediate();
    throw new Error('beforeRetry rejected');
  },
};
