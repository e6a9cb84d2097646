/** Users' tests with fake timers: the process's timers are replaced, and we get no ports. */

import { afterEach, beforeEach, describe, onTestFinished, vi } from 'vitest';

export const waits100Ms = { schedule: { kind: 'fixed', waitMs: 100 } } as const;

/** Arguments of `vi.useFakeTimers`, and whether `performance.now` is faked, too. */
const kinds: readonly [string, Parameters<typeof vi.useFakeTimers>[0]][] = [
  ['as they come, the clock too', undefined],
  ['all but the clock', { toFake: ['setTimeout', 'clearTimeout'] }],
];

/** Declares the tests once for each kind of fakes. */
export function describeWithFakeTimers(declare: () => void): void {
  describe.each(kinds)('fake timers: %s', (_name, config) => {
    beforeEach(() => {
      vi.useFakeTimers(config);
    });
    afterEach(() => {
      vi.useRealTimers();
    });
    declare();
  });
}

export function useFakeTimers(): void {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
}
