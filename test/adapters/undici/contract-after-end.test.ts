/**
 * At and after the end of a request: nothing starts again, and what the caller does reaches the dispatcher underneath.
 */

import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Controller, Handler } from '../../../src/adapters/undici/handlers.js';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { HandTime } from '../hand-time.js';
import { soon } from '../kit.js';
import { undici } from './client.js';
import { type Generation, recorder } from './generations.js';
import { openAgent } from './kit.js';
import type { Interceptor } from './recorder.js';

const get = { origin: 'http://mocked.test', path: '/', method: 'GET' } as const;

const still: Controller = {
  paused: false,
  aborted: false,
  reason: null,
  pause: () => undefined,
  resume: () => undefined,
  abort: () => undefined,
};

describe.each<Generation>([1, 2])('an abort, by a handler of generation %i', (generation) => {
  const policies: [string, PolicyOptions][] = [
    ['at once', {}],
    ['after retryIf was asked', { retryIf: ({ kind }) => kind === 'error' }],
    ['after retryIf thought about it', { retryIf: async ({ kind }) => kind === 'error' }],
  ];

  // A MockAgent reports an error for each abort, even for one that comes too late.
  test.each(policies)('of an answer that was handed over %s, is not its failure', async (_name, policy) => {
    for (const isWithinEnd of [true, false]) {
      const agent = new undici.MockAgent();
      agent.disableNetConnect();
      onTestFinished(() => agent.close());
      agent.get(get.origin).intercept(get).reply(200, 'whole').times(2);
      const time = new HandTime();
      const abort = (): void => heard.hold?.abort(new Error('enough'));
      let told = 0;
      const heard = recorder(generation, {
        onEnd: () => {
          told = events.length;
          if (isWithinEnd) abort();
        },
      });
      const events: unknown[] = [];
      const observe: PolicyOptions['observe'] = (event) => events.push(event);
      agent.compose(retry(createRetrier({ ...policy, observe }, time.ports))).dispatch(get, heard);
      await heard.settled;
      if (!isWithinEnd) abort();
      await setImmediate();
      expect(heard.calls.at(-1)).toBe('end');
      expect(events).toHaveLength(told);
      expect(time.timers).toEqual([]);
    }
  });
});

test('a connection that is paused as the answer ends goes on when the caller resumes', async () => {
  const asked: string[] = [];
  const controller: Controller = {
    ...still,
    pause: () => asked.push('pause'),
    resume: () => asked.push('resume'),
  };
  const below: Interceptor = () => (_options, given) => {
    const handler = given as unknown as Handler;
    handler.onRequestStart?.(controller, null);
    handler.onResponseStart?.(controller, 200, {}, 'OK');
    handler.onResponseData?.(controller, Buffer.from('all'));
    handler.onResponseEnd?.(controller, {});
    return true;
  };
  const heard = recorder(2, {
    onEnd: () => {
      heard.hold?.pause();
      heard.hold?.resume();
    },
  });
  openAgent().compose(below, retry()).dispatch(get, heard);
  await heard.settled;
  expect(asked).toEqual(['pause', 'resume']);
});

test('a caller whose own throw was lost underneath can still end its request', async () => {
  const asked: unknown[] = [];
  const controller: Controller = { ...still, abort: (reason) => asked.push(reason) };
  const below: Interceptor = () => (_options, given) => {
    const handler = given as unknown as Handler;
    handler.onRequestStart?.(controller, null);
    expect(() => handler.onResponseStart?.(controller, 200, {}, 'OK')).toThrow('thrown at the head');
    return true;
  };
  const time = new HandTime();
  const heard = recorder(2, {
    onHead: () => {
      throw new Error('thrown at the head');
    },
  });
  const policy: PolicyOptions = { deadlineMs: 1_000, deadlineCovers: 'body' };
  openAgent()
    .compose(below, retry(createRetrier(policy, time.ports)))
    .dispatch(get, heard);
  const mine = new Error('mine');
  heard.hold?.abort(mine);
  expect([new Set(asked), heard.error, time.pending]).toEqual([new Set([mine]), mine, []]);
});

test('a rest of a body that ends before its head is not taken for the end of the body', async () => {
  const headers = { etag: '"a"', 'accept-ranges': 'bytes', 'content-length': '4' };
  const rest = { etag: '"a"', 'content-range': 'bytes 2-3/4', 'content-length': '2' };
  const plays: ((handler: Handler) => void)[] = [
    (handler) => {
      handler.onResponseStart?.(still, 200, headers, 'OK');
      handler.onResponseData?.(still, Buffer.from('ab'));
      handler.onResponseError?.(still, Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    },
    (handler) => handler.onResponseEnd?.(still, {}),
    (handler) => {
      handler.onResponseStart?.(still, 206, rest, 'Partial Content');
      handler.onResponseData?.(still, Buffer.from('cd'));
      handler.onResponseEnd?.(still, {});
    },
  ];
  const below: Interceptor = () => (_options, given) => {
    const handler = given as unknown as Handler;
    handler.onRequestStart?.(still, null);
    plays.shift()?.(handler);
    return true;
  };
  const heard = recorder(2);
  openAgent().compose(below, retry(soon)).dispatch(get, heard);
  await heard.settled;
  expect([heard.calls.at(-1), heard.body.toString(), plays]).toEqual(['end', 'abcd', []]);
});
