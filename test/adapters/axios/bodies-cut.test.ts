/** Bodies that only axios supports: the caller gets their errors, and nothing is left open. */

import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import type { AxiosAdapter, AxiosInstance } from 'axios';
import NodeForm from 'form-data';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { attachRetry } from '../../../src/light/axios.js';
import { definePolicy } from '../../../src/light/index.js';
import { type H2Play, startH2Lab } from '../../faults/h2-lab.js';
import { answer, type Lab, type Play, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { axios, speaksHttp2 } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

/** An error that looks like a failed connection, which would be worth a retry. */
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

/** A stream with one chunk that never ends. */
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

test('a part of a form breaks: that is the error, and nothing is left open', async () => {
  const lab = await openLab(answer(200));
  const mine = ownError();
  const form = formOf(Readable.from(breaking(mine), { objectMode: false }));
  const { error } = await settled(put(retryingInstance({ ...soon, maxRetries: 1 }), lab, form));
  expect((error as Error).cause).toBe(mine);
  await lab.until(({ openSockets, connections }) => openSockets < connections || connections === 0);
  expect(lab.requests.map(({ complete }) => complete)).not.toContain(true);
});

describe('at the end, however it comes, what fetch waits for is closed', () => {
  /** How the request ends, once the server has the head. */
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
    async function run(body: unknown): Promise<void> {
      const lab = await openLab(play);
      const caller = new AbortController();
      const asked = settled(
        put(retryingInstance(policy), lab, body, { adapter: 'fetch', signal: caller.signal }),
      );
      if (isAborted) {
        await lab.until(({ requests }) => requests.length === 1);
        caller.abort();
      }
      expect((await asked).error).toBeInstanceOf(Error);
    }

    test('a web stream that stalls', async () => {
      let cancel = (): void => undefined;
      const cancelled = new Promise<void>((resolve) => {
        cancel = resolve;
      });
      const start = (controller: { enqueue(part: Uint8Array): void }): void =>
        controller.enqueue(Buffer.from('first,'));
      await run(new ReadableStream({ start, cancel }));
      await cancelled;
    });
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

  const expectCut = async (play: H2Play, instance: AxiosInstance, body: unknown): Promise<void> => {
    const lab = await startH2Lab(play, { tls: false });
    onTestFinished(() => lab.close());
    const { error } = await settled(put(instance, lab, body));
    expect(error).toBeInstanceOf(Error);
    // Frames arrive in order: an answer that comes now was sent after everything about the others.
    const seen = lab.requests;
    lab.play(answer(200));
    await instance.get(lab.origin);
    expect(seen.map(({ complete }) => complete)).not.toContain(true);
    expect(seen.length).toBeGreaterThan(0);
  };

  test.each(cases)('%s, %s', (_end, _body, play, policy, make) =>
    expectCut(play, retryingInstance(policy, { httpVersion: 2 }), make()),
  );

  test.each(ends)('%s, without the part for Node', (_end, play, policy) => {
    const instance = openInstance({ httpVersion: 2 });
    attachRetry(instance, definePolicy(policy as object));
    return expectCut(play, instance, unfinished());
  });
});

test.each([
  ['is final', 404, {}],
  ['asks for a wait that is too long', 429, { 'retry-after': '9' }],
])(
  'over HTTP/2, an answer whose status %s is not retried, whatever became of its body',
  async (_, status, headers) => {
    let sent = 0;
    const adapter: AxiosAdapter = async (config) => {
      sent += 1;
      const answered = { status, statusText: '', headers, config, data: '', request: { rstCode: 8 } };
      throw new axios.AxiosError('refused', 'ERR_BAD_REQUEST', config, answered.request, answered);
    };
    const instance = retryingInstance({ ...soon, maxHintMs: 500 }, { adapter });
    const { error } = await settled(instance.get('http://a.example/'));
    expect([sent, error]).toEqual([1, expect.objectContaining({ code: 'ERR_BAD_REQUEST' })]);
  },
);
