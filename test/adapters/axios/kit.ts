/** What the tests of this folder say again and again. What is opened here is closed when the test ends. */

import { Agent } from 'node:http';
import type { AxiosInstance, CreateAxiosDefaults } from 'axios';
import { onTestFinished } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import type { PolicyOptions } from '../../../src/core/options.js';
import { type Lab, type LabOptions, type LabScript, startLab } from '../../faults/lab.js';
import { axios } from './client.js';

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

/** An instance of the CommonJS build, with connections of its own. */
export function openInstance(defaults: CreateAxiosDefaults = {}): AxiosInstance {
  const httpAgent = new Agent({ keepAlive: true });
  onTestFinished(() => httpAgent.destroy());
  return axios.create({ httpAgent, ...defaults });
}

/** The same with retry on it; what may be given is what `attachRetry` takes. */
export function retryingInstance(
  given: Parameters<typeof attachRetry>[1] = soon,
  defaults?: CreateAxiosDefaults,
): AxiosInstance {
  const instance = openInstance(defaults);
  attachRetry(instance, given);
  return instance;
}

export async function settled<T>(
  promise: Promise<T>,
): Promise<{ readonly value?: T; readonly error?: unknown }> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}
