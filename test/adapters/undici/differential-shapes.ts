/**
 * Requests as data: every way to make one, with every kind of body, against answers good and bad, and with what
 * callers do in between. The differential run makes each of them with and without retry().
 */

import type { SourceKind } from './differential-sources.js';

export type Api = 'request' | 'stream' | 'pipeline' | 'fetch' | 'dispatch' | 'upgrade' | 'connect';

export type AnswerKind =
  | '200'
  | '204'
  | '503'
  | '503 without a phrase'
  | '413 before the body'
  | 'reset before the head'
  | 'reset after the head'
  | 'a body cut short'
  | 'half a body'
  | 'no answer'
  | 'switched'
  | 'refused port';

/** What the caller or its upload does, and when. */
export type EventKind =
  | 'abort before'
  | 'abort at once'
  | 'abort while it uploads'
  | 'abort while it waits'
  | 'abort while it reads'
  | 'source destroyed at once'
  | 'source destroyed while it uploads'
  | 'source breaks at once'
  | 'source breaks while it uploads'
  | 'source breaks while it waits';

export interface Shape {
  readonly api: Api;
  readonly method: string;
  readonly source: SourceKind;
  readonly answer: AnswerKind;
  readonly event?: EventKind;
  readonly contentLength?: string;
  /** The number of requests at once on one connection. */
  readonly times?: number;
}

export function nameOf({ api, method, source, answer, event, contentLength, times }: Shape): string {
  const more = [
    event,
    contentLength && `content-length ${contentLength}`,
    times && `${times} on one connection`,
  ];
  return [`${api} ${method}`, source, answer, ...more].filter(Boolean).join(', ');
}

const known: readonly SourceKind[] = ['string', 'Buffer', 'typed array', 'ArrayBuffer', 'Blob', 'FormData'];

/** Sources that can be read only once. */
const once: readonly SourceKind[] = [
  'stream of one read',
  'stream that has ended',
  'stream without a byte',
  'stream with autoDestroy off',
  'stream of objects',
  'stream of text',
  'PassThrough filled in the same tick',
  'PassThrough filled later',
  'incoming message',
  'async generator',
  'generator',
  'web stream',
];

/** Sources that begin, and go on only if asked to. */
const halves: readonly SourceKind[] = ['half a stream', 'half an incoming message', 'half a generator'];

const faults: readonly AnswerKind[] = [
  '204',
  '503',
  '503 without a phrase',
  'reset before the head',
  'reset after the head',
  'a body cut short',
  'refused port',
];

const basic = { api: 'request', method: 'PUT', source: 'string', answer: '200' } as const;

/** Every combination of the given values; a single value need not be in a list. */
function shapes(
  given: {
    readonly [Key in keyof Shape]: Shape[Key] | readonly NonNullable<Shape[Key]>[];
  },
): Shape[] {
  let all: Record<string, unknown>[] = [{}];
  for (const [key, values] of Object.entries(given)) {
    all = [values].flat().flatMap((value) => all.map((shape) => ({ ...shape, [key]: value })));
  }
  return all as unknown as Shape[];
}

const streams: readonly SourceKind[] = [
  'stream of one read',
  'PassThrough filled later',
  'incoming message',
  'async generator',
  'web stream',
];

export const groups: readonly (readonly [name: string, shapes: readonly Shape[]])[] = [
  [
    'methods and bodies',
    [
      ...shapes({ ...basic, method: ['PUT', 'POST', 'DELETE', 'GET'], source: ['none', ...known, ...once] }),
      ...shapes({ ...basic, method: 'HEAD', source: ['none', 'string', 'stream of one read'] }),
    ],
  ],
  ['answers and bodies', shapes({ ...basic, source: ['none', ...known, ...once], answer: faults })],
  ['answers before the body', shapes({ ...basic, source: halves, answer: '413 before the body' })],
  [
    'content-length, right and wrong',
    shapes({
      ...basic,
      method: ['PUT', 'DELETE'],
      source: ['none', 'string', ...streams],
      contentLength: ['3', '0', '4'],
    }),
  ],
  [
    'other ways to ask',
    [
      ...shapes({
        ...basic,
        api: ['stream', 'dispatch'],
        source: ['none', 'Blob', ...streams],
        answer: ['200', '503', 'reset before the head'],
      }),
      ...shapes({
        ...basic,
        api: 'pipeline',
        method: ['GET', 'PUT'],
        source: ['none', 'PassThrough filled in the same tick', 'PassThrough filled later'],
        answer: ['200', '503', 'reset before the head', 'refused port'],
      }),
      ...shapes({
        ...basic,
        api: 'fetch',
        source: ['none', ...known, 'URLSearchParams', 'web stream'],
        answer: ['200', '503', 'reset before the head', 'refused port'],
      }),
      ...shapes({
        ...basic,
        api: 'upgrade',
        method: 'GET',
        source: 'none',
        answer: ['switched', '200', 'reset before the head', 'refused port'],
      }),
      ...shapes({
        ...basic,
        api: 'connect',
        method: 'CONNECT',
        source: 'none',
        answer: ['switched', '503', 'reset before the head', 'refused port'],
      }),
    ],
  ],
  [
    'aborts',
    [
      ...shapes({
        ...basic,
        api: ['request', 'stream', 'fetch'],
        source: ['none', 'string'],
        answer: 'no answer',
        event: ['abort before', 'abort at once', 'abort while it waits'],
      }),
      ...shapes({
        ...basic,
        source: halves,
        answer: 'no answer',
        event: ['abort before', 'abort at once', 'abort while it uploads'],
      }),
      ...shapes({
        ...basic,
        source: ['stream of one read', 'incoming message'],
        answer: 'no answer',
        event: ['abort while it waits'],
      }),
      ...shapes({
        ...basic,
        api: ['request', 'fetch'],
        source: ['none', 'string'],
        answer: 'half a body',
        event: 'abort while it reads',
      }),
    ],
  ],
  [
    'uploads that break',
    [
      ...shapes({
        ...basic,
        api: ['request', 'stream', 'dispatch'],
        source: ['half a stream', 'half an incoming message'],
        answer: 'no answer',
        event: [
          'source destroyed at once',
          'source breaks at once',
          'source destroyed while it uploads',
          'source breaks while it uploads',
        ],
      }),
      ...shapes({
        ...basic,
        api: ['request', 'dispatch'],
        source: ['stream of one read', 'stream that has ended', 'stream with autoDestroy off'],
        answer: 'no answer',
        event: 'source breaks while it waits',
      }),
    ],
  ],
  [
    'several on one connection',
    [
      ...shapes({ ...basic, method: ['GET', 'PUT'], source: ['none', 'string', 'Blob'], times: 3 }),
      ...shapes({ ...basic, source: ['stream of one read', 'async generator'], times: 3 }),
      ...shapes({
        ...basic,
        api: 'pipeline',
        method: ['GET', 'PUT'],
        source: ['none', 'PassThrough filled in the same tick'],
        times: 3,
      }),
    ],
  ],
];
