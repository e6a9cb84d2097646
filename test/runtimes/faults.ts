/** What fails in every runtime, and how it is made. */

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
import type { ClientName, FaultOrder } from './order.js';
import type { FaultName } from './verdicts.js';

export interface Fault {
  readonly name: FaultName;
  readonly options?: Partial<FaultOrder>;
  readonly clients?: readonly ClientName[];
  /** What its requests meet. None: they get to no server of ours. */
  make(): Promise<Lab> | undefined;
  /** How many requests of an attempt reach the server. Default: 1. */
  readonly hops?: number;
  /** In place of the server's. */
  url?(): Promise<string>;
}

/** Pages of other origins may read it. */
const readable = { 'access-control-allow-origin': '*' };

const playing = (play: Play, tls?: TlsKind) => () => startLab(play, tls === undefined ? {} : { tls });
const nowhere = (): undefined => undefined;
const refused = async (): Promise<string> => `${await refusedOrigin()}/`;

export const faults: readonly Fault[] = [
  { name: 'a refused connection', make: nowhere, url: refused },
  {
    name: 'a refused connection, where no redirect is followed',
    clients: ['fetch'],
    options: { redirect: 'manual' },
    make: nowhere,
    url: refused,
  },
  {
    name: 'a redirect to a refused connection',
    make: async () => startLab(answer(307, '', { ...readable, location: await refused() })),
  },
  { name: 'a 429', make: playing(answer(429, '', readable)) },
  {
    name: 'a redirect to a 429',
    hops: 2,
    make: () =>
      startLab(({ path }) =>
        path === '/' ? answer(303, '', { ...readable, location: '/next' }) : answer(429, '', readable),
      ),
  },
  {
    name: 'a name that is not found',
    make: nowhere,
    url: async () => 'http://nowhere.invalid/',
  },
  { name: 'a reset before the head', make: playing(rst()) },
  { name: 'an end before the head', make: playing(fin()) },
  { name: 'a reset in the head', make: playing(halfHead('rst')) },
  { name: 'an end in the head', make: playing(halfHead('fin')) },
  { name: 'an end in the body', make: playing(cutBody(1_000, 10, 'fin', readable)) },
  { name: 'an end in the handshake', make: playing(answer(200), 'handshake-fin') },
  { name: 'a reset in the handshake', make: playing(answer(200), 'handshake-rst') },
  { name: 'a certificate that is not trusted', make: playing(answer(200), 'self-signed') },
  {
    name: 'a server that is silent',
    options: { policy: { attemptTimeoutMs: 100 } },
    make: playing(silence()),
  },
  {
    name: "the caller's abort",
    options: { giveUp: { by: 'abort', afterMs: 100 } },
    make: playing(silence()),
  },
  {
    name: "the caller's AbortSignal.timeout()",
    options: { giveUp: { by: 'timeout', afterMs: 100 } },
    make: playing(silence()),
  },
];
