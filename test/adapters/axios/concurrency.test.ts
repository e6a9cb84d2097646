/** How long an attempt over axios is in flight: until its promise is settled, or the stream that it gives is over. */

import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { comesTrue, openLab } from '../kit.js';
import { openInstance } from './kit.js';

const long = 'x'.repeat(1_000_000);

type Stream = AsyncIterable<Uint8Array> & {
  on?(event: 'error', listener: () => void): unknown;
  destroy?(): unknown;
  cancel?(): Promise<void>;
};

describe.each(['http', 'fetch'] as const)('a stream over %s', (adapter) => {
  test.each<[string, (stream: Stream) => unknown]>([
    [
      'is read',
      async (stream) => {
        for await (const _piece of stream);
      },
    ],
    [
      'is left',
      (stream) => {
        stream.on?.('error', () => undefined);
        return stream.destroy?.() ?? stream.cancel?.();
      },
    ],
    ['has gone unread for a second', () => setTimeout(1_000)],
  ])('keeps the next request waiting until it %s', async (_what, end) => {
    const lab = await openLab([answer(200, long), answer(200, 'next')]);
    const retrier = createRetrier({ concurrency: 1 });
    const instance = openInstance({ adapter, baseURL: lab.origin });
    attachRetry(instance, retrier);
    const { data } = await instance.get<Stream>('/', { responseType: 'stream' });
    const next = instance.get<string>('/');
    await setTimeout(20);
    expect(lab.requests).toHaveLength(1);
    await end(data);
    expect((await next).data).toBe('next');
    expect(await comesTrue(() => retrier.snapshot().scopes[0]?.concurrencies?.[0]?.inFlight === 0)).toBe(
      true,
    );
    data.on?.('error', () => undefined);
    await (data.destroy?.() ?? data.cancel?.());
  });
});
