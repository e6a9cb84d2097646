/** The context that all copies of the package in this process share, with a count of how often it is used. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { onTestFinished, vi } from 'vitest';

export interface Uses {
  run: number;
  getStore: number;
}

/** Until the test ends, as in a process in which retries have been suppressed before. */
export function countedContext(): Uses {
  const uses: Uses = { run: 0, getStore: 0 };
  const storage = new AsyncLocalStorage<unknown>();
  vi.stubGlobal(Symbol.for('undaunted.suppression'), {
    run<T>(store: unknown, work: () => T): T {
      uses.run += 1;
      return storage.run(store, work);
    },
    getStore(): unknown {
      uses.getStore += 1;
      return storage.getStore();
    },
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return uses;
}
