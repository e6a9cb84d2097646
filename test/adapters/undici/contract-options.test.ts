/** Mistakes in a request are reported as undici reports them, before anything is sent, and never retried. */

import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { PolicyError, type PolicyOptions } from '../../../src/index.js';
import { answer, closeAfter } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { native, outcomeOf } from './generations.js';
import { openAgent, retryingAgent } from './kit.js';

describe('options that undici rejects', () => {
  const wrong: [string, object][] = [
    ['no path', { path: undefined }],
    ['an invalid path', { path: 'nowhere' }],
    ['a path that is a number', { path: 42 }],
    ['an invalid method', { method: 'GE T' }],
    ['a method that is a number', { method: 42 }],
    ['headers that are a number', { headers: 42 }],
    ['headers that are a text', { headers: 'x-a: 1' }],
    ['an odd list of headers', { headers: ['x-a'] }],
    ['a header that is an object', { headers: { 'x-a': {} } }],
    ['a header with a line break', { headers: { 'x-a': 'a\r\nb' } }],
    ['a body that is a number', { body: 42 }],
    ['a body that is an object', { body: { a: 1 } }],
    ['a negative headersTimeout', { headersTimeout: -1 }],
    ['an upgrade that is a number', { upgrade: 42 }],
    ['an invalid origin', { origin: 'nowhere' }],
    ['an origin that is a number', { origin: 42 }],
    ['no origin', { origin: undefined }],
    ['a content-length that is not that of the body', { headers: { 'content-length': '1' }, body: 'hello' }],
  ];

  test.each(wrong)(
    'are reported as by the bare dispatcher, once, and nothing is sent: %s',
    async (_name, more) => {
      const lab = await openLab(answer(200));
      const agent = openAgent();
      const options = { origin: lab.origin, path: '/', method: 'PUT', ...more } as Dispatcher.DispatchOptions;
      const bare = await outcomeOf(agent, options, native);
      expect(bare.error).toMatchObject({
        code: expect.stringMatching(/^(UND_ERR_(INVALID_ARG|REQ_CONTENT)|ERR_INVALID_URL)/),
      });
      for (const generation of [1, 2] as const) {
        const ours = await outcomeOf(agent.compose(retry(soon)), options, generation);
        expect(describeError(ours.error)).toEqual(describeError(bare.error));
        expect(ours.terminals).toBe(bare.terminals);
      }
      expect(lab.requests).toHaveLength(0);
    },
  );

  test.each([undefined, null, 42, 'http://127.0.0.1'])(
    'are reported also where they are %s',
    async (options) => {
      const agent = openAgent();
      const given = options as unknown as Dispatcher.DispatchOptions;
      const bare = await outcomeOf(agent, given, native);
      const ours = await outcomeOf(agent.compose(retry(soon)), given, native);
      expect(describeError(ours.error)).toEqual(describeError(bare.error));
      expect(ours.terminals).toBe(1);
    },
  );

  test.each([undefined, null])('an invalid handler is reported by undici: %s', (handler) => {
    const lab = { origin: 'http://127.0.0.1:9', path: '/', method: 'GET' } as const;
    const agent = openAgent();
    const passing = agent.compose((dispatch) => (options, given) => dispatch(options, given));
    const given = handler as unknown as Dispatcher.DispatchHandler;
    expect(thrownBy(() => agent.compose(retry()).dispatch(lab, given))).toEqual(
      thrownBy(() => passing.dispatch(lab, given)),
    );
  });

  test('are an error of request() and of fetch() too', async () => {
    const dispatcher = retryingAgent();
    expect(
      (await settled(undici.request('http://127.0.0.1/', { dispatcher, method: 'GE T' }))).error,
    ).toMatchObject({
      code: 'UND_ERR_INVALID_ARG',
    });
    expect(
      (await settled(dispatcher.request({ origin: 'nowhere', path: '/', method: 'GET' }))).error,
    ).toMatchObject({ code: 'ERR_INVALID_URL' });
  });

  test('a closed dispatcher reports so at once', async () => {
    const agent = openAgent();
    const composed = agent.compose(retry(soon));
    await agent.close();
    const { error, terminals } = await outcomeOf(
      composed,
      { origin: 'http://127.0.0.1:9', path: '/', method: 'GET' },
      2,
    );
    expect(error).toMatchObject({ code: expect.stringMatching(/^UND_ERR_(CLOSED|DESTROYED)$/) });
    expect(terminals).toBe(1);
  });
});

function describeError(error: unknown): unknown {
  return error instanceof Error ? [error.name, 'code' in error && error.code, error.message] : error;
}

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return describeError(error);
  }
  return 'nothing';
}

describe('the key `retry`', () => {
  test.each<[string, unknown, RegExp]>([
    ['an unknown key', { maxRetrys: 1 }, /maxRetries/],
    ['a wrong value', { maxRetries: -1 }, /maxRetries/],
    ['shared state', { budget: { capacity: 5 } }, /budget/],
    ['a number', 42, /./],
    ['null', null, /./],
    ['a list', [], /./],
    ['true', true, /./],
  ])('that is wrong is a PolicyError of the request, and nothing is sent: %s', async (_name, given, text) => {
    const lab = await openLab(answer(200));
    const dispatcher = retryingAgent();
    for (const generation of [1, 2] as const) {
      const options = {
        origin: lab.origin,
        path: '/',
        method: 'GET',
        retry: given,
      } as Dispatcher.DispatchOptions;
      const { error, terminals } = await outcomeOf(dispatcher, options, generation);
      expect(error).toBeInstanceOf(PolicyError);
      expect((error as PolicyError).message).toMatch(text);
      expect(terminals).toBe(1);
    }
    const options = { dispatcher, retry: given } as object;
    expect((await settled(undici.request(lab.origin, options))).error).toBeInstanceOf(PolicyError);
    expect(
      (await settled(undici.stream(lab.origin, options as never, () => process.stdout))).error,
    ).toBeInstanceOf(PolicyError);
    expect(lab.requests).toHaveLength(0);
  });

  test.each<[string, Dispatcher.DispatchOptions['retry'], number]>([
    ['false', false, 1],
    ['retry: false', { retry: false }, 1],
    ['maxRetries: 1', { maxRetries: 1 }, 2],
    ['nothing at all', {}, 4],
    ['undefined', undefined, 4],
  ])('is obeyed by request(): %s', async (_name, given, requests) => {
    const lab = await openLab(answer(503));
    const { statusCode, body } = await undici.request(lab.origin, {
      dispatcher: retryingAgent(),
      ...(given !== undefined && { retry: given }),
    });
    await body.dump();
    expect(statusCode).toBe(503);
    expect(lab.requests).toHaveLength(requests);
  });
});

test.each([{ attemptHeader: true }, { beforeRetry: () => undefined }, { idempotencyKey: true }])(
  'a header that is called like what every object has is sent in each attempt: %j',
  async (settings: PolicyOptions) => {
    const lab = await openLab([closeAfter(answer(503)), answer(200)]);
    const headers = { constructor: 'mine' } as unknown as Record<string, string>;
    const { body } = await undici.request(lab.origin, {
      dispatcher: retryingAgent({ ...soon, ...settings }),
      headers,
    });
    await body.dump();
    expect(lab.requests.map(({ headers: sent }) => sent['constructor'])).toEqual(['mine', 'mine']);
  },
);
