/** axios's own adapters, by name, by list, and by default. */

import { Agent } from 'node:http';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { axios } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

type Adapter = AxiosRequestConfig['adapter'];

describe('built in:', () => {
  test.each<[string, Adapter | null]>([
    ["'http'", 'http'],
    ["'fetch'", 'fetch'],
    ["['xhr', 'http', 'fetch']", ['xhr', 'http', 'fetch']],
    ["['fetch', 'http']", ['fetch', 'http']],
    ['undefined', undefined],
    ["axios.getAdapter('http')", axios.getAdapter('http')],
  ])('%s, by default and for one request', async (_name, adapter) => {
    const lab = await openLab(({ number }) => answer(number % 3 === 0 ? 200 : 503, '{"a":1}'));
    const byDefault = retryingInstance(soon, { adapter } as object);
    const forOne = retryingInstance();
    const responses = [await byDefault.get(lab.origin), await forOne.get(lab.origin, { adapter } as object)];
    expect(responses.map(({ data }) => data)).toEqual([{ a: 1 }, { a: 1 }]);
    expect(lab.requests).toHaveLength(6);
    const expected = adapter ?? axios.defaults.adapter;
    expect(responses.map(({ config }) => config.adapter)).toEqual([expected, expected]);
  });

  test('none in the defaults: that of axios', async () => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const instance = openInstance();
    delete instance.defaults.adapter;
    attachRetry(instance, soon);
    const response = await instance.get(lab.origin);
    expect(response.data).toBe('ok');
    expect('adapter' in response.config).toBe(false);
  });

  test.each<[string, Adapter]>([
    ['an unknown name', 'telepathy' as Adapter],
    ['one that this place has not', 'xhr'],
    ['an empty list', []],
  ])('%s fails as without retries, once', async (_what, adapter) => {
    const waits = new Waits();
    const retrying = retryingInstance(createRetrier({}, { sleep: waits.sleep }));
    const [plain, ours] = await Promise.all(
      [openInstance(), retrying].map(async (instance) => {
        const { error } = await settled(instance.get('http://127.0.0.1:1/', { adapter } as object));
        return error as Error & { code?: string };
      }),
    );
    expect(ours).toBeInstanceOf(axios.AxiosError);
    expect([ours?.message, ours?.code]).toEqual([plain?.message, plain?.code]);
    expect(waits.delays).toEqual([]);
  });

  test('settings of the transport reach each attempt', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const instance = openInstance();
    attachRetry(instance, soon);
    const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => httpAgent.destroy());
    await instance.get(lab.origin, { httpAgent, decompress: false, auth: { username: 'a', password: 'b' } });
    expect(lab.connections).toBe(1);
    expect(lab.requests.map(({ headers }) => headers['authorization'])).toEqual(Array(2).fill('Basic YTpi'));
  });
});
