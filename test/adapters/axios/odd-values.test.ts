/** Values that axios takes, though its types do not name them: they are taken with retries, too. */

import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { answer, type Lab } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { openInstance, retryingInstance } from './kit.js';

const none = [null, undefined, '', false, 0] as const;

/** Undefined and the like: axios asks whether there is a value, not whether it is undefined. */
const noneAt = (key: string): [string, (lab: Lab) => object][] =>
  none.map((value) => [`${key}: ${JSON.stringify(value)}`, ({ origin }) => ({ url: origin, [key]: value })]);

const values: [string, (lab: Lab) => object][] = [
  ['a URL', ({ origin }) => ({ url: new URL('/a', origin) })],
  ['an object with a text', ({ origin }) => ({ url: { toString: () => `${origin}/a` } })],
  ['a URL beside a base', ({ origin }) => ({ url: new URL('/a', origin), baseURL: 'http://other.example' })],
  ['no url, beside a base', ({ origin }) => ({ url: null, baseURL: origin })],
  ...['adapter', 'baseURL', 'cancelToken', 'fetchOptions', 'signal', 'socketPath'].flatMap(noneAt),
  ...['auth', 'data', 'onUploadProgress', 'params', 'proxy', 'timeout', 'transitional'].flatMap(noneAt),
];

describe.each(['http', 'fetch'])('over %s', (adapter) => {
  async function resultOf(config: (lab: Lab) => object, isRetried: boolean): Promise<unknown> {
    const lab = await openLab(isRetried ? [answer(503), answer(200, 'fine')] : answer(200, 'fine'));
    const policy = { ...soon, deadlineMs: 600_000, beforeRetry: () => undefined };
    const instance = isRetried ? retryingInstance(policy, { adapter }) : openInstance({ adapter });
    const { value, error } = await settled(instance.request(config(lab) as AxiosRequestConfig));
    return value?.data ?? (error as Error).name;
  }

  test.each(values)('%s', async (_name, config) => {
    expect(await resultOf(config, true)).toBe(await resultOf(config, false));
  });
});
