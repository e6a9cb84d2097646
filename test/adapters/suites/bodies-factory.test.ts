/** A body from a function: made anew for each attempt, and closed afterwards. */

import { PassThrough, Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { createRetrier } from '../../../src/index.js';
import { answer, type Received, rst } from '../../faults/lab.js';
import { reasons } from '../decisions.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { type Reply, theSubject } from './subject.js';

const subject = await theSubject();

/** A hang takes forever; nothing else takes nearly as long. */
vi.setConfig({ testTimeout: 10_000 });

const text = 'Grüße aus dem Körper';
const pieces = [Buffer.from(text).subarray(0, 2), Buffer.from(text).subarray(2)] as const;

/** A stream with one chunk that never ends. */
function unfinished(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('first,');
  return stream;
}

function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => stream.once('close', resolve));
}

/** An error that looks like a failed connection, which would be worth a retry. */
function ownError(): Error {
  return Object.assign(new Error('no body today'), { code: 'ECONNRESET' });
}

const textOf = ({ body }: Received): string => body.toString();

describe.each(subject.uploading)('over $name', (way) => {
  const put = (origin: string, body: unknown, given = soon, signal?: AbortSignal): Promise<Reply> =>
    way.client(given)(origin, { method: 'PUT', body, ...(signal !== undefined && { signal }) });

  describe('each attempt is sent a body of its own', () => {
    const made: readonly (readonly [name: string, make: () => unknown])[] = [
      ['a string', () => text],
      ['a Buffer', () => Buffer.from(text)],
      ['a Blob', () => new Blob([text])],
      ['a Readable', () => Readable.from(pieces)],
      ['a PassThrough', () => Readable.from(pieces).pipe(new PassThrough())],
    ];
    const cases = made.flatMap(([name, make]) => [
      [name, 'returned', make] as const,
      [name, 'promised', async () => make()] as const,
    ]);

    test.each(cases)('%s, %s', async (_name, _how, make) => {
      const lab = await openLab([answer(503), rst(), answer(200)]);
      const body = vi.fn(make);
      const { given } = await put(lab.origin, body);
      expect(lab.requests.map(textOf)).toEqual([text, text, text]);
      expect(body).toHaveBeenCalledTimes(3);
      subject.expectOwn(given, { method: 'PUT', body });
    });

    test('bodies of different lengths, each with its own', async () => {
      const lab = await openLab([answer(503), answer(503), answer(200)]);
      const bodies = ['a long first body', 'b', 'a longer one'];
      await put(lab.origin, () => bodies.shift() ?? '');
      expect(lab.requests.map(textOf)).toEqual(['a long first body', 'b', 'a longer one']);
      expect(lab.requests.map(({ headers }) => headers['content-length'])).toEqual(['17', '1', '12']);
    });
  });

  test('a body that comes after the time of its attempt is closed, and the next attempt has its own', async () => {
    const lab = await openLab(answer(200));
    const time = new HandTime();
    const late = Readable.from(['never sent']);
    const closing = closed(late);
    let deliver = (_body: Readable): void => undefined;
    const body = vi
      .fn<() => unknown>()
      .mockReturnValue(text)
      .mockReturnValueOnce(new Promise<Readable>((resolve) => (deliver = resolve)));
    const given = createRetrier({ ...soon, attemptTimeoutMs: 5_000 }, time.ports);
    const sent = way.client(given)(lab.origin, { method: 'PUT', body });
    await time.fire(5_000);
    deliver(late);
    await closing;
    await time.fire(1);
    expect(reasons((await sent).given)).toEqual(['1 attempt-timeout', '2 success']);
    expect(lab.requests.map(textOf)).toEqual([text]);
    expect(body).toHaveBeenCalledTimes(2);
  });

  describe('a factory that fails', () => {
    const failing: readonly (readonly [name: string, fail: (error: Error) => unknown])[] = [
      [
        'throws',
        (error) => {
          throw error;
        },
      ],
      ['rejects', (error) => Promise.reject(error)],
    ];

    test.each(failing)('fails the request at once if it %s', async (_name, fail) => {
      const lab = await openLab(answer(200));
      const mine = ownError();
      const { error } = await settled(put(lab.origin, () => fail(mine)));
      expect(error).toBe(mine);
      expect(lab.connections).toBe(0);
    });

    test.each(failing)('fails the request if it %s the second time', async (_name, fail) => {
      const lab = await openLab([answer(503), answer(200)]);
      const mine = ownError();
      const body = vi.fn((): unknown => (body.mock.calls.length === 1 ? 'first' : fail(mine)));
      const { error } = await settled(put(lab.origin, body));
      expect(error).toBe(mine);
      expect(lab.requests).toHaveLength(1);
      expect(body).toHaveBeenCalledTimes(2);
    });

    test('is not asked for attempts that are not made', async () => {
      const lab = await openLab(answer(400));
      const body = vi.fn(() => 'body');
      expect((await put(lab.origin, body)).status).toBe(400);
      expect(body).toHaveBeenCalledTimes(1);
    });
  });

  describe('a stream that it made is closed', () => {
    const ways: readonly (readonly [name: string, promised: (stream: Readable) => unknown])[] = [
      ['returned', (stream) => stream],
      ['promised', (stream) => Promise.resolve(stream)],
    ];

    test.each(ways)('when its attempt has failed, %s', async (_name, hand) => {
      const lab = await openLab([rst('head'), answer(200)]);
      const streams = [unfinished(), Readable.from(['whole'])];
      const ends = closed(streams[0] as Readable);
      await put(lab.origin, () => hand(streams.shift() as Readable));
      await ends;
      expect(textOf(lab.requests[1] as Received)).toBe('whole');
    });

    test.each(ways)('when the request has failed, %s', async (_name, hand) => {
      const lab = await openLab(rst('head'));
      const stream = unfinished();
      const ends = closed(stream);
      const { error } = await settled(put(lab.origin, () => hand(stream), { ...soon, maxRetries: 0 }));
      subject.expectOwn(error, { method: 'PUT' });
      await ends;
    });

    test.each(ways)('when the caller ends the request, %s', async (_name, hand) => {
      const lab = await openLab({ at: 'head', steps: [{ do: 'stall' }] });
      const stream = unfinished();
      const ends = closed(stream);
      const caller = new AbortController();
      const asked = settled(put(lab.origin, () => hand(stream), soon, caller.signal));
      await lab.until(({ requests }) => requests.length === 1);
      caller.abort();
      expect((await asked).error).toMatchObject({ name: expect.stringMatching(/^(Abort|Canceled)Error$/) });
      await ends;
    });
  });

  describe('a promised body that comes after the abort', () => {
    test.each([
      ['a string', () => text],
      ['a Readable', unfinished],
    ] as [name: string, make: () => string | Readable][])(
      '%s is not sent, nor left open',
      async (_name, make) => {
        const lab = await openLab(answer(200));
        const caller = new AbortController();
        const made = make();
        const ends = typeof made === 'string' ? undefined : closed(made);
        const body = async (): Promise<unknown> => {
          caller.abort();
          return made;
        };
        const send = way.client(soon);
        const { error } = await settled(send(lab.origin, { method: 'POST', body, signal: caller.signal }));
        expect(error).toMatchObject({ name: expect.stringMatching(/^(Abort|Canceled)Error$/) });
        await ends;
        // On a connection opened later: by now, the earlier one would have been accepted.
        await send(lab.origin);
        expect(lab.requests.map(({ method }) => method)).toEqual(['GET']);
      },
    );
  });
});
