/** An upload whose error comes too late for it, or before axios reads it: no exception goes uncaught. */

import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { AxiosAdapter } from 'axios';
import NodeForm from 'form-data';
import { describe, expect, test } from 'vitest';
import { createRetrier } from '../../../src/index.js';
import { answer, onCue } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';

/** A stream with one chunk that never ends. */
function unfinished(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('first,');
  return stream;
}

describe('an error that comes', () => {
  test.each(['http', 'fetch'])('after everything was read and sent is ignored, over %s', async (adapter) => {
    const lab = await openLab(onCue('go', answer(200, 'yes')));
    const stream = Readable.from(['all'], { objectMode: false, autoDestroy: false });
    const asked = retryingInstance().put(lab.origin, stream, { adapter });
    await lab.until(({ requests }) => requests[0]?.complete === true);
    stream.emit('error', new Error('too late'));
    lab.cue('go');
    expect((await asked).data).toBe('yes');
  });

  test('while the next attempt waits does not cause an uncaught exception: the part that was read is sent again', async () => {
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
