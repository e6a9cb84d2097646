/** The gate of a scope: while its server is taken for dead, requests are not even sent. */

import type { AxiosInstance } from 'axios';
import { describe, expect, test } from 'vitest';
import { createRetrier, GateShutError } from '../../../src/index.js';
import { answer, onCue, type Play, rst, silence } from '../../faults/lab.js';
import { Clock } from '../clock.js';
import { openLab, settled } from '../kit.js';
import { gated } from '../scope-policies.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';
import { statusOf } from './shared-state.js';

describe('the gate', () => {
  test('that is shut fails requests at once, without a socket, as axios knows errors', async () => {
    const lab = await openLab(answer(503));
    const retrier = createRetrier(gated, new Clock().ports);
    const instance = retryingInstance(retrier);
    expect([await statusOf(instance, lab.origin), await statusOf(instance, lab.origin)]).toEqual([503, 503]);

    const { error } = await settled(instance.post(lab.origin, 'x', { headers: { 'x-token': 'secret' } }));

    expect(error).toBeInstanceOf(GateShutError);
    expect(axios.isAxiosError(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'ERR_UNDAUNTED_GATE_SHUT',
      scope: lab.origin,
      config: { url: lab.origin, method: 'post', data: 'x' },
    });
    expect((error as Error).cause).toBeUndefined();
    expect(JSON.stringify(error)).not.toContain('secret');
    expect(lab.requests).toHaveLength(2);
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'shut' }]);
  });

  test('shuts by attempts that nobody answers, and not by those that say "too much"', async () => {
    const lab = await openLab([answer(429), answer(408), answer(425), rst(), rst()]);
    const instance = retryingInstance(createRetrier(gated, new Clock().ports));
    const errors: unknown[] = [];
    for (let request = 0; request < 6; request += 1) {
      errors.push((await settled(instance.get(lab.origin))).error);
    }
    expect(errors.map((error) => error instanceof GateShutError)).toEqual([...Array(5).fill(false), true]);
    expect(lab.requests).toHaveLength(5);
  });

  test.each<[string, Play, object]>([
    [
      'an answer',
      answer(503, '', { 'x-served-by': 'a' }),
      { response: { status: 503, headers: { 'x-served-by': 'a' } } },
    ],
    ['an error', rst(), { code: 'ECONNRESET' }],
  ])(
    'that shuts while a request waits fails it, with what it met (%s) as the cause',
    async (_what, play, cause) => {
      const lab = await openLab(play);
      const clock = new Clock();
      const instance = retryingInstance(createRetrier({ ...gated, maxRetries: 1 }, clock.ports));
      const waiting = settled(instance.get(lab.origin));
      await clock.waits.until(1);
      await settled(instance.get(lab.origin));
      clock.waits.wake();
      const { error } = await waiting;
      expect(error).toBeInstanceOf(GateShutError);
      expect((error as GateShutError).cause).toMatchObject(cause);
      expect(lab.requests).toHaveLength(2);
    },
  );

  test('that a failure shuts leaves the answer to that request: no retry of it would get through', async () => {
    const lab = await openLab(answer(503, 'dead'));
    const instance = retryingInstance(createRetrier({ ...gated, maxRetries: 5 }, new Clock('at once').ports));
    await settled(instance.get(lab.origin, { retry: { retry: false } }));
    const { error } = await settled(instance.get(lab.origin));
    expect(error).toMatchObject({ response: { status: 503, data: 'dead' } });
    expect(lab.requests).toHaveLength(2);
  });

  test("that one request meets with a probe under way waits for the probe's answer", async () => {
    const lab = await openLab([answer(503), answer(503), onCue('probed', answer(200)), answer(200)]);
    const clock = new Clock();
    const instance = retryingInstance(createRetrier(gated, clock.ports));
    await statusOf(instance, lab.origin);
    await statusOf(instance, lab.origin);
    clock.now = 5_000;
    const probe = statusOf(instance, lab.origin);
    await lab.until(({ requests }) => requests.length === 3);
    const other = statusOf(instance, lab.origin);
    await clock.waits.until(1);
    lab.cue('probed');
    expect(await probe).toBe(200);
    clock.waits.wake();
    expect(await other).toBe(200);
    expect(clock.waits.delays).toEqual([10]);
  });

  test('lets one probe through at a time, and opens when it succeeds', async () => {
    const lab = await openLab([answer(503), answer(503), onCue('probed', answer(200))]);
    const clock = new Clock();
    const retrier = createRetrier(gated, clock.ports);
    const instance = retryingInstance(retrier);
    await statusOf(instance, lab.origin);
    await statusOf(instance, lab.origin);

    clock.now = 5_000;
    const probe = statusOf(instance, lab.origin);
    await lab.until(({ requests }) => requests.length === 3);
    const other = settled(instance.get(lab.origin));
    await clock.waits.until(1);
    clock.now = 5_250;
    clock.waits.wake();
    expect((await other).error).toBeInstanceOf(GateShutError);
    lab.cue('probed');
    expect(await probe).toBe(200);
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'ramping' }]);

    clock.now = 10_000;
    expect(await statusOf(instance, lab.origin)).toBe(200);
    expect(retrier.snapshot().scopes[0]?.gates).toEqual([{ state: 'open' }]);
  });

  /** What a request that was let through as a probe may end by; the server is sound again after it. */
  const ends: [string, (instance: AxiosInstance, origin: string) => Promise<unknown>][] = [
    [
      'an abort',
      (instance, origin) => {
        const aborter = new AbortController();
        const adapter = (): never => {
          aborter.abort();
          throw new Error('aborted');
        };
        return instance.get(origin, { signal: aborter.signal, adapter });
      },
    ],
    ['the attempt timeout', (instance, origin) => instance.get(origin, { retry: { attemptTimeoutMs: 20 } })],
    ['the deadline', (instance, origin) => instance.get(origin, { retry: { deadlineMs: 20 } })],
    ["axios's own timeout", (instance, origin) => instance.get(origin, { timeout: 20 })],
    [
      'an answer without a status',
      (instance, origin) => instance.get(origin, { adapter: async () => ({ data: '' }) as never }),
    ],
    [
      'no answer at all',
      (instance, origin) => instance.get(origin, { adapter: async () => undefined as never }),
    ],
    [
      'a key that cannot be made',
      (instance, origin) => {
        const generate = (): never => {
          throw new Error('no entropy');
        };
        return instance.post(origin, '', { retry: { idempotencyKey: { generate } } });
      },
    ],
    [
      'a body that cannot be made',
      (instance, origin) =>
        instance.post(origin, () => {
          throw new Error('no body');
        }),
    ],
    [
      'a retryIf that throws',
      (instance, origin) => {
        const retryIf = (): never => {
          throw new Error('cannot tell');
        };
        const adapter = async (): Promise<never> => ({ status: 200, headers: {} }) as never;
        return instance.get(origin, { retry: { retryIf }, adapter });
      },
    ],
  ];
  test.each(ends)('gets its probe back from a request that ends by %s', async (_how, request) => {
    const lab = await openLab([answer(503), answer(503), silence()]);
    // Some of these requests are ended by their own limits, in real time.
    const clock = new Clock('when told', 'in time');
    const instance = retryingInstance(createRetrier(gated, clock.ports));
    await statusOf(instance, lab.origin);
    await statusOf(instance, lab.origin);

    clock.now = 5_000;
    await settled(request(instance, lab.origin));
    // Before a probe that hangs would be given up.
    clock.now = 9_000;
    lab.play(answer(200));
    expect(await statusOf(instance, lab.origin)).toBe(200);
  });
});
