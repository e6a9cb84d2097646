/** Shared parts of the tests of all adapters. Everything opened here is closed when the test ends. */

import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import { type Lab, type LabOptions, type LabScript, startFullBacklog, startLab } from '../faults/lab.js';

/** Waits of 1 ms, so that no test waits for a schedule. */
export const soon: PolicyOptions = {
  schedule: { kind: 'fixed', waitMs: 1, jitter: 'none' },
  throttledSchedule: { kind: 'fixed', waitMs: 1, jitter: 'none' },
};

export async function openLab(script: LabScript, options?: LabOptions): Promise<Lab> {
  const lab = await startLab(script, options);
  onTestFinished(() => lab.close());
  return lab;
}

/** The origin of a server whose accept queue is full, so that connecting never succeeds. */
export async function openFullBacklog(): Promise<string> {
  const full = await startFullBacklog();
  onTestFinished(() => full.close());
  return full.origin;
}

export async function settled<T>(
  promise: Promise<T>,
): Promise<{ readonly value?: T; readonly error?: unknown }> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/** Resolves with true as soon as the condition holds, or with false after ten seconds. */
export async function comesTrue(condition: () => boolean): Promise<boolean> {
  for (let asked = 0; asked < 2_000 && !condition(); asked += 1) await setTimeout(asked < 20 ? 1 : 5);
  return condition();
}
