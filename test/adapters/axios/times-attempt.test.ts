/** The attempt's own time: whatever the server is slow in, it ends the attempt, and the next one may succeed. */

import { getEventListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import type { AxiosAdapter, AxiosError } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { AttemptTimeoutError, createRetrier, historyOf } from '../../../src/index.js';
import { answer, dripBody, dripHead, fin, silence, stallAfterHead } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { axios, axiosEsm } from './client.js';
import { retryingInstance } from './kit.js';
import { overHttp1, retryingOver, ways } from './ways.js';

const policy: PolicyOptions = { ...soon, attemptTimeoutMs: 5_000, maxRetries: 1 };

/** Each takes longer than anybody waits, and begins at once. */
const slow = [
  ['says nothing', silence()],
  ['stalls after the head', stallAfterHead()],
  ['drips its body', dripBody('x'.repeat(100_000), 5)],
] as const;

const reasonsOf = (of: unknown) => historyOf(of)?.map(({ decision }) => decision.reason);

describe.each(ways)('$name', (way) => {
  test.each(slow)('a server that %s', async (_, play) => {
    const lab = await way.open([play, answer(200, 'yes')]);
    const time = new HandTime();
    const { signal } = new AbortController();
    const asked = retryingOver(way, lab.origin, createRetrier(policy, time.ports)).get('/', { signal });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(5_000);
    await time.fire(1);
    const response = await asked;
    expect(response).toMatchObject({ status: 200, data: 'yes' });
    expect(reasonsOf(response)).toEqual(['attempt-timeout', 'success']);
    expect(lab.requests).toHaveLength(2);
    expect(response.config.signal).toBe(signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(time.pending).toEqual([]);
  });

  test('a POST that nobody answered is sent once, and fails with an error that axios knows', async () => {
    const lab = await way.open(silence());
    const time = new HandTime();
    const { signal } = new AbortController();
    const instance = retryingOver(way, lab.origin, createRetrier(policy, time.ports));
    const asked = settled(instance.post('/', 'pay', { signal }));
    await lab.until(({ requests }) => requests[0]?.complete === true);
    await time.fire(5_000);
    const { error } = await asked;
    expect(error).toBeInstanceOf(AttemptTimeoutError);
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT', attemptTimeoutMs: 5_000 });
    expect([axios.isAxiosError(error), axiosEsm.isAxiosError(error)]).toEqual([true, true]);
    expect((error as AxiosError).config).toMatchObject({ method: 'post', url: '/', data: 'pay', signal });
    expect(reasonsOf(error)).toEqual(['unsafe-method']);
    expect(lab.requests).toHaveLength(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(time.pending).toEqual([]);
  });

  test('it holds where retries are off', async () => {
    const lab = await way.open(silence());
    const time = new HandTime();
    const instance = retryingOver(way, lab.origin, createRetrier(policy, time.ports));
    const asked = settled(instance.get('/', { retry: false }));
    await time.fire(5_000);
    const { error } = await asked;
    expect(error).toBeInstanceOf(AttemptTimeoutError);
    expect(reasonsOf(error)).toEqual(['retries-off']);
  });

  test('a quick answer leaves no timer and no listener, and an error neither', async () => {
    const lab = await way.open([answer(200), answer(404)]);
    const time = new HandTime();
    const { signal } = new AbortController();
    const instance = retryingOver(way, lab.origin, createRetrier(policy, time.ports));
    await instance.get('/', { signal });
    await settled(instance.get('/', { signal }));
    expect(time.timers).toHaveLength(2);
    expect(time.pending).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe.each(overHttp1)('$name', (way) => {
  test('a server that drips its head', async () => {
    const lab = await openLab([dripHead(5_000), answer(200, 'yes')]);
    const time = new HandTime();
    const asked = retryingOver(way, lab.origin, createRetrier(policy, time.ports)).get('/');
    await lab.until(({ bytesSent }) => bytesSent > 0);
    await time.fire(5_000);
    await time.fire(1);
    expect((await asked).data).toBe('yes');
  });
});

// undici connects again at once, whether or not anybody waits.
test.each(overHttp1.filter(({ name }) => name !== 'fetch'))(
  'the connection of an attempt that is over is closed: $name',
  async (way) => {
    const lab = await openLab([silence(), answer(200)]);
    const time = new HandTime();
    const asked = retryingOver(way, lab.origin, createRetrier(policy, time.ports)).get('/');
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(5_000);
    await lab.until(({ openSockets }) => openSockets === 0);
    await time.fire(1);
    expect((await asked).status).toBe(200);
  },
);

test("axios's own timeout is an outcome like any other, and the attempt's time goes with it", async () => {
  for (const adapter of ['http', 'fetch'] as const) {
    const lab = await openLab([silence(), answer(200)]);
    const time = new HandTime();
    const retrier = createRetrier({ ...policy, ...soon }, time.ports);
    const asked = retryingInstance(retrier, { baseURL: lab.origin, adapter }).get('/', { timeout: 100 });
    await time.fire(1);
    expect(reasonsOf(await asked)).toEqual(['transport-error', 'success']);
    expect(time.pending).toEqual([]);
  }
});

/** An adapter whose first answer the test gives, heedless of any signal. */
function heedless(first: Promise<unknown>): AxiosAdapter {
  let isFirst = true;
  return async (config) => {
    const well = { status: 200, statusText: '', headers: {}, data: 'yes', config };
    const answered = isFirst ? first : well;
    isFirst = false;
    return answered as ReturnType<AxiosAdapter>;
  };
}

describe('an adapter that never looks at its signal', () => {
  async function ask(first: Promise<unknown>, given = policy): Promise<HandTime> {
    const time = new HandTime();
    const asked = retryingInstance(createRetrier(given, time.ports), { adapter: heedless(first) }).get('/');
    await time.fire(5_000);
    await time.fire(1);
    expect(await asked).toMatchObject({ status: 200, data: 'yes' });
    expect(time.pending).toEqual([]);
    return time;
  }

  test('and never settles, is left alone', async () => {
    await ask(new Promise(() => undefined));
  });

  test.each(['resolves', 'rejects'])('and %s too late: what it has is released', async (how) => {
    const data = new PassThrough();
    const closed = new Promise<void>((resolve) => data.once('close', resolve));
    let settle = (): void => undefined;
    const first = new Promise((resolve, reject) => {
      const response = { status: 503, statusText: '', headers: { 'content-length': '4' }, data };
      const error = Object.assign(new Error('answered with 503'), { response });
      settle = () => (how === 'resolves' ? resolve(response) : reject(error));
    });
    await ask(first);
    settle();
    data.end('late');
    await closed;
    expect(data.readableEnded).toBe(true);
  });

  test('and fails too late, bothers nobody', async () => {
    let fail = (_: unknown): void => undefined;
    await ask(
      new Promise((_, reject) => {
        fail = reject;
      }),
    );
    for (const error of [undefined, null, 'late', new Error('late')]) fail(error);
    await new Promise(setImmediate);
  });
});

test('what an adapter calls an AbortError in a timeout of its own is not the caller’s abort', async () => {
  // As Safari has it: the reason is not what fetch rejects with.
  const cause = new DOMException('Fetch is aborted', 'AbortError');
  const timeout = Object.assign(new Error('timeout of 100ms exceeded', { cause }), { code: 'ETIMEDOUT' });
  const time = new HandTime();
  const adapter = heedless(Promise.reject(timeout));
  const asked = retryingInstance(createRetrier(policy, time.ports), { adapter }).get('/');
  await time.fire(1);
  expect(reasonsOf(await asked)).toEqual(['transport-error', 'success']);
});

test('a head that was cut off in time is no timeout', async () => {
  const lab = await openLab([fin(), answer(200)]);
  const time = new HandTime();
  const asked = retryingInstance(createRetrier(policy, time.ports), { baseURL: lab.origin }).get('/');
  await time.fire(1);
  expect(reasonsOf(await asked)).toEqual(['transport-error', 'success']);
  expect(time.pending).toEqual([]);
});
