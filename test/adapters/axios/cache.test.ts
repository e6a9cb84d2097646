/**
 * A cache in front, which answers through an adapter of its own, so that its hits do not concern us. Tested with a
 * stand-in that works like axios-cache-interceptor, and with that itself if it is installed (`npm run test:matrix`).
 */

import type { AxiosInstance, AxiosResponse } from 'axios';
import { describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { createRetrier, GateShutError } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { setupCache } from './client.js';
import { openInstance } from './kit.js';
import { orderings } from './orderings.js';

/** Keeps successful answers forever. */
function standIn(instance: AxiosInstance): AxiosInstance {
  const held = new Map<string | undefined, AxiosResponse>();
  instance.interceptors.request.use(async (config) => {
    const hit = held.get(config.url);
    if (hit !== undefined) config.adapter = async () => ({ ...hit, config });
    return config;
  });
  instance.interceptors.response.use((response) => {
    held.set(response.config.url, response);
    return response;
  });
  return instance;
}

const caches: [string, (instance: AxiosInstance) => AxiosInstance][] = [['a stand-in', standIn]];
if (setupCache !== undefined) caches.push(['axios-cache-interceptor', setupCache]);

const cached = { 'cache-control': 'max-age=3600' };
const policy = { ...soon, maxRetries: 0, gate: { failures: 1, deadForMs: 0 } } as const;

describe.each(caches)('%s', (_name, setup) => {
  /** In the order that docs/clients.md recommends: the cache runs after us. */
  function instanceOf(transitional: object, given: Parameters<typeof attachRetry>[1]): AxiosInstance {
    const instance = openInstance({ transitional } as object);
    const isNewOrder = Object.values(transitional).includes(false);
    if (isNewOrder) attachRetry(instance, given);
    setup(instance);
    if (!isNewOrder) attachRetry(instance, given);
    return instance;
  }

  test.each(orderings)(
    '(%o) answers although the gate is shut, and is not a sign of life',
    async (transitional) => {
      const lab = await openLab(({ path }) => (path === '/good' ? answer(200, 'good', cached) : answer(503)));
      const retrier = createRetrier(policy, new HandTime().ports);
      const instance = instanceOf(transitional, retrier);
      expect((await instance.get(`${lab.origin}/good`)).data).toBe('good');
      await settled(instance.get(`${lab.origin}/bad`));
      expect((await settled(instance.get(`${lab.origin}/bad`))).error).toBeInstanceOf(GateShutError);

      const before = retrier.snapshot();
      expect((await instance.get(`${lab.origin}/good`)).data).toBe('good');
      expect(retrier.snapshot()).toEqual(before);
      expect((await settled(instance.get(`${lab.origin}/bad`))).error).toBeInstanceOf(GateShutError);
      expect(lab.requests.map(({ path }) => path)).toEqual(['/good', '/bad']);
    },
  );

  test.each(orderings)('(%o) stores an answer that came after a retry', async (transitional) => {
    const lab = await openLab([answer(503), answer(200, 'good', cached), answer(404)]);
    const instance = instanceOf(transitional, soon);
    for (let asked = 0; asked < 3; asked += 1) expect((await instance.get(lab.origin)).data).toBe('good');
    expect(lab.requests).toHaveLength(2);
  });

  test('that runs before us is refused by the gate, as docs/clients.md says', async () => {
    const lab = await openLab(({ path }) =>
      path === '/things/1' ? answer(200, 'good', cached) : answer(503),
    );
    // Both are of one kind: what fails of another kind would not refuse it.
    const instance = openInstance();
    attachRetry(instance, createRetrier(policy, new HandTime().ports));
    setup(instance);
    await instance.get(`${lab.origin}/things/1`);
    await settled(instance.get(`${lab.origin}/things/2`));
    expect((await settled(instance.get(`${lab.origin}/things/1`))).error).toBeInstanceOf(GateShutError);
  });
});
