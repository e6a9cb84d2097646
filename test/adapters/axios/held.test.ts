/** Memory while a retry waits: the answer is not kept, since it would keep its connection's buffers. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AxiosAdapter, AxiosError } from 'axios';
import { describe, expect, test } from 'vitest';
import { createRetrier, type PolicyOptions, type Sleep } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { programsOf } from '../programs.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';

const runWithAxios = programsOf('axios');

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Objects created or read in this turn are not collected in it. */
function aliveOf(references: readonly WeakRef<object>[]): number {
  collectGarbage();
  return references.filter((reference) => reference.deref() !== undefined).length;
}

const waitMs = 7_000;

/** The test wakes those that wait; all other timers never fire. */
function sleepByHand(): { readonly sleep: Sleep; readonly waiting: Map<number, () => void> } {
  const waiting = new Map<number, () => void>();
  const sleep: Sleep = (delayMs, wake) => {
    waiting.set(delayMs, wake);
    return () => void waiting.delete(delayMs);
  };
  return { sleep, waiting };
}

function wakeFrom(waiting: Map<number, () => void>, delayMs: number): void {
  const wake = waiting.get(delayMs);
  waiting.delete(delayMs);
  wake?.();
}

const policies: [name: string, policy: PolicyOptions, held: 'error' | 'nothing'][] = [
  ['nothing', {}, 'nothing'],
  ['an attempt timeout', { attemptTimeoutMs: 1_000 }, 'nothing'],
  // The answer would be the cause of a DeadlineError, or of a GateShutError.
  ['a deadline', { deadlineMs: 60_000 }, 'error'],
  ['a gate', { gate: true }, 'error'],
];

test.each(policies)('with %s', async (_, policy, held) => {
  const { sleep, waiting } = sleepByHand();
  const failures: WeakRef<object>[] = [];
  const adapter: AxiosAdapter = async (config) => {
    const response = { data: '', status: 200, statusText: '', headers: {}, config };
    if (failures.length === 3) return response;
    const failure = new axios.AxiosError('no', 'ECONNRESET', config, undefined);
    failures.push(new WeakRef(failure));
    throw failure;
  };
  const retrier = createRetrier(
    { schedule: { kind: 'fixed', waitMs, jitter: 'none' }, ...policy },
    { now: () => 0, sleep },
  );
  const asked = retryingInstance(retrier, { adapter }).get('http://a.example/');
  for (const count of [1, 2, 3]) {
    await comesTrue(() => waiting.has(waitMs));
    const expected = held === 'error' ? 1 : 0;
    await comesTrue(() => aliveOf(failures) === expected);
    expect([failures.length, aliveOf(failures)]).toEqual([count, expected]);
    wakeFrom(waiting, waitMs);
  }
  expect((await asked).status).toBe(200);
});

describe('of an answer that would be a cause,', () => {
  const long = 'x'.repeat(2_000);
  const bodies: [name: string, make: () => unknown, kept: unknown][] = [
    ['a body of bytes', () => Buffer.alloc(1_000_000), undefined],
    ['a long text', () => long, undefined],
    ['a short text', () => 'too busy', 'too busy'],
  ];

  test.each(bodies)('nothing heavy is held: %s', async (_, make, kept) => {
    const { sleep, waiting } = sleepByHand();
    let now = 0;
    const heavy: WeakRef<object>[] = [];
    const adapter: AxiosAdapter = (config) => {
      // The second attempt runs until the deadline.
      if (heavy.length > 0) return new Promise(() => undefined);
      const [data, request] = [make(), { socket: {} }];
      const headers = { 'x-why': 'tired' };
      const response = { data, status: 503, statusText: 'Busy', headers, config, request };
      heavy.push(
        ...[response, request, ...(Buffer.isBuffer(data) ? [data] : [])].map((at) => new WeakRef(at)),
      );
      throw new axios.AxiosError('no', 'ERR_BAD_RESPONSE', config, request, response);
    };
    const schedule = { kind: 'fixed', waitMs, jitter: 'none' } as const;
    const retrier = createRetrier({ schedule, deadlineMs: 60_000 }, { now: () => now, sleep });
    const asked = settled(retryingInstance(retrier, { adapter }).get('http://a.example/'));
    await comesTrue(() => waiting.has(waitMs));
    expect(await comesTrue(() => aliveOf(heavy) === 0)).toBe(true);

    wakeFrom(waiting, waitMs);
    await comesTrue(() => waiting.has(60_000));
    now = 60_000;
    wakeFrom(waiting, 60_000);
    const { cause, config } = (await asked).error as AxiosError;
    expect(cause).toBeInstanceOf(axios.AxiosError);
    expect(cause).toMatchObject({ message: 'no', code: 'ERR_BAD_RESPONSE', isAxiosError: true, config });
    expect(cause?.stack).toContain('held.test');
    const { response, request } = cause as AxiosError;
    expect(response).toMatchObject({
      status: 503,
      statusText: 'Busy',
      headers: { 'x-why': 'tired' },
      config,
    });
    expect(response?.data).toBe(kept);
    expect(request).toBeUndefined();
  });
});

test('an error that is the cause of itself does no harm', async () => {
  const { sleep, waiting } = sleepByHand();
  let now = 0;
  const error: Error & { response?: object } = new Error('again');
  Object.assign(error, { cause: error, code: 'ECONNRESET', request: {} });
  const retrier = createRetrier({ ...soon, maxRetries: 1, deadlineMs: 60_000 }, { now: () => now, sleep });
  let sent = 0;
  const adapter: AxiosAdapter = () => {
    sent += 1;
    return sent === 1 ? Promise.reject(error) : new Promise(() => undefined);
  };
  const asked = settled(retryingInstance(retrier, { adapter }).get('http://a.example/'));
  await comesTrue(() => waiting.has(1));
  wakeFrom(waiting, 1);
  await comesTrue(() => waiting.has(60_000));
  now = 60_000;
  wakeFrom(waiting, 60_000);
  expect((await asked).error).toMatchObject({ cause: { message: 'again', code: 'ECONNRESET' } });
});

describe.each(['http', 'fetch'])('over %s, of the bodies of 20 answers', (adapter) => {
  test.each([
    ['a deadline', { deadlineMs: 600_000 }],
    ['a gate', { gate: { failures: 1_000 } }],
  ])('hardly anything is held with %s', async (_, policy) => {
    const bytes = 1_000_000;
    const lab = await openLab(answer(503, 'x'.repeat(bytes)));
    const printed = await runWithAxios(`
      import { setFlagsFromString } from 'node:v8';
      import { runInNewContext } from 'node:vm';
      setFlagsFromString('--expose-gc');
      const collectGarbage = runInNewContext('gc');
      const used = () => {
        collectGarbage();
        const { heapUsed, external } = process.memoryUsage();
        return heapUsed + external;
      };
      const requests = 20;
      let waiting = 0;
      const instance = client.create({ baseURL: ${JSON.stringify(lab.origin)}, adapter: ${JSON.stringify(adapter)} });
      undaunted.attachRetry(instance, {
        ...${JSON.stringify(policy)},
        budget: false,
        schedule: { kind: 'fixed', waitMs: never / 2, jitter: 'none' },
        observe: () => void (waiting += 1),
      });
      const ask = async (count) => {
        instance.get('/').catch(() => undefined);
        while (waiting < count) await new Promise((resolve) => setTimeout(resolve, 1));
      };
      // The memory that the first request loads stays in use.
      await ask(1);
      const before = used();
      for (let count = 1; count <= requests; count += 1) await ask(1 + count);
      // Answers that were on their way at the end may still be.
      let after = used();
      for (let round = 0; round < 100 && after - before > requests * ${bytes} / 10; round += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        after = used();
      }
      console.log(after - before);
      process.exit();`);
    expect(Number(printed)).toBeLessThan(20 * bytes * 0.25);
  });
});
