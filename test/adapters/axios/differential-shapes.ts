/**
 * Requests as data: every adapter, every kind of body, answers good and bad, what callers configure and what they do in
 * between. The differential run makes each of them with and without attachRetry().
 */

import type { AxiosRequestConfig, InternalAxiosRequestConfig } from 'axios';
import type { SourceKind } from './differential-sources.js';
import { survivesHttp2 } from './ways.js';

export type AdapterName = 'http' | 'fetch' | 'http over HTTP/2';

export type AnswerKind =
  | '200'
  | '200 of JSON'
  | '204'
  | '404'
  | '503'
  | '503 of JSON'
  | '413 before the body'
  | 'reset before the head'
  | 'end before the head'
  | 'a body cut short'
  | 'half a body'
  | 'gzip'
  | 'corrupt gzip'
  | 'redirect'
  | 'redirect that keeps the method'
  | 'redirect to 503'
  | 'no answer'
  | 'refused port';

/** What the caller or its upload does, and when. */
export type EventKind =
  | 'abort before'
  | 'abort at once'
  | 'abort while it uploads'
  | 'abort while it waits'
  | 'abort while it reads'
  | 'abort after'
  | 'token before'
  | 'token while it waits'
  | 'source destroyed while it uploads'
  | 'source breaks while it uploads'
  | 'source breaks while it waits';

/** The caller's configuration, by topic. */
export type Setting = keyof typeof settings;

export interface Shape {
  readonly adapter: AdapterName;
  readonly method: string;
  readonly source: SourceKind;
  readonly answer: AnswerKind;
  readonly event?: EventKind;
  readonly setting?: Setting;
}

export const settings = {
  'validateStatus null': { validateStatus: null },
  'validateStatus that refuses all': { validateStatus: () => false },
  'responseType stream': { responseType: 'stream' },
  'responseType json': { responseType: 'json' },
  'responseType text': { responseType: 'text' },
  'responseType arraybuffer': { responseType: 'arraybuffer' },
  'responseType blob': { responseType: 'blob' },
  'a timeout': { timeout: 50 },
  'a timeout that is clarified': { timeout: 50, transitional: { clarifyTimeoutError: true } },
  'no transforms': { transformRequest: [], transformResponse: [] },
  'transforms of its own': {
    transformRequest: (data: unknown) => (typeof data === 'object' ? data : `<${String(data)}>`),
    transformResponse: (data: unknown) => ({ seen: typeof data }),
  },
  'a transform that throws': {
    transformResponse: () => {
      throw new Error('not this');
    },
  },
  'no redirects': { maxRedirects: 0 },
  'a small maxBodyLength': { maxBodyLength: 2 },
  'a small maxContentLength': { maxContentLength: 2 },
  'no decompression': { decompress: false },
  'params, auth and headers': {
    params: { q: 'a b', list: [1, 2] },
    auth: { username: 'me', password: 'ä' },
    headers: { 'X-Own': 'a', accept: 'text/x', 'User-Agent': null },
  },
  'a content type': { headers: { 'Content-Type': 'text/x-own' } },
  multipart: { headers: { 'Content-Type': 'multipart/form-data' } },
  'a content length': { headers: { 'Content-Length': '3' } },
  'progress of both': { onUploadProgress: () => undefined, onDownloadProgress: () => undefined },
  'a signal': { signal: new AbortController().signal },
  'an absolute URL over a base': { baseURL: 'http://127.0.0.1:1/never' },
  'an idempotency key': { headers: { 'Idempotency-Key': 'mine' } },
  'an unknown adapter': { adapter: 'telepathy' },
  'an interceptor that refuses': {},
  'interceptors around it': {},
  'an asynchronous interceptor': {},
} as const satisfies Record<string, object>;

/** The caller's interceptors, registered before attachRetry() and after it. */
export const interceptors: Partial<
  Record<
    Setting,
    (config: InternalAxiosRequestConfig) => InternalAxiosRequestConfig | Promise<InternalAxiosRequestConfig>
  >
> = {
  'interceptors around it': (config) => {
    config.headers.set('X-Seen', `${String(config.headers.get('X-Seen') ?? '')}i`);
    return { ...config } as InternalAxiosRequestConfig;
  },
  'an asynchronous interceptor': async (config) => config,
  'an interceptor that refuses': () => {
    throw new Error('not this one');
  },
};

export function configOf({ setting }: Shape): AxiosRequestConfig {
  return setting === undefined ? {} : (settings[setting] as AxiosRequestConfig);
}

export function nameOf({ adapter, method, source, answer, event, setting }: Shape): string {
  return [`${adapter} ${method}`, source, answer, event, setting].filter(Boolean).join(', ');
}

// ---------------------------------------------------------------- the shapes

const adapters: readonly AdapterName[] = survivesHttp2
  ? ['http', 'fetch', 'http over HTTP/2']
  : ['http', 'fetch'];

type Part = Omit<Shape, 'adapter'>;

const overHttp1: typeof adapters = ['http', 'fetch'];

function shapesOf(parts: readonly Part[], over = adapters): Shape[] {
  return over.flatMap((adapter) =>
    parts.filter((part) => speaks(adapter, part)).map((part) => ({ adapter, ...part })),
  );
}

/** An HTTP/2 lab cannot cut or reset single connections, and has no port that refuses quickly. */
function speaks(adapter: AdapterName, { answer }: Part): boolean {
  const isOfConnection =
    answer.startsWith('reset') || answer.startsWith('end') || answer === 'a body cut short';
  return adapter !== 'http over HTTP/2' || !isOfConnection;
}

const sources: readonly SourceKind[] = [
  'none',
  'null',
  'string',
  'text of JSON',
  'object',
  'number',
  'Buffer',
  'typed array',
  'ArrayBuffer',
  'Blob',
  'URLSearchParams',
  'FormData',
  'form of the package',
  'form of the package, with a stream in it',
  'stream of one read',
  'stream of text',
  'stream of pieces',
  'stream that has ended',
  'stream without a byte',
  'stream with autoDestroy off',
  'PassThrough filled in the same tick',
  'PassThrough filled later',
  'long stream',
  'async iterable',
  'async generator',
  'web stream',
];

const streams = sources.slice(sources.indexOf('form of the package'));

const bodies = sources.map((source): Part => ({ method: 'put', source, answer: '200' }));

const raw = [
  'async iterable',
  'async generator',
  'web stream',
  'Blob',
  'FormData',
  'string',
  'stream of one read',
] as const;

const failures: readonly AnswerKind[] = [
  '204',
  '404',
  '503',
  '413 before the body',
  'reset before the head',
  'end before the head',
  'a body cut short',
  'gzip',
  'corrupt gzip',
  'redirect',
  'redirect that keeps the method',
  'redirect to 503',
  'refused port',
];

/** With a timeout, the server stays silent: an answer might or might not come in time. */
function answerFor(setting: Setting, otherwise: AnswerKind): AnswerKind {
  return setting.startsWith('a timeout') ? 'no answer' : otherwise;
}

function askedFor(setting: Setting): Part {
  return { method: 'get', source: 'none', answer: answerFor(setting, '200 of JSON'), setting };
}

/** Whether axios can send it twice by itself: it turns an object that is to be multipart into a stream. */
export function isKnown({ source, setting }: Shape): boolean {
  return !streams.includes(source) && source !== 'half a stream' && setting !== 'multipart';
}

export const groups: readonly (readonly [string, readonly Shape[]])[] = [
  [
    'bodies',
    [
      ...shapesOf(bodies),
      ...shapesOf(
        streams.map((source) => ({ method: 'delete', source, answer: '200' })),
        overHttp1,
      ),
    ],
  ],
  [
    'bodies that no transform has touched',
    shapesOf(raw.map((source) => ({ method: 'put', source, answer: '200', setting: 'no transforms' }))),
  ],
  [
    'answers',
    shapesOf(
      failures.flatMap((answer): Part[] =>
        (['none', 'string', 'stream of one read', 'FormData'] as const).map((source) => ({
          method: source === 'none' ? 'get' : 'put',
          source,
          answer,
        })),
      ),
    ),
  ],
  [
    'failures of streams',
    shapesOf(
      streams.flatMap((source): Part[] => [
        { method: 'post', source, answer: '503' },
        { method: 'post', source, answer: 'refused port' },
      ]),
      overHttp1,
    ),
  ],
  [
    'methods',
    shapesOf(
      ['get', 'head', 'options', 'delete', 'post', 'patch'].flatMap((method): Part[] => [
        { method, source: 'none', answer: '200' },
        { method, source: 'none', answer: '503' },
        { method, source: 'object', answer: '200' },
      ]),
      overHttp1,
    ),
  ],
  [
    'settings',
    shapesOf(
      (Object.keys(settings) as Setting[]).flatMap((setting): Part[] => [
        ...(setting === 'a content length' ? [] : [askedFor(setting)]),
        {
          method: 'put',
          source: 'object',
          answer: answerFor(setting, '503 of JSON'),
          setting,
        },
        { method: 'put', source: 'stream of one read', answer: answerFor(setting, '503'), setting },
      ]),
    ),
  ],
  [
    'answers, otherwise wanted',
    shapesOf(
      (
        [
          'responseType stream',
          'responseType json',
          'responseType arraybuffer',
          'no redirects',
          'validateStatus null',
          'no decompression',
        ] as const
      ).flatMap((setting): Part[] =>
        (['503', '204', 'a body cut short', 'gzip', 'corrupt gzip', 'redirect'] as const).map((answer) => ({
          method: 'get',
          source: 'none',
          answer,
          setting,
        })),
      ),
      overHttp1,
    ),
  ],
  [
    'callers who give up',
    shapesOf([
      ...(
        [
          'abort before',
          'abort at once',
          'token before',
          'token while it waits',
          'abort while it waits',
          'abort after',
        ] as const
      ).flatMap((event): Part[] =>
        (['none', 'string', 'stream of one read', 'PassThrough filled later', 'FormData'] as const).map(
          (source) => ({
            method: source === 'none' ? 'get' : 'put',
            source,
            answer: event === 'abort after' ? '200' : 'no answer',
            event,
          }),
        ),
      ),
      { method: 'put', source: 'half a stream', answer: 'no answer', event: 'abort while it uploads' },
      { method: 'get', source: 'none', answer: 'half a body', event: 'abort while it reads' },
      {
        method: 'get',
        source: 'none',
        answer: 'half a body',
        event: 'abort while it reads',
        setting: 'responseType stream',
      },
    ]),
  ],
  [
    'uploads that break',
    shapesOf([
      {
        method: 'put',
        source: 'half a stream',
        answer: 'no answer',
        event: 'source destroyed while it uploads',
      },
      {
        method: 'put',
        source: 'half a stream',
        answer: 'no answer',
        event: 'source breaks while it uploads',
      },
      {
        method: 'put',
        source: 'stream of one read',
        answer: 'no answer',
        event: 'source breaks while it waits',
        setting: 'a timeout',
      },
    ]),
  ],
];
