/** A body that can be read only once, of whatever kind, is kept up to a limit, and beyond it never sent in part. */

import { PassThrough, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { describe, expect, test } from 'vitest';
import { historyOf, type PolicyOptions } from '../../../src/index.js';
import { answer, contentOf, type Play, refusedOrigin, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();
const content = contentOf('a', 0, 100_000);

function* parts(bytes = content.length): Generator<Buffer> {
  for (let at = 0; at < bytes; at += 10_000) yield contentOf('a', at, at + 10_000);
}

async function* later(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
}

describe.each(subject.uploading)('over $name', (way) => {
  async function put(policy: PolicyOptions, origin: string, body: unknown) {
    const reasons: string[] = [];
    const observe: PolicyOptions['observe'] = (event) => {
      if (event.type === 'decision') reasons.push(event.decision.reason);
    };
    const send = way.client({ ...soon, ...policy, observe });
    return { ...(await settled(send(origin, { method: 'PUT', body }))), reasons };
  }

  const kinds: readonly (readonly [name: string, make: () => unknown])[] = [
    ['a Readable', () => Readable.from(parts())],
    ['a PassThrough', () => Readable.from(parts()).pipe(new PassThrough())],
    ...(way.takesIterables
      ? ([
          ['an async generator', () => later(parts())],
          ['a generator', () => parts()],
        ] as const)
      : []),
    ...(way.takesWebStreams
      ? ([
          ['a web stream', () => ReadableStream.from(parts())],
          ['a web stream of bytes', () => new Blob([Uint8Array.from(content)]).stream()],
        ] as const)
      : []),
  ];

  const failures: readonly (readonly [name: string, play: Play])[] = [
    ['an answer', answer(503, 'not now')],
    ['a reset', rst()],
  ];

  const refusals = kinds.flatMap(([kind, make]) =>
    failures.flatMap(([failure, play]) =>
      [0, content.length - 1].map((limit) => [kind, failure, limit, make, play] as const),
    ),
  );

  test.each(refusals)(
    '%s is not sent again after %s, with %d to keep it in',
    async (_kind, failure, bufferBodyBytes, make, play) => {
      const lab = await openLab([play, answer(200)]);
      const { value, error, reasons } = await put({ bufferBodyBytes }, lab.origin, make());
      if (failure === 'an answer') expect(value).toMatchObject({ status: 503, text: 'not now' });
      else expect(error).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|ERR_NETWORK)$/) });
      expect(reasons).toEqual(['body-spent']);
      if (way.name !== 'dispatch') {
        const history = historyOf(value?.given ?? error);
        expect(history?.map(({ decision }) => decision.reason)).toEqual(['body-spent']);
      }
      expect(lab.requests.map(({ body }) => body.equals(content))).toEqual([true]);
    },
  );

  test.each(kinds)('%s that just fits is sent again, whole', async (_kind, make) => {
    const lab = await openLab([answer(503), rst(), answer(200)]);
    const { value } = await put({ bufferBodyBytes: content.length }, lab.origin, make());
    expect(value?.status).toBe(200);
    expect(lab.requests.map(({ body }) => body.equals(content))).toEqual([true, true, true]);
  });

  describe('where the port is refused, a stream', () => {
    const big = 1_000_000;
    const bigger = contentOf('a', 0, big);
    /** The second attempt goes to the lab. */
    const elsewhere = (origin: string, bufferBodyBytes: number): PolicyOptions => ({
      bufferBodyBytes,
      beforeRetry: (context) => {
        context.url = origin;
      },
    });

    test('is sent if it fits', async () => {
      const lab = await openLab(answer(200));
      const policy = elsewhere(lab.origin, big);
      const { value } = await put(policy, await refusedOrigin(), Readable.from(parts(big)));
      expect(value?.status).toBe(200);
      expect(lab.requests.map(({ body }) => body.equals(bigger))).toEqual([true]);
    });

    test('is never sent in part, if it does not', async () => {
      const lab = await openLab(answer(200));
      const policy = elsewhere(lab.origin, 5_000);
      const { value, reasons } = await put(policy, await refusedOrigin(), Readable.from(parts(big)));
      // A client that has not read a byte can still send all of it.
      if (value === undefined) expect([reasons, lab.connections]).toEqual([['body-spent'], 0]);
      else expect(lab.requests.map(({ body }) => body.equals(bigger))).toEqual([true]);
    });

    test('is sent whatever its size, if a function makes it', async () => {
      const lab = await openLab(answer(200));
      const { value } = await put(elsewhere(lab.origin, 0), await refusedOrigin(), () =>
        Readable.from(parts(big)),
      );
      expect(value?.status).toBe(200);
      expect(lab.requests.map(({ body }) => body.equals(bigger))).toEqual([true]);
    });
  });
});
