/** What a runtime cannot do, and why: said once, and checked. An exception that is not needed any more is a failure. */

import type { BodyName } from './bodies.js';
import type { ClientName } from './order.js';

/** Node itself plays the scenarios in `test/conformance`, without exceptions of this kind. */
export type RuntimeName = 'Node' | 'Chromium' | 'Bun' | 'Deno' | 'workerd';

export interface Exception {
  readonly runtimes: readonly RuntimeName[];
  readonly clients: readonly ClientName[];
  /** By their names. */
  readonly scenarios: readonly string[];
  readonly reason: string;
}

/** Those that send by the fetch of the platform. */
export const overFetch: readonly ClientName[] = ['fetch', 'axios over fetch'];

export const inBrowsers: readonly ClientName[] = [...overFetch, 'axios over xhr'];

/** A POST that the server never got, and nothing proves it. */
const refusedPosts = ['POST after a refused connection', 'unsafeMethods: unsent'];

const noStreams =
  'Chromium sends streams over HTTP/2 and HTTP/3 only, and the server of the scenarios has neither.';

export const exceptions: readonly Exception[] = [
  {
    runtimes: ['Chromium', 'workerd'],
    clients: inBrowsers,
    scenarios: refusedPosts,
    reason: 'A refused connection is told in the same words as one that was cut: nothing proves it unsent.',
  },
  {
    runtimes: ['Bun'],
    clients: overFetch,
    scenarios: refusedPosts,
    reason: 'The error names the first URL even when a redirect has led elsewhere: it may have been sent.',
  },
  {
    runtimes: ['Deno'],
    clients: overFetch,
    scenarios: refusedPosts,
    reason: 'A refused connection is told by a text alone, and a text proves nothing.',
  },
  {
    runtimes: ['Chromium', 'workerd'],
    clients: inBrowsers,
    scenarios: ['an answer that is no HTTP'],
    reason:
      'Bytes that are no HTTP are told in the same words as a connection that was cut: a GET is tried again.',
  },
  {
    runtimes: ['Chromium'],
    clients: overFetch,
    scenarios: ['a stream that was read', 'a stream that was kept'],
    reason:
      'Chromium sends streams over HTTP/2 and HTTP/3 only, and the server of the scenarios has neither.',
  },
];

/** Bodies that fetch cannot send there, with or without us. */
export const unsendable: readonly Unsendable[] = [
  {
    runtimes: ['Chromium'],
    bodies: ['a stream', 'an async iterable', 'a function that gives a stream', 'a Request with a stream'],
    reason: noStreams,
  },
];

export interface Unsendable {
  readonly runtimes: readonly RuntimeName[];
  readonly bodies: readonly BodyName[];
  readonly reason: string;
}

/** Why this client there cannot play this scenario. */
export function reasonFor(runtime: RuntimeName, client: ClientName, scenario: string): string | undefined {
  return exceptions.find(
    ({ runtimes, clients, scenarios }) =>
      runtimes.includes(runtime) && clients.includes(client) && scenarios.includes(scenario),
  )?.reason;
}

/** Why such a body cannot be sent there. */
export function whyNotSent(runtime: RuntimeName, body: BodyName): string | undefined {
  return unsendable.find(({ runtimes, bodies }) => runtimes.includes(runtime) && bodies.includes(body))
    ?.reason;
}
