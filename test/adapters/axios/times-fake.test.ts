/** Other people's tests: the timers of the process are fake, and nothing of ours is told. */

import type { InternalAxiosRequestConfig } from 'axios';
import { expect, test, vi } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { describeWithFakeTimers, useFakeTimers, waits100Ms } from '../fake-timers.js';
import { axios } from './client.js';

describeWithFakeTimers(() => {
  test('a retry comes after exactly the wait', async () => {
    const statuses = [503, 200];
    const adapter = vi.fn(async (config: InternalAxiosRequestConfig) => {
      const status = statuses.shift() ?? 500;
      const response = { status, statusText: '', headers: {}, data: 'said', config };
      if (status < 400) return response;
      throw new axios.AxiosError('busy', 'ERR_BAD_RESPONSE', config, {}, response);
    });
    const api = axios.create({ adapter });
    attachRetry(api, waits100Ms);
    const asked = api.get('https://api.example.com/');
    await vi.advanceTimersByTimeAsync(99);
    expect(adapter).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(adapter).toHaveBeenCalledTimes(2);
    expect(await asked).toMatchObject({ status: 200, data: 'said' });
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a deadline comes after exactly its time, where the clock is fake, too', async () => {
  useFakeTimers();
  const api = axios.create({ adapter: () => new Promise(() => undefined) });
  attachRetry(api, { deadlineMs: 1_000 });
  const failed = vi.fn();
  const asked = api.get('https://api.example.com/').catch(failed);
  await vi.advanceTimersByTimeAsync(999);
  expect(failed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await asked;
  expect(failed).toHaveBeenCalledWith(expect.objectContaining({ name: 'DeadlineError' }));
  expect(vi.getTimerCount()).toBe(0);
});
