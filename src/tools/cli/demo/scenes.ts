/** Failures that every client meets sooner or later, one after another. */

import type { PolicyOptions } from '../../../index.js';
import type { ClientName } from './clients.js';
import type { Act, Script, Visit } from './faulty-server.js';

export interface Scene {
  readonly title: string;
  /** The client that plays it, if it is installed. */
  readonly client: ClientName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Without functions, so that it can be printed. */
  readonly policy: PolicyOptions;
  readonly script: Script;
  /** Number of requests, one after another; from `crowd` on, in groups and without printing each. */
  readonly requests: number;
  /** A closing sentence, from what the server saw. */
  readonly moral?: (visits: readonly Visit[], requests: number) => string;
}

function answer(status: number, headers: Readonly<Record<string, string>> = {}): Act {
  return { kind: 'answer', status, headers };
}

const hangUp: Act = { kind: 'hang-up' };

/** From this many requests on, they are a crowd. */
export const crowd = 10;

export const scenes: readonly Scene[] = [
  {
    title: 'The server stumbles twice',
    client: 'fetch',
    method: 'GET',
    path: '/report',
    policy: { schedule: { kind: 'exponential', firstMs: 400, jitter: 'equal' } },
    script: [answer(503), answer(503), answer(200)],
    requests: 1,
  },
  {
    title: 'The server is rate limiting: wait a second',
    client: 'axios',
    method: 'GET',
    path: '/search',
    policy: {},
    script: [answer(429, { 'Retry-After': '1' }), answer(200)],
    requests: 1,
  },
  {
    title: 'The server asks for a longer wait than the deadline allows',
    client: 'fetch',
    method: 'GET',
    path: '/maintenance',
    policy: { deadlineMs: 10_000 },
    script: [answer(503, { 'Retry-After': '30' })],
    requests: 1,
  },
  {
    title: 'The connection is cut, and the order may have been taken',
    client: 'undici',
    method: 'POST',
    path: '/orders',
    policy: {},
    script: [hangUp, answer(201)],
    requests: 1,
    moral: (visits) => `The server got it ${times(visits.length)}: a retry might have made two orders of it.`,
  },
  {
    title: 'The same with an idempotency key: the server can recognise the order',
    client: 'axios',
    method: 'POST',
    path: '/keyed-orders',
    policy: { idempotencyKey: true },
    script: [hangUp, answer(201)],
    requests: 1,
    moral: (visits) => {
      const keys = new Set(visits.map(({ key }) => key)).size;
      return `The server got it ${times(visits.length)}, with ${keys === 1 ? 'the same key' : `${keys} keys`}.`;
    },
  },
  {
    title: 'The server is dead: after three failures in a row, the gate shuts',
    client: 'undici',
    method: 'GET',
    path: '/dead',
    policy: {
      maxRetries: 1,
      schedule: { kind: 'fixed', waitMs: 200, jitter: 'none' },
      gate: { failures: 3, deadForMs: 30, probeMs: 60_000 },
    },
    script: [hangUp],
    requests: 3,
    moral: (visits) => `The server got ${visits.length} attempts, and none for the third request.`,
  },
  {
    title: 'The server never answers, and the caller has one second',
    client: 'axios',
    method: 'GET',
    path: '/stuck',
    policy: { attemptTimeoutMs: 300, deadlineMs: 1_000 },
    script: [{ kind: 'silence' }],
    requests: 1,
  },
  {
    title: 'An outage: all of 200 requests fail, and the budget limits their retries',
    client: 'undici',
    method: 'GET',
    path: '/outage',
    policy: { maxRetries: 3, schedule: { kind: 'fixed', waitMs: 1 } },
    script: [answer(503)],
    requests: 200,
    moral: ({ length }, requests) =>
      `${requests} requests, ${length} attempts: ${(length / requests).toFixed(2)} times the load. ` +
      'Without a budget, it would be 4 times.',
  },
];

function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}
