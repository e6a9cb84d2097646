/** The moments at which a caller may abort: each scene is played up to its moment. */

import { Readable } from 'node:stream';
import { answer, halfHead, type Play, rst, silence, stallInBody } from '../../faults/lab.js';
import {
  type AbortScene,
  type Ask,
  arrived,
  arrivedAgain,
  askedAfterWait,
  type Moment,
  waiting,
} from '../abort-moments.js';
import type { Asked } from './subject.js';

export interface Scene extends AbortScene {
  readonly request?: (ask: Ask) => Asked;
  /** The request is hedged: the hedge is due after this time. */
  readonly hedgeMs?: number;
  /** An attempt is under way, so the client itself notices the abort. */
  readonly isSending?: true;
}

const retrying: readonly [string, Scene][] = [
  ['in a wait after an answer', { plays: answer(503, 'busy'), reach: waiting, requests: 1 }],
  ['in a wait after a reset', { plays: rst(), reach: waiting, requests: 1 }],
  [
    'in a wait that the server asked for',
    {
      plays: answer(429, '', { 'retry-after-ms': '7' }),
      policy: () => ({ hintJitter: 0 }),
      reach: waiting,
      requests: 1,
    },
  ],
  [
    'while retryIf thinks about an answer',
    {
      plays: answer(200, 'held'),
      policy: (ask) => ({ retryIf: ask }),
      reach: ({ asked }) => asked,
      requests: 1,
    },
  ],
  [
    'while retryIf thinks about an error',
    { plays: rst(), policy: (ask) => ({ retryIf: ask }), reach: ({ asked }) => asked, requests: 1 },
  ],
  [
    'while beforeRetry gets a token',
    {
      plays: answer(503),
      policy: (ask) => ({ beforeRetry: ask }),
      reach: askedAfterWait,
      requests: 1,
    },
  ],
];

const sending: readonly [string, Scene][] = [
  [
    'before the answer',
    { plays: silence(), reach: (moment) => arrived(moment, 1), requests: 1, isSending: true },
  ],
  [
    'in the middle of a head',
    {
      plays: halfHead('stall'),
      reach: ({ lab }) => lab.until(({ bytesSent }) => bytesSent > 0),
      requests: 1,
      isSending: true,
    },
  ],
  [
    'in the body',
    {
      plays: stallInBody(100),
      reach: ({ lab }) => lab.until(({ bytesSent }) => bytesSent > 100),
      requests: 1,
      isSending: true,
    },
  ],
  [
    'before the second answer',
    { plays: [answer(503), silence()], reach: arrivedAgain, requests: 2, isSending: true },
  ],
];

/** Scenes with a body from a function. */
const making: readonly [string, Scene][] = [
  [
    'while sending',
    {
      plays: answer(200),
      request: () => ({ method: 'PUT', body: endless }),
      reach: ({ lab }) => lab.until(({ requests }) => (requests[0]?.body.length ?? 0) > 0),
      requests: 1,
      isSending: true,
    },
  ],
  [
    'while a body is made',
    {
      plays: answer(200),
      request: (ask) => ({ method: 'PUT', body: ask }),
      reach: ({ asked }) => asked,
      requests: 0,
    },
  ],
  [
    'while a body is made again',
    {
      plays: answer(503),
      request: (ask) => ({ method: 'PUT', body: firstThen('text', ask) }),
      reach: askedAfterWait,
      requests: 1,
    },
  ],
];

const hedgeMs = 33;
const hedge = { hedge: { afterMs: hedgeMs }, scope: 'hedged' } as const;

async function bothArrived(moment: Moment): Promise<void> {
  await arrived(moment, 1);
  await moment.time.fire(hedgeMs);
  await arrived(moment, 2);
}

/** The first attempt has failed since, and `retryIf` was asked about it. */
async function firstJudged(moment: Moment): Promise<void> {
  await bothArrived(moment);
  moment.lab.cue('first');
  await moment.asked;
}

const failsOnCue: Play = { steps: [{ do: 'cue', name: 'first' }, ...answer(503, 'busy').steps] };

/** Scenes with two attempts. */
export const hedging: readonly [string, Scene][] = [
  [
    'while two attempts are out',
    {
      plays: silence(),
      policy: () => hedge,
      reach: bothArrived,
      requests: 2,
      hedgeMs,
      isSending: true,
    },
  ],
  [
    'while the hedge is out and the first attempt has failed',
    {
      plays: [failsOnCue, silence()],
      policy: (ask) => ({ ...hedge, retryIf: () => void ask() }),
      reach: firstJudged,
      requests: 2,
      hedgeMs,
      isSending: true,
    },
  ],
  [
    'while the hedge is out and retryIf thinks about the first attempt',
    {
      plays: [failsOnCue, silence()],
      policy: (ask) => ({ ...hedge, retryIf: ask }),
      reach: firstJudged,
      requests: 2,
      hedgeMs,
    },
  ],
];

/** `takesFactories`: whether a function may make the body. */
export function scenesFor(takesFactories: boolean): readonly [string, Scene][] {
  return [...sending, ...retrying, ...(takesFactories ? making : [])];
}

function firstThen(first: unknown, ask: Ask): () => unknown {
  let calls = 0;
  return () => {
    calls += 1;
    return calls === 1 ? first : ask();
  };
}

/** A body that sends something and never ends. */
function endless(): Readable {
  const body = new Readable({ read: () => undefined });
  body.push('some of it');
  return body;
}
