/** Ends that only axios has, as listeners see them. */

import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answer, type Play } from '../../faults/lab.js';
import { brief, type Event } from '../decisions.js';
import { openLab, settled, soon } from '../kit.js';
import { retryingInstance } from './kit.js';

/** An instance, and all events about its requests. */
function listened(policy: PolicyOptions = {}): { instance: AxiosInstance; events: Event[] } {
  const events: Event[] = [];
  const instance = retryingInstance({ ...soon, ...policy, observe: (event) => void events.push(event) });
  return { instance, events };
}

test('an answer that `validateStatus` accepts or rejects is reported with its status', async () => {
  const lab = await openLab([answer(503), answer(503), answer(201)]);
  const { instance, events } = listened({ maxRetries: 1 });
  expect((await instance.get(lab.origin, { validateStatus: null })).status).toBe(503);
  await settled(instance.get(lab.origin, { validateStatus: (status) => status === 200 }));
  expect(events.map(brief).filter((event) => event.startsWith('settled'))).toEqual([
    'settled 503 after 2',
    expect.stringMatching(/^settled .* after 1$/),
  ]);
});

describe('a request is settled once, also one that ends by', () => {
  async function settledBy(policy: PolicyOptions, play: Play, more: AxiosRequestConfig): Promise<string[]> {
    const lab = await openLab(play);
    const { instance, events } = listened(policy);
    await settled(instance.request({ url: lab.origin, ...more }));
    return events.filter(({ type }) => type === 'settled').map(brief);
  }

  test('an abort in a wait', async () => {
    const aborter = new AbortController();
    const schedule = (): number => {
      setImmediate(() => aborter.abort());
      return 60_000;
    };
    expect(await settledBy({ schedule }, answer(503), { signal: aborter.signal })).toEqual([
      'settled ERR_CANCELED after 1',
    ]);
  });

  test('an abort in its body', async () => {
    const aborter = new AbortController();
    const { signal } = aborter;
    const onDownloadProgress = (): void => aborter.abort();
    const play: Play = {
      steps: [
        { do: 'head', status: 200, headers: { 'content-length': '1000' } },
        { do: 'fill', bytes: 100 },
        { do: 'stall' },
      ],
    };
    expect(await settledBy({}, play, { signal, onDownloadProgress })).toEqual([
      expect.stringMatching(/^settled .* after 1$/),
    ]);
  });
});
