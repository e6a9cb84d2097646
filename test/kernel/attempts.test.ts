import { describe, expect, test, vi } from 'vitest';
import type { ScheduleOptions } from '../../src/core/policy/options.js';
import { attempts } from '../../src/kernel/attempts.js';
import { VirtualTime } from '../kit.js';

const doubling: ScheduleOptions = {
  kind: 'exponential',
  firstMs: 1_000,
  factor: 2,
  maxMs: 32_000,
  jitter: 'none',
};

/** Runs the loop in virtual time and lists its attempts as `number@time`. */
function run(
  schedule: ScheduleOptions,
  onAttempt: (n: number, at: number) => 'go on' | 'leave' = () => 'go on',
) {
  const time = new VirtualTime();
  const controller = new AbortController();
  const reset = new EventTarget();
  const log: string[] = [];
  const { sleep, random } = time.ports();
  const done = (async () => {
    for await (const n of attempts(schedule, { signal: controller.signal, reset, sleep, random })) {
      log.push(`${n}@${time.now}`);
      if (onAttempt(n, time.now) === 'leave') break;
    }
    log.push('end');
  })();
  return { time, controller, reset: () => reset.dispatchEvent(new Event('reset')), log, done };
}

describe('attempts', () => {
  test('yields the first at once, then one after each wait of the schedule, forever', async () => {
    const { time, log, controller, done } = run(doubling);
    await time.advance(127_000);
    expect(log).toEqual([
      '1@0',
      '2@1000',
      '3@3000',
      '4@7000',
      '5@15000',
      '6@31000',
      '7@63000',
      '8@95000',
      '9@127000',
    ]);
    controller.abort();
    await done;
    expect(log.at(-1)).toBe('end');
  });

  test('an abort ends a wait at once and clears its timer', async () => {
    const { time, log, controller, done } = run(doubling);
    await time.advance(500);
    controller.abort();
    await done;
    expect(log).toEqual(['1@0', 'end']);
    expect(time.waiting).toEqual([]);
  });

  test('an abort during an attempt ends it before the next wait', async () => {
    const { time, log, controller, done } = run(doubling, (n) => {
      if (n === 2) controller.abort();
      return 'go on';
    });
    await time.advance(5_000);
    await done;
    expect(log).toEqual(['1@0', '2@1000', 'end']);
    expect(time.waiting).toEqual([]);
  });

  test('a signal that is already aborted means no attempt at all', async () => {
    const log: number[] = [];
    for await (const n of attempts(doubling, { signal: AbortSignal.abort() })) log.push(n);
    expect(log).toEqual([]);
  });

  test('leaving the loop leaves nothing behind', async () => {
    const { time, log, reset, done } = run(doubling, (n) => (n === 2 ? 'leave' : 'go on'));
    await time.advance(2_000);
    await done;
    reset();
    expect(log).toEqual(['1@0', '2@1000', 'end']);
    expect(time.waiting).toEqual([]);
  });

  test('a reset during an attempt starts again from the first wait', async () => {
    const run2 = run(doubling, (n, at) => {
      if (n === 3 && at === 3_000) run2.reset();
      return 'go on';
    });
    await run2.time.advance(7_000);
    expect(run2.log).toEqual(['1@0', '2@1000', '3@3000', '2@4000', '3@6000']);
  });

  test('a reset during a wait cuts it short and starts with the first wait', async () => {
    const { time, log, reset } = run(doubling);
    await time.advance(8_000);
    expect(log.at(-1)).toBe('4@7000');
    reset();
    await time.advance(1_000);
    expect(log.at(-1)).toBe('2@9000');
    expect(time.waiting).toHaveLength(1);
  });

  test('decorrelated jitter forgets the wait before a reset', async () => {
    const { time, log, reset } = run({
      kind: 'exponential',
      firstMs: 100,
      factor: 2,
      maxMs: 60_000,
      jitter: 'decorrelated',
    });
    // At the middle of [100, 3 x previous): 200, 350, 575.
    await time.advance(1_125);
    expect(log).toEqual(['1@0', '2@200', '3@550', '4@1125']);
    reset();
    await time.advance(200);
    expect(log.at(-1)).toBe('2@1325');
  });

  test('takes a table, whose last wait is repeated, and a function', async () => {
    const table = run({ kind: 'table', waitsMs: [0, 10, 30], jitter: 'none' });
    await table.time.advance(100);
    expect(table.log).toEqual(['1@0', '2@0', '3@10', '4@40', '5@70', '6@100']);
    const own = run((retry) => retry * 10);
    await own.time.advance(60);
    expect(own.log).toEqual(['1@0', '2@10', '3@30', '4@60']);
  });

  test('takes its own dice and timers', async () => {
    vi.useFakeTimers();
    const seen: number[] = [];
    const done = (async () => {
      for await (const n of attempts({ kind: 'fixed', waitMs: 1 })) {
        seen.push(n);
        if (n === 3) break;
      }
    })();
    await vi.advanceTimersByTimeAsync(10);
    await done;
    vi.useRealTimers();
    expect(seen).toEqual([1, 2, 3]);
  });
});

test.each([
  { kind: 'fixed' },
  { kind: 'fixed', waitMs: -1 },
  { kind: 'exponential', firstMs: '1s' },
  { kind: 'table', waitsMs: [Infinity] },
])('an invalid schedule is an error, and not a busy loop: %o', async (schedule) => {
  const seen: number[] = [];
  const loop = async (): Promise<void> => {
    for await (const attempt of attempts(schedule as never)) seen.push(attempt);
  };
  await expect(loop()).rejects.toThrow(/^undaunted: the schedule of attempts\(\) gives a wait of /);
  expect(seen).toEqual([1]);
});
