/**
 * Raw headers: what the controller shows of them before, between and after attempts, and what interceptors write there.
 */

import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import type {
  Controller,
  Handler,
  OldHandler,
  ResponseHeaders,
} from '../../../src/adapters/undici/handlers.js';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer, informational, onCue, rst } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, soon } from '../kit.js';
import { undici } from './client.js';
import { isEarly7 } from './generations.js';
import { openAgent } from './kit.js';
import { type Recorder, record } from './recorder.js';
import { cut, download, expectWhole, head, rest } from './resume-download.js';
import { partly } from './resume-file.js';

function shown({ controller }: Recorder): unknown[] {
  return [controller?.rawHeaders, controller?.rawTrailers];
}

/** Names and values as text, whether they came as text or as bytes. */
function textOf(raw: unknown): string {
  return Object.entries(raw ?? {})
    .flat(2)
    .map(String)
    .join(' ');
}

describe('there are none yet', () => {
  test('while a request is queued behind another one', async () => {
    const lab = await openLab((request) =>
      request.path === '/busy' ? onCue('free', answer(200)) : answer(201),
    );
    const agent = openAgent({ connections: 1, pipelining: 1 });
    const busy = agent.request({ origin: lab.origin, path: '/busy', method: 'GET' });
    await lab.until(({ requests }) => requests.length === 1);
    const queued = record(agent.compose(retry(soon)), { origin: lab.origin });
    expect(shown(queued)).toEqual([null, null]);
    lab.cue('free');
    await (await busy).body.dump();
    await queued.end();
    expect(queued.heads).toMatchObject([{ status: 201 }]);
  });

  test('while a request waits for its next attempt', async () => {
    const lab = await openLab([rst(), answer(200)]);
    const time = new HandTime();
    const schedule = { kind: 'fixed', waitMs: 7, jitter: 'none' } as const;
    const waiting = record(openAgent().compose(retry(createRetrier({ schedule }, time.ports))), {
      origin: lab.origin,
    });
    await time.until(({ pending }) => pending.includes(7));
    expect(shown(waiting)).toEqual([null, null]);
    await time.fire(7);
    await waiting.end();
    expect(waiting.errors).toEqual([]);
  });
});

test('what an interceptor writes there stays, and another one may overwrite it', async () => {
  const lab = await openLab(answer(200));
  const heard = await record(openAgent().compose(retry(soon)), { origin: lab.origin }).end();
  const { controller } = heard;
  if (controller === undefined) throw new Error('it has begun');
  for (const value of ['0', '1']) {
    controller.rawHeaders = ['x-a', value];
    controller.rawTrailers = ['x-b', value];
  }
  expect(shown(heard)).toEqual([
    ['x-a', '1'],
    ['x-b', '1'],
  ]);
});

test.skipIf(isEarly7)(
  'after a body was resumed, they are those of the head that the caller got',
  async () => {
    const first = partly(200, { ...head, 'x-answer': 'first' }, { sent: cut, ends: 'fin' });
    const second = partly(206, { ...rest, 'x-answer': 'second' }, { from: cut, sent: 600, ends: 'end' });
    const done = await download([first, second]);
    expectWhole(done, done.recorder.bytes);
    const text = textOf(done.recorder.controller?.rawHeaders);
    expect(text).toContain('first');
    expect(text).not.toContain('second');
  },
);

test('a first-generation handler gets raw headers of an answer that has only parsed ones', async () => {
  const parsed = { 'x-a': 'caf\u00e9', 'x-list': ['1', '2'], 'x-none': undefined, 'x-number': 7 };
  class Parsed extends undici.Dispatcher {
    override dispatch(_options: unknown, handler: unknown): boolean {
      const to = handler as Required<Pick<Handler, 'onRequestStart' | 'onResponseStart' | 'onResponseEnd'>>;
      const controller = { paused: false, aborted: false, reason: null } as Controller;
      to.onRequestStart(controller, {});
      to.onResponseStart(controller, 200, parsed as unknown as ResponseHeaders, 'OK');
      to.onResponseEnd(controller, { 'x-sum': 'b\u00f6' });
      return true;
    }
  }
  const raw = await new Promise<unknown[]>((resolve, reject) => {
    const got: unknown[] = [];
    const handler = {
      onConnect: () => undefined,
      onHeaders: (_status: number, headers: unknown) => got.push(headers) > 0,
      onData: () => true,
      onComplete: (trailers: unknown) => {
        resolve([...got, trailers]);
      },
      onError: reject,
    } as Dispatcher.DispatchHandler;
    const dispatcher = new Parsed().compose(retry(soon));
    dispatcher.dispatch({ origin: 'http://a.example', path: '/', method: 'GET' }, handler);
  });
  const bytes = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text, 'latin1'));
  expect(raw).toEqual([
    bytes('x-a', 'caf\u00e9', 'x-list', '1', 'x-list', '2', 'x-number', '7'),
    bytes('x-sum', 'b\u00f6'),
  ]);
});

test('headers that come raw are parsed as undici does it', async () => {
  const raw = [
    'X-A',
    'caf\u00e9',
    'x-a',
    '2',
    'Constructor',
    'c',
    '__proto__',
    'p',
    'X-LONG'.padEnd(200, 'G'),
    'l',
  ];
  class Raw extends undici.Dispatcher {
    override dispatch(_options: unknown, handler: unknown): boolean {
      const to = handler as Required<Pick<OldHandler, 'onConnect' | 'onHeaders' | 'onComplete'>>;
      to.onConnect(() => undefined, undefined);
      const bytes = raw.map((text) => Buffer.from(text, 'latin1'));
      to.onHeaders(200, bytes, () => undefined, 'OK');
      to.onComplete([]);
      return true;
    }
  }
  for (const _answer of ['the first', 'one whose names are known']) {
    const heard = await record(new Raw().compose(retry(soon)), { origin: 'http://a.example' }).end();
    expect(heard.errors).toEqual([]);
    expect(Object.entries(heard.heads[0]?.headers ?? {})).toEqual([
      ['x-a', ['caf\u00e9', '2']],
      ['constructor', 'c'],
      ['__proto__', 'p'],
      ['x-long'.padEnd(200, 'g'), 'l'],
    ]);
  }
});

test('the return value of a first-generation handler for a 1xx does not pause the response', async () => {
  const lab = await openLab(informational(103, { link: '</a>' }, answer(200, 'all of it')));
  const heads: number[] = [];
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const handler = {
      onConnect: () => undefined,
      onHeaders: (status: number) => {
        heads.push(status);
        return status >= 200;
      },
      onData: (chunk: Buffer) => chunks.push(chunk) > 0,
      onComplete: () => resolve(),
      onError: reject,
    } as Dispatcher.DispatchHandler;
    openAgent().compose(retry(soon)).dispatch({ origin: lab.origin, path: '/', method: 'GET' }, handler);
  });
  expect(heads).toEqual([103, 200]);
  expect(Buffer.concat(chunks).toString()).toBe('all of it');
});

test('a first-generation handler may change the raw headers that it gets: its body is continued all the same', async () => {
  const asked: unknown[] = [];
  const retrying = retry(soon)((options, handler) => {
    const to = handler as unknown as Required<OldHandler>;
    const { range } = options.headers as Record<string, string>;
    asked.push(range);
    to.onConnect(() => undefined, {});
    if (range === undefined) {
      begins(to, 200, 'abc', ['etag', '"v"', 'accept-ranges', 'bytes', 'content-length', '6']);
      to.onError(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    } else {
      begins(to, 206, 'def', ['etag', '"v"', 'content-range', 'bytes 3-5/6', 'content-length', '3']);
      to.onComplete([]);
    }
    return true;
  });
  const body = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const handler = {
      onConnect: () => undefined,
      onHeaders: (_status: number, raw: unknown[]) => raw.splice(0).length > 0,
      onData: (chunk: Buffer) => chunks.push(chunk) > 0,
      onComplete: () => {
        resolve(Buffer.concat(chunks).toString());
      },
      onError: reject,
    } as unknown as Dispatcher.DispatchHandler;
    retrying({ origin: 'http://a.example', path: '/', method: 'GET', headers: {} }, handler);
  });
  expect(body).toBe('abcdef');
  expect(asked).toEqual([undefined, 'bytes=3-5']);
});

function begins(to: Required<OldHandler>, status: number, chunk: string, raw: readonly string[]): void {
  const bytes = raw.map((text) => Buffer.from(text));
  to.onHeaders(status, bytes, () => undefined, 'OK');
  to.onData(Buffer.from(chunk));
}
