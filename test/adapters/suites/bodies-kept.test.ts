/** A body that can be read only once is kept up to a limit, and beyond it not sent again. */

import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { answer, refusedOrigin, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();
const bytes = Buffer.from('0123456789');

function* parts(): Generator<Buffer> {
  for (const byte of bytes) yield Buffer.of(byte);
}

describe.each(subject.uploading)('over $name', (way) => {
  async function put(policy: PolicyOptions, origin: string, body: unknown) {
    const reasons: string[] = [];
    const observe: PolicyOptions['observe'] = (event) => {
      if (event.type === 'decision') reasons.push(event.decision.reason);
    };
    const send = way.client({ ...soon, ...policy, observe });
    const { value, error } = await settled(send(origin, { method: 'PUT', body }));
    return { value, error, reasons };
  }

  test('a stream that just fits is sent again', async () => {
    const lab = await openLab([answer(503), rst(), answer(200)]);
    const { value } = await put({ bufferBodyBytes: 10 }, lab.origin, Readable.from(parts()));
    expect(value?.status).toBe(200);
    expect(lab.requests.map(({ body }) => body)).toEqual([bytes, bytes, bytes]);
  });

  test.each([0, 9])('one that does not fit in %d is not: the caller gets the answer', async (limit) => {
    const lab = await openLab(answer(503, 'not now', { 'x-from': 'the first' }));
    const { value, reasons } = await put({ bufferBodyBytes: limit }, lab.origin, Readable.from(parts()));
    expect(value).toMatchObject({ status: 503, headers: { 'x-from': 'the first' }, text: 'not now' });
    expect(reasons).toEqual(['body-spent']);
    expect(lab.requests.map(({ body }) => body)).toEqual([bytes]);
  });

  test('… or the error', async () => {
    const lab = await openLab(rst());
    const { error, reasons } = await put({ bufferBodyBytes: 9 }, lab.origin, Readable.from(parts()));
    expect(error).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|ERR_NETWORK)$/) });
    expect(reasons).toEqual(['body-spent']);
    expect(lab.requests).toHaveLength(1);
  });

  test('characters are counted as the bytes that are sent', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const body = Readable.from([Buffer.from('ä'.repeat(10))]);
    expect((await put({ bufferBodyBytes: 19 }, lab.origin, body)).value?.status).toBe(503);
    expect(lab.requests).toHaveLength(1);
  });

  test('by default 64 KiB are kept, and not a byte more', async () => {
    const lab = await openLab((request) => answer(request.number % 2 === 1 ? 503 : 200));
    const fits = await put({}, lab.origin, Readable.from([Buffer.alloc(65_536)]));
    expect(fits.value?.status).toBe(200);
    const tooLong = await put({}, lab.origin, Readable.from([Buffer.alloc(65_536), Buffer.alloc(1)]));
    expect([tooLong.value?.status, tooLong.reasons]).toEqual([503, ['body-spent']]);
  });

  test('the limit is for kept bodies only: text, bytes and factories may be of any length', async () => {
    const long = 'x'.repeat(1_000_000);
    for (const body of [
      long,
      Buffer.from(long),
      new Blob([long]),
      () => Readable.from([Buffer.from(long)]),
    ]) {
      const lab = await openLab([answer(503), answer(200)]);
      expect((await put({ bufferBodyBytes: 0 }, lab.origin, body)).value?.status).toBe(200);
      expect(lab.requests.map((request) => request.body.length)).toEqual([1_000_000, 1_000_000]);
    }
  });

  // fetch rejects such a stream for a GET for either reason.
  test.skipIf(way.refusesGetBodies)(
    'a stream that was read before us is sent as it is, and not again',
    async () => {
      const stream = Readable.from(parts());
      for await (const first of stream.iterator({ destroyOnReturn: false })) {
        expect(String(first)).toBe('0');
        break;
      }
      const lab = await openLab([answer(503), answer(200)]);
      const { value, reasons } = await put({}, lab.origin, stream);
      expect([value?.status, reasons]).toEqual([503, ['body-spent']]);
      expect(lab.requests.map(({ body }) => body.toString())).toEqual(['123456789']);
    },
  );

  test('requests at the same time have each their own stream', async () => {
    const failed = new Set<string>();
    const lab = await openLab(({ path }) => {
      const isFirst = !failed.has(path);
      failed.add(path);
      return answer(isFirst ? 503 : 200);
    });
    const send = way.client(soon);
    const names = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(
      names.map((name) =>
        send(`${lab.origin}/${name}`, {
          method: 'PUT',
          body: Readable.from([`<${name}`, '>'].map((part) => Buffer.from(part))),
        }),
      ),
    );
    for (const name of names) {
      const sent = lab.requests.filter(({ path }) => path === `/${name}`).map(({ body }) => String(body));
      expect(sent).toEqual([`<${name}>`, `<${name}>`]);
    }
  });

  test('a factory is asked again where the port is refused, whatever is kept', async () => {
    const lab = await openLab(answer(200));
    const beforeRetry: PolicyOptions['beforeRetry'] = (context) => {
      context.url = lab.origin;
    };
    const policy = { bufferBodyBytes: 0, beforeRetry };
    const { value } = await put(policy, await refusedOrigin(), () => Readable.from(parts()));
    expect(value?.status).toBe(200);
    expect(lab.requests.map(({ body }) => body)).toEqual([bytes]);
  });
});
