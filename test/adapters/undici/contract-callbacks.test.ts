/** The callbacks that a caller's handler gets for a request of several attempts: those of one request. */

import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import {
  answer,
  answerChunked,
  closeAfter,
  cutBody,
  informational,
  type Lab,
  type Play,
  refusedOrigin,
  rst,
} from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { major, undici } from './client.js';
import { type Generation, isEarly7, type Recorder, recorder, terminalCalls } from './generations.js';
import { openAgent } from './kit.js';

const untouched: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, handler);

interface Heard {
  readonly heard: Recorder;
  readonly lab: Lab;
}

/** Dispatches, waits for the end, and then until nothing is left that could still call the handler. */
async function hear(
  generation: Generation,
  script: Play | readonly Play[],
  options: Partial<Dispatcher.DispatchOptions> = {},
): Promise<Heard> {
  const lab = await openLab(script);
  const agent = openAgent();
  const heard = recorder(generation);
  agent.compose(retry(soon)).dispatch({ origin: lab.origin, path: '/', method: 'GET', ...options }, heard);
  await heard.settled;
  await agent.close();
  return { heard, lab };
}

describe.each<Generation>([1, 2])('a handler of generation %i', (generation) => {
  test.each<[name: string, script: Play[], requests: number, calls: string[]]>([
    ['200', [answer(200, 'ok')], 1, ['head 200', 'data', 'end']],
    ['503, 200', [answer(503, 'no'), answer(200, 'ok')], 2, ['head 200', 'data', 'end']],
    [
      '503 with close, 200',
      [closeAfter(answer(503, 'no')), answer(200, 'ok')],
      2,
      ['head 200', 'data', 'end'],
    ],
    ['RST, 503, 200', [rst(), answer(503), answer(200, 'ok')], 3, ['head 200', 'data', 'end']],
    ['503 forever', [answer(503, 'no')], 4, ['head 503', 'data', 'end']],
    ['503, then 404', [answer(503), answer(404, 'no')], 2, ['head 404', 'data', 'end']],
    ['RST forever', [rst()], 4, ['error']],
    ['503, then RST forever', [answer(503), rst()], 4, ['error']],
    ['RST, then 503 forever', [rst(), answer(503, 'no')], 4, ['head 503', 'data', 'end']],
    ['a cut body', [cutBody(10, 5, 'rst')], 1, ['head 200', 'data', 'error']],
    ['503, then a cut body', [answer(503), cutBody(10, 5, 'rst')], 2, ['head 200', 'data', 'error']],
  ])('hears one response or error, once: %s', async (_name, script, requests, calls) => {
    const { heard, lab } = await hear(generation, script);
    const ofTheResponse = heard.calls.filter((call) => /^(start|head|data|end|error)/.test(call));
    expect(ofTheResponse).toEqual(['start', ...calls]);
    expect(terminalCalls(heard)).toBe(1);
    expect(lab.requests).toHaveLength(requests);
  });

  test('gets one start and one error when the connection is refused', async () => {
    const agent = openAgent();
    const heard = recorder(generation);
    const origin = await refusedOrigin();
    agent.compose(retry(soon)).dispatch({ origin, path: '/', method: 'POST', body: 'x' }, heard);
    await heard.settled;
    await agent.close();
    expect(heard.calls).toEqual(['start', 'error']);
    expect(heard.error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('does not get the body of a response that was discarded', async () => {
    const { heard } = await hear(generation, [
      answerChunked(['not ', 'for you'], {}, 503),
      answer(200, 'for you'),
    ]);
    expect(heard.body.toString()).toBe('for you');
  });

  describe('1xx', () => {
    const hint = { link: '</style.css>; rel=preload' };

    test('are forwarded and not counted', async () => {
      const { heard, lab } = await hear(
        generation,
        informational(103, hint, informational(102, {}, answer(200))),
      );
      const heads = heard.calls.filter((call) => call.startsWith('head'));
      expect(heads).toEqual(['head 103', 'head 102', 'head 200']);
      if (generation === 1 || !isEarly7) expect(heard.rawHeaders[0]).toEqual(['link', hint.link]);
      expect(lab.requests).toHaveLength(1);
    });

    test('of a response that is discarded and of the one that is kept are all forwarded', async () => {
      const { heard, lab } = await hear(generation, [
        informational(103, hint, answer(503)),
        informational(103, hint, answer(200)),
      ]);
      const heads = heard.calls.filter((call) => call.startsWith('head'));
      expect(heads).toEqual(['head 103', 'head 103', 'head 200']);
      expect(terminalCalls(heard)).toBe(1);
      expect(lab.requests).toHaveLength(2);
    });

    test('a connection that breaks after a 1xx had no answer yet: retried', async () => {
      const { heard, lab } = await hear(generation, [
        informational(103, hint, { steps: [{ do: 'rst' }] }),
        answer(200),
      ]);
      expect(heard.calls.filter((call) => call.startsWith('head'))).toEqual(['head 103', 'head 200']);
      expect(lab.requests).toHaveLength(2);
    });
  });

  test.skipIf(isEarly7)(
    'gets trailers, repeated headers and latin1 bytes of the response that is kept, as they came',
    async () => {
      const { heard } = await hear(generation, [
        answerChunked(['no'], { 'x-trailer': 'of the discarded' }, 503),
        {
          steps: [
            {
              do: 'head',
              status: 200,
              headers: {
                'Set-Cookie': ['a=1', 'b=2'],
                'X-Name': 'caf\xe9',
                'transfer-encoding': 'chunked',
              },
            },
            { do: 'body', text: 'ok' },
            { do: 'end', trailers: { 'x-trailer': 'caf\xe9' } },
          ],
        },
      ]);
      const [raw = []] = heard.rawHeaders;
      const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1]]] : []));
      expect(pairs).toEqual([
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x-name', 'caf\xe9'],
        ['transfer-encoding', 'chunked'],
      ]);
      expect(heard.rawTrailers).toEqual(['x-trailer', 'caf\xe9']);
    },
  );

  test.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ] as const)('%s answered %i after a 503: no body, and the end', async (method, status) => {
    const kept = answer(status, '', status === 200 ? { 'content-length': '1000' } : {});
    const { heard, lab } = await hear(generation, [answer(503), kept], { method });
    expect(heard.calls.filter((call) => /^(head|data|end|error)/.test(call))).toEqual([
      `head ${status}`,
      'end',
    ]);
    expect(lab.requests).toHaveLength(2);
  });

  // undici 7 calls these only on handlers of the first generation, and only if there is no interceptor at all.
  test.skipIf(major === 7)('is told what each attempt sends', async () => {
    const { heard } = await hear(generation, [answer(503), answer(200)], { method: 'PUT', body: 'hello' });
    expect(heard.calls.filter((call) => call.endsWith('sent'))).toEqual([
      'body sent',
      'request sent',
      'body sent',
      'request sent',
    ]);
  });

  // undici 6 and the first 7 do not call it.
  test.skipIf(major === 6 || isEarly7)('is told that a response began', async () => {
    const { heard } = await hear(generation, [answer(200)]);
    expect(heard.calls).toContain('response started');
    expect(heard.calls.indexOf('response started')).toBeLessThan(heard.calls.indexOf('head 200'));
  });
});

test.skipIf(isEarly7)(
  'a handler of a request that succeeds at once gets the same calls as without retry()',
  async () => {
    const lab = await openLab(informational(103, {}, answerChunked(['a', 'b'], { 'x-sum': '1' })));
    const agent = openAgent();
    for (const generation of major === 6
      ? ([1] as const)
      : major === 8
        ? ([2] as const)
        : ([1, 2] as const)) {
      const options = { origin: lab.origin, path: '/', method: 'PUT', body: 'hello' } as const;
      const bare = recorder(generation);
      // In undici 7, any interceptor at all changes what a handler of the first generation hears.
      agent.compose(untouched).dispatch(options, bare);
      await bare.settled;
      const ours = recorder(generation);
      agent
        .compose(retry(), (dispatch) => (given, handler) => dispatch(given, handler))
        .dispatch(options, ours);
      await ours.settled;
      expect(ours.calls).toEqual(bare.calls);
      expect(ours.rawHeaders).toEqual(bare.rawHeaders);
      expect(ours.rawTrailers).toEqual(bare.rawTrailers);
      expect(ours.body).toEqual(bare.body);
    }
  },
);

// undici 6 drops the return value in its own compose().
test.skipIf(major === 6)(
  'dispatch() returns what it returned for the first attempt: false while the dispatcher is full',
  async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const agent = openAgent({ connections: 1, pipelining: 1 });
    const composed = agent.compose(retry(soon));
    const options = { origin: lab.origin, path: '/', method: 'GET' } as const;
    const heard = [recorder(2), recorder(2)];
    const bare = openAgent({ connections: 1, pipelining: 1 });
    const bareHeard = [recorder(2), recorder(2)];
    const said = heard.map((handler) => composed.dispatch(options, handler));
    const saidBare = bareHeard.map((handler) => bare.dispatch(options, handler));
    expect(said).toEqual(saidBare);
    expect(said).toContain(false);
    const drained = new Promise((resolve) => agent.once('drain', resolve));
    await Promise.all([...heard, ...bareHeard].map(({ settled }) => settled));
    await drained;
  },
);

/** A dispatcher underneath that calls back more than it should, as those of undici 6 and mocks are known to. */
function babbling(
  more: (handler: Dispatcher.DispatchHandler) => void,
): Dispatcher.DispatcherComposeInterceptor {
  const controller = { pause() {}, resume() {}, abort() {}, paused: false, aborted: false, reason: null };
  return () => (_options, handler) => {
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 200, {}, 'OK');
    handler.onResponseData?.(controller, Buffer.from('ok'));
    handler.onResponseEnd?.(controller, {});
    more(handler);
    return true;
  };
}

test.each<[string, (handler: Dispatcher.DispatchHandler) => void]>([
  ['an end', (handler) => handler.onResponseEnd?.(noController, {})],
  ['an error', (handler) => handler.onResponseError?.(noController, new Error('late'))],
  ['data', (handler) => handler.onResponseData?.(noController, Buffer.from('more'))],
  ['a head', (handler) => handler.onResponseStart?.(noController, 503, {}, 'no')],
])('callbacks of a dispatcher after the end are ignored: %s', (_name, more) => {
  const heard = recorder(2);
  openAgent()
    .compose(babbling(more), retry(soon))
    .dispatch({ origin: 'http://127.0.0.1:9', path: '/', method: 'GET' }, heard);
  expect(heard.calls).toEqual(['start', 'head 200', 'data', 'end']);
});

const noController = { pause() {}, resume() {}, abort() {}, paused: false, aborted: false, reason: null };

test('requests that undici itself sends once more, on another connection, start once for the caller', async () => {
  const lab = await openLab([closeAfter(answer(200, 'ok')), answer(200, 'ok')]);
  const client = new undici.Client(lab.origin, { pipelining: 3 });
  onTestFinished(() => client.destroy());
  const dispatcher = client.compose(retry(soon));
  // One request goes first: undici pipelines only on connections that it knows.
  const heard = [1, 2, 3].map(() => recorder(2));
  for (const handler of heard) dispatcher.dispatch({ path: '/', method: 'GET' }, handler);
  await Promise.all(heard.map(({ settled }) => settled));
  for (const { calls } of heard) {
    expect(calls.filter((call) => /^(start|head|data|end|error)/.test(call))).toEqual([
      'start',
      'head 200',
      'data',
      'end',
    ]);
  }
});
