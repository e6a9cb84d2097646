/** Time limits with callers' own adapters: some ignore signals, and some never settle. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThrough } from 'node:stream';
import type { AxiosAdapter } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, DeadlineError, historyOf } from '../../../src/index.js';
import { answer, silence } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { retryingInstance } from './kit.js';

const policy: PolicyOptions = { ...soon, attemptTimeoutMs: 5_000, maxRetries: 1 };

const reasonsOf = (of: unknown) => historyOf(of)?.map(({ decision }) => decision.reason);

/** An adapter whose first answer comes from the test, and which ignores its signal. */
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

  test.each(['resolves', 'rejects'])('and %s too late: its result is released', async (how) => {
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

  test('and fails too late, has no effect', async () => {
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

describe('an adapter that looks at its signal', () => {
  const { signal: callers } = new AbortController();

  /** What the configuration has while the adapter is called, and afterwards. */
  async function seen<Seen>(look: (config: Parameters<AxiosAdapter>[0]) => Seen, signal?: AbortSignal) {
    const looked: Seen[] = [];
    const adapter: AxiosAdapter = async (config) => {
      looked.push(look(config));
      return { status: 200, statusText: '', headers: {}, data: 'yes', config };
    };
    const { config } = await retryingInstance(policy, { adapter }).get('/', signal && { signal });
    return { looked, after: Object.getOwnPropertyDescriptor(config, 'signal')?.value as unknown, config };
  }

  test('sees one of the platform, and always the same', async () => {
    const { looked, config } = await seen((given) => [given.signal, given.signal, { ...given }.signal]);
    const [[first, second, copied] = []] = looked;
    expect(first).toBeInstanceOf(AbortSignal);
    expect([second, copied]).toEqual([first, first]);
    expect(Object.keys(config)).not.toContain('signal');
  });

  test.each([
    ['that of a copy', (given: object) => Object.assign(Object.create(given), { signal: 'own' })],
    ['its own', (given: object) => Object.assign(given, { signal: 'own' })],
  ])('and replaces %s: that of the caller stays', async (_, replaced) => {
    const { looked, after } = await seen((given) => {
      const own = replaced(given) as { signal: unknown };
      return [own.signal, Object.keys(own).includes('signal'), own === given || given.signal !== own.signal];
    }, callers);
    expect(looked).toEqual([['own', true, true]]);
    expect(after).toBe(callers);
  });

  test.each([
    ['seals', Object.seal],
    ['freezes', Object.freeze],
  ])('in a configuration that it %s', async (_, within) => {
    const looked: unknown[] = [];
    const adapter: AxiosAdapter = async (config) => {
      within(config);
      looked.push(config.signal);
      return { status: 200, statusText: '', headers: {}, data: 'yes', config };
    };
    const instance = retryingInstance(policy, { adapter });
    // axios itself fails at it afterwards.
    await settled(instance.get('/', { signal: callers }));
    expect(looked).toEqual([expect.any(AbortSignal)]);
    expect(looked).not.toEqual([callers]);
  });

  test('follows the caller, who aborts before it looks', async () => {
    const caller = new AbortController();
    const looked: unknown[] = [];
    const adapter: AxiosAdapter = (config) => {
      caller.abort('the reason');
      looked.push(config.signal);
      return new Promise(() => undefined);
    };
    const instance = retryingInstance(policy, { adapter });
    await expect(instance.get('/', { signal: caller.signal })).rejects.toMatchObject({
      code: 'ERR_CANCELED',
    });
    expect(looked).toMatchObject([{ aborted: true, reason: 'the reason' }]);
  });

  test('hears that its time is up', async () => {
    const time = new HandTime();
    const heard: unknown[] = [];
    const adapter: AxiosAdapter = ({ signal }) => {
      signal?.addEventListener?.('abort', () => heard.push((signal as AbortSignal).reason));
      return new Promise(() => undefined);
    };
    const once = { ...policy, maxRetries: 0 };
    const asked = settled(retryingInstance(createRetrier(once, time.ports), { adapter }).get('/'));
    await time.fire(5_000);
    const { error } = await asked;
    expect(heard).toEqual([error]);
    expect(error).toMatchObject({ name: 'AttemptTimeoutError' });
  });
});

test('an AbortError from an adapter’s own timeout is not the caller’s abort', async () => {
  // As in Safari: fetch does not reject with the signal's reason.
  const cause = new DOMException('Fetch is aborted', 'AbortError');
  const timeout = Object.assign(new Error('timeout of 100ms exceeded', { cause }), { code: 'ETIMEDOUT' });
  const time = new HandTime();
  const adapter = heedless(Promise.reject(timeout));
  const asked = retryingInstance(createRetrier(policy, time.ports), { adapter }).get('/');
  await time.fire(1);
  expect(reasonsOf(await asked)).toEqual(['transport-error', 'success']);
});

const byDeadline: PolicyOptions = {
  deadlineMs: 10_000,
  schedule: { kind: 'fixed', waitMs: 1_000, jitter: 'none' },
};

test('the cause of a deadline may be a response that the caller would have accepted', async () => {
  const lab = await openLab([answer(503, 'busy', { 'x-why': 'tired' }), silence()]);
  const time = new HandTime();
  const instance = retryingInstance(createRetrier(byDeadline, time.ports), { baseURL: lab.origin });
  const asked = settled(instance.get('/', { validateStatus: () => true }));
  await time.fire(1_000);
  await lab.until(({ requests }) => requests.length === 2);
  await time.fire(9_000);
  const { error } = await asked;
  expect((error as Error).cause).toMatchObject({ status: 503, headers: { 'x-why': 'tired' } });
});

test('an adapter that never settles ends with the deadline', async () => {
  const time = new HandTime();
  const adapter: AxiosAdapter = () => new Promise(() => undefined);
  const asked = settled(retryingInstance(createRetrier(byDeadline, time.ports), { adapter }).get('/'));
  await time.fire(10_000);
  expect((await asked).error).toBeInstanceOf(DeadlineError);
});

test('a time limit that many requests share is told to each in the async context of its caller', async () => {
  const caller = new AsyncLocalStorage<string>();
  const told: [unknown, unknown][] = [];
  const adapter: AxiosAdapter = ({ url, signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener?.('abort', () => {
        told.push([url, caller.getStore()]);
        reject(new Error('aborted'));
      });
    });
  const instance = retryingInstance({ ...soon, attemptTimeoutMs: 20, maxRetries: 0 }, { adapter });
  const callers = ['a', 'b', 'c'];
  await Promise.all(callers.map((name) => caller.run(name, () => settled(instance.get(name)))));
  expect(told).toEqual(callers.map((name) => [name, name]));
});
