import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Alarm, Alarms, type JustSent, sentInTurn } from '../../src/kernel/alarms.js';
import { realPorts } from '../../src/kernel/ports.js';
import { monotonicNow } from '../../src/kernel/stalls.js';
import { setLimit, TimeLimit } from '../../src/kernel/time-limits.js';
import { HandTime } from '../adapters/hand-time.js';
import { passing, standStill, untilIn } from '../real-timers.js';
import { unhandled } from '../unhandled.js';

class Ringing implements Alarm {
  dueAt: number | undefined = undefined;
  earlier: Alarm | undefined = undefined;
  later: Alarm | undefined = undefined;
  readonly rang: number[] = [];
  readonly #time: HandTime;

  constructor(time: HandTime) {
    this.#time = time;
  }

  ring(): void {
    this.rang.push(this.#time.now);
  }
}

function stage(): { time: HandTime; alarms: Alarms; alarm: () => Ringing } {
  const time = new HandTime();
  return { time, alarms: new Alarms(time.ports), alarm: () => new Ringing(time) };
}

/** Fires the timers that are due, in order. */
async function goTo(time: HandTime, moment: number): Promise<void> {
  for (;;) {
    const next = Math.min(...time.pendingAt);
    if (next > moment) break;
    await time.fireAt(next);
  }
  time.now = moment;
}

describe('alarms', () => {
  test('ring at their times, for one timer', async () => {
    const { time, alarms, alarm } = stage();
    const all = [10, 20, 20, 30].map((dueAt) => {
      const one = alarm();
      alarms.set(one, dueAt, 0);
      return one;
    });
    expect(time.timers).toHaveLength(1);
    await goTo(time, 100);
    expect(all.map(({ rang }) => rang)).toEqual([[10], [20], [20], [30]]);
    expect(time.pending).toEqual([]);
  });

  test('of requests one after the other share one timer, too', async () => {
    const alarms = new Alarms(realPorts);
    let timers = 0;
    const watch = createHook({
      init(_id, type) {
        if (type === 'Timeout') timers += 1;
      },
    }).enable();
    for (let turn = 0; turn < 100; turn += 1) {
      const one = stage().alarm();
      const now = monotonicNow();
      alarms.set(one, now + 10_000, now);
      await nextTurn();
      alarms.clear(one);
      await nextTurn();
    }
    watch.disable();
    expect(timers).toBeLessThan(10);
  });

  test('that use the timer of an earlier one are not later for a stall before them', async () => {
    const alarms = new Alarms(realPorts);
    const rang: string[] = [];
    const alarmOf = (name: string): Alarm => ({
      dueAt: undefined,
      earlier: undefined,
      later: undefined,
      ring: () => void rang.push(name),
    });
    const [first, second] = [alarmOf('first'), alarmOf('second')];
    const begun = monotonicNow();
    alarms.set(first, begun + 60, begun);
    alarms.clear(first);
    await nextTurn();
    standStill(1_000);
    const now = monotonicNow();
    alarms.set(second, now + 1, now);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(rang).toEqual(['second']);
  });

  describe('do not keep the async context of the first request', () => {
    const caller = new AsyncLocalStorage<string>();
    const rang: (string | undefined)[] = [];
    const alarmIn = (alarms: Alarms, ms: number): Alarm => {
      const alarm: Alarm = {
        dueAt: undefined,
        earlier: undefined,
        later: undefined,
        ring: () => void rang.push(caller.getStore()),
      };
      const now = monotonicNow();
      alarms.set(alarm, now + ms, now);
      return alarm;
    };

    beforeEach(() => {
      rang.length = 0;
    });

    test('if another follows', async () => {
      const alarms = new Alarms(realPorts);
      alarms.clear(caller.run('first', () => alarmIn(alarms, 50)));
      const second = alarmIn(alarms, 300);
      // The timer of the first fires, and another one is set for the second.
      await passing(120);
      alarms.clear(second);
      alarmIn(alarms, 350);
      expect(await untilIn(rang, 1)).toEqual([undefined]);
    });

    test('for as long as requests overlap', async () => {
      const alarms = new Alarms(realPorts);
      alarms.clear(caller.run('first', () => alarmIn(alarms, 50)));
      alarmIn(alarms, 300);
      await passing(120);
      const last = caller.run('last', () => alarmIn(alarms, 5_000));
      expect(await untilIn(rang, 1)).toEqual(['last']);
      alarms.clear(last);
    });
  });

  test('that are taken back never ring, and cost no timer of their own while there are others', async () => {
    const { time, alarms, alarm } = stage();
    const other = alarm();
    alarms.set(other, 80, 0);
    for (let turn = 0; turn < 1_000; turn += 1) {
      const one = alarm();
      alarms.set(one, time.now + 80, time.now);
      time.now += 0.01;
      alarms.clear(one);
    }
    expect(time.timers).toHaveLength(1);
    await goTo(time, 1_000);
    expect(other.rang).toEqual([80]);
    expect(time.timers).toHaveLength(1);
  });

  test('leave no timer behind', async () => {
    const { time, alarms, alarm } = stage();
    const [one, other] = [alarm(), alarm()];
    alarms.set(one, 10, 0);
    alarms.set(other, 20, 0);
    alarms.clear(one);
    expect(time.pending).toEqual([10]);
    alarms.clear(other);
    await Promise.resolve();
    expect(time.pending).toEqual([]);
  });

  test('of requests that follow one another at once cost one timer', async () => {
    const { time, alarms, alarm } = stage();
    for (let turn = 0; turn < 1_000; turn += 1) {
      const one = alarm();
      alarms.set(one, time.now + 80, time.now);
      time.now += 0.0625;
      alarms.clear(one);
    }
    expect(time.timers).toHaveLength(1);
    await Promise.resolve();
    expect(time.pending).toEqual([]);
    const last = alarm();
    alarms.set(last, time.now + 80, time.now);
    await goTo(time, 1_000);
    expect(last.rang).toEqual([142.5]);
  });

  test('may be set and taken back while one rings', async () => {
    const { time, alarms, alarm } = stage();
    const [taken, set] = [alarm(), alarm()];
    const ringing = Object.assign(alarm(), {
      ring: () => {
        alarms.clear(taken);
        alarms.set(set, 15, 10);
      },
    });
    alarms.set(ringing, 10, 0);
    alarms.set(taken, 10, 0);
    await goTo(time, 100);
    expect([taken.rang, set.rang]).toEqual([[], [15]]);
  });

  test('ring even if one before them throws', async () => {
    const { time, alarms, alarm } = stage();
    const one = alarm();
    const throwing = Object.assign(alarm(), {
      ring: () => {
        throw new Error('no');
      },
    });
    alarms.set(throwing, 10, 0);
    alarms.set(one, 12, 0);
    await expect(goTo(time, 10)).rejects.toThrow('no');
    await goTo(time, 20);
    expect(one.rang).toEqual([12]);
  });

  test('do not keep the process alive', () => {
    const { time, alarms, alarm } = stage();
    alarms.set(alarm(), 10, 0);
    expect(time.timers.map(({ unref }) => unref)).toEqual([true]);
  });

  test('ring in order of time, whatever is set and taken back in any order', async () => {
    const step = fc.record({
      set: fc.nat(50),
      clear: fc.option(fc.nat(20), { nil: undefined }),
      pass: fc.nat(10),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { time, alarms, alarm } = stage();
        const all: { one: Ringing; dueAt: number; clearedAt?: number }[] = [];
        for (const { set, clear, pass } of steps) {
          const one = alarm();
          const dueAt = time.now + 1 + set;
          alarms.set(one, dueAt, time.now);
          all.push({ one, dueAt });
          const taken = clear === undefined ? undefined : all[clear];
          if (taken !== undefined && taken.clearedAt === undefined) {
            alarms.clear(taken.one);
            taken.clearedAt = time.now;
          }
          await goTo(time, time.now + pass);
        }
        await goTo(time, 10_000);
        for (const { one, dueAt, clearedAt = Infinity } of all) {
          expect(one.rang).toEqual(clearedAt < dueAt ? [] : [dueAt]);
        }
      }),
    );
  });
});

describe('what is sent in a turn', () => {
  class Sent implements JustSent {
    isJustSent = false;
    readonly began: number[][] = [];

    begins(...times: number[]): void {
      this.began.push(times);
    }
  }

  function sent(): Sent {
    const one = new Sent();
    sentInTurn.add(one);
    return one;
  }

  test('begins at its end, and is timed from when the first of it was sent', async () => {
    const before = monotonicNow();
    const first = sent();
    const all = [first, sent()];
    const between = monotonicNow();
    all.push(sent());
    expect(all.map(({ began }) => began)).toEqual([[], [], []]);
    await undefined;
    const [[sentAt = 0, now = 0] = []] = first.began;
    expect(all.map(({ began }) => began)).toEqual([[[sentAt, now]], [[sentAt, now]], [[sentAt, now]]]);
    expect([before <= sentAt, sentAt <= between, between <= now, now <= monotonicNow()]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(all.map(({ isJustSent }) => isJustSent)).toEqual([false, false, false]);
  });

  test('alone, begins when it was sent', async () => {
    const one = sent();
    const later = monotonicNow();
    await undefined;
    const [[sentAt = 0, now] = []] = one.began;
    expect([now, sentAt <= later]).toEqual([sentAt, true]);
  });

  test('and is answered in it, never begins', async () => {
    const answered = [sent(), sent()];
    const out = sent();
    for (const one of answered) sentInTurn.remove(one);
    const alone = sent();
    await undefined;
    expect([...answered, out, alone].map(({ began }) => began.length)).toEqual([0, 0, 1, 1]);
    sentInTurn.remove(sent());
    const next = sent();
    await undefined;
    expect(next.began).toHaveLength(1);
  });

  test('begins even if another one throws at its end, as do the time limits', async () => {
    class Limit extends TimeLimit {
      readonly lastsMs = 1;
      readonly ended: Promise<void>;
      over: () => void = () => undefined;

      constructor() {
        super();
        this.ended = new Promise((resolve) => {
          this.over = resolve;
        });
      }
    }
    const errors = unhandled();
    const strange = sent();
    strange.begins = () => {
      throw new Error('mine');
    };
    const other = sent();
    const limits = [new Limit(), new Limit()] as const;
    setLimit(limits[0], realPorts, 'awake', false);
    await limits[0].ended;
    expect(other.began).toHaveLength(1);
    const next = sent();
    setLimit(limits[1], realPorts, 'awake', false);
    await limits[1].ended;
    expect(next.began).toHaveLength(1);
    expect(errors).toEqual([new Error('mine')]);
  });
});
