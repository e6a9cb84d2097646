/** After detaching, nothing of the installation is left. */

import { describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer, onCue } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { countOf, interceptorsOf } from './attachments.js';
import { axios } from './client.js';
import { openInstance } from './kit.js';

function numbersBeginAgain(): boolean {
  const { request } = axios.create().interceptors;
  const before = request.use((config) => config);
  request.clear();
  return request.use((config) => config) === before;
}

describe('detached', () => {
  test('later requests are not retried, and everything is as before', async () => {
    const lab = await openLab(answer(503));
    const instance = openInstance();
    const detach = attachRetry(instance, { ...soon, maxRetries: 1 });
    expect(await countOf(lab, instance)).toBe(2);
    detach();
    expect(await countOf(lab, instance)).toBe(1);
    expect(interceptorsOf(instance)).toBe(0);
  });

  test('while a request waits: it goes on as it began', async () => {
    const lab = await openLab([answer(503), answer(503), answer(200, 'at last')]);
    const waits = new Waits('when told');
    const instance = openInstance();
    const detach = attachRetry(instance, createRetrier(soon, { sleep: waits.sleep }));
    const pending = instance.get(lab.origin);
    await waits.until(1);
    detach();
    waits.wake();
    await waits.until(2);
    waits.wake();
    expect((await pending).data).toBe('at last');
  });

  test('while the first attempt is out: it goes on as it began', async () => {
    const lab = await openLab([onCue('go', answer(503)), answer(200, 'at last')]);
    const instance = openInstance();
    const detach = attachRetry(instance, soon);
    const pending = instance.get(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    detach();
    lab.cue('go');
    expect((await pending).data).toBe('at last');
  });

  test('twice: does not remove later interceptors', async () => {
    const lab = await openLab(answer(200));
    const instance = openInstance();
    const detach = attachRetry(instance, soon);
    detach();
    let seen = 0;
    instance.interceptors.request.use((config) => {
      seen += 1;
      return config;
    });
    detach();
    await instance.get(lab.origin);
    expect(seen).toBe(1);
  });

  // Older versions of axios reuse the ids of cleared interceptors.
  test.skipIf(numbersBeginAgain())(
    'after all interceptors were cleared: does not remove later interceptors',
    async () => {
      const lab = await openLab(answer(200));
      const instance = openInstance();
      const detach = attachRetry(instance, soon);
      instance.interceptors.request.clear();
      let seen = 0;
      instance.interceptors.request.use((config) => {
        seen += 1;
        return config;
      });
      detach();
      await instance.get(lab.origin);
      expect(seen).toBe(1);
    },
  );

  test('and attached again: retries again', async () => {
    const lab = await openLab(answer(503));
    const instance = openInstance();
    attachRetry(instance, { ...soon, maxRetries: 1 })();
    attachRetry(instance, { ...soon, maxRetries: 2 });
    expect(await countOf(lab, instance)).toBe(3);
  });

  test('many times: no interceptor is left', async () => {
    const lab = await openLab(answer(200));
    const instance = openInstance();
    for (let time = 0; time < 100; time += 1) {
      const detach = attachRetry(instance, soon);
      if (time % 10 === 0) await instance.get(lab.origin);
      detach();
    }
    expect(interceptorsOf(instance)).toBe(0);
  });
});

test('a policy that cannot be used throws at once, and attaches nothing', () => {
  const instance = openInstance();
  expect(() => attachRetry(instance, { maxRetris: 1 } as object)).toThrow('maxRetries');
  expect(interceptorsOf(instance)).toBe(0);
});
