/** Where bodies come from: what goes wrong there is the caller's to hear, and nothing of it is left open. */

import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import type { AxiosInstance } from 'axios';
import NodeForm from 'form-data';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { startH2Lab } from '../../faults/h2-lab.js';
import { answer, type Lab, type Play, refusedOrigin, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { speaksHttp2 } from './client.js';
import { retryingInstance } from './kit.js';

/** Looks as if a connection had failed, which would be worth a retry. */
function ownError(): Error {
  return Object.assign(new Error('the source is broken'), { code: 'ECONNRESET' });
}

async function* breaking(error: Error): AsyncGenerator<Buffer> {
  yield Buffer.from('first,');
  await setImmediate();
  throw error;
}

function formOf(source: Readable): NodeForm {
  const form = new NodeForm();
  form.append('file', source, 'a.bin');
  return form;
}

/** Has one piece to give, and never the next one. */
function unfinished(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('first,');
  return stream;
}

function put(
  instance: AxiosInstance,
  { origin }: Pick<Lab, 'origin'>,
  body: unknown,
  more = {},
): Promise<unknown> {
  return instance.put(origin, body, more);
}

describe("the source's own error is the caller's, and ends it", () => {
  const sources: [name: string, adapter: string, make: (error: Error) => unknown][] = [
    ['a Readable', 'http', (error) => Readable.from(breaking(error))],
    ['a Readable', 'fetch', (error) => Readable.from(breaking(error))],
    ['a part of a form', 'http', (error) => formOf(Readable.from(breaking(error), { objectMode: false }))],
    ['a web stream', 'fetch', (error) => ReadableStream.from(breaking(error))],
    ['what a function makes', 'http', (error) => () => Readable.from(breaking(error))],
  ];

  test.each(sources)('%s over %s', async (_name, adapter, make) => {
    const lab = await openLab(answer(200));
    const mine = ownError();
    const policy = { ...soon, maxRetries: 1 };
    const { error } = await settled(put(retryingInstance(policy), lab, make(mine), { adapter }));
    expect(String((error as Error).cause ?? error)).toContain('the source is broken');
    // fetch opens another connection at once, and keeps it.
    await lab.until(({ openSockets, connections }) => openSockets < connections || connections === 0);
    expect(lab.requests.map(({ complete }) => complete)).not.toContain(true);
  });

  test('a Readable that is destroyed without a reason ends it too', async () => {
    const lab = await openLab(answer(200));
    const stream = unfinished();
    const asked = settled(put(retryingInstance(), lab, stream));
    await lab.until(({ requests }) => requests[0]?.body.toString() === 'first,');
    stream.destroy();
    expect((await asked).error).toBeInstanceOf(Error);
    await lab.until(({ openSockets }) => openSockets === 0);
    expect(lab.requests.map(({ complete }) => complete)).toEqual([false]);
  });

  test('a Readable that breaks during the wait is reported, and nothing more arrives', async () => {
    const lab = await openLab([{ ...answer(503), at: 'head' }, answer(200)]);
    const waits = new Waits('when told');
    const mine = ownError();
    const stream = unfinished();
    const instance = retryingInstance(createRetrier(soon, { sleep: waits.sleep }));
    const asked = settled(put(instance, lab, stream));
    await waits.until(1);
    stream.destroy(mine);
    await setImmediate();
    waits.wake();
    const { error } = await asked;
    expect(String((error as Error).cause ?? error)).toContain('the source is broken');
    await lab.until(({ openSockets }) => openSockets === 0);
    expect(lab.requests.map(({ complete }) => complete)).not.toContain(true);
  });
});

describe('at the end, however it comes, a source is closed', () => {
  /** How the end comes about, once the server has the head. */
  const ends: [name: string, play: Play, policy: PolicyOptions, abort: boolean][] = [
    ['an error that is not retried', rst('head'), { ...soon, methods: [] }, false],
    ['a failure after the last retry', rst('head'), { ...soon, maxRetries: 1 }, false],
    ['a refusal while it is being sent', { ...answer(400), at: 'head' }, soon, false],
    ['an abort', { at: 'head', steps: [{ do: 'stall' }] }, soon, true],
    [
      'an abort, with a deadline',
      { at: 'head', steps: [{ do: 'stall' }] },
      { ...soon, deadlineMs: 60_000 },
      true,
    ],
    ['its time', { at: 'head', steps: [{ do: 'stall' }] }, { ...soon, deadlineMs: 300 }, false],
  ];

  describe.each(ends)('%s', (_name, play, policy, isAborted) => {
    async function run(body: unknown, adapter: string): Promise<void> {
      const lab = await openLab(play);
      const caller = new AbortController();
      const asked = settled(put(retryingInstance(policy), lab, body, { adapter, signal: caller.signal }));
      if (isAborted) {
        await lab.until(({ requests }) => requests.length === 1);
        caller.abort();
      }
      expect((await asked).error).toBeInstanceOf(Error);
    }

    test.each(['http', 'fetch'])('a Readable that stalls, over %s', async (adapter) => {
      const stream = unfinished();
      stream.on('error', () => undefined);
      const closed = new Promise((resolve) => stream.once('close', resolve));
      await run(stream, adapter);
      await closed;
    });

    test('a web stream that stalls', async () => {
      let cancel = (): void => undefined;
      const cancelled = new Promise<void>((resolve) => {
        cancel = resolve;
      });
      const start = (controller: { enqueue(part: Uint8Array): void }): void =>
        controller.enqueue(Buffer.from('first,'));
      await run(new ReadableStream({ start, cancel }), 'fetch');
      await cancelled;
    });
  });

  test('a success: it was read to its end', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const stream = Readable.from(['a', 'b']);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    await put(retryingInstance(), lab, stream);
    await closed;
  });

  test('a refused connection, before it was read', async () => {
    const stream = unfinished();
    stream.on('error', () => undefined);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    const policy = { ...soon, maxRetries: 1 };
    const { error } = await settled(put(retryingInstance(policy), { origin: await refusedOrigin() }, stream));
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    await closed;
  });
});

describe.skipIf(!speaksHttp2)('over HTTP/2, a part of a body is never taken for all of it', () => {
  const stalled: Play<{ do: 'stall' }> = { at: 'head', steps: [{ do: 'stall' }] };
  const early = { ...answer(503), at: 'head' } as const;
  const ends: [name: string, play: typeof stalled | typeof early, policy: PolicyOptions][] = [
    ['an attempt whose time is up', stalled, { ...soon, maxRetries: 0, attemptTimeoutMs: 300 }],
    ['a request whose time is up', stalled, { ...soon, deadlineMs: 300 }],
    ['an early answer that is retried', early, { ...soon, maxRetries: 1 }],
    ['an early answer that is not', early, { ...soon, maxRetries: 0 }],
  ];
  const bodies: [name: string, make: () => unknown][] = [
    ['a Readable', unfinished],
    ['what a function makes', () => unfinished],
  ];
  const cases = ends.flatMap(([end, play, policy]) =>
    bodies.map(([body, make]) => [end, body, play, policy, make] as const),
  );

  test.each(cases)('%s, %s', async (_end, _body, play, policy, make) => {
    const lab = await startH2Lab(play, { tls: false });
    onTestFinished(() => lab.close());
    const instance = retryingInstance(policy, { httpVersion: 2 });
    const { error } = await settled(put(instance, lab, make()));
    expect(error).toBeInstanceOf(Error);
    // Frames arrive in order: what is answered now was sent after whatever became of the others.
    const seen = lab.requests;
    lab.play(answer(200));
    await instance.get(lab.origin);
    expect(seen.map(({ complete }) => complete)).not.toContain(true);
    expect(seen.length).toBeGreaterThan(0);
  });
});
