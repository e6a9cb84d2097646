/** Requests that wait before they are sent: for a gate to open, or behind a hold. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, GateShutError, HeldError } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { Clock } from '../clock.js';
import { openLab, settled } from '../kit.js';
import { patient } from '../scope-policies.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';
import { statusOf } from './shared-state.js';

describe("a gate with whenShut: 'wait'", () => {
  async function shutGate() {
    const lab = await openLab([answer(503), answer(200)]);
    const clock = new Clock();
    const retrier = createRetrier(patient, clock.ports);
    const instance = retryingInstance(retrier);
    await statusOf(instance, lab.origin);
    return { lab, clock, instance, waiting: () => retrier.snapshot().scopes[0]?.waiting };
  }

  test('requests wait for it, no more than maxWaiting of them', async () => {
    const { lab, clock, instance, waiting } = await shutGate();
    const patients = [statusOf(instance, lab.origin), statusOf(instance, lab.origin)];
    await clock.waits.until(2);
    expect(waiting()).toBe(2);
    expect((await settled(instance.get(lab.origin))).error).toBeInstanceOf(GateShutError);
    expect(lab.requests).toHaveLength(1);

    clock.now = 5_000;
    clock.waits.wake();
    await lab.until(({ requests }) => requests.length > 1);
    clock.now = 10_000;
    while (waiting() !== 0) {
      clock.waits.wake();
      await new Promise(setImmediate);
    }
    expect(await Promise.all(patients)).toEqual([200, 200]);
  });

  test('a wait that an abort ends leaves nothing behind', async () => {
    const { lab, clock, instance, waiting } = await shutGate();
    const aborter = new AbortController();
    const patient = settled(instance.get(lab.origin, { signal: aborter.signal }));
    await clock.waits.until(1);
    aborter.abort();
    expect((await patient).error).toBeInstanceOf(axios.CanceledError);
    expect(waiting()).toBe(0);
    expect(clock.waits.pending).toBe(0);
    expect(lab.requests).toHaveLength(1);
  });

  test('a wait that would end behind the deadline is not begun', async () => {
    const { lab, clock, instance, waiting } = await shutGate();
    const { error } = await settled(instance.get(lab.origin, { retry: { deadlineMs: 1 } }));
    expect(error).toBeInstanceOf(GateShutError);
    expect(waiting()).toBe(0);
    expect(clock.waits.delays).toEqual([]);
  });
});

describe('the hold', () => {
  const holding: PolicyOptions = { maxRetries: 1, hintJitter: 0, hold: { refusedShare: 0 } };

  test('that one request got delays the others of its scope, and not those of another', async () => {
    const lab = await openLab([answer(429, '', { 'retry-after': '5' }), answer(200)]);
    const other = await openLab(answer(200));
    const clock = new Clock();
    const instance = retryingInstance(createRetrier(holding, clock.ports));
    const first = statusOf(instance, lab.origin);
    await clock.waits.until(1);
    const second = statusOf(instance, lab.origin);
    await clock.waits.until(2);
    expect(await statusOf(instance, other.origin)).toBe(200);
    expect(lab.requests).toHaveLength(1);
    expect(clock.waits.delays[0]).toBe(5_000);
    expect(clock.waits.delays[1]).toBeGreaterThanOrEqual(5_000);

    clock.now = 60_000;
    clock.waits.wake();
    expect(await Promise.all([first, second])).toEqual([200, 200]);
    expect(lab.requests).toHaveLength(3);
  });

  test('that would end behind the deadline fails the request at once', async () => {
    const lab = await openLab([answer(429, '', { 'retry-after': '5' }), answer(200)]);
    const clock = new Clock();
    const instance = retryingInstance(createRetrier(holding, clock.ports));
    const first = statusOf(instance, lab.origin);
    await clock.waits.until(1);
    const { error } = await settled(instance.get(lab.origin, { retry: { deadlineMs: 1_000 } }));
    expect(error).toBeInstanceOf(HeldError);
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_HELD', config: { url: lab.origin } });
    expect((error as HeldError).cause).toMatchObject({ status: 429 });
    expect(axios.isAxiosError(error)).toBe(true);
    expect(lab.requests).toHaveLength(1);
    clock.now = 60_000;
    clock.waits.wake();
    await first;
  });

  test('short hints delay only the request that got them', async () => {
    const lab = await openLab([answer(429, '', { 'retry-after': '1' }), answer(200)]);
    const clock = new Clock();
    const instance = retryingInstance(createRetrier({ ...holding, hold: true }, clock.ports));
    const first = statusOf(instance, lab.origin);
    await clock.waits.until(1);
    expect(await statusOf(instance, lab.origin)).toBe(200);
    clock.now = 2_000;
    clock.waits.wake();
    expect(await first).toBe(200);
  });
});
