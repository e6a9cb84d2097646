import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Job, JobMessage } from '../../../src/tools/pages/browser/lab/jobs.js';
import { Runner } from '../../../src/tools/pages/browser/lab/runner.js';
import type { RunReport } from '../../../src/tools/pages/report.js';
import { reportOf, smallOutage } from './runs.js';

/** A worker that answers when it is told to. */
class HeldWorker {
  onmessage: ((event: { data: JobMessage }) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;
  readonly asked: Job[] = [];
  isTerminated = false;

  postMessage(job: Job): void {
    this.asked.push(job);
  }

  terminate(): void {
    this.isTerminated = true;
  }

  answer(data: JobMessage): void {
    this.onmessage?.({ data });
  }
}

const run = reportOf(smallOutage, [{ name: 'none' }]).entries[0]?.run as RunReport;
const job = (name: string): Job => ({ scenario: smallOutage, seed: 1, candidate: { name } });

let workers: HeldWorker[];
let runner: Runner;

beforeEach(() => {
  workers = [];
  runner = new Runner(() => {
    const worker = new HeldWorker();
    workers.push(worker);
    return worker as unknown as Worker;
  });
});

/** What comes of a wish: progress, names of the policies that ran, or a failure. */
function ask(...names: readonly string[]): string[] {
  const outcome: string[] = [];
  runner.ask({
    jobs: names.map(job),
    progress: (done, share) => outcome.push(`${done} done, ${share} of the next`),
    fulfil: (entries) => outcome.push(entries.map(({ name }) => name).join(' ')),
    fail: (failure) => outcome.push(`failed: ${failure}`),
  });
  return outcome;
}

function askedOf(worker = workers.at(-1)): string[] {
  return worker?.asked.map(({ candidate }) => candidate.name) ?? [];
}

test('runs one job after the other, and tells when all are done', () => {
  const outcome = ask('a', 'b');
  expect(askedOf()).toEqual(['a']);
  workers[0]?.answer({ run });
  expect(outcome).toEqual([]);
  workers[0]?.answer({ run });
  expect(askedOf()).toEqual(['a', 'b']);
  expect(outcome).toEqual(['a b']);
});

test('tells the progress of the run, and how many are done', () => {
  const outcome = ask('a', 'b');
  workers[0]?.answer({ share: 0.5 });
  workers[0]?.answer({ run });
  workers[0]?.answer({ share: 0.25 });
  expect(outcome).toEqual(['0 done, 0.5 of the next', '1 done, 0.25 of the next']);
});

test('tells no progress of a run that was asked for before', () => {
  const first = ask('a');
  const second = ask('b');
  workers[0]?.answer({ share: 0.5 });
  expect([first, second]).toEqual([[], []]);
});

test('a cancelled run is stopped, says nothing more, and the next wish gets another worker', () => {
  const first = ask('a', 'b');
  runner.cancel();
  expect(workers[0]?.isTerminated).toBe(true);
  const second = ask('a');
  workers[1]?.answer({ run });
  expect([first, second]).toEqual([[], ['a']]);
});

test('cancelling where nothing runs stops nothing', () => {
  ask('a');
  workers[0]?.answer({ run });
  runner.cancel();
  expect(workers[0]?.isTerminated).toBe(false);
});

test('runs nothing whose result is known', () => {
  runner.keep(job('a'), run);
  expect(ask('a')).toEqual(['a']);
  expect(workers).toEqual([]);
});

test('only the newest wish is fulfilled', () => {
  const first = ask('a');
  const second = ask('b');
  const third = ask('c');
  workers[0]?.answer({ run });
  workers[0]?.answer({ run });
  expect([first, second, third]).toEqual([[], [], ['c']]);
  expect(askedOf()).toEqual(['a', 'c']);
});

test('tells of a failure, and goes on afterwards', () => {
  const first = ask('a');
  workers[0]?.answer({ failure: 'no such policy' });
  expect(first).toEqual(['failed: no such policy']);
  const second = ask('b');
  workers[0]?.answer({ run });
  expect(second).toEqual(['b']);
});

test('a failure of a run that was asked for before is not told', () => {
  const first = ask('a');
  const second = ask('b');
  workers[0]?.answer({ failure: 'too late' });
  workers[0]?.answer({ run });
  expect([first, second]).toEqual([[], ['b']]);
});

test('a worker that cannot start is a failure, and the next run gets a new one', () => {
  const outcome = ask('a');
  workers[0]?.onerror?.({ message: '' });
  expect(outcome).toEqual(['failed: This browser does not let a page from a file start a worker.']);
  ask('b');
  expect(workers.length).toBe(2);
});

describe('a run that takes long', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is stopped for a newer one, after a while', () => {
    ask('a');
    const outcome = ask('b');
    expect(workers[0]?.isTerminated).toBe(false);
    vi.advanceTimersByTime(500);
    expect(workers[0]?.isTerminated).toBe(true);
    workers[1]?.answer({ run });
    expect(outcome).toEqual(['b']);
  });

  test('goes on where the newer wish is the same', () => {
    ask('a', 'b');
    const outcome = ask('a');
    vi.advanceTimersByTime(5_000);
    expect(workers[0]?.isTerminated).toBe(false);
    workers[0]?.answer({ run });
    expect(outcome).toEqual(['a']);
  });

  test('goes on as long as it is the newest wish', () => {
    ask('a');
    vi.advanceTimersByTime(60_000);
    expect(workers[0]?.isTerminated).toBe(false);
  });
});
