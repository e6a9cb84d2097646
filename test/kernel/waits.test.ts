import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { realPorts } from '../../src/kernel/ports.js';
import { beginWait, endWait, type Timer, type Waiting } from '../../src/kernel/waits.js';

class Sleeper implements Waiting {
  earlier: Waiting | undefined = undefined;
  later: Waiting | undefined = undefined;
  waitsFor: Timer | undefined = undefined;
  readonly #woken: () => void;

  constructor(woken: () => void = () => undefined) {
    this.#woken = woken;
  }

  wake(): void {
    this.#woken();
  }
}

interface HandTimer {
  readonly at: number;
  readonly fire: () => void;
  isRefed: boolean;
}

/** Timers, turns and a clock that go on by hand. They look like those of the platform, not like those of a test. */
class HandPlatform {
  now = 1_000.25;
  timers: HandTimer[] = [];
  turns: (() => void)[] = [];
  readonly #real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setImmediate: globalThis.setImmediate,
    now: performance.now,
  };

  install(): void {
    const platform = this;
    function setTimeout(call: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): object {
      const timer = {
        at: platform.now + ms,
        fire: () => call(...given),
        isRefed: true,
        unref: () => {
          timer.isRefed = false;
        },
      };
      platform.timers.push(timer);
      return timer;
    }
    function clearTimeout(timer: unknown): void {
      platform.timers = platform.timers.filter((one) => one !== timer);
    }
    function setImmediate(call: () => void): object {
      platform.turns.push(call);
      return call;
    }
    Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate });
    performance.now = function now() {
      return platform.now;
    };
  }

  restore(): void {
    const { now, ...timers } = this.#real;
    Object.assign(globalThis, timers);
    performance.now = now;
  }

  /** The timers that are due, in order, in one turn; `earlyMs` before their time, if they are early. */
  advance(ms: number, earlyMs = 0): void {
    this.now += ms;
    const due = this.timers.filter(({ at }) => at - earlyMs <= this.now).sort((a, b) => a.at - b.at);
    this.timers = this.timers.filter((one) => !due.includes(one));
    for (const { fire } of due) fire();
  }

  /** The next turn. False: there is none. */
  turn(): boolean {
    const { turns } = this;
    this.turns = [];
    for (const call of turns) call();
    return turns.length > 0;
  }
}

describe('waits', () => {
  const order: number[] = [];
  let platform: HandPlatform;

  beforeEach(() => {
    order.length = 0;
    platform = new HandPlatform();
    platform.install();
  });
  afterEach(() => {
    platform.restore();
  });

  /** `takesMs`: what is done when it is woken takes so long. */
  function wait(number: number, ms: number, { takesMs = 0, isUnref = false } = {}): Sleeper {
    const one = new Sleeper(() => {
      order.push(number);
      platform.now += takesMs;
    });
    beginWait(one, realPorts, ms, isUnref);
    return one;
  }

  test('that end within the same millisecond share a timer, and are woken in order', () => {
    wait(1, 100.5);
    platform.now += 30;
    wait(2, 70.5);
    wait(3, 70.2);
    wait(4, 90);
    expect(platform.timers).toHaveLength(2);
    platform.advance(71);
    expect(order).toEqual([1, 2, 3]);
    platform.advance(19);
    expect(order).toEqual([1, 2, 3, 4]);
    expect(platform.timers).toEqual([]);
  });

  test('are never woken early, by however little', () => {
    const early: number[] = [];
    const begin = (ms: number): void => {
      const endsAt = platform.now + ms;
      const one = new Sleeper(() => early.push(Math.max(0, endsAt - platform.now)));
      beginWait(one, realPorts, ms, false);
    };
    begin(50);
    begin(50.4);
    begin(50.7);
    // All timers are early by nearly a millisecond.
    for (let steps = 0; steps < 10 && early.length < 3; steps += 1)
      platform.advance(steps === 0 ? 49.1 : 0.2, 0.95);
    platform.advance(3, 0.95);
    expect(early).toEqual([0, 0, 0]);
    expect(platform.timers).toEqual([]);
  });

  test('a clock that is far behind the timer is not waited for', () => {
    wait(1, 100);
    const [timer] = platform.timers;
    timer?.fire();
    expect(order).toEqual([1]);
  });

  test('that are cancelled never wake, and the last one takes the timer with it', () => {
    const [first, second, third] = [wait(1, 100), wait(2, 100), wait(3, 100)];
    endWait(first);
    endWait(first);
    platform.advance(100);
    expect(order).toEqual([2, 3]);
    endWait(second);
    const [fourth, fifth] = [wait(4, 100), wait(5, 100)];
    endWait(fourth);
    expect(platform.timers).toHaveLength(1);
    endWait(fifth);
    endWait(third);
    expect(platform.timers).toEqual([]);
    // A wait that ends in the same millisecond begins anew.
    wait(6, 100);
    platform.advance(100);
    expect(order).toEqual([2, 3, 6]);
  });

  test('whose timer could not be cleared do not disturb those of the same millisecond', () => {
    const { clearTimeout } = globalThis;
    const first = wait(1, 100);
    // As a test that has replaced the timers meanwhile, which does not know this one.
    Object.assign(globalThis, { clearTimeout: () => undefined });
    endWait(first);
    Object.assign(globalThis, { clearTimeout });
    const second = wait(2, 100);
    platform.timers[0]?.fire();
    expect(order).toEqual([]);
    endWait(second);
    expect(platform.timers).toHaveLength(1);
    platform.advance(100);
    expect(order).toEqual([]);
  });

  test('many that end at once are woken over several turns, in order, and each can still be cancelled', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => wait(index, 100, { takesMs: 0.01 }));
    platform.advance(100);
    const inFirst = order.length;
    expect(inFirst).toBeGreaterThanOrEqual(1);
    expect(inFirst).toBeLessThanOrEqual(20);
    endWait(all[inFirst] as Sleeper);
    endWait(all[999] as Sleeper);
    let turns = 0;
    while (platform.turn()) turns += 1;
    expect(turns).toBeGreaterThanOrEqual(50);
    expect(order).toEqual(all.map((_, index) => index).filter((index) => index !== inFirst && index !== 999));
    expect(platform.timers).toEqual([]);
  });

  test('what rings meanwhile comes after those that have rung, and no timer wakes more in the same turn', () => {
    for (const [number, ms] of [
      [1, 100],
      [2, 100],
      [3, 101],
      [4, 102],
    ] as const)
      wait(number, ms, { takesMs: 0.2 });
    platform.advance(102);
    expect(order).toEqual([1]);
    wait(5, 0.5);
    while (platform.turn()) platform.advance(1);
    expect(order).toEqual([1, 2, 3, 4, 5]);
  });

  test('get their share of the time if all else takes long', () => {
    for (let number = 0; number < 100; number += 1) wait(number, 100, { takesMs: 1 });
    platform.advance(100);
    let turns = 0;
    while (order.length < 100) {
      platform.now += 40;
      platform.turn();
      turns += 1;
    }
    expect(turns).toBe(10);
  });

  test('are woken even if one before them throws', () => {
    const woken: number[] = [];
    for (const number of [1, 2, 3]) {
      const one = new Sleeper(() => {
        woken.push(number);
        if (number === 1) throw new Error('1 throws');
      });
      beginWait(one, realPorts, 100, false);
    }
    expect(() => platform.advance(100)).toThrow('1 throws');
    platform.turn();
    expect(woken).toEqual([1, 2, 3]);
  });

  test('keep the process alive, unless they are unrefed', () => {
    wait(1, 100);
    wait(2, 100, { isUnref: true });
    expect(platform.timers.map(({ isRefed }) => isRefed)).toEqual([true, false]);
    platform.advance(100);
    expect(order).toEqual([1, 2]);
  });

  test('of no time wake at the next turn', () => {
    wait(1, 0);
    expect(order).toEqual([]);
    expect(platform.timers).toEqual([]);
    platform.turn();
    expect(order).toEqual([1]);
  });

  test('longer than the longest timer are chained', () => {
    const longest = 2 ** 31 - 1;
    wait(1, longest + 4);
    platform.advance(longest);
    expect(order).toEqual([]);
    platform.advance(4);
    expect(order).toEqual([1]);
  });

  test('without turns to wait for, go on with timers', () => {
    Object.assign(globalThis, { setImmediate: undefined });
    for (const number of [1, 2, 3]) wait(number, 100, { takesMs: 1 });
    platform.advance(100);
    expect(order).toEqual([1]);
    platform.advance(1);
    platform.advance(1);
    expect(order).toEqual([1, 2, 3]);
  });

  test('where a test replaces the timers meanwhile, all that have rung are woken', () => {
    for (const number of [1, 2, 3]) wait(number, 100, { takesMs: 1 });
    vi.spyOn(performance, 'now').mockImplementation(() => platform.now);
    platform.advance(100);
    expect(order).toEqual([1, 2, 3]);
    vi.restoreAllMocks();
  });
});

describe('waits have a timer each', () => {
  const woken = vi.fn();
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    mock.restoreAll();
    woken.mockReset();
  });

  test('where timers are fake', () => {
    vi.useFakeTimers();
    for (const ms of [100, 100, 200]) beginWait(new Sleeper(woken), realPorts, ms, false);
    expect(vi.getTimerCount()).toBe(3);
    vi.advanceTimersByTime(100);
    expect(woken).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(100);
    expect(woken).toHaveBeenCalledTimes(3);
  });

  test.each([
    ['of fake timers', () => vi.useFakeTimers({ toFake: ['performance'] })],
    ['a mock of Vitest', () => vi.spyOn(performance, 'now').mockReturnValue(1_000)],
    ['a mock of Node', () => mock.method(performance, 'now', () => 1_000)],
    [
      'a stub of Sinon',
      () => {
        vi.stubGlobal('performance', { now: Object.assign(() => 1_000, { isSinonProxy: true }) });
      },
    ],
  ])('where only the clock is fake, which stands still: %s', async (_whose, fake) => {
    fake();
    let isOver = false;
    const first = new Promise<void>((resolve) => beginWait(new Sleeper(resolve), realPorts, 40, false));
    await new Promise((resolve) => setTimeout(resolve, 30));
    beginWait(new Sleeper(() => (isOver = true)), realPorts, 40, false);
    await first;
    expect(isOver).toBe(false);
  });

  test('where the timers are given', () => {
    const cancel = vi.fn();
    const sleep = vi.fn((_ms: number, _wake: () => void) => cancel);
    const one = new Sleeper(woken);
    beginWait(one, { sleep }, 5, true);
    expect(sleep).toHaveBeenCalledWith(5, expect.any(Function), { unref: true });
    endWait(one);
    expect(cancel).toHaveBeenCalledTimes(1);
    beginWait(one, { sleep }, 5, false);
    sleep.mock.calls[1]?.[1]();
    expect(woken).toHaveBeenCalledTimes(1);
    endWait(one);
    expect(cancel).toHaveBeenCalledTimes(1);
  });
});
