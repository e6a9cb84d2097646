/** An upload that its own caller breaks, or that breaks where nobody reads it, ends as it does without us. */

import { EventEmitter } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { AxiosAdapter, AxiosInstance } from 'axios';
import NodeForm from 'form-data';
import { describe, expect, test } from 'vitest';
import { createRetrier } from '../../../src/index.js';
import { answer, type Lab, onCue, silence } from '../../faults/lab.js';
import { Clock } from '../clock.js';
import { reasons } from '../decisions.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { axios } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

/** Has one piece to give, and never the next one. */
function unfinished(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('first,');
  return stream;
}

async function errorOf(
  instance: AxiosInstance,
  lab: Lab,
  stream: Readable,
  adapter: string,
  break_: () => void,
): Promise<unknown> {
  const before = lab.requests.length;
  const asked = settled(instance.put(lab.origin, stream, { adapter }));
  await lab.until(({ requests }) => String(requests[before]?.body) === 'first,');
  break_();
  return (await asked).error;
}

function summary(error: unknown): object {
  const { name, code, message, cause } = error as Error & { code?: string };
  return { name, code, message, cause: cause === undefined ? undefined : summary(cause) };
}

describe.each(['http', 'fetch'])('over %s, an upload that the caller', (adapter) => {
  const ends: [name: string, end: (stream: Readable) => void][] = [
    ['destroys', (stream) => stream.destroy()],
    ['destroys with an error', (stream) => stream.destroy(new Error('my own'))],
  ];

  test.each(ends)('%s ends as without us', async (_name, end) => {
    const lab = await openLab(silence());
    const streams = [unfinished(), unfinished(), unfinished()] as const;
    const bare = await errorOf(openInstance(), lab, streams[0], adapter, () => end(streams[0]));
    const off = await errorOf(retryingInstance({ retry: false }), lab, streams[1], adapter, () =>
      end(streams[1]),
    );
    const on = await errorOf(retryingInstance(soon), lab, streams[2], adapter, () => end(streams[2]));
    expect(summary(off)).toEqual(summary(bare));
    expect(summary(on)).toEqual(summary(bare));
    expect(reasons(on)).toHaveLength(1);
    expect(lab.requests).toHaveLength(3);
    expect(lab.requests.map(({ complete }) => complete)).toEqual([false, false, false]);
  });
});

describe.each(['http', 'fetch'])('over %s, with retries off', (adapter) => {
  test('an upload that breaks while it is held back fails, and is no uncaught exception', async () => {
    const lab = await openLab(answer(429, '', { 'retry-after': '5' }));
    const clock = new Clock();
    const retrier = createRetrier({ maxRetries: 0, hold: { refusedShare: 0 } }, clock.ports);
    const instance = retryingInstance(retrier);
    await settled(instance.get(lab.origin));
    const stream = unfinished();
    const asked = settled(instance.put(lab.origin, stream, { adapter }));
    await clock.waits.until(1);
    stream.destroy(new Error('my own'));
    await comesTrue(() => stream.closed);
    clock.now = 60_000;
    clock.waits.wake();
    expect((await asked).error).toBeInstanceOf(axios.AxiosError);
    expect(lab.requests.filter(({ complete }) => complete)).toHaveLength(1);
  });
});

describe('an error that comes', () => {
  test.each(['http', 'fetch'])("after all was read and sent is nobody's, over %s", async (adapter) => {
    const lab = await openLab(onCue('go', answer(200, 'yes')));
    const stream = Readable.from(['all'], { objectMode: false, autoDestroy: false });
    const asked = retryingInstance().put(lab.origin, stream, { adapter });
    await lab.until(({ requests }) => requests[0]?.complete === true);
    stream.emit('error', new Error('too late'));
    lab.cue('go');
    expect((await asked).data).toBe('yes');
  });

  test('while the next attempt waits is no uncaught exception: what was read is sent again', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const waits = new Waits('when told');
    const stream = Readable.from(['all'], { objectMode: false, autoDestroy: false });
    const asked = settled(
      retryingInstance(createRetrier(soon, { sleep: waits.sleep })).put(lab.origin, stream),
    );
    await waits.until(1);
    stream.emit('error', new Error('too late'));
    waits.wake();
    await asked;
    expect(lab.requests[0]?.complete).toBe(true);
  });

  const early: [name: string, make: () => EventEmitter][] = [
    ['a Readable', unfinished],
    ['a form', () => new NodeForm() as unknown as EventEmitter],
    [
      'a stream that cannot be iterated over',
      () => Object.assign(new EventEmitter(), { pipe: () => undefined }),
    ],
  ];

  test.each(early)(
    'before it is read is the error of the request, and no uncaught exception: %s',
    async (_name, make) => {
      const lab = await openLab(answer(200));
      const stream = make();
      let sent = 0;
      // The first attempt ends before it reads anything.
      const adapter: AxiosAdapter = (config) => {
        sent += 1;
        const failure = Object.assign(new Error('no'), { code: 'ECONNRESET' });
        return sent === 1 ? Promise.reject(failure) : axios.getAdapter('http')(config);
      };
      const waits = new Waits('when told');
      const retrier = createRetrier(soon, { sleep: waits.sleep });
      const asked = settled(retryingInstance(retrier).put(lab.origin, stream, { adapter }));
      await waits.until(1);
      const mine = new Error('too early');
      stream.emit('error', mine);
      waits.wake();
      const { error } = await asked;
      expect(String((error as Error).cause ?? error)).toContain('too early');
      expect(lab.requests.filter(({ complete }) => complete)).toEqual([]);
    },
  );
});

test.each(['http', 'fetch'])(
  'a stream that does not destroy itself is destroyed at the end, over %s',
  async (adapter) => {
    const lab = await openLab(answer(200));
    const stream = new PassThrough({ autoDestroy: false });
    stream.end('all');
    await retryingInstance().put(lab.origin, stream, { adapter });
    expect(await comesTrue(() => stream.destroyed)).toBe(true);
  },
);
