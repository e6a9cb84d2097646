/** Listeners hear once of each request that it is over, however it ends. */

import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answer, type Play, silence } from '../../faults/lab.js';
import { brief } from '../decisions.js';
import { openLab, settled } from '../kit.js';
import { listened } from './listeners.js';

describe('every request is settled once, also one that ends by', () => {
  async function settledBy(
    policy: PolicyOptions,
    play: Play | Play[],
    more: AxiosRequestConfig = {},
  ): Promise<string[]> {
    const lab = await openLab(play);
    const { instance, events } = listened(policy);
    await settled(instance.request({ url: lab.origin, ...more }));
    return events.filter(({ type }) => type === 'settled').map(brief);
  }

  test('a gate that is shut', async () => {
    const lab = await openLab(answer(503));
    const { instance, events } = listened({ maxRetries: 0, gate: { failures: 1, deadForMs: 0 } });
    await settled(instance.get(lab.origin));
    await settled(instance.get(lab.origin));
    expect(events.filter(({ type }) => type === 'settled').map(brief)).toEqual([
      'settled 503 after 1',
      'settled ERR_UNDAUNTED_GATE_SHUT after 0',
    ]);
  });

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

  test.each<[string, PolicyOptions, Play, string]>([
    [
      'a beforeRetry that throws',
      { beforeRetry: () => Promise.reject(new TypeError('no token')) },
      answer(503),
      'settled TypeError after 1',
    ],
    [
      'a retryIf that throws',
      {
        retryIf: () => {
          throw new TypeError('cannot tell');
        },
      },
      answer(200),
      'settled TypeError after 0',
    ],
    [
      'a schedule that throws',
      {
        schedule: () => {
          throw new TypeError('no wait');
        },
      },
      answer(503),
      'settled TypeError after 0',
    ],
    ['the deadline in an attempt', { deadlineMs: 50 }, silence(), 'settled ERR_UNDAUNTED_DEADLINE after 1'],
    [
      'an attempt timeout',
      { attemptTimeoutMs: 50, maxRetries: 0 },
      silence(),
      'settled ERR_UNDAUNTED_ATTEMPT_TIMEOUT after 1',
    ],
  ])('%s', async (_what, policy, play, told) => {
    expect(await settledBy(policy, play)).toEqual([told]);
  });
});
