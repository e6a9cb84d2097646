/** Limits that the requests of a scope share, in cases that only axios has. */

import type { AxiosInstance } from 'axios';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, definePolicy } from '../../../src/index.js';
import { answer, silence } from '../../faults/lab.js';
import { Clock } from '../clock.js';
import { openLab, settled } from '../kit.js';
import { gated, lean } from '../scope-policies.js';
import { retryingInstance } from './kit.js';

test('the budget of one policy is one for axios and undici', async () => {
  const lab = await openLab(answer(503));
  const policy = definePolicy(lean);
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  await settled(retryingInstance(policy).get(lab.origin));
  expect(lab.requests).toHaveLength(4);
  const { body } = await agent
    .compose(retry(policy))
    .request({ origin: lab.origin, path: '/', method: 'GET' });
  await body.dump();
  expect(lab.requests).toHaveLength(5);
});

/** How a request that is a probe may end; the server is healthy afterwards. */
const ends: [string, (instance: AxiosInstance, origin: string) => Promise<unknown>][] = [
  [
    'an abort',
    (instance, origin) => {
      const aborter = new AbortController();
      const adapter = (): never => {
        aborter.abort();
        throw new Error('aborted');
      };
      return instance.get(origin, { signal: aborter.signal, adapter });
    },
  ],
  ["axios's own timeout", (instance, origin) => instance.get(origin, { timeout: 20 })],
  [
    'an answer without a status',
    (instance, origin) => instance.get(origin, { adapter: async () => ({ data: '' }) as never }),
  ],
  [
    'no answer at all',
    (instance, origin) => instance.get(origin, { adapter: async () => undefined as never }),
  ],
];
test.each(ends)('the gate gets its probe back from a request that ends by %s', async (_how, request) => {
  const lab = await openLab([answer(503), answer(503), silence()]);
  // Some of these requests end by their own limits, in real time.
  const clock = new Clock('when told', 'in time');
  const instance = retryingInstance(createRetrier(gated, clock.ports));
  await settled(instance.get(lab.origin));
  await settled(instance.get(lab.origin));

  clock.now = 5_000;
  await settled(request(instance, lab.origin));
  // Earlier than the time at which a hanging probe would be given up.
  clock.now = 9_000;
  lab.play(answer(200));
  expect((await instance.get(lab.origin)).status).toBe(200);
});
