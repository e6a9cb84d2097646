import { AsyncLocalStorage } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { sleep } from '../../src/kernel/sleep.js';
import { setLimit, TimeLimit } from '../../src/kernel/time-limits.js';
import { passing, timersSet, untilIn } from '../real-timers.js';

const ended: string[] = [];

class Named extends TimeLimit {
  readonly name: string;
  readonly lastsMs: number;

  constructor(name: string, lastsMs: number) {
    super();
    this.name = name;
    this.lastsMs = lastsMs;
  }

  over(): void {
    ended.push(this.name);
    if (this.name === 'throws') throw new Error('no');
  }
}

function started(name: string, lastsMs: number, unref = false): Named {
  const limit = new Named(name, lastsMs);
  setLimit(limit, { sleep }, 'awake', unref);
  return limit;
}

afterEach(() => {
  ended.length = 0;
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('time limits', () => {
  test('of one length share a timer', async () => {
    const timers = timersSet();
    const all = Array.from({ length: 1_000 }, (_, index) => started(`${index}`, 5_001));
    await passing(0);
    // One is this test's own.
    expect(timers).toHaveLength(2);
    for (const one of all) one.stop();
  });

  test('that are taken back in the turn in which they were set cost no timer', async () => {
    const timers = timersSet();
    for (let turn = 0; turn < 100; turn += 1) started('no', 5_002).stop();
    await Promise.resolve();
    expect(timers).toEqual([]);
  });

  test('do not keep the process alive once they are taken back, and do so if they are set again', async () => {
    const timers = timersSet();
    const limit = started('one', 5_003);
    await Promise.resolve();
    const [timer] = timers;
    expect(timer?.hasRef()).toBe(true);
    limit.stop();
    await Promise.resolve();
    expect(timer?.hasRef()).toBe(false);
    setLimit(limit, { sleep }, 'awake', false);
    await Promise.resolve();
    expect(timer?.hasRef()).toBe(true);
    expect(timers).toHaveLength(1);
    limit.stop();
  });

  test('with unref never do', async () => {
    const timers = timersSet();
    const limit = started('one', 5_004, true);
    await Promise.resolve();
    expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
    limit.stop();
  });

  test('of one length end in their order, and not once they are taken back', async () => {
    started('of another length', 30);
    started('first', 20);
    started('never', 20).stop();
    started('second', 20);
    const all = await untilIn(ended, 3);
    expect(all.filter((name) => name !== 'of another length')).toEqual(['first', 'second']);
    expect(all).toContain('of another length');
  });

  test('end even if one of them throws', async () => {
    const caught = vi.fn();
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.once('uncaughtException', caught);
    started('throws', 20);
    started('one', 20);
    expect(await untilIn(ended, 2)).toEqual(['throws', 'one']);
    expect(caught).toHaveBeenCalledTimes(1);
    for (const listener of listeners) process.on('uncaughtException', listener);
  });

  test('may be set again while one ends', async () => {
    const again = new Named('again', 15);
    const first = Object.assign(new Named('first', 15), {
      over: () => {
        ended.push('first');
        setLimit(again, { sleep }, 'awake', false);
      },
    });
    setLimit(first, { sleep }, 'awake', false);
    expect(await untilIn(ended, 2)).toEqual(['first', 'again']);
  });

  test('end where the clock stands still, because it is fake', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(1_000.5);
    started('one', 60);
    expect(await untilIn(ended, 1)).toEqual(['one']);
  });

  test('end after a test has had fake timers, whose timer of that length will never fire', async () => {
    started('before', 60);
    await Promise.resolve();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    // Its timer fires in real time, and the next one would be fake.
    let resolve = (): void => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    setImmediate(async function wait(from = performance.now()) {
      if (performance.now() - from < 100) setImmediate(wait, from);
      else resolve();
    });
    await promise;
    vi.useRealTimers();
    started('after', 60);
    await untilIn(ended, 2);
    expect(ended).toContain('after');
  });

  test('leave no timer where timers are numbers, as in Deno', async () => {
    const timers = timersSet(Number);
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    const limit = started('one', 5_005);
    await Promise.resolve();
    limit.stop();
    await Promise.resolve();
    expect(timers).toHaveLength(1);
    expect(cleared).toHaveBeenCalledWith(Number(timers[0]));
  });

  test('use the timers of a test where those are fake', async () => {
    vi.useFakeTimers();
    started('one', 2_000);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1_999);
    expect(ended).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ended).toEqual(['one']);
    started('two', 2_000).stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('limits hear that the process stood still even if another is set before their timer, which is late', async () => {
  const first = started('first', 1_000);
  // Its timer has looked once whether the process stands still.
  await passing(1_000 / 8 + 25);
  const until = performance.now() + 1_000;
  while (performance.now() < until);
  const second = started('second', 1_000);
  await passing(50);
  expect(ended).toEqual([]);
  first.stop();
  second.stop();
});

test('a shared timer keeps what belongs to a request only until the next one comes after it has fired', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const caller = new AsyncLocalStorage<object>();
  /** In a function of its own: what a test refers to stays alive until it ends. */
  const ask = (): WeakRef<object> => {
    const store = { of: 'the first' };
    const limit = caller.run(store, () => started('first', 2_000));
    setImmediate(() => limit.stop());
    return new WeakRef(store);
  };
  const store = ask();
  const second = started('second', 2_000);
  // It looks eight times whether the process stands still.
  await passing(2_000 / 8 + 20);
  const next = caller.run({ of: 'the next' }, () => started('next', 2_000));
  await passing(5);
  for (let round = 0; round < 20 && store.deref() !== undefined; round += 1) {
    await passing(1);
    collectGarbage();
  }
  expect(store.deref()).toBeUndefined();
  second.stop();
  next.stop();
});
