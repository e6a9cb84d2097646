import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pause, sleep } from '../../src/kernel/sleep.js';
import { type Judges, judging } from '../../src/kernel/timers.js';
import { settle, VirtualTime } from '../kit.js';
import { standStill } from '../real-timers.js';

describe('sleep', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    [99.2, 100],
    [100, 100],
    [0.1, 1],
  ])('a wait of %d ms wakes once, after %d ms by the timers', (delayMs, afterMs) => {
    const wake = vi.fn();
    sleep(delayMs, wake);
    vi.advanceTimersByTime(afterMs - 1);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(10_000);
    expect(wake).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a timer that is a fraction of a millisecond early waits for the rest, and can still be cancelled', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000.7);
    const wake = vi.fn();
    const cancelled = vi.fn();
    sleep(100, wake);
    const cancel = sleep(100, cancelled);
    clock.mockReturnValue(1_100.2);
    vi.advanceTimersByTime(100);
    expect(wake).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(2);
    cancel();
    clock.mockReturnValue(1_101.2);
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledTimes(1);
    expect(cancelled).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
    clock.mockRestore();
  });

  test('a clock that does not move with the timers is ignored: one of them is fake, or the clock is coarse', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000.7);
    const wake = vi.fn();
    sleep(100, wake);
    vi.advanceTimersByTime(100);
    expect(wake).toHaveBeenCalledTimes(1);
    clock.mockRestore();
  });

  test.each([0, -5, Number.NaN])('%d wakes at the next turn', (delayMs) => {
    const wake = vi.fn();
    sleep(delayMs, wake);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(0);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  test('a cancelled sleep leaves no timer and never wakes', () => {
    const wake = vi.fn();
    const cancel = sleep(100, wake);
    cancel();
    cancel();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(wake).not.toHaveBeenCalled();
  });

  test('waits beyond 2^31-1 ms are chained, and each link can be cancelled', () => {
    const longest = 2 ** 31 - 1;
    const timeouts = vi.spyOn(globalThis, 'setTimeout');
    const wake = vi.fn();
    const cancelled = vi.fn();
    sleep(longest + 4, wake);
    const cancel = sleep(3 * longest, cancelled);
    vi.advanceTimersByTime(longest);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(3);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledTimes(1);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
    for (const [, delay] of timeouts.mock.calls) expect(delay).toBeLessThanOrEqual(longest);
    expect(timeouts.mock.calls.map(([, delay]) => delay)).toEqual([longest, longest, 4, longest]);
  });

  test('a wait of exactly the longest timer is one timer', () => {
    const timeouts = vi.spyOn(globalThis, 'setTimeout');
    timeouts.mockClear();
    const wake = vi.fn();
    sleep(2 ** 31 - 1, wake);
    vi.advanceTimersByTime(2 ** 31 - 1);
    expect(wake).toHaveBeenCalledTimes(1);
    expect(timeouts).toHaveBeenCalledTimes(1);
  });
});

describe('a timer that judges', () => {
  function woken(delayMs: number, judges: Judges): Promise<{ afterMs: number; stalledMs: number }> {
    const began = performance.now();
    return new Promise((resolve) => {
      const wake = (stalledMs = 0): void => resolve({ afterMs: performance.now() - began, stalledMs });
      sleep(delayMs, wake, judging(judges, false));
    });
  }

  test('does not count the time for which this process stands still', async () => {
    const one = woken(100, 'awake');
    standStill(200);
    const { afterMs, stalledMs } = await one;
    // It cannot be told from the first link, of 50 ms.
    expect(stalledMs).toBeGreaterThanOrEqual(150);
    expect(afterMs).toBeGreaterThanOrEqual(250);
  });

  test('notices it in the middle of its time, too', async () => {
    const one = woken(200, 'awake');
    setTimeout(standStill, 75, 200);
    const { afterMs, stalledMs } = await one;
    expect(stalledMs).toBeGreaterThanOrEqual(150);
    expect(afterMs).toBeGreaterThanOrEqual(200 + stalledMs - 1);
  });

  test('has what was left of its time, and no more, once the process goes on', async () => {
    const one = woken(100, 'awake');
    standStill(1_000);
    // 50 ms are left.
    const later = new Promise((resolve) => setTimeout(resolve, 500, 'later'));
    expect(await Promise.race([one, later])).not.toBe('later');
  });

  test('counts all of it after a few times, as in a hidden page, where each timer is late', async () => {
    const one = woken(400, 'awake');
    let stalls = 0;
    const stalling = setInterval(() => {
      stalls += 1;
      standStill(200);
    }, 1);
    await one;
    clearInterval(stalling);
    // Of eight parts, three take as long as they last; each of the others uses up four. After that, what has arrived is read.
    expect(stalls).toBeLessThan(14);
  });

  test('wakes at its time nevertheless if that counts, and says so', async () => {
    const one = woken(300, 'elapsed');
    standStill(400);
    // If that did not count, 250 ms would be left.
    const later = new Promise((resolve) => setTimeout(resolve, 150, 'later'));
    const { afterMs, stalledMs } = (await Promise.race([one, later])) as Awaited<typeof one>;
    expect(stalledMs).toBeGreaterThanOrEqual(350);
    expect(afterMs).toBeGreaterThanOrEqual(400);
  });

  test.each(['awake', 'elapsed'] as const)('ends after several stalls: %s', async (judges) => {
    const one = woken(100, judges);
    const stalling = setInterval(standStill, 5, 120);
    const { stalledMs } = await one;
    clearInterval(stalling);
    expect(stalledMs).toBeGreaterThan(0);
  });

  test.each([0, -1, Number.NaN])('of a time that is over wakes at once: %d', async (delayMs) => {
    const one = woken(delayMs, 'awake');
    const later = new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await Promise.race([one, later])).toMatchObject({ stalledMs: 0 });
  });

  test('wakes after what has arrived was read', async () => {
    const { port1, port2 } = new MessageChannel();
    const order: string[] = [];
    const read = new Promise<void>((resolve) => {
      port2.on('message', () => {
        order.push('read');
        resolve();
      });
    });
    const over = new Promise<void>((resolve) => {
      sleep(
        100,
        () => {
          order.push('over');
          resolve();
        },
        judging('elapsed', false),
      );
    });
    port1.postMessage('the answer');
    standStill(200);
    await Promise.all([read, over]);
    port1.close();
    expect(order).toEqual(['read', 'over']);
  });

  test('can be cancelled while that is read', async () => {
    const wake = vi.fn();
    const cancel = sleep(20, wake, judging('elapsed', true));
    standStill(100);
    // After its timer, and before the turn in which it would wake.
    setTimeout(() => setImmediate(cancel));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(wake).not.toHaveBeenCalled();
  });

  test('is a single timer where timers are fake', () => {
    vi.useFakeTimers();
    const wake = vi.fn();
    sleep(2_000, wake, judging('awake', false));
    expect(vi.getTimerCount()).toBe(1);
    vi.runOnlyPendingTimers();
    expect(wake).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
  });

  const refuses = (): never => {
    throw new Error('A Node.js API is used (setImmediate) which is not supported in the Edge Runtime.');
  };
  describe.each([
    ['without setImmediate, as in browsers', undefined],
    ['with a setImmediate that throws, as in an edge runtime', refuses],
  ])('%s', (_name, setImmediate) => {
    beforeEach(() => {
      vi.stubGlobal('setImmediate', setImmediate);
    });
    afterEach(() => {
      vi.unstubAllGlobals();
    });

    test('it wakes as well', async () => {
      const one = woken(60, 'awake');
      standStill(150);
      expect((await one).stalledMs).toBeGreaterThanOrEqual(90);
    });

    test('a wait of nothing ends', async () => {
      await pause(sleep, 0);
      await pause(sleep, 0);
    });
  });
});

describe('sleep and the process', () => {
  test('keeps the process alive, unless unref is set', () => {
    const timeouts = vi.spyOn(globalThis, 'setTimeout');
    sleep(10_000, () => {})();
    const cancelRefd = sleep(10_000, () => {});
    const cancelUnrefd = sleep(10_000, () => {}, { unref: true });
    const [, refd, unrefd] = timeouts.mock.results.map(({ value }) => value as NodeJS.Timeout);
    expect(refd?.hasRef()).toBe(true);
    expect(unrefd?.hasRef()).toBe(false);
    cancelRefd();
    cancelUnrefd();
    timeouts.mockRestore();
  });

  test('works with timers that are numbers, as in browsers', () => {
    const timeouts = vi.spyOn(globalThis, 'setTimeout').mockReturnValue(7 as never);
    expect(() => sleep(1, () => {}, { unref: true })).not.toThrow();
    timeouts.mockRestore();
  });
});

describe('pause', () => {
  test('resolves at its time and leaves no listener', async () => {
    const time = new VirtualTime();
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    const done = vi.fn();
    pause(time.ports().sleep, 50, signal).then(done);
    await time.advance(49);
    expect(done).not.toHaveBeenCalled();
    await time.advance(1);
    expect(done).toHaveBeenCalledTimes(1);
    expect(removed).toHaveBeenCalledTimes(1);
  });

  test('an abort ends it at once, with the reason, and clears the timer', async () => {
    const time = new VirtualTime();
    const controller = new AbortController();
    const failed = vi.fn();
    pause(time.ports().sleep, 50, controller.signal).catch(failed);
    const reason = new Error('enough');
    controller.abort(reason);
    await settle();
    expect(failed).toHaveBeenCalledWith(reason);
    expect(time.waiting).toEqual([]);
  });

  test('an aborted signal starts no timer', async () => {
    const time = new VirtualTime();
    await expect(pause(time.ports().sleep, 50, AbortSignal.abort(new Error('before')))).rejects.toThrow(
      'before',
    );
    expect(time.waiting).toEqual([]);
  });

  test('works without a signal, and hands options on', async () => {
    const asked = vi.fn((_ms: number, wake: () => void) => {
      queueMicrotask(wake);
      return () => {};
    });
    await pause(asked, 5, undefined, { unref: true });
    expect(asked).toHaveBeenCalledWith(5, expect.any(Function), { unref: true });
  });
});
