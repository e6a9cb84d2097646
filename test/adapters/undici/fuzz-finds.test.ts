/** Bugs that the fuzz found, each reduced as far as possible. */

import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer, bigBody, closeAfter, cutBody, type Play } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { Deferred, openAgent, retryingAgent } from './kit.js';
import { type Interceptor, record } from './recorder.js';

type Fetch = (url: string, options: object) => Promise<Response>;
const fetches: readonly [name: string, fetchIt: Fetch][] = [
  ['fetch', undici.fetch as unknown as Fetch],
  ['built-in fetch', fetch as Fetch],
];

describe('in a pipeline, undici sends again what ran when another request is aborted', () => {
  test.each(['POST', 'GET'])('a %s whose head was handed over is not sent again', async (method) => {
    const lab = await openLab(({ path }) => (path === '/first' ? bigBody(3_000_000) : answer(200)));
    const agent = retryingAgent(soon, { connections: 1, pipelining: 2 });
    const first = record(agent, {
      origin: lab.origin,
      path: '/first',
      method,
      headers: { 'x-id': 'first' },
      ...(method === 'POST' && { body: 'a payment' }),
    });
    await first.until(({ heads }) => heads.length === 1);
    first.controller?.pause();
    const second = record(agent, { origin: lab.origin, path: '/second', method: 'HEAD' });
    await lab.until(({ requests }) => requests.length === 2);
    second.controller?.abort();
    first.controller?.resume();
    await first.end();
    expect(first.heads).toHaveLength(1);
    expect(first.errors).toHaveLength(1);
    expect(lab.applied('first')).toBe(1);
  });

  test('a body that was read and not kept is not sent empty', async () => {
    const lab = await openLab(answer(200));
    const agent = openAgent({ connections: 1, pipelining: 2 });
    const giveUp = new AbortController();
    const abortsAtStart: Interceptor = (dispatch) => (options, handler) => {
      if (options.method !== 'GET') return dispatch(options, handler);
      const watched = new Proxy(handler, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key);
          if (typeof value !== 'function') return value;
          return (...given: unknown[]) => {
            const result: unknown = value.apply(target, given);
            if (key === 'onConnect' || key === 'onRequestStart') giveUp.abort();
            return result;
          };
        },
      });
      return dispatch(options, watched);
    };
    const chain = agent.compose(abortsAtStart, retry({ ...soon, bufferBodyBytes: 10 }));
    const thrown = settled(
      chain.stream({ origin: lab.origin, path: '/head', method: 'HEAD' }, () => {
        throw new Error('thrown by the caller');
      }),
    );
    const put = settled(
      undici.fetch(`${lab.origin}/put`, { method: 'PUT', body: 'x'.repeat(100_000), dispatcher: chain }),
    );
    const get = chain.request({ origin: lab.origin, path: '/get', method: 'GET', signal: giveUp.signal });
    await Promise.all([thrown, put, settled(get)]);
    await agent.close();
    await lab.until(({ openSockets }) => openSockets === 0);
    const applied = lab.requests.filter(({ method, complete }) => method === 'PUT' && complete);
    expect(applied.map(({ body }) => body.length)).toEqual([100_000]);
  });
});

describe('a response that breaks off while it is set aside', () => {
  const cut = cutBody(20, 10, 'fin');
  const broken: Play = {
    ...cut,
    steps: cut.steps.map((step) => (step.do === 'head' ? { ...step, status: 404 } : step)),
  };

  test.each(fetches)(
    'is a head and then an error to %s, which waits forever for both at once',
    async (_name, fetchIt) => {
      const lab = await openLab(broken);
      const dispatcher = retryingAgent({ ...soon, bodyHintBytes: 1_000 });
      const response = await fetchIt(lab.origin, { dispatcher });
      const { error } = await settled(response.text());
      expect(response.status).toBe(404);
      expect(error).toBeInstanceOf(TypeError);
    },
  );
});

test('a 103 is nothing to pause at, whatever a first-generation handler returns for it', async () => {
  const play: Play = {
    steps: [
      { do: 'head', status: 103 },
      { do: 'head', status: 200, headers: { 'content-length': '2' } },
      { do: 'body', text: 'ok' },
    ],
  };
  const lab = await openLab(play);
  const agent = retryingAgent({ ...soon, retryIf: async () => undefined });
  const told = new Promise<string>((resolve) => {
    const handler = {
      onConnect: () => undefined,
      // Like fetch.
      onHeaders: (status: number) => status >= 200,
      onData: () => true,
      onComplete: () => resolve('end'),
      onError: (error: Error) => resolve(String(error)),
    };
    agent.dispatch({ origin: lab.origin, path: '/', method: 'HEAD' }, handler as never);
  });
  expect(await told).toBe('end');
});

test('a body read for its hint and then held does not crash undici 6 and 7 when the connection ends', async () => {
  const uncaught: unknown[] = [];
  const hear = (error: unknown): void => void uncaught.push(error);
  process.on('uncaughtException', hear);
  onTestFinished(() => void process.off('uncaughtException', hear));
  // More than one chunk, and less than may be kept.
  const [head, ...rest] = closeAfter(bigBody(40_000, 503)).steps;
  const slowly: Play = {
    steps:
      head === undefined
        ? []
        : [
            head,
            { do: 'fill', bytes: 30_000 },
            { do: 'wait', ms: 5 },
            { do: 'fill', bytes: 10_000, from: 30_000 },
            ...rest.slice(1),
          ],
  };
  const lab = await openLab([slowly, answer(200)]);
  // Long enough for the connection's end to arrive, and for the client to process it.
  const undecidedLater = async (): Promise<undefined> => {
    await lab.until(({ bytesSent }) => bytesSent > 40_000);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    return undefined;
  };
  const agent = retryingAgent({ ...soon, bodyHintBytes: 100, retryIf: undecidedLater });
  const response = await agent.request({ origin: lab.origin, path: '/', method: 'GET' });
  await response.body.dump();
  await setImmediate();
  expect(response.statusCode).toBe(200);
  expect(uncaught).toEqual([]);
});

test('cutting off a refusal that drains does not stop the body that the retry is sending', async () => {
  const drains: Play = {
    steps: [{ do: 'head', status: 429, headers: { 'transfer-encoding': 'chunked' } }, { do: 'stall' }],
  };
  const lab = await openLab([drains, answer(200)]);
  const time = new HandTime();
  const agent = retryingAgent(createRetrier(soon, time.ports), { connections: 2 });
  const goOn = new Deferred();
  let sendings = 0;
  async function* chunks(number: number): AsyncGenerator<Buffer> {
    for (let sent = 0; sent < 4; sent += 1) {
      if (number === 2 && sent === 2) await goOn.promise;
      yield Buffer.alloc(100);
    }
  }
  const body = (): AsyncGenerator<Buffer> => {
    sendings += 1;
    return chunks(sendings);
  };
  const options = { origin: lab.origin, path: '/', method: 'PUT' as const, body };
  const asked = agent.request(options as never);
  await time.fire(1);
  await lab.until(({ requests }) => requests[1]?.body.length === 200);
  const [drain] = time.pending;
  await time.fire(drain ?? 0);
  await lab.until(({ connections, openSockets }) => connections - openSockets === 1);
  goOn.resolve();
  const response = await asked;
  expect(response.statusCode).toBe(200);
  expect(lab.requests.map(({ body }) => body.length)).toEqual([400, 400]);
});
