import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type SharedSleep, sharing } from '../../src/drivers/node.js';
import { sleep } from '../../src/kernel/sleep.js';
import { monotonicNow, stalledSince } from '../../src/kernel/stalls.js';
import type { Cancel, SleepOptions } from '../../src/kernel/timers.js';
import { turnNow } from '../../src/kernel/turn.js';
import { passing, standStill, timersSet, untilIn } from '../real-timers.js';

const ended: string[] = [];
const awake: SleepOptions = { judges: 'awake' };

function shared(...given: Parameters<SharedSleep>): Cancel {
  return (sharing(sleep) ?? sleep)(...given);
}

function started(name: string, ms: number, options: SleepOptions = awake): Cancel {
  return shared(ms, () => ended.push(name), options);
}

afterEach(() => {
  ended.length = 0;
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('in their first moments, time limits', () => {
  test('share a timer, whatever their lengths and whether they are cancelled', async () => {
    const timers = timersSet();
    const all = Array.from({ length: 1_000 }, (_, index) => started(`${index}`, 8_000 + index));
    await nextTurn();
    for (const cancel of all) cancel();
    const after = started('after the others', 8_000);
    await nextTurn();
    expect(timers).toHaveLength(1);
    after();
  });

  test('cost no timer and no look at the clock if they are cancelled in the turn in which they were set', async () => {
    const timers = timersSet();
    const { performance } = globalThis;
    let looks = 0;
    vi.stubGlobal('performance', {
      now: () => {
        looks += 1;
        return performance.now();
      },
    });
    const cancels = ['a', 'b', 'c'].map((name) => started(name, 8_000));
    // The turn goes on for as long as promises set something off.
    for (let hops = 0; hops < 50; hops += 1) await undefined;
    for (const cancel of cancels) cancel();
    await nextTurn();
    expect(timers).toHaveLength(0);
    expect(looks).toBe(0);
  });

  test('tell the session at the end of the turn from when its deadline counts', async () => {
    const began: number[] = [];
    const session = { hasBegun: false, begin: (now: number) => began.push(now) };
    const cancel = shared(8_000, () => undefined, awake, session);
    shared(8_000, () => undefined, awake, session)();
    expect(began).toEqual([]);
    const from = performance.now();
    await nextTurn();
    expect(began).toHaveLength(1);
    expect(began[0]).toBeGreaterThanOrEqual(from);
    cancel();
  });

  test('do not wait for the end of the turn for a deadline that counts already', async () => {
    const session = { hasBegun: true, begin: () => undefined };
    let stalledMs = 0;
    const ends = (ms = 0): void => {
      stalledMs = ms;
      ended.push('deadline');
    };
    shared(400, ends, { judges: 'elapsed' }, session);
    standStill(400);
    await nextTurn();
    const later = started('later', 300);
    expect(await untilIn(ended, 1)).toEqual(['deadline']);
    expect(stalledMs).toBeGreaterThan(200);
    later();
  });

  test('end although a test has replaced what tells of the end of a turn', async () => {
    vi.stubGlobal('process', { ...process, nextTick: () => undefined });
    started('one', 60);
    await nextTurn();
    vi.unstubAllGlobals();
    expect(await untilIn(ended, 1)).toEqual(['one']);
  });

  test.each([
    ['nothing', undefined],
    [
      'only what throws',
      () => {
        throw new Error('not here');
      },
    ],
    ['only that of a test', Object.assign(() => undefined, { clock: {} })],
  ])('end where a platform has %s to tell of the end of a turn', async (_, nextTick) => {
    vi.resetModules();
    vi.stubGlobal('process', { env: process.env, nextTick });
    const there = await import('../../src/drivers/node.js');
    const { sleep: itsSleep } = await import('../../src/kernel/sleep.js');
    there.sharing(itsSleep)?.(60, () => ended.push('one'), awake);
    await nextTurn();
    vi.unstubAllGlobals();
    expect(await untilIn(ended, 1)).toEqual(['one']);
  });

  test('end although a stub that calls nothing was there from the first one on, and so do those after it', async () => {
    vi.resetModules();
    vi.stubGlobal('process', { env: process.env, nextTick: () => undefined });
    const there = await import('../../src/drivers/node.js');
    const { sleep: itsSleep } = await import('../../src/kernel/sleep.js');
    const start = (name: string): unknown => there.sharing(itsSleep)?.(60, () => ended.push(name), awake);
    start('first');
    await nextTurn();
    vi.unstubAllGlobals();
    expect(await untilIn(ended, 1)).toEqual(['first']);
    start('second');
    expect(await untilIn(ended, 2)).toEqual(['first', 'second']);
  });

  test('give the notes of their turn one time, and those of the next turn another', async () => {
    const before = turnNow(monotonicNow);
    const cancel = started('one', 8_000);
    standStill(5);
    const first = turnNow(monotonicNow);
    expect(first).toBeGreaterThan(before);
    standStill(5);
    for (let hops = 0; hops < 50; hops += 1) await undefined;
    cancel();
    expect(turnNow(monotonicNow)).toBe(first);
    expect(turnNow(() => 7)).toBe(7);
    await nextTurn();
    const second = turnNow(monotonicNow);
    expect(second).toBeGreaterThanOrEqual(first + 5);
    standStill(5);
    expect(turnNow(monotonicNow)).toBeGreaterThan(second);
  });

  test('do not keep the process alive once they are cancelled, and do so if there is another', async () => {
    const timers = timersSet();
    const cancel = started('one', 8_000);
    await nextTurn();
    const [timer] = timers;
    expect(timer?.hasRef()).toBe(true);
    cancel();
    cancel();
    expect(timer?.hasRef()).toBe(false);
    const again = started('one', 8_000);
    await nextTurn();
    expect(timer?.hasRef()).toBe(true);
    expect(timers).toHaveLength(1);
    again();
  });

  test('with unref never keep it alive, but others do', async () => {
    const timers = timersSet();
    const cancel = started('one', 8_000, { judges: 'awake', unref: true });
    await nextTurn();
    const [timer] = timers;
    expect(timer?.hasRef()).toBe(false);
    const other = started('another', 8_000);
    await nextTurn();
    expect(timer?.hasRef()).toBe(true);
    other();
    expect(timer?.hasRef()).toBe(false);
    cancel();
  });

  test('leave no timer where timers are numbers, as in Deno', async () => {
    const timers = timersSet(Number);
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    const cancel = started('one', 8_000);
    await nextTurn();
    cancel();
    expect(timers).toHaveLength(1);
    expect(cleared).toHaveBeenCalledWith(Number(timers[0]));
  });

  test('wait for a shorter one no longer than that lasts', async () => {
    const from = performance.now();
    const long = started('long', 8_000);
    await nextTurn();
    const cancelled = started('cancelled', 100);
    started('short', 80);
    cancelled();
    expect(await untilIn(ended, 1)).toEqual(['short']);
    expect(performance.now() - from).toBeGreaterThanOrEqual(79);
    long();
  });

  test('that are over when they are set tell of no stall', async () => {
    const from = performance.now() - 60_000;
    started('over', -60_000);
    expect(await untilIn(ended, 1)).toEqual(['over']);
    expect(stalledSince(monotonicNow, from)).toBeLessThan(30_000);
  });

  test('use the timers of a test where those are fake, and end those that were set before and after', async () => {
    const before = started('before', 8_000);
    await nextTurn();
    vi.useFakeTimers();
    started('fake', 2_000);
    vi.advanceTimersByTime(1_999);
    expect(ended).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ended).toEqual(['fake']);
    vi.useRealTimers();
    started('after', 60);
    expect(await untilIn(ended, 2)).toEqual(['fake', 'after']);
    before();
  });

  test('end where the fake clock of a test begins anew after they were set', async () => {
    const nap = setTimeout;
    started('before', 600);
    await nextTurn();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    expect(performance.now()).toBeLessThan(1);
    // The shared timer is a real one.
    for (let waited = 0; vi.getTimerCount() === 0 && waited < 500; waited += 1)
      await new Promise((resolve) => nap(resolve, 10));
    await vi.advanceTimersByTimeAsync(600);
    expect(ended).toEqual(['before']);
  });

  test('end where a timer that a test has replaced never fires', async () => {
    vi.stubGlobal('setTimeout', () => ({ ref: () => undefined, unref: () => undefined }));
    const lost = started('lost', 60);
    await nextTurn();
    vi.unstubAllGlobals();
    const next = started('next', 8_000);
    expect(await untilIn(ended, 1)).toEqual(['lost']);
    next();
    lost();
  });
});

describe('after them, time limits', () => {
  test('end in the async context in which they were set', async () => {
    const caller = new AsyncLocalStorage<string>();
    const contexts = new Map<string, string | undefined>();
    for (const name of ['a', 'b', 'c'])
      caller.run(name, () =>
        shared(
          60,
          () => {
            contexts.set(name, caller.getStore());
            ended.push(name);
          },
          awake,
        ),
      );
    await untilIn(ended, 3);
    expect(Object.fromEntries(contexts)).toEqual({ a: 'a', b: 'b', c: 'c' });
  });

  test('are cancelled as before', async () => {
    const timers = timersSet();
    const cancel = started('one', 400);
    await passing(100);
    expect(timers.length).toBeGreaterThan(2);
    cancel();
    await passing(400);
    expect(ended).toEqual([]);
  });

  test('have the time for which the process stood still, and say how long it was', async () => {
    const from = performance.now();
    let stalled = 0;
    const ends = { awake: 0, elapsed: 0 };
    const begin = (judges: 'awake' | 'elapsed'): void => {
      shared(
        600,
        (stalledMs = 0) => {
          ends[judges] = performance.now() - from;
          stalled = Math.max(stalled, stalledMs);
          ended.push(judges);
        },
        { judges },
      );
    };
    begin('awake');
    begin('elapsed');
    await nextTurn();
    standStill(400);
    expect(await untilIn(ended, 2)).toEqual(['elapsed', 'awake']);
    // What has passed until they first look counts as waited for.
    expect(ends.awake).toBeGreaterThanOrEqual(600 + 400 - 600 / 8 - 1);
    expect(stalled).toBeGreaterThanOrEqual(400 - 600 / 8 - 1);
    expect(stalledSince(monotonicNow, from)).toBeGreaterThan(0);
  });

  test('do not blame a stall on what was set within it', async () => {
    const first = started('first', 800);
    await nextTurn();
    standStill(1_000);
    let stalledMs = 0;
    shared(
      60,
      (ms = 0) => {
        stalledMs = ms;
        ended.push('within');
      },
      awake,
    );
    first();
    await untilIn(ended, 1);
    // Of the 1,000, all but the first moments of the other one.
    expect(stalledMs).toBeLessThan(800);
  });
});

test('timers that a caller brings are not shared', () => {
  const own = (): Cancel => () => undefined;
  expect(sharing(own)).toBeUndefined();
});
