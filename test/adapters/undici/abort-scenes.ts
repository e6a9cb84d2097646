/** The moments at which a caller may abort: each scene is played up to its moment. */

import { type Play, silence, stallInBody } from '../../faults/lab.js';
import { type AbortScene, arrived, arrivedAgain, askedAfterWait, waiting } from '../abort-moments.js';
import { scenesFor } from '../suites/abort-scenes.js';
import { etag, partly } from './resume-file.js';

/** Scenes that axios does not have. */
const hinted: readonly [string, AbortScene] = [
  'while a body is read for a hint',
  {
    plays: stallInBody(10, 503),
    policy: () => ({ bodyHintBytes: 4096 }),
    reach: ({ time }) => time.until(({ timers }) => timers.length === 1),
    requests: 1,
  },
];

/** Before a response is handed over. */
export const early: readonly (readonly [string, AbortScene])[] = [
  ...scenesFor(false).filter(([place]) => place !== 'in the body'),
  hinted,
];

const strong = { 'content-length': '1000', 'accept-ranges': 'bytes', etag };
/** A body that breaks off and can be resumed. */
export const broken: Play = partly(200, strong, { sent: 400, ends: 'fin' });

/** After the head was handed over. */
export const late: readonly (readonly [string, AbortScene])[] = [
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

/** Scenes of undici alone: a body that is read for a hint, and one that breaks and is resumed. */
export const own: readonly (readonly [string, AbortScene])[] = [hinted, ...late];
