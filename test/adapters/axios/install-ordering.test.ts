/** `transitional.legacyInterceptorReqResOrdering: false`: interceptors run in the order in which they were registered. */

import type { AxiosAdapter, AxiosInstance, InternalAxiosRequestConfig } from 'axios';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { historyOf } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { countOf } from './attachments.js';
import { axios } from './client.js';
import { openInstance } from './kit.js';
import { orderings } from './orderings.js';

type Interceptor = (
  config: InternalAxiosRequestConfig,
) => InternalAxiosRequestConfig | Promise<InternalAxiosRequestConfig>;

const newOrder = orderings[1];

function instanceWith(later: Interceptor): AxiosInstance {
  const instance = openInstance({ transitional: newOrder, adapter: 'fetch' } as object);
  attachRetry(instance, { ...soon, maxRetries: 2 });
  instance.interceptors.request.use(later);
  return instance;
}

function heardWarnings(): unknown[] {
  const heard: unknown[] = [];
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void heard.push(warning));
  onTestFinished(() => emit.mockRestore());
  return heard;
}

/** Interceptors that run after ours. */
const kept: readonly [string, Interceptor][] = [
  ['names an adapter', (config) => Object.assign(config, { adapter: 'http' })],
  ['names several', (config) => Object.assign(config, { adapter: ['xhr', 'http'] })],
  ['names one later', async (config) => Object.assign(config, { adapter: 'http' })],
  ['takes the adapter away', (config) => Object.assign(config, { adapter: undefined })],
  ['copies the configuration', (config) => ({ ...config })],
  ['leaves it alone', (config) => config],
  [
    'wraps the adapter',
    (config) => {
      const inner = config.adapter as AxiosAdapter;
      config.adapter = (given) => inner(given);
      return config;
    },
  ],
];

describe.skipIf(newOrder === undefined)('an interceptor that was registered later and', () => {
  test.each(kept)('%s: requests are retried', async (_what, interceptor) => {
    const warnings = heardWarnings();
    const lab = await openLab(answer(503));
    expect(await countOf(lab, instanceWith(interceptor))).toBe(3);
    expect(warnings).toEqual([]);
  });

  test('names an adapter: that one sends, and the caller sees it in the configuration', async () => {
    const lab = await openLab([answer(503), answer(200), answer(404)]);
    const instance = instanceWith((config) => Object.assign(config, { adapter: 'http' }));
    const response = await instance.put(lab.origin, { a: 1 });
    expect(historyOf(response)).toHaveLength(2);
    const { error } = await settled(instance.get(lab.origin));
    for (const { config } of [response, error as { config: object }]) {
      expect(Object.getOwnPropertyDescriptor(config, 'adapter')).toEqual({
        value: 'http',
        configurable: true,
        enumerable: true,
        writable: true,
      });
    }
    expect(lab.requests[0]?.headers['user-agent']).toMatch(/^axios/);
  });

  test('replaces it by a function, as a cache does: the function answers, and a warning says so once', async () => {
    const warnings = heardWarnings();
    const lab = await openLab(answer(503));
    const instance = instanceWith((config) => Object.assign(config, { adapter: axios.getAdapter('http') }));
    expect(await countOf(lab, instance)).toBe(1);
    expect(await countOf(lab, instance)).toBe(1);
    expect(warnings.map(String)).toEqual([expect.stringContaining('config.adapter')]);
  });
});
