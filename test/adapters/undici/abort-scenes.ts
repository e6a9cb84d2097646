/** Where a caller may give up: each scene is set up to the moment in which it does. */

import { answer, halfHead, type Play, rst, silence, stallInBody } from '../../faults/lab.js';
import { type AbortScene, arrived, arrivedAgain, askedAfterWait, waiting } from '../abort-moments.js';
import { etag, partly } from './resume-file.js';

/** Before there is anything to hand over. */
export const early: readonly [string, AbortScene][] = [
  ['before the answer', { plays: silence(), reach: (moment) => arrived(moment, 1), requests: 1 }],
  [
    'in the middle of a head',
    {
      plays: halfHead('stall'),
      reach: ({ lab }) => lab.until(({ bytesSent }) => bytesSent > 0),
      requests: 1,
    },
  ],
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
    'before the second answer',
    {
      plays: [answer(503), silence()],
      reach: arrivedAgain,
      requests: 2,
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
      plays: [answer(503), answer(200)],
      policy: (ask) => ({ beforeRetry: ask }),
      reach: askedAfterWait,
      requests: 1,
    },
  ],
  [
    'while a body is read for a hint',
    {
      plays: stallInBody(10, 503),
      policy: () => ({ bodyHintBytes: 4096 }),
      reach: ({ time }) => time.until(({ timers }) => timers.length === 1),
      requests: 1,
    },
  ],
];

const strong = { 'content-length': '1000', 'accept-ranges': 'bytes', etag };
/** Resumable. */
export const broken: Play = partly(200, strong, { sent: 400, ends: 'fin' });

/** After the head was handed over. */
export const late: readonly [string, AbortScene][] = [
  ['in the body', { plays: stallInBody(100), reach: (moment) => arrived(moment, 1), requests: 1 }],
  ['in the wait for its rest', { plays: broken, reach: waiting, requests: 1 }],
  [
    'before the rest is there',
    {
      plays: [broken, silence()],
      reach: arrivedAgain,
      requests: 2,
    },
  ],
  [
    'while retryIf thinks about the break',
    {
      plays: broken,
      policy: (ask) => ({ retryIf: ({ kind }) => (kind === 'error' ? ask() : undefined) }),
      reach: ({ asked }) => asked,
      requests: 1,
    },
  ],
  [
    'while beforeRetry gets a token for the rest',
    {
      plays: broken,
      policy: (ask) => ({ beforeRetry: ask }),
      reach: askedAfterWait,
      requests: 1,
    },
  ],
];
