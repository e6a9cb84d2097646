/** What a runtime cannot do, and why. A test fails when an exception is no longer needed. */

import type { BodyName } from './bodies.js';
import type { ClientName } from './order.js';

/** Node itself plays the scenarios in `test/conformance`, without exceptions of this kind. */
export type RuntimeName = 'Node' | 'Chromium' | 'Bun' | 'Deno' | 'workerd' | 'happy-dom';

export interface Exception {
  readonly runtimes: readonly RuntimeName[];
  readonly clients: readonly ClientName[];
  /** By their names. */
  readonly scenarios: readonly string[];
  readonly reason: string;
}

/** Clients that send through the fetch of the platform. */
export const overFetch: readonly ClientName[] = ['fetch', 'axios over fetch'];

export const inBrowsers: readonly ClientName[] = [...overFetch, 'axios over xhr'];

/** POSTs that never left, without anything that proves it. */
export const refusedPosts = ['POST after a refused connection', 'unsafeMethods: unsent'];

/** POSTs that their server refuses. */
export const refusals = [
  'POST after 429, 408 and 425',
  'POST after a 429, and then a 303 and a 429',
  'POST after a 401',
  "hints of one's own: a POST, and a row that proves that nothing was done",
  'a POST whose stream says that it was not taken',
];

const noStreams =
  'Chromium sends streams only over HTTP/2 and HTTP/3, and the server of the scenarios speaks neither.';

export const exceptions: readonly Exception[] = [
  {
    runtimes: ['Chromium', 'workerd'],
    clients: inBrowsers,
    scenarios: refusedPosts,
    reason:
      'The error of a refused connection reads like that of one that was cut, so nothing proves that the request never left.',
  },
  {
    runtimes: ['Bun'],
    clients: overFetch,
    scenarios: refusedPosts,
    reason:
      'The error names the first URL even after a redirect to another one, so the request may have been sent.',
  },
  {
    runtimes: ['Deno'],
    clients: overFetch,
    scenarios: refusedPosts,
    reason:
      'Only the message of the error tells that the connection was refused, and a message does not prove it.',
  },
  {
    runtimes: ['Chromium', 'Bun', 'Deno', 'workerd'],
    clients: [...inBrowsers, 'axios over http'],
    scenarios: refusals,
    reason:
      'The scenarios send through a fetch or an adapter of their own, which may send anything, so a refusal proves nothing.',
  },
  {
    runtimes: ['Chromium'],
    clients: ['axios over xhr'],
    scenarios: ['a token that has expired is renewed'],
    reason:
      'The adapter of the scenarios sends to another origin than it was asked to, which XMLHttpRequest shows; a 401 from there renews nothing.',
  },
  {
    runtimes: ['Bun', 'Deno'],
    clients: ['axios over http'],
    scenarios: refusedPosts,
    reason: 'The scenarios send through an adapter of their own, which may send anything.',
  },
  {
    runtimes: ['Chromium', 'workerd'],
    clients: inBrowsers,
    scenarios: ['an answer that is not HTTP'],
    reason:
      'The error of an answer that is not HTTP reads like that of a connection that was cut, so a GET is retried.',
  },
  {
    runtimes: ['Chromium'],
    clients: overFetch,
    scenarios: ['a stream that was read', 'a stream that was kept'],
    reason: noStreams,
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
