/** attachRetry() called more than once, or on several instances, never multiplies retries. */

import type { AxiosAdapter, AxiosInstance, InternalAxiosRequestConfig } from 'axios';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { createRetrier, definePolicy } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { countOf } from './attachments.js';
import { axios } from './client.js';
import { openInstance } from './kit.js';
import { orderings } from './orderings.js';

describe('attached twice', () => {
  const twice = { ...soon, maxRetries: 2 };
  const policy = definePolicy(twice);
  const retrier = createRetrier(twice);

  test.each<[string, Parameters<typeof attachRetry>[1], Parameters<typeof attachRetry>[1]]>([
    ['the same policy', policy, policy],
    ['the same retrier', retrier, retrier],
    ['the same options', twice, twice],
    ['the default one below', undefined, twice],
  ])('%s: does not multiply', async (_what, first, second) => {
    const lab = await openLab(answer(503));
    const instance = openInstance();
    attachRetry(instance, first);
    attachRetry(instance, second);
    expect(await countOf(lab, instance)).toBe(3);
  });

  test.each(orderings)('with other policies (%o): the last acts', async (transitional) => {
    const lab = await openLab(answer(503));
    const instance = openInstance({ transitional });
    const detachFirst = attachRetry(instance, { ...soon, maxRetries: 1 });
    const detachSecond = attachRetry(instance, { ...soon, maxRetries: 4 });
    attachRetry(instance, { ...soon, maxRetries: 2 });
    expect(await countOf(lab, instance)).toBe(3);
    detachSecond();
    expect(await countOf(lab, instance)).toBe(3);
    attachRetry(instance, { ...soon, maxRetries: 3 })();
    expect(await countOf(lab, instance)).toBe(3);
    detachFirst();
    expect(await countOf(lab, instance)).toBe(3);
  });

  test('and the last is detached: the one before acts', async () => {
    const lab = await openLab(answer(503));
    const instance = openInstance();
    attachRetry(instance, { ...soon, maxRetries: 1 });
    const detach = attachRetry(instance, { ...soon, maxRetries: 4 });
    expect(await countOf(lab, instance)).toBe(5);
    detach();
    detach();
    expect(await countOf(lab, instance)).toBe(2);
  });

  test('by another copy of this package', async () => {
    vi.resetModules();
    onTestFinished(() => void vi.resetModules());
    const copy = await import('../../../src/adapters/axios/index.js');
    expect(copy.attachRetry).not.toBe(attachRetry);
    const lab = await openLab(answer(503));
    const instance = openInstance();
    attachRetry(instance, { ...soon, maxRetries: 1 });
    copy.attachRetry(instance, twice);
    expect(await countOf(lab, instance)).toBe(3);
  });

  /** What may be registered between the two. */
  const between: [string, (config: InternalAxiosRequestConfig) => InternalAxiosRequestConfig][] = [
    ['an interceptor', (config) => config],
    ['an interceptor with a configuration of its own', (config) => ({ ...config })],
    [
      'an interceptor that wraps the adapter',
      (config) => {
        const inner = config.adapter as AxiosAdapter;
        config.adapter = (given) => inner(given);
        return config;
      },
    ],
    [
      'an interceptor that wraps the adapter, asynchronously, with a configuration of its own',
      (config) => {
        const inner = config.adapter as AxiosAdapter;
        config.adapter = async (given) => inner({ ...given });
        return config;
      },
    ],
  ];
  test.each(between)('with %s between the two: does not multiply', async (_what, interceptor) => {
    const lab = await openLab(answer(503));
    const instance = openInstance();
    attachRetry(instance, twice);
    instance.interceptors.request.use(interceptor);
    attachRetry(instance, twice);
    expect(await countOf(lab, instance)).toBe(3);
  });
});

describe('instances made from an instance', () => {
  test.each<[string, (instance: AxiosInstance) => AxiosInstance]>([
    ['instance.create()', (instance) => instance.create()],
    ['axios.create(instance.defaults)', ({ defaults }) => axios.create(defaults as object)],
  ])('%s: does not retry unless attached itself', async (_what, childOf) => {
    const lab = await openLab(answer(503));
    const instance = openInstance();
    attachRetry(instance, { ...soon, maxRetries: 1 });
    const child = childOf(instance);
    expect(await countOf(lab, child)).toBe(1);
    attachRetry(child, { ...soon, maxRetries: 2 });
    expect([await countOf(lab, child), await countOf(lab, instance)]).toEqual([3, 2]);
  });

  test('its defaults stay as they were', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const instance = openInstance({ headers: { 'x-a': '1' } });
    const before = { ...instance.defaults, headers: structuredClone({ ...instance.defaults.headers }) };
    attachRetry(instance, soon);
    await instance.get(lab.origin);
    const after = { ...instance.defaults, headers: structuredClone({ ...instance.defaults.headers }) };
    expect(after).toEqual(before);
    expect(after.adapter).toBe(before.adapter);
  });

  test('interceptors that a custom `create` adds do not run at each attempt', async () => {
    const lab = await openLab([answer(503), answer(503), answer(200)]);
    let seen = 0;
    const instance = openInstance();
    const { create } = instance;
    instance.create = (config) => {
      const child = create(config);
      child.interceptors.request.use((request) => {
        seen += 1;
        return request;
      });
      child.interceptors.response.use((response) => {
        seen += 1;
        return response.data;
      });
      return child;
    };
    attachRetry(instance, soon);
    const { data } = await instance.get(lab.origin, { transformResponse: () => 'the answer' });
    expect([data, seen]).toEqual(['the answer', 0]);
  });

  test('a custom `create` that attaches retries does not multiply', async () => {
    const lab = await openLab(answer(503));
    const instance = openInstance();
    const { create } = instance;
    instance.create = (config) => {
      const child = create(config);
      attachRetry(child, { ...soon, maxRetries: 2 });
      return child;
    };
    attachRetry(instance, { ...soon, maxRetries: 2 });
    expect(await countOf(lab, instance)).toBe(3);
  });
});
