/** Other people's tests: the timers of the process are fake, and nothing of ours is told. */

import { expect, test, vi } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { describeWithFakeTimers, useFakeTimers, waits100Ms } from '../fake-timers.js';
import { undici } from './client.js';

describeWithFakeTimers(() => {
  test('a retry comes after exactly the wait', async () => {
    const mock = new undici.MockAgent();
    mock.disableNetConnect();
    let attempts = 0;
    const statuses = [503, 200];
    mock
      .get('https://api.example.com')
      .intercept({ path: '/' })
      .reply(() => {
        attempts += 1;
        return { statusCode: statuses.shift() ?? 500, data: 'said' };
      })
      .times(2);
    const asked = undici.request('https://api.example.com/', { dispatcher: mock.compose(retry(waits100Ms)) });
    await vi.advanceTimersByTimeAsync(99);
    expect(attempts).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(attempts).toBe(2);
    const { statusCode, body } = await asked;
    expect(vi.getTimerCount()).toBe(0);
    expect([statusCode, await body.text()]).toEqual([200, 'said']);
  });
});

test('a deadline comes after exactly its time, where the clock is fake, too', async () => {
  useFakeTimers();
  const mock = new undici.MockAgent();
  mock.disableNetConnect();
  mock.get('https://api.example.com').intercept({ path: '/' }).reply(200).delay(60_000);
  const dispatcher = mock.compose(retry({ deadlineMs: 1_000 }));
  const failed = vi.fn();
  const asked = undici.request('https://api.example.com/', { dispatcher }).catch(failed);
  await vi.advanceTimersByTimeAsync(999);
  expect(failed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await asked;
  expect(failed).toHaveBeenCalledWith(expect.objectContaining({ name: 'DeadlineError' }));
});
