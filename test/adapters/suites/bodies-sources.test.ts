/** Sources of bodies: the caller gets their errors, and nothing is left open. */

import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { answer, type Lab, type Play, refusedOrigin, rst, silence } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { type Given, type Reply, theSubject, type Way } from './subject.js';

const subject = await theSubject();

/** A hang takes forever; nothing else takes nearly as long. */
vi.setConfig({ testTimeout: 10_000 });

/** An error that looks like a failed connection, which would be worth a retry. */
function ownError(): Error {
  return Object.assign(new Error('the source is broken'), { code: 'ECONNRESET' });
}

/** A stream with one chunk that never ends. */
function unfinished(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('first,');
  return stream;
}

const unwrapped = subject.unwrapped ?? ((error: unknown) => error);

/** Waits until a request that was partly sent is cut off; fetch and undici may open another connection and keep it. */
async function isCutOff(lab: Lab): Promise<void> {
  await lab.until(({ openSockets, connections }) => openSockets < connections || connections === 0);
  expect(lab.requests.map(({ complete }) => complete)).not.toContain(true);
}

function put(
  way: Way,
  origin: string,
  body: unknown,
  given: Given = soon,
  signal?: AbortSignal,
): Promise<Reply> {
  return way.client(given)(origin, { method: 'PUT', body, ...(signal !== undefined && { signal }) });
}

type End = readonly [name: string, play: Play, policy: PolicyOptions, by: 'abort' | number | undefined];

describe.each(subject.uploading)('over $name', (way) => {
  describe("the source's own error is the caller's, and ends it", () => {
    async function* breaking(error: Error): AsyncGenerator<Buffer> {
      yield Buffer.from('first,');
      await setImmediate();
      throw error;
    }
    const ofWeb = (error: Error): unknown => ReadableStream.from(breaking(error));
    const sources: readonly (readonly [name: string, make: (error: Error) => unknown])[] = [
      ['a Readable', (error) => Readable.from(breaking(error))],
      ['what a function makes', (error) => () => Readable.from(breaking(error))],
      ...(way.takesWebStreams ? ([['a web stream', ofWeb]] as const) : []),
    ];

    test.each(sources)('%s', async (name, make) => {
      const lab = await openLab(answer(200));
      const mine = ownError();
      const { error } = await settled(put(way, lab.origin, make(mine)));
      expect(unwrapped(error)).toBe(mine);
      await isCutOff(lab);
      // A function may make a better body next time.
      if (name !== 'what a function makes') expect(lab.requests.length).toBeLessThan(2);
    });

    test('a Readable, in the second attempt', async () => {
      const lab = await openLab([rst('head'), answer(200)]);
      const mine = ownError();
      const stream = unfinished();
      const asked = settled(put(way, lab.origin, stream));
      await lab.until(({ requests }) => requests.length === 2);
      stream.destroy(mine);
      expect(unwrapped((await asked).error)).toBe(mine);
      await isCutOff(lab);
      expect(lab.requests).toHaveLength(2);
    });

    test('a Readable that is destroyed without a reason ends it too', async () => {
      const lab = await openLab(answer(200));
      const stream = unfinished();
      const asked = settled(put(way, lab.origin, stream));
      await lab.until(({ requests }) => requests[0]?.body.toString() === 'first,');
      stream.destroy();
      expect((await asked).error).toBeInstanceOf(Error);
      await isCutOff(lab);
      expect(lab.requests).toHaveLength(1);
    });
  });

  describe('a Readable that breaks where nothing reads it is reported', () => {
    test('when it was broken before the request', async () => {
      const lab = await openLab(answer(200));
      const mine = ownError();
      const stream = new Readable({ read: () => undefined }).on('error', () => undefined).destroy(mine);
      const { error } = await settled(put(way, lab.origin, stream));
      expect(unwrapped(error)).toBe(mine);
      expect(lab.requests).toHaveLength(0);
    });

    test('when it breaks on the way to the connection', async () => {
      const lab = await openLab(answer(200));
      const mine = ownError();
      const stream = unfinished();
      const asked = settled(put(way, lab.origin, stream));
      stream.destroy(mine);
      expect(unwrapped((await asked).error)).toBe(mine);
      expect(lab.requests).toHaveLength(0);
    });

    test('when it breaks in the wait, and nothing is sent after it', async () => {
      const lab = await openLab([{ ...answer(503), at: 'head' }, answer(200)]);
      const waits = new Waits('when told');
      const mine = ownError();
      const stream = unfinished();
      const asked = settled(put(way, lab.origin, stream, createRetrier(soon, { sleep: waits.sleep })));
      await waits.until(1);
      stream.destroy(mine);
      await setImmediate();
      waits.wake();
      expect(unwrapped((await asked).error)).toBe(mine);
      await isCutOff(lab);
    });
  });

  test.each([
    ['breaks', ownError()],
    ['is destroyed', undefined],
  ])('the wait in which a Readable %s is over', async (_how, mine) => {
    const lab = await openLab([{ ...answer(503), at: 'head' }, answer(200)]);
    const waits = new Waits('when told');
    const stream = unfinished();
    const asked = settled(put(way, lab.origin, stream, createRetrier(soon, { sleep: waits.sleep })));
    await waits.until(1);
    stream.destroy(mine);
    const error = (await asked).error as Error;
    expect(error).toBeInstanceOf(Error);
    if (mine !== undefined) expect([error, error.cause]).toContain(mine);
    expect(waits.pending).toBe(0);
    await isCutOff(lab);
  });

  describe('at the end, however it comes, a source is closed', () => {
    const stall = silence('head');
    const refusal = 'a refusal while it is being sent';
    /** How the request ends, once the server has the head. */
    const ends: readonly End[] = [
      ['an error that is not retried', rst('head'), { methods: [] }, undefined],
      ['a failure after the last retry', rst('head'), { maxRetries: 1 }, undefined],
      [refusal, { ...answer(400), at: 'head' }, {}, undefined],
      ['an abort', stall, {}, 'abort'],
      ['an abort, with a deadline', stall, { deadlineMs: 60_000 }, 'abort'],
      ['its time', stall, { deadlineMs: 5_000 }, 5_000],
    ];

    describe.each(ends)('%s', (end, play, policy, by) => {
      async function run(body: unknown): Promise<void> {
        const lab = await openLab(play);
        const time = new HandTime();
        const caller = new AbortController();
        const retrier = createRetrier({ ...soon, ...policy }, time.ports);
        const asked = settled(put(way, lab.origin, body, retrier, caller.signal));
        await lab.until(({ requests }) => requests.length === 1);
        if (by === 'abort') caller.abort();
        else if (by !== undefined) await time.fire(by);
        else if (policy.maxRetries === 1) await time.fire(1);
        const { error, value } = await asked;
        if (play.at === 'head' && value !== undefined) expect(value.status).toBe(400);
        else expect(error).toBeInstanceOf(Error);
      }

      const readables: readonly (readonly [name: string, make: () => Readable])[] = [
        ['stalls', unfinished],
        [
          'has more to give',
          () =>
            new Readable({
              read() {
                void setImmediate().then(() => this.push('more,'));
              },
            }),
        ],
      ];

      test.skipIf(way.sendsOn === true && end === refusal).each(readables)(
        'a Readable that %s',
        async (_kind, make) => {
          const stream = make();
          stream.on('error', () => undefined);
          const closed = new Promise((resolve) => stream.once('close', resolve));
          await run(stream);
          await closed;
        },
      );

      const pulls: readonly (readonly [name: string, pull: () => Promise<Buffer>])[] = [
        ['has more to give', () => setImmediate(Buffer.from('more,'))],
        ['stalls', () => new Promise(() => undefined)],
      ];

      test.skipIf(!way.takesWebStreams || (way.sendsOn === true && end === refusal)).each(pulls)(
        'a web stream that %s',
        async (_kind, next) => {
          let cancel = (): void => undefined;
          const cancelled = new Promise<void>((resolve) => {
            cancel = resolve;
          });
          const start = (controller: ReadableStreamDefaultController): void =>
            controller.enqueue(Buffer.from('first,'));
          const pull = async (controller: ReadableStreamDefaultController): Promise<void> =>
            controller.enqueue(await next());
          await run(new ReadableStream({ start, pull, cancel }));
          await cancelled;
        },
      );
    });

    test('a success: it was read to its end', async () => {
      const lab = await openLab([answer(503), answer(200)]);
      const stream = Readable.from([Buffer.from('a'), Buffer.from('b')]);
      const closed = new Promise((resolve) => stream.once('close', resolve));
      await put(way, lab.origin, stream);
      await closed;
    });

    test.each<[number, Play[]]>([
      [1, [answer(200)]],
      [2, [rst(), answer(200)]],
    ])('a success, in attempt %d, of a stream that does not destroy itself', async (attempts, plays) => {
      const lab = await openLab(plays);
      const stream = new Readable({
        autoDestroy: false,
        read() {
          setTimeout(() => this.push('abc') && this.push(null));
        },
      });
      await put(way, lab.origin, stream);
      expect(await comesTrue(() => stream.destroyed)).toBe(true);
      expect(lab.requests.map(({ body }) => String(body))).toEqual(Array(attempts).fill('abc'));
    });

    test('a refused connection, before it was read', async () => {
      const stream = unfinished();
      stream.on('error', () => undefined);
      const closed = new Promise((resolve) => stream.once('close', resolve));
      const { error } = await settled(put(way, await refusedOrigin(), stream, { ...soon, maxRetries: 1 }));
      expect(error).toMatchObject({ code: expect.stringMatching(/^(ECONNREFUSED|ERR_NETWORK)$/) });
      await closed;
    });

    test('an abort in the wait closes a Readable, read or not', async () => {
      const lab = await openLab({ ...answer(503), at: 'head' });
      for (const origin of [lab.origin, await refusedOrigin()]) {
        const time = new HandTime();
        const stream = unfinished();
        stream.on('error', () => undefined);
        const closed = new Promise((resolve) => stream.once('close', resolve));
        const caller = new AbortController();
        const asked = settled(put(way, origin, stream, createRetrier(soon, time.ports), caller.signal));
        await time.until(({ pending }) => pending.includes(1));
        caller.abort();
        expect((await asked).error).toBeInstanceOf(Error);
        await closed;
      }
    });
  });
});
