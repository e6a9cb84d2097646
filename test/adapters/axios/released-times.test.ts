/** How long a discarded answer may take to end, so that its connection can be kept: that depends on its length. */

import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { AxiosAdapter } from 'axios';
import { describe, expect, test } from 'vitest';
import { createRetrier } from '../../../src/index.js';
import type { HeaderFields } from '../../faults/lab.js';
import { answer, endlessBody } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { axios, isFirst } from './client.js';
import { retryingInstance } from './kit.js';

const schedule = { kind: 'fixed', waitMs: 7, jitter: 'none' } as const;

// 1.7.0 does not cancel a fetch stream that stalls.
const adapters = isFirst ? (['http'] as const) : (['http', 'fetch'] as const);

describe.each(adapters)('over %s', (adapter) => {
  test('one that never ends is cut off after a number of bytes, however little time has passed', async () => {
    const lab = await openLab([endlessBody(65_536, 503), answer(200)]);
    const time = new HandTime();
    const instance = retryingInstance(createRetrier({ schedule }, time.ports), {
      adapter,
      responseType: 'stream',
    });
    const asked = instance.get(lab.origin);
    await lab.until(({ openSockets, connections }) => openSockets < connections);
    await time.fire(7);
    const { data } = await asked;
    expect(await text(data)).toBe('');
    expect(time.pending).toEqual([]);
    expect(lab.requests).toHaveLength(2);
  });

  test.each<[string, HeaderFields, number]>([
    ['short', { 'content-length': '20' }, 1_000],
    ['just short enough', { 'content-length': '65536' }, 1_000],
    ['unknown', { 'transfer-encoding': 'chunked' }, 100],
    ['too long', { 'content-length': '65537' }, 0],
  ])('%s', async (_name, headers, allowedMs) => {
    const stalling = [
      { do: 'head', status: 503, headers },
      { do: 'body', text: 'sorry' },
      { do: 'stall' },
    ] as const;
    const lab = await openLab([{ steps: stalling }, answer(200)]);
    const time = new HandTime();
    const instance = retryingInstance(createRetrier({ schedule }, time.ports), {
      adapter,
      responseType: 'stream',
    });
    const asked = instance.get(lab.origin);
    // A web stream is cut off without a timer; one that goes on gets its timer at the next turn.
    const isTimed = adapter === 'http' || allowedMs > 0;
    await time.until(({ pending }) => pending.includes(7) && (pending.includes(allowedMs) || !isTimed));
    const set = time.timers.map(({ delayMs, unref }) => [delayMs, unref]);
    expect(new Set(set.map(String))).toEqual(
      new Set(isTimed ? [`${allowedMs},true`, '7,false'] : ['7,false']),
    );
    if (isTimed) await time.fire(allowedMs);
    // fetch opens another connection at once.
    await lab.until(({ openSockets, connections }) => openSockets < connections);
    await time.fire(7);
    const { data } = await asked;
    if ('destroy' in data) data.destroy();
    else await data.cancel();
    expect(lab.requests).toHaveLength(2);
  });
});

test.each([null, undefined, '', 0])(
  'a failure whose body is %s ends the upload that it answers',
  async (data) => {
    const sent = Readable.from(['pay'], { objectMode: false });
    const adapter: AxiosAdapter = async (config) => {
      const response = { data, status: 404, statusText: '', headers: {}, config, request: null };
      throw new axios.AxiosError('no', 'ERR_BAD_REQUEST', config, null, response);
    };
    const { error } = await settled(retryingInstance(soon, { adapter }).put('/', sent));
    expect(error).toMatchObject({ code: 'ERR_BAD_REQUEST', response: { status: 404, data } });
    expect(await comesTrue(() => sent.destroyed)).toBe(true);
  },
);
