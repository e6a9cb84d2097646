/** An adapter of the caller's that changes the configuration: each attempt begins with what the caller gave. */

import type { AxiosAdapter } from 'axios';
import { expect, test } from 'vitest';
import { answer } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';

/** Signs the address, and packs the data. */
const signing: AxiosAdapter = (config) => {
  config.url = `${config.url}?signed`;
  config.params = { ...config.params, at: (config.params?.at ?? 0) + 1 };
  config.data = `[${config.data}]`;
  return axios.getAdapter('http', config)(config);
};

test.each([undefined, 65_536])(
  'is asked with the same for each attempt: bufferBodyBytes %s',
  async (bufferBodyBytes) => {
    const lab = await openLab([answer(503), answer(503), answer(200)]);
    const policy = { ...soon, ...(bufferBodyBytes !== undefined && { bufferBodyBytes }) };
    const instance = retryingInstance(policy, { adapter: signing, baseURL: lab.origin });
    await instance.put('/pay', 'money');
    expect(lab.requests.map(({ path, body }) => `${path} ${body}`)).toEqual(
      Array(3).fill('/pay?signed&at=1 [money]'),
    );
  },
);

test('and beforeRetry sees the address that the caller gave', async () => {
  const lab = await openLab([answer(503), answer(200)]);
  const seen: string[] = [];
  const beforeRetry = ({ url }: { url: string }): void => void seen.push(url);
  const instance = retryingInstance({ ...soon, beforeRetry }, { adapter: signing, baseURL: lab.origin });
  await instance.put('/pay', 'money');
  expect(seen).toEqual([`${lab.origin}/pay`]);
});
