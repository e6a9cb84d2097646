/**
 * If a body cannot safely be continued, the caller gets the original error object after exactly the bytes that were
 * sent, and never two representations in one body.
 */

import { describe, expect, test } from 'vitest';
import { answer, answerChunked, type HeaderFields, rst } from '../../faults/lab.js';
import { content, cut, download, expectBroken, expectWhole, head, rest, size } from './resume-download.js';
import { etag, file, partly } from './resume-file.js';

describe('not asked for: the first head is too weak', () => {
  const { etag: _etag, ...untagged } = head;
  const { 'accept-ranges': _ranges, ...noRanges } = head;
  const { 'content-length': _length, ...noLength } = head;
  const modified = { 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' };
  const part = { 'content-length': '1000', etag };

  test.each<[string, number, HeaderFields]>([
    ['no ETag', 200, untagged],
    ['a weak ETag', 200, { ...head, etag: 'W/"v1"' }],
    ['an ETag without quotes', 200, { ...head, etag: 'v1' }],
    ['an ETag with a quote in it', 200, { ...head, etag: '"v"1"' }],
    ['two ETags', 200, { ...head, etag: ['"v1"', '"v2"'] }],
    ['Last-Modified alone', 200, { ...untagged, ...modified }],
    ['no Accept-Ranges', 200, noRanges],
    ['Accept-Ranges: none', 200, { ...head, 'accept-ranges': 'none' }],
    ['Accept-Ranges of another unit', 200, { ...head, 'accept-ranges': 'kilobytes' }],
    ['chunks, without a length', 200, { ...noLength, 'transfer-encoding': 'chunked' }],
    ['203', 203, head],
    ['404', 404, head],
    ['206 without an ETag', 206, { 'content-length': '1000', 'content-range': 'bytes 0-999/2000' }],
    ['206 with a weak ETag', 206, { ...part, 'content-range': 'bytes 0-999/2000', etag: 'W/"v1"' }],
    [
      '206 with Last-Modified alone',
      206,
      { ...modified, 'content-length': '1000', 'content-range': 'bytes 0-999/2000' },
    ],
    ['206 without Content-Range', 206, part],
    ['206 of an unknown total', 206, { ...part, 'content-range': 'bytes 0-999/*' }],
    ['206 of another unit', 206, { ...part, 'content-range': 'items 0-999/2000' }],
    ['206 beyond its total', 206, { ...part, 'content-range': 'bytes 0-999/999' }],
    ['206 that runs backwards', 206, { ...part, 'content-range': 'bytes 999-0/1000' }],
    [
      '206 with two Content-Ranges',
      206,
      { ...part, 'content-range': ['bytes 0-999/2000', 'bytes 1000-1999/2000'] },
    ],
    ['206 in several parts', 206, { ...part, 'content-type': 'multipart/byteranges; boundary=x' }],
    [
      '206 whose length is not that of its range',
      206,
      { 'content-length': '1000', etag, 'content-range': 'bytes 0-499/2000' },
    ],
    [
      '206 whose range is longer than its length',
      206,
      { 'content-length': '1000', etag, 'content-range': 'bytes 0-1499/2000' },
    ],
  ])('%s', async (_name, status, headers) => {
    const done = await download([
      partly(status, headers, { sent: cut, ends: 'fin' }),
      partly(206, { ...head, ...rest }, { from: cut, sent: 600, ends: 'end' }),
    ]);
    expectBroken(done, content.subarray(0, cut));
    expect(done.lab.requests).toHaveLength(1);
  });

  test.each([
    ['POST', {}],
    ['POST', { idempotent: true }],
    ['PUT', {}],
    ['QUERY', {}],
    ['DELETE', {}],
  ])('%s %o', async (method, policy) => {
    const done = await download([partly(200, head, { sent: cut, ends: 'fin' }), answer(200)], {
      method,
      policy,
    });
    expectBroken(done, content.subarray(0, cut));
    expect(done.lab.requests).toHaveLength(1);
  });

  test('HEAD: its length is of no body', async () => {
    const done = await download([partly(200, head, { sent: cut, ends: 'rst' }), answer(500)], {
      method: 'HEAD',
    });
    expectWhole(done, Buffer.alloc(0));
    expect(done.lab.requests).toHaveLength(1);
  });

  test('resume: false', async () => {
    const done = await download(file({ bytes: size, cuts: [cut] }), { policy: { resume: false } });
    expectBroken(done, content.subarray(0, cut));
    expect(done.lab.requests).toHaveLength(1);
  });

  test('retry: false', async () => {
    const done = await download(file({ bytes: size, cuts: [cut] }), { policy: { retry: false } });
    expectBroken(done, content.subarray(0, cut));
    expect(done.lab.requests).toHaveLength(1);
  });

  test('… nor if retryIf says so, which cannot know the bytes', async () => {
    const done = await download(
      [partly(200, { ...head, etag: 'W/"v1"' }, { sent: cut, ends: 'fin' }), answer(200, 'other bytes')],
      { policy: { retryIf: (outcome) => (outcome.kind === 'error' ? true : undefined) } },
    );
    expectBroken(done, content.subarray(0, cut));
    expect(done.lab.requests).toHaveLength(1);
  });
});

describe('asked for, and not taken: the answer is not the rest', () => {
  const range = { 'content-range': 'bytes 400-999/1000' };

  test.each<[string, number, HeaderFields]>([
    ['200: all of it again', 200, { ...head, 'content-length': '600' }],
    ['200: another one', 200, { ...head, 'content-length': '600', etag: '"v2"' }],
    ['200 with a Content-Range', 200, { ...rest }],
    ['another ETag', 206, { ...rest, etag: '"v2"' }],
    ['a weak ETag', 206, { ...rest, etag: 'W/"v1"' }],
    ['no ETag', 206, { 'content-length': '600', ...range }],
    ['a part that begins too early', 206, { ...rest, 'content-range': 'bytes 399-998/1000' }],
    ['a part that begins too late', 206, { ...rest, 'content-range': 'bytes 401-1000/1001' }],
    [
      'a part that begins later',
      206,
      { ...rest, 'content-length': '599', 'content-range': 'bytes 401-999/1000' },
    ],
    [
      'a part that ends too early',
      206,
      { ...rest, 'content-length': '599', 'content-range': 'bytes 400-998/1000' },
    ],
    ['another total', 206, { ...rest, 'content-range': 'bytes 400-999/1001' }],
    ['no total', 206, { ...rest, 'content-range': 'bytes 400-999/*' }],
    ['no range', 206, { ...rest, 'content-range': 'bytes */1000' }],
    ['no Content-Range', 206, { 'content-length': '600', etag }],
    ['another unit', 206, { ...rest, 'content-range': 'items 400-999/1000' }],
    ['a shorter Content-Length', 206, { ...rest, 'content-length': '599' }],
    ['a longer Content-Length', 206, { ...rest, 'content-length': '601' }],
    ['a content coding', 206, { ...rest, 'content-encoding': 'gzip' }],
    [
      'several parts',
      206,
      { 'content-length': '600', etag, 'content-type': 'multipart/byteranges; boundary=x' },
    ],
    ['204', 204, { etag }],
    ['301', 301, { 'content-length': '600', location: '/elsewhere' }],
    ['304', 304, { etag }],
    ['401', 401, { 'content-length': '600' }],
    ['404', 404, { 'content-length': '600' }],
    ['410 with everything else right', 410, { ...rest }],
    ['412', 412, { 'content-length': '600' }],
    ['416', 416, { 'content-length': '600', 'content-range': 'bytes */1000' }],
  ])('%s', async (_name, status, headers) => {
    const done = await download([
      partly(200, head, { sent: cut, ends: 'fin' }),
      partly(status, headers, { from: cut, sent: 600, ends: 'end', mark: 'other' }),
      partly(206, rest, { from: cut, sent: 600, ends: 'end' }),
    ]);
    expectBroken(done, content.subarray(0, cut));
    expect(done.lab.requests).toHaveLength(2);
  });

  test('a content coding is gone', async () => {
    const done = await download([
      partly(200, { ...head, 'content-encoding': 'br' }, { sent: cut, ends: 'fin' }),
      partly(206, rest, { from: cut, sent: 600, ends: 'end' }),
    ]);
    expectBroken(done, content.subarray(0, cut));
  });

  test('503 until the retries are spent', async () => {
    const done = await download([partly(200, head, { sent: cut, ends: 'fin' }), answer(503)]);
    expectBroken(done, content.subarray(0, cut));
    expect(done.lab.requests).toHaveLength(4);
  });

  test('resets until the retries are spent', async () => {
    const done = await download([partly(200, head, { sent: cut, ends: 'fin' }), rst()]);
    expectBroken(done, content.subarray(0, cut));
    expect(done.lab.requests).toHaveLength(4);
  });

  test('a 503 that asks for more patience than there is', async () => {
    const done = await download([
      partly(200, head, { sent: cut, ends: 'fin' }),
      answer(503, '', { 'retry-after': '3600' }),
    ]);
    expectBroken(done, content.subarray(0, cut));
    expect(done.lab.requests).toHaveLength(2);
  });

  test('more than once is no reason to look less closely', async () => {
    const done = await download([
      partly(200, head, { sent: cut, ends: 'fin' }),
      partly(206, rest, { from: cut, sent: 200, ends: 'fin' }),
      partly(
        206,
        { ...rest, 'content-length': '400', 'content-range': 'bytes 600-999/1000', etag: '"v2"' },
        { from: 600, sent: 400, ends: 'end', mark: 'other' },
      ),
    ]);
    expect(done.recorder.errors).toEqual([done.below[1]]);
    expect(done.recorder.bytes.equals(content.subarray(0, 600))).toBe(true);
    expect(done.lab.requests.map(({ headers }) => headers['range'])).toEqual([
      undefined,
      'bytes=400-999',
      'bytes=600-999',
    ]);
  });
});

describe('a 206 in chunks with a wrong length', () => {
  const chunked = { 'content-range': 'bytes 400-999/1000', etag, 'transfer-encoding': 'chunked' };
  const first = partly(200, head, { sent: cut, ends: 'fin' });

  test('shorter: no end that looks like one', async () => {
    const done = await download([first, partly(206, chunked, { from: cut, sent: 599, ends: 'end' })]);
    expect(done.recorder.errors).toEqual([done.below[0]]);
    expect(done.recorder.bytes.equals(content.subarray(0, 999))).toBe(true);
    expect(done.recorder.ends).toBe(1);
  });

  test('empty: the same', async () => {
    const { steps } = answerChunked([]);
    const [, ...end] = steps;
    const done = await download([first, { steps: [{ do: 'head', status: 206, headers: chunked }, ...end] }]);
    expectBroken(done, content.subarray(0, cut));
  });

  test('longer in its last chunk: not a byte beyond', async () => {
    const done = await download([first, partly(206, chunked, { from: cut, sent: 601, ends: 'end' })]);
    expect(done.recorder.errors).toEqual([done.below[0]]);
    expect(done.recorder.bytes.equals(content.subarray(0, done.recorder.bytes.length))).toBe(true);
    expect(done.recorder.ends).toBe(1);
  });

  test('longer by a chunk: not a byte beyond', async () => {
    const { steps } = partly(206, chunked, { from: cut, sent: 600, ends: 'end' });
    const more = [...steps.slice(0, -1), { do: 'body', text: 'more' }, { do: 'end' }] as const;
    const done = await download([first, { steps: more }]);
    expect(done.recorder.errors).toEqual([done.below[0]]);
    expect(done.recorder.bytes.equals(content)).toBe(true);
    expect(done.recorder.ends).toBe(1);
  });

  test('broken off again: asked for from there', async () => {
    const done = await download([
      first,
      partly(206, chunked, { from: cut, sent: 100, ends: 'fin' }),
      partly(
        206,
        { ...rest, 'content-length': '500', 'content-range': 'bytes 500-999/1000' },
        { from: 500, sent: 500, ends: 'end' },
      ),
    ]);
    expectWhole(done, content);
    expect(done.lab.requests[2]?.headers['range']).toBe('bytes=500-999');
  });
});
