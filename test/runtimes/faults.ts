/** What fails in every runtime, what it has to be taken for, and where a runtime does not tell enough for that. */

import type { Class, Evidence } from '../../src/index.js';
import {
  answer,
  cutBody,
  fin,
  halfHead,
  type Lab,
  type Play,
  refusedOrigin,
  rst,
  silence,
  startLab,
  type TlsKind,
} from '../faults/lab.js';
import { inBrowsers, overFetch, type RuntimeName } from './exceptions.js';
import type { ClientName, FaultOrder } from './order.js';

/** How it ends, and what it proves. `handed over`: the caller has the answer by then. */
export type Verdict =
  | { readonly class: Class; readonly evidence: Evidence }
  | 'aborted'
  | 'attempt timeout'
  | 'handed over';

export interface Fault {
  readonly name: FaultName;
  readonly verdict: Verdict;
  readonly options?: Partial<FaultOrder>;
  readonly clients?: readonly ClientName[];
  /** What its requests meet. None: they get to no server of ours. */
  make(): Promise<Lab> | undefined;
  /** In place of the server's. */
  url?(): Promise<string>;
}

export type FaultName =
  | 'a refused connection'
  | 'a refused connection, where no redirect is followed'
  | 'a redirect to a refused connection'
  | 'a name that is not found'
  | 'a reset before the head'
  | 'an end before the head'
  | 'a reset in the head'
  | 'an end in the head'
  | 'a reset in the body'
  | 'a certificate that is not trusted'
  | 'a server that is silent'
  | "the caller's abort"
  | "the caller's AbortSignal.timeout()";

const unsent = { class: 'transient', evidence: 'unsent' } as const;
const unclear = { class: 'transient', evidence: 'unknown' } as const;
const final = { class: 'final', evidence: 'unknown' } as const;

/** Pages of other origins may read it. */
const readable = { 'access-control-allow-origin': '*' };

const playing = (play: Play, tls?: TlsKind) => () => startLab(play, tls === undefined ? {} : { tls });
const nowhere = (): undefined => undefined;
const refused = async (): Promise<string> => `${await refusedOrigin()}/`;

export const faults: readonly Fault[] = [
  { name: 'a refused connection', verdict: unsent, make: nowhere, url: refused },
  {
    name: 'a refused connection, where no redirect is followed',
    verdict: unsent,
    clients: ['fetch'],
    options: { redirect: 'manual' },
    make: nowhere,
    url: refused,
  },
  {
    name: 'a redirect to a refused connection',
    verdict: unclear,
    make: async () => startLab(answer(307, '', { ...readable, location: await refused() })),
  },
  {
    name: 'a name that is not found',
    verdict: unsent,
    make: nowhere,
    url: async () => 'http://nowhere.invalid/',
  },
  { name: 'a reset before the head', verdict: unclear, make: playing(rst()) },
  { name: 'an end before the head', verdict: unclear, make: playing(fin()) },
  { name: 'a reset in the head', verdict: unclear, make: playing(halfHead('rst')) },
  { name: 'an end in the head', verdict: unclear, make: playing(halfHead('fin')) },
  { name: 'a reset in the body', verdict: unclear, make: playing(cutBody(1_000, 10, 'rst', readable)) },
  { name: 'a certificate that is not trusted', verdict: final, make: playing(answer(200), 'self-signed') },
  {
    name: 'a server that is silent',
    verdict: 'attempt timeout',
    options: { policy: { attemptTimeoutMs: 100 } },
    make: playing(silence()),
  },
  {
    name: "the caller's abort",
    verdict: 'aborted',
    options: { giveUp: { by: 'abort', afterMs: 100 } },
    make: playing(silence()),
  },
  {
    name: "the caller's AbortSignal.timeout()",
    verdict: 'aborted',
    options: { giveUp: { by: 'timeout', afterMs: 100 } },
    make: playing(silence()),
  },
];

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
    runtimes: ['Chromium', 'Bun', 'Deno', 'workerd'],
    clients: ['fetch'],
    faults: ['a reset in the body'],
    verdict: 'handed over',
    reason: 'fetch ends with the head; what reads the body gets the error.',
  },
  {
    runtimes: ['Bun'],
    clients: overFetch,
    faults: ['a refused connection'],
    verdict: unclear,
    reason: 'The error names the first URL even when a redirect has led elsewhere.',
  },
  {
    runtimes: ['Deno'],
    clients: overFetch,
    faults: [...refusals, 'a name that is not found'],
    verdict: unclear,
    reason: 'It is told by a text alone, and a text proves nothing.',
  },
  {
    runtimes: ['Chromium', 'workerd'],
    clients: inBrowsers,
    faults: [...refusals, 'a name that is not found'],
    verdict: unclear,
    reason: 'It is told in the same words as other failures, of which some come after the server has acted.',
  },
  {
    runtimes: ['Chromium', 'workerd'],
    clients: inBrowsers,
    faults: ['a certificate that is not trusted'],
    verdict: unclear,
    reason: 'It is told in the same words as a server that is not found, which is worth a retry.',
  },
];

export function verdictOn(runtime: RuntimeName, client: ClientName, fault: Fault): Verdict {
  return differences.find((each) => isAbout(each, runtime, client, fault.name))?.verdict ?? fault.verdict;
}

function isAbout(
  { runtimes, clients, faults: names }: Difference,
  runtime: RuntimeName,
  client: ClientName,
  fault: FaultName,
): boolean {
  return runtimes.includes(runtime) && clients.includes(client) && names.includes(fault);
}
