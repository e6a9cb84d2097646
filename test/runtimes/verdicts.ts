/** What failures have to be taken for, and where a runtime does not tell enough for that: data, as the docs show it. */

import type { Class, Evidence } from '../../src/index.js';
import { inBrowsers, overFetch, type RuntimeName } from './exceptions.js';
import type { ClientName } from './order.js';

/** How it ends, and what it proves. `handed over`: the caller has the answer by then. */
export type Verdict =
  | { readonly class: Class; readonly evidence: Evidence }
  | 'aborted'
  | 'attempt timeout'
  | 'handed over';

export type FaultName =
  | 'a refused connection'
  | 'a refused connection, where no redirect is followed'
  | 'a redirect to a refused connection'
  | 'a 429'
  | 'a redirect to a 429'
  | 'a name that is not found'
  | 'a reset before the head'
  | 'an end before the head'
  | 'a reset in the head'
  | 'an end in the head'
  | 'an end in the body'
  | 'an end in the handshake'
  | 'a reset in the handshake'
  | 'a certificate that is not trusted'
  | 'a server that is silent'
  | "the caller's abort"
  | "the caller's AbortSignal.timeout()";

const unsent = { class: 'transient', evidence: 'unsent' } as const;
const unclear = { class: 'transient', evidence: 'unknown' } as const;
const throttled = { class: 'throttled', evidence: 'unknown' } as const;
const final = { class: 'final', evidence: 'unknown' } as const;

export const designed: Readonly<Record<FaultName, Verdict>> = {
  'a refused connection': unsent,
  'a refused connection, where no redirect is followed': unsent,
  'a redirect to a refused connection': unclear,
  'a 429': { class: 'throttled', evidence: 'refused' },
  'a redirect to a 429': throttled,
  'a name that is not found': unsent,
  'a reset before the head': unclear,
  'an end before the head': unclear,
  'a reset in the head': unclear,
  'an end in the head': unclear,
  'an end in the body': unclear,
  'an end in the handshake': unsent,
  // Node does not say when it was.
  'a reset in the handshake': unclear,
  'a certificate that is not trusted': final,
  'a server that is silent': 'attempt timeout',
  "the caller's abort": 'aborted',
  "the caller's AbortSignal.timeout()": 'aborted',
};

export interface Difference {
  readonly runtimes: readonly RuntimeName[];
  readonly clients: readonly ClientName[];
  readonly faults: readonly FaultName[];
  readonly verdict: Verdict;
  readonly reason: string;
}

const refusals: readonly FaultName[] = [
  'a refused connection',
  'a refused connection, where no redirect is followed',
];

export const differences: readonly Difference[] = [
  {
    runtimes: ['Node', 'Chromium', 'Bun', 'Deno', 'workerd'],
    clients: ['fetch'],
    faults: ['an end in the body'],
    verdict: 'handed over',
    reason: 'fetch ends with the head; what reads the body gets the error.',
  },
  {
    runtimes: ['Chromium', 'Bun', 'Deno', 'workerd'],
    clients: ['axios over fetch', 'axios over xhr'],
    faults: ['a 429'],
    verdict: throttled,
    reason: 'axios does not tell whether there was a redirect before it.',
  },
  {
    runtimes: ['Bun'],
    clients: overFetch,
    faults: ['a refused connection', 'a name that is not found'],
    verdict: unclear,
    reason: 'The error names the first URL even after a redirect to another one.',
  },
  {
    runtimes: ['Bun'],
    clients: [...overFetch, 'axios over http'],
    faults: ['an end in the handshake'],
    verdict: unclear,
    reason: 'The error does not tell when the connection was closed.',
  },
  {
    runtimes: ['Deno'],
    clients: ['axios over http'],
    faults: ['a reset in the handshake'],
    verdict: unsent,
    reason:
      'The error says that the handshake was not over; Node says so only when the connection is closed, not when it is reset.',
  },
  {
    runtimes: ['Deno'],
    clients: overFetch,
    faults: [...refusals, 'a name that is not found', 'an end in the handshake'],
    verdict: unclear,
    reason: 'Only the message of the error tells what happened, and a message does not prove it.',
  },
  {
    runtimes: ['Chromium', 'workerd'],
    clients: inBrowsers,
    faults: [...refusals, 'a name that is not found', 'an end in the handshake'],
    verdict: unclear,
    reason: 'The error reads like that of other failures, some of which happen after the server has acted.',
  },
  {
    runtimes: ['Chromium', 'workerd'],
    clients: inBrowsers,
    faults: ['a certificate that is not trusted'],
    verdict: unclear,
    reason: 'The error reads like that of a server that is not found, which is worth a retry.',
  },
];

export function verdictOn(runtime: RuntimeName, client: ClientName, fault: FaultName): Verdict {
  return differences.find((each) => isAbout(each, runtime, client, fault))?.verdict ?? designed[fault];
}

function isAbout(
  { runtimes, clients, faults: names }: Difference,
  runtime: RuntimeName,
  client: ClientName,
  fault: FaultName,
): boolean {
  return runtimes.includes(runtime) && clients.includes(client) && names.includes(fault);
}
