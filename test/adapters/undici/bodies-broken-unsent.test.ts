/**
 * An upload that breaks while it waits, or after it was read completely, ends its request at once, as with undici
 * alone.
 */

import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { createRetrier } from '../../../src/index.js';
import { answer, refusedOrigin, rst, silence } from '../../faults/lab.js';
import { Clock } from '../clock.js';
import { openLab, soon } from '../kit.js';
import { gated } from '../scope-policies.js';
import { Waits } from '../waits.js';
import { retryingAgent } from './kit.js';
import { type Recorder, record } from './recorder.js';

function half(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('half');
  return stream;
}

/** Uses dispatch(), so that only the caller's own handler listens. */
function put(agent: Dispatcher, origin: string, body: Readable): Recorder {
  return record(agent, { origin, method: 'PUT', body });
}

const aborted = { name: 'AbortError', code: 'UND_ERR_ABORTED' };
const broken = Object.assign(new Error('the disk is gone'), { code: 'ECONNRESET' });

const ends: [name: string, error: Error | undefined, told: object][] = [
  ['is destroyed', undefined, aborted],
  ['breaks', broken, broken],
];

describe.each(ends)('an upload that %s', (_name, error, told) => {
  test('in the wait: it ends at once', async () => {
    const waits = new Waits('when told');
    const stream = half();
    const agent = retryingAgent(createRetrier(soon, { sleep: waits.sleep }));
    const recorder = put(agent, await refusedOrigin(), stream);
    await waits.until(1);
    stream.destroy(error);
    await recorder.end();
    expect(recorder.errors).toMatchObject([told]);
  });
});

describe.each(ends)('with retries off, an upload that %s', (_name, error, told) => {
  test('while it waits to be sent: it ends at once, and nothing is uncaught', async () => {
    const lab = await openLab(answer(429, '', { 'retry-after': '5' }));
    const waits = new Waits('when told');
    const agent = retryingAgent(
      createRetrier({ maxRetries: 0, hold: { refusedShare: 0 } }, { sleep: waits.sleep }),
    );
    await put(agent, lab.origin, Readable.from(['abc'])).end();
    const stream = half();
    const recorder = put(agent, lab.origin, stream);
    await waits.until(1);
    stream.destroy(error);
    await recorder.end();
    expect([recorder.errors, lab.requests.length]).toMatchObject([[told], 1]);
  });

  test('while it waits for the answer to a probe', async () => {
    const lab = await openLab([answer(503), answer(503), silence()]);
    const clock = new Clock();
    const agent = retryingAgent(createRetrier(gated, clock.ports));
    for (let request = 0; request < 2; request += 1)
      await put(agent, lab.origin, Readable.from(['abc'])).end();
    clock.now = 5_000;
    put(agent, lab.origin, Readable.from(['abc']));
    await lab.until(({ requests }) => requests.length === 3);
    const stream = half();
    const recorder = put(agent, lab.origin, stream);
    await clock.waits.until(1);
    stream.destroy(error);
    await recorder.end();
    expect([recorder.errors, lab.requests.length]).toMatchObject([[told], 3]);
  });
});

describe.each(ends)('an upload that does not report its close, and %s', (_name, error, told) => {
  const quiet = (): Readable => new Readable({ emitClose: false, read: () => undefined });

  test.each(['open', 'at its end'])('on the way to the connection, when it is %s', async (state) => {
    const lab = await openLab(answer(200));
    const stream = quiet();
    stream.push('half');
    if (state === 'at its end') stream.push(null);
    const recorder = put(retryingAgent(), lab.origin, stream);
    stream.destroy(error);
    await recorder.end();
    expect([recorder.errors, lab.requests.length]).toMatchObject([[told], 0]);
  });

  test('in the wait', async () => {
    const lab = await openLab([{ ...answer(503), at: 'head' }, answer(200)]);
    const waits = new Waits('when told');
    const stream = quiet();
    stream.push('half');
    const recorder = put(retryingAgent(createRetrier(soon, { sleep: waits.sleep })), lab.origin, stream);
    await waits.until(1);
    stream.destroy(error);
    await setImmediate();
    waits.wake();
    await recorder.end();
    expect(recorder.errors).toMatchObject([told]);
    expect(lab.requests.some(({ complete }) => complete)).toBe(false);
  });
});

describe('an upload that was read as a whole', () => {
  const wholes: [name: string, make: () => Readable][] = [
    ['had ended', () => new PassThrough().end('abc')],
    [
      'ends in its first read',
      () =>
        new Readable({
          read() {
            this.push('abc');
            this.push(null);
          },
        }),
    ],
  ];

  test.each(wholes)('and %s, and breaks while the answer is awaited', async (_name, make) => {
    const lab = await openLab(silence());
    const stream = make();
    const recorder = put(retryingAgent(), lab.origin, stream);
    await lab.until(({ requests }) => requests[0]?.complete === true);
    stream.emit('error', broken);
    await recorder.end();
    expect(recorder.errors).toEqual([broken]);
  });

  test.each(wholes)('and %s, and breaks in the wait', async (_name, make) => {
    const lab = await openLab(answer(503));
    const waits = new Waits('when told');
    const stream = make();
    const recorder = put(retryingAgent(createRetrier(soon, { sleep: waits.sleep })), lab.origin, stream);
    await waits.until(1);
    stream.emit('error', broken);
    await recorder.end();
    expect([recorder.errors, lab.requests.length]).toEqual([[broken], 1]);
  });

  test.each(wholes)('and %s, and breaks after the end: nothing happens', async (_name, make) => {
    const lab = await openLab(answer(200));
    const stream = make();
    await put(retryingAgent(), lab.origin, stream).end();
    stream.emit('error', broken);
    await setImmediate();
  });

  test.each(wholes)('and %s is sent again, with its length', async (_name, make) => {
    const lab = await openLab([rst(), answer(503), answer(200)]);
    await put(retryingAgent({ ...soon, bufferBodyBytes: 0 }), lab.origin, make()).end();
    const seen = lab.requests.map(({ headers, body }) => [headers['content-length'], String(body)]);
    expect(seen).toEqual(Array(3).fill(['3', 'abc']));
  });
});

test('a body from a factory breaks while the answer is awaited', async () => {
  const lab = await openLab(silence());
  const stream = new PassThrough().end('abc');
  const recorder = record(retryingAgent(), { origin: lab.origin, method: 'PUT', body: () => stream });
  await lab.until(({ requests }) => requests[0]?.complete === true);
  stream.emit('error', broken);
  await recorder.end();
  expect(recorder.errors).toEqual([broken]);
});
