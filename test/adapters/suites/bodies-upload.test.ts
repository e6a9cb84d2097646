/**
 * A body that is being sent when its attempt dies: the next attempt sends all of it, and no server takes a part for the
 * whole.
 */

import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createRetrier } from '../../../src/index.js';
import { answer, contentOf, type Lab, type Play, rst } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { haltingSource } from '../uploads.js';
import { Waits } from '../waits.js';
import { type Given, type Reply, theSubject } from './subject.js';

const subject = await theSubject();

/** Answers as soon as the head has arrived, while the body is still to come. */
const earlyRefusal: Play = { ...answer(503), at: 'head' };

/** The bodies that the server must take for complete. */
function wholeBodies(lab: Lab): string[] {
  return lab.requests.filter(({ complete }) => complete).map(({ body }) => body.toString('latin1'));
}

/** mulberry32 */
function diceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const seed = Number(process.env['SEED'] ?? Math.trunc(Math.random() * 1e9));

describe.each(subject.uploading)('over $name', (way) => {
  const forms: readonly (readonly [name: string, wrap: (chunks: AsyncIterable<Buffer>) => unknown])[] = [
    ['a Readable', (chunks) => Readable.from(chunks)],
    ...(way.takesIterables
      ? [['an async generator', (chunks: AsyncIterable<Buffer>) => chunks] as const]
      : []),
    ...(way.takesWebStreams
      ? [['a web stream', (chunks: AsyncIterable<Buffer>) => ReadableStream.from(chunks)] as const]
      : []),
  ];

  const put = (given: Given, { origin }: Lab, body: unknown): Promise<Reply> =>
    way.client(given)(origin, { method: 'PUT', body });

  describe.each(forms)('%s that pauses in the middle', (_name, wrap) => {
    const pieces = ['first,', 'second,', 'third.'] as const;

    test.each<[string, Play, { attemptTimeoutMs?: number }]>([
      ['the server answers before it has everything', earlyRefusal, {}],
      ['the connection is reset', { at: 'head', steps: [{ do: 'cue', name: 'cut' }, { do: 'rst' }] }, {}],
      ['the connection ends', { at: 'head', steps: [{ do: 'cue', name: 'cut' }, { do: 'fin' }] }, {}],
      ['the attempt takes too long', { at: 'head', steps: [{ do: 'stall' }] }, { attemptTimeoutMs: 77_000 }],
    ])('is sent whole after %s', async (_fault, play, policy) => {
      const lab = await openLab([play, answer(200)]);
      const time = new HandTime();
      const source = haltingSource(pieces);
      const asked = put(createRetrier({ ...soon, ...policy }, time.ports), lab, wrap(source.chunks));
      await lab.until(({ requests }) => requests[0]?.body.toString() === pieces[0]);
      lab.cue('cut');
      if (policy.attemptTimeoutMs !== undefined) await time.fire(policy.attemptTimeoutMs);
      await time.fire(1);
      await lab.until(({ requests }) => requests[1]?.body.toString() === pieces[0]);
      source.goOn();
      expect((await asked).status).toBe(200);
      expect(wholeBodies(lab)).toEqual([pieces.join('')]);
      expect(lab.requests[0]).toMatchObject({ complete: false, body: Buffer.from(pieces[0]) });
    });

    test.each<[string, number]>([
      ['and is kept', 1000],
      ['and is too long to be kept', 10],
    ])(
      'is sent whole when a chunk arrives while no attempt is sending, %s',
      async (_name, bufferBodyBytes) => {
        const lab = await openLab([earlyRefusal, answer(200)]);
        const waits = new Waits('when told');
        const retrier = createRetrier({ ...soon, bufferBodyBytes }, { sleep: waits.sleep });
        const source = haltingSource(pieces);
        const asked = put(retrier, lab, wrap(source.chunks));
        await waits.until(1);
        source.goOn();
        for (let turn = 0; turn < 5; turn += 1) await setImmediate();
        waits.wake();
        await settled(asked);
        expect(wholeBodies(lab)).toEqual([pieces.join('')]);
        expect((await asked).status).toBe(200);
      },
    );
  });

  describe(`any chunks, any failures in their middle (SEED=${seed})`, () => {
    test.each(forms)('%s arrives whole or not at all', { timeout: 60_000 }, async (name, wrap) => {
      const dice = diceOf(seed + name.length);
      const upTo = (limit: number): number => Math.floor(dice() * limit);
      for (let round = 0; round < 25; round += 1) {
        const body = contentOf(`round ${round}`, 0, 1 + upTo(300_000));
        const lab = await openLab((request) => {
          if (request.number === 4) return answer(200);
          const kind = upTo(4);
          if (kind === 0) return earlyRefusal;
          if (kind === 1) return answer(503);
          if (kind === 2) return rst();
          const enough = upTo(body.length);
          const cue = `cut ${request.number}`;
          void lab.until(() => request.complete || request.body.length >= enough).then(() => lab.cue(cue));
          return { at: 'head', steps: [{ do: 'cue', name: cue }, { do: dice() < 0.5 ? 'rst' : 'fin' }] };
        });
        async function* chunks(): AsyncGenerator<Buffer> {
          for (let at = 0; at < body.length; ) {
            const size = 1 + upTo(dice() < 0.2 ? 100_000 : 5_000);
            if (dice() < 0.1) await setImmediate();
            yield body.subarray(at, at + size);
            at += size;
          }
        }
        const { value, error } = await settled(
          put({ ...soon, bufferBodyBytes: 1_000_000 }, lab, wrap(chunks())),
        );
        expect([round, value?.status, error]).toEqual([round, 200, undefined]);
        for (const request of lab.requests) {
          const expected = request.complete ? body : body.subarray(0, request.body.length);
          expect(request.body.equals(expected), `round ${round}, request ${request.number}`).toBe(true);
        }
        await lab.close();
      }
    });
  });
});
