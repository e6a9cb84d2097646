/** Users' tests with fake timers: the process's timers are replaced, and we get no ports. */

import { expect, onTestFinished, test, vi } from 'vitest';
import { brief, type Event } from '../decisions.js';
import { describeWithFakeTimers, useFakeTimers, waits100Ms } from '../fake-timers.js';
import { theSubject } from './subject.js';

const subject = await theSubject();
const url = 'https://api.example.com/';

describeWithFakeTimers(() => {
  test('a retry comes after exactly the wait', async () => {
    const { send, attempts } = subject.mocked([503, 200], waits100Ms);
    const asked = send(url);
    await vi.advanceTimersByTimeAsync(99);
    expect(attempts()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(attempts()).toBe(2);
    expect(await asked).toMatchObject({ status: 200, text: 'said' });
    // For work that the client itself still has to do.
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('nothing is sent after a deadline', async () => {
    const told: string[] = [];
    const observe = (event: Event): void => void told.push(brief(event));
    const { send } = subject.mocked('silence', { deadlineMs: 1_000, observe });
    const failed = vi.fn();
    const asked = send(url).catch(failed);
    await vi.advanceTimersByTimeAsync(1_000);
    await asked;
    expect(failed).toHaveBeenCalledWith(expect.objectContaining({ name: 'DeadlineError' }));
    expect(told).toEqual(['stop 1: wait-past-deadline', 'settled ERR_UNDAUNTED_DEADLINE after 1']);
  });
});

test('a deadline comes after exactly its time, where the clock is fake, too', async () => {
  useFakeTimers();
  const { send } = subject.mocked('silence', { deadlineMs: 1_000 });
  const failed = vi.fn();
  const asked = send(url).catch(failed);
  await vi.advanceTimersByTimeAsync(999);
  expect(failed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await asked;
  expect(failed).toHaveBeenCalledWith(expect.objectContaining({ name: 'DeadlineError' }));
});

test.each([
  ['stands still', 0],
  ['begins anew', Number.POSITIVE_INFINITY],
])('a deadline ends a request within which the clock %s', async (_how, earlierMs) => {
  const now = performance.now();
  const { send } = subject.mocked('silence', { deadlineMs: 30 });
  const asked = send(url);
  await new Promise(setImmediate);
  vi.spyOn(performance, 'now').mockReturnValue(Math.max(0, now - earlierMs));
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(asked).rejects.toMatchObject({ name: 'DeadlineError' });
});
