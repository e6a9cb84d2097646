import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import type * as retrierModule from '../../src/parts/all.js';
import { requestOf } from '../kit.js';

let runtime: typeof retrierModule;
const warned = vi.spyOn(process, 'emitWarning');

beforeEach(async () => {
  // Modules of its own: the warning comes once in a process.
  vi.resetModules();
  runtime = await import('../../src/parts/all.js');
  warned.mockReset().mockReturnValue(undefined);
});

afterEach(() => {
  warned.mockReset();
});

const origin = 'https://api.example';

/** Installs anew, and sends one request to each of these origins. */
function installed(options: PolicyOptions | undefined, ...origins: readonly string[]): void {
  const retrier = runtime.retrierFor(options);
  for (const one of origins) retrier.open(requestOf({ origin: one }));
}

function times(count: number, work: (index: number) => void): void {
  for (let index = 0; index < count; index += 1) work(index);
}

describe('an installation for every request', () => {
  test('400 of them cause one warning, which says what to do', () => {
    times(400, () => installed(undefined, origin));
    expect(warned.mock.calls).toEqual([
      [
        new Error(
          'undaunted: 200 installations in a row sent one request each to https://api.example. Made anew for every request, they share no retry budget: install once, or pass one definePolicy(options)',
        ),
      ],
    ]);
  });

  test('with the same options each time, or with ever new ones', () => {
    const same: PolicyOptions = { maxRetries: 2 };
    times(400, (index) => installed(index % 2 === 0 ? same : { maxRetries: index }, origin));
    expect(warned).toHaveBeenCalledTimes(1);
  });

  test('for several servers in turn', () => {
    times(1_000, (index) => installed(undefined, `https://${index % 3}.example`));
    expect(warned).toHaveBeenCalledTimes(1);
  });

  test('for a scope with a name of its own', () => {
    times(400, (index) => {
      const retrier = runtime.retrierFor({ scope: 'all' });
      retrier.open(requestOf({ origin: `https://${index}.example` }));
    });
    expect(String(warned.mock.lastCall?.[0])).toContain('one request each to all.');
  });

  test('before others send anything: all of them at once', () => {
    const retriers = Array.from({ length: 400 }, () => runtime.retrierFor());
    for (const retrier of retriers) retrier.open(requestOf({ origin }));
    expect(warned).toHaveBeenCalledTimes(1);
  });
});

describe('no warning', () => {
  afterEach(() => {
    expect(warned).not.toHaveBeenCalled();
  });

  test('for 199 clients of one server, as in a large test', () => {
    times(199, () => installed(undefined, origin));
  });

  test('for 400 clients that are kept', () => {
    times(400, () => installed(undefined, origin, origin));
  });

  test('for clients of which one in a hundred is kept', () => {
    times(400, (index) => installed(undefined, ...Array<string>(index % 100 === 0 ? 2 : 1).fill(origin)));
  });

  test('for a client of each server', () => {
    times(400, (index) => installed(undefined, `https://${index}.example`));
    times(2_000, (index) => installed(undefined, `https://${index % 21}.example`));
  });

  test('for clients that send nothing', () => {
    times(400, () => installed(undefined));
  });

  test('for one that is kept beside those of a test', () => {
    const kept = runtime.retrierFor();
    times(150, () => installed(undefined, origin));
    times(1_000, () => kept.open(requestOf({ origin })));
  });

  test('where the policy or the retrier is the same', async () => {
    const { definePolicy } = await import('../../src/parts/all.js');
    const policy = definePolicy();
    const retrier = runtime.createRetrier();
    times(400, () => {
      runtime.retrierFor(policy).open(requestOf({ origin }));
      runtime.retrierFor(retrier).open(requestOf({ origin }));
    });
  });

  test('where nothing could be shared', () => {
    times(400, () => installed({ budget: false }, origin));
  });

  test('for one that has gone through idle times', () => {
    const now = vi.spyOn(performance, 'now');
    times(400, (index) => {
      const retrier = runtime.retrierFor();
      now.mockReturnValue(index * 600_000);
      retrier.open(requestOf({ origin }));
      now.mockReturnValue(index * 600_000 + 300_000);
      // A new scope sweeps: after that, it is not known how often the other one was used.
      retrier.open(requestOf({ origin: 'https://other.example.com' }));
    });
    now.mockRestore();
  });
});

test('a gate or a hold is shared state, too', () => {
  times(200, () => installed({ budget: false, gate: true }, origin));
  expect(warned).toHaveBeenCalledTimes(1);
});
