/** On a MockAgent, which calls back within dispatch(), ignores a pause, and never opens a socket. */

import type { MockAgent, MockPool } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { undici } from './client.js';
import { type Generation, recorder } from './generations.js';

const origin = 'http://mocked.test';

function mocked(): { readonly agent: MockAgent; readonly pool: MockPool } {
  const agent = new undici.MockAgent();
  agent.disableNetConnect();
  onTestFinished(() => agent.close());
  return { agent, pool: agent.get(origin) as MockPool };
}

const get = { path: '/', method: 'GET' } as const;

function refused(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
}

test('a 503, an error, then a 200', async () => {
  const { agent, pool } = mocked();
  pool.intercept(get).reply(503, 'no', { headers: { 'retry-after-ms': '7' } });
  pool.intercept(get).replyWithError(refused());
  pool.intercept(get).reply(200, { ok: true }, { headers: { 'content-type': 'application/json' } });
  const waits = new Waits();
  const retrier = createRetrier({ ...soon, hintJitter: 0 }, { sleep: waits.sleep });
  const { statusCode, body } = await agent.compose(retry(retrier)).request({ origin, ...get });
  expect([statusCode, await body.json()]).toEqual([200, { ok: true }]);
  expect(waits.delays).toEqual([7, 1]);
  agent.assertNoPendingInterceptors();
});

test.each([
  ['sync', (): undefined => undefined],
  ['async', async (): Promise<undefined> => undefined],
] as const)('what comes while a %s retryIf thinks is not lost', async (_name, retryIf) => {
  const { agent, pool } = mocked();
  pool.intercept(get).reply(503, 'no');
  pool.intercept(get).reply(200, 'whole', { trailers: { 'x-sum': '1' } });
  const { statusCode, body, trailers } = await agent
    .compose(retry({ ...soon, retryIf }))
    .request({ origin, ...get });
  expect([statusCode, await body.text()]).toEqual([200, 'whole']);
  expect(trailers).toEqual({ 'x-sum': '1' });
});

test('a hint in the body is read', async () => {
  const { agent, pool } = mocked();
  const answered = JSON.stringify({
    error: { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.009s' }] },
  });
  pool.intercept(get).reply(429, answered, { headers: { 'content-type': 'application/json' } });
  pool.intercept(get).reply(200, 'ok');
  const waits = new Waits();
  const policy: PolicyOptions = { ...soon, hints: 'google', bodyHintBytes: 4_096, hintJitter: 0 };
  const { body } = await agent
    .compose(retry(createRetrier(policy, { sleep: waits.sleep })))
    .request({ origin, ...get });
  expect(await body.text()).toBe('ok');
  expect(waits.delays).toEqual([9]);
});

test('replies that take their time', async () => {
  const { agent, pool } = mocked();
  pool.intercept(get).reply(503, 'no').delay(5);
  pool.intercept(get).replyWithError(refused()).delay(5);
  pool.intercept(get).reply(200, 'ok').delay(5);
  const { body } = await agent.compose(retry(soon)).request({ origin, ...get });
  expect(await body.text()).toBe('ok');
});

test('a reply that takes too long is an attempt that timed out', async () => {
  const { agent, pool } = mocked();
  pool.intercept(get).reply(200, 'late').delay(600_000);
  pool.intercept(get).reply(200, 'ok');
  const waits = new Waits();
  const retrier = createRetrier({ ...soon, attemptTimeoutMs: 20 }, { sleep: waits.sleep });
  const asked = agent.compose(retry(retrier)).request({ origin, ...get });
  await waits.strike(20);
  expect(await (await asked).body.text()).toBe('ok');
});

test('always 503, and always an error', async () => {
  const { agent, pool } = mocked();
  pool
    .intercept({ ...get, path: '/503' })
    .reply(503, 'no')
    .times(4);
  const error = refused();
  pool
    .intercept({ ...get, path: '/error' })
    .replyWithError(error)
    .times(4);
  const dispatcher = agent.compose(retry(soon));
  const { statusCode, body } = await dispatcher.request({ origin, ...get, path: '/503' });
  expect([statusCode, await body.text()]).toEqual([503, 'no']);
  expect((await settled(dispatcher.request({ origin, ...get, path: '/error' }))).error).toBe(error);
  agent.assertNoPendingInterceptors();
});

test('a request that nothing matches is not repeated', async () => {
  const { agent } = mocked();
  let sendings = 0;
  const dispatcher = agent.compose(
    (dispatch) => (options, handler) => {
      sendings += 1;
      return dispatch(options, handler);
    },
    retry(soon),
  );
  const { error } = await settled(dispatcher.request({ origin, ...get }));
  expect(error).toMatchObject({ code: 'UND_MOCK_ERR_MOCK_NOT_MATCHED' });
  expect(sendings).toBe(1);
});

test('bodies are matched in every attempt, by request() and by fetch()', async () => {
  const { agent, pool } = mocked();
  const put = { path: '/', method: 'PUT', body: 'hello' };
  const dispatcher = agent.compose(retry(soon));
  pool.intercept(put).reply(503, 'no');
  pool.intercept(put).reply(200, 'ok');
  const { statusCode, body } = await dispatcher.request({ origin, ...put, method: 'PUT' });
  expect([statusCode, await body.text()]).toEqual([200, 'ok']);
});

test('fetch() retries transient failures', async () => {
  const { agent, pool } = mocked();
  pool.intercept(get).reply(503, 'no');
  pool.intercept(get).replyWithError(refused());
  pool.intercept(get).reply(200, 'ok', { headers: { 'x-mine': 'mine' } });
  const response = await undici.fetch(origin, { dispatcher: agent.compose(retry(soon)) });
  expect([response.status, response.headers.get('x-mine'), await response.text()]).toEqual([
    200,
    'mine',
    'ok',
  ]);
});

test.each<[string, () => unknown]>([
  ['text', () => 'hello'],
  ['a stream', () => new Blob(['hello']).stream()],
])('fetch() sends %s again through a MockAgent that lets requests through', async (_, make) => {
  const lab = await openLab([answer(503), answer(200, 'ok')]);
  const { agent } = mocked();
  agent.enableNetConnect();
  const init = { method: 'PUT', body: make(), duplex: 'half', dispatcher: agent.compose(retry(soon)) };
  const response = await undici.fetch(lab.origin, init as object);
  expect([response.status, await response.text()]).toEqual([200, 'ok']);
  expect(lab.requests.map(({ body }) => String(body))).toEqual(['hello', 'hello']);
});

// The MockAgent of undici 6 and 8 knows handlers of one generation only; the handler that we dispatch has both.
describe.each<Generation>([1, 2])('a handler of generation %i', (generation) => {
  test('gets one start, one head and one end', async () => {
    const { agent, pool } = mocked();
    pool.intercept(get).reply(503, 'no');
    pool.intercept(get).reply(200, 'ok');
    const heard = recorder(generation);
    agent.compose(retry(soon)).dispatch({ origin, ...get }, heard);
    await heard.settled;
    expect(heard.calls.filter((call) => /^(start|head|data|end|error)/.test(call))).toEqual([
      'start',
      'head 200',
      'data',
      'end',
    ]);
    expect(heard.body.toString()).toBe('ok');
  });

  // The bare MockAgent throws the error at the caller of dispatch(); during a retry there may be no such caller.
  test.each(['onHead', 'onData', 'onEnd'] as const)(
    'that throws in %s gets its error, and nothing is sent again',
    async (callback) => {
      const thrown = refused();
      const { agent, pool } = mocked();
      pool.intercept(get).reply(503, 'no');
      pool.intercept(get).reply(200, 'ok').times(2);
      const heard = recorder(generation, {
        [callback]: () => {
          throw thrown;
        },
      });
      agent.compose(retry(soon)).dispatch({ origin, ...get }, heard);
      await heard.settled;
      await new Promise((resolve) => setImmediate(resolve));
      expect(heard.error).toBe(thrown);
      expect(heard.calls.filter((call) => call === 'error')).toHaveLength(1);
      expect(agent.pendingInterceptors()).toHaveLength(1);
    },
  );
});
