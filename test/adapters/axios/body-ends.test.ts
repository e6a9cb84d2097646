/** When the body of an answer is over, for callers of axios that get a stream. */

import { setImmediate } from 'node:timers/promises';
import type { AxiosResponse } from 'axios';
import { describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer, cutBody, type LabScript } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { comesTrue, openLab, settled } from '../kit.js';
import { toldEnds } from '../told-ends.js';
import { isFirst } from './client.js';
import { openInstance } from './kit.js';

const long = 'x'.repeat(1_000_000);
/** A caller who has not begun to read by then is taken for one who looks only at the head. */
const begunMs = 1_000;

type Body = AsyncIterable<Uint8Array> & {
  on?(event: 'error', listener: () => void): unknown;
  destroy?(): unknown;
  cancel?(): Promise<void>;
};

async function open(adapter: 'http' | 'fetch', script: LabScript) {
  const lab = await openLab(script);
  const time = new HandTime();
  const retrier = createRetrier({ maxRetries: 0 }, time.ports);
  const told = toldEnds(retrier);
  const instance = openInstance({ adapter, responseType: 'stream', baseURL: lab.origin });
  attachRetry(instance, retrier);
  const ends = (): number | undefined => told[0]?.ends;
  return { time, ends, instance, ask: (): Promise<AxiosResponse<Body>> => instance.get('/') };
}

async function expectOver(ends: () => number | undefined): Promise<void> {
  expect(await comesTrue(() => ends() === 1)).toBe(true);
  await setImmediate();
  expect(ends()).toBe(1);
}

function leave(data: Body): unknown {
  data.on?.('error', () => undefined);
  return data.destroy?.() ?? data.cancel?.();
}

describe.each(['http', 'fetch'] as const)('a stream over %s', (adapter) => {
  test('is over when it was read, however long that takes', async () => {
    const { ask, ends, time } = await open(adapter, answer(200, long));
    const { data } = await ask();
    const pieces = data[Symbol.asyncIterator]();
    await pieces.next();
    await time.fire(begunMs);
    expect(ends()).toBe(0);
    while ((await pieces.next()).done !== true);
    await expectOver(ends);
  });

  test('of which nothing is read is over after a second', async () => {
    const { ask, ends, time } = await open(adapter, answer(200, long));
    const { data } = await ask();
    expect(ends()).toBe(0);
    await time.fire(begunMs);
    expect(ends()).toBe(1);
    await leave(data);
    await expectOver(ends);
    expect(time.pending).toEqual([]);
  });

  test('that the caller gives up', async () => {
    const { ask, ends, time } = await open(adapter, answer(200, long));
    await leave((await ask()).data);
    await expectOver(ends);
    expect(time.pending).toEqual([]);
  });

  test('that breaks off', async () => {
    const { ask, ends } = await open(adapter, cutBody(1_000, 10, 'rst'));
    const { data } = await ask();
    const read = async (): Promise<void> => {
      for await (const _piece of data);
    };
    expect((await settled(read())).error).toBeDefined();
    await expectOver(ends);
  });

  test('in an error', async () => {
    const { ask, ends } = await open(adapter, answer(404, long));
    const { error } = await settled(ask());
    expect(ends()).toBe(0);
    await leave((error as { response: AxiosResponse<Body> }).response.data);
    await expectOver(ends);
  });

  test.each(['head', 'get'] as const)('without a body, to %s, is over with its head', async (method) => {
    const script = method === 'head' ? answer(200, '', { 'content-length': '10' }) : answer(204);
    const { instance, ends } = await open(adapter, script);
    const { error } = await settled(instance.request({ url: '/', method }));
    // axios 1.7.0 itself makes no response of a 204 that came by fetch.
    if (isFirst && adapter === 'fetch' && method === 'get')
      expect(error).toHaveProperty('cause', expect.any(TypeError));
    else expect(error).toBeUndefined();
    expect(ends()).toBe(1);
  });
});
