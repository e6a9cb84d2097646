/** undici alone, with its own two ways to retry, and with ours. */

import type { Dispatcher } from 'undici';
import { retry } from '../src/adapters/undici/index.js';
import { type PolicyOptions, presets } from '../src/index.js';
import { undici } from './undici-under-test.js';

export interface Contestant {
  readonly name: string;
  readonly dispatcher: Dispatcher;
}

/** The options of undici's retry: a failed answer stays an answer, as with ours. */
export interface TheirOptions {
  readonly maxRetries?: number;
  readonly minTimeout?: number;
  readonly maxTimeout?: number;
  readonly timeoutFactor?: number;
}

/** The others are compared with the first; the second shows how much of a difference is noise. */
export function bare(agent: () => Dispatcher): Contestant[] {
  return [
    { name: 'bare Agent', dispatcher: agent() },
    { name: 'bare Agent again (the noise)', dispatcher: agent() },
  ];
}

/** Shows what composing any interceptor costs. */
export function passThrough(agent: () => Dispatcher): Contestant {
  const dispatcher = agent().compose((dispatch) => (given, handler) => dispatch(given, handler));
  return { name: 'an interceptor that does nothing', dispatcher };
}

/** Ours with what policies ask for that are more than the defaults. */
export const policies = {
  'undaunted, service': presets.policies.service,
  'undaunted with a deadline': { deadlineMs: 10_000 },
  'undaunted with an attempt timeout': { attemptTimeoutMs: 2_000 },
  'undaunted with hedges': { hedge: true },
  'undaunted with adaptive timeouts': { attemptTimeoutMs: { maxMs: 2_000 } },
} as const satisfies Readonly<Record<string, PolicyOptions>>;

/** A realistic policy beside the defaults. */
export function serving(agent: () => Dispatcher, more: PolicyOptions = {}): Contestant {
  const name = 'undaunted, service';
  return { name, dispatcher: agent().compose(retry({ ...policies[name], ...more })) };
}

export function retrying(
  agent: () => Dispatcher,
  ours: PolicyOptions = {},
  theirs: TheirOptions = {},
): Contestant[] {
  const options = { ...theirs, throwOnError: false };
  return [
    { name: 'undaunted', dispatcher: agent().compose(retry(ours)) },
    { name: 'interceptors.retry()', dispatcher: agent().compose(undici.interceptors.retry(options)) },
    // Its declarations accept only Agents.
    { name: 'RetryAgent', dispatcher: new undici.RetryAgent(agent() as never, options) },
  ];
}
