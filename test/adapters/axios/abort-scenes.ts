/** Where a caller may give up: each scene is set up to the moment in which it does. */

import { Readable } from 'node:stream';
import type { AxiosRequestConfig } from 'axios';
import { answer, halfHead, rst, silence, stallInBody } from '../../faults/lab.js';
import {
  type AbortScene,
  type Ask,
  arrived,
  arrivedAgain,
  askedAfterWait,
  waiting,
} from '../abort-moments.js';

/** Of the limits that a request may have; they fire only for those who wait for them. */
export const attemptTimeoutMs = 99_000;
export const deadlineMs = 100_000;

export interface Scene extends AbortScene {
  readonly request?: (ask: Ask) => AxiosRequestConfig;
  /** An attempt is under way, and it is axios itself that hears of it. */
  readonly isSending: boolean;
}

export const scenes: readonly [string, Scene][] = [
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
    'while sending',
    {
      plays: answer(200),
      request: () => ({ method: 'PUT', data: () => endless(), maxRedirects: 0 }),
      reach: ({ lab }) => lab.until(({ requests }) => (requests[0]?.body.length ?? 0) > 0),
      requests: 1,
      isSending: true,
    },
  ],
  [
    'in a wait after an answer',
    { plays: answer(503, 'busy'), reach: waiting, requests: 1, isSending: false },
  ],
  ['in a wait after a reset', { plays: rst(), reach: waiting, requests: 1, isSending: false }],
  [
    'in a wait that the server asked for',
    {
      plays: answer(429, '', { 'retry-after-ms': '7' }),
      policy: () => ({ hintJitter: 0 }),
      reach: waiting,
      requests: 1,
      isSending: false,
    },
  ],
  [
    'before the second answer',
    {
      plays: [answer(503), silence()],
      reach: arrivedAgain,
      requests: 2,
      isSending: true,
    },
  ],
  [
    'while retryIf thinks about an answer',
    {
      plays: answer(200, 'held'),
      policy: (ask) => ({ retryIf: ask }),
      reach: ({ asked }) => asked,
      requests: 1,
      isSending: false,
    },
  ],
  [
    'while retryIf thinks about an error',
    {
      plays: rst(),
      policy: (ask) => ({ retryIf: ask }),
      reach: ({ asked }) => asked,
      requests: 1,
      isSending: false,
    },
  ],
  [
    'while beforeRetry gets a token',
    {
      plays: answer(503),
      policy: (ask) => ({ beforeRetry: ask }),
      reach: askedAfterWait,
      requests: 1,
      isSending: false,
    },
  ],
  [
    'while a body is made',
    {
      plays: answer(200),
      request: (ask) => ({ method: 'PUT', data: ask }),
      reach: ({ asked }) => asked,
      requests: 0,
      isSending: false,
    },
  ],
  [
    'while a body is made again',
    {
      plays: answer(503),
      request: (ask) => ({ method: 'PUT', data: firstThen('text', ask) }),
      reach: askedAfterWait,
      requests: 1,
      isSending: false,
    },
  ],
];

function firstThen(first: unknown, ask: Ask): () => unknown {
  let calls = 0;
  return () => {
    calls += 1;
    return calls === 1 ? first : ask();
  };
}

/** Says something, and never that this is all. */
function endless(): Readable {
  const body = new Readable({ read: () => undefined });
  body.push('some of it');
  return body;
}
