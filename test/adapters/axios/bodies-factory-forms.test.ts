/** Forms, JSON and web streams from a function, made anew for each attempt. */

import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import NodeForm from 'form-data';
import { describe, expect, test } from 'vitest';
import { answer, type Received, rst } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { retryingInstance } from './kit.js';

const text = 'Grüße aus dem Körper';
const pieces = [Buffer.from(text).subarray(0, 2), Buffer.from(text).subarray(2)] as const;

function nodeForm(): NodeForm {
  const form = new NodeForm();
  form.append('greeting', text);
  form.append('stream', Readable.from(pieces, { objectMode: false }));
  return form;
}

function textOf({ body }: Received): string {
  return body.toString();
}

describe('each attempt is sent a body of its own', () => {
  test.each([
    ['returned', () => ReadableStream.from(pieces)],
    ['promised', async () => ReadableStream.from(pieces)],
  ] as const)('a web stream over fetch, %s', async (_how, make) => {
    const lab = await openLab([answer(503), rst(), answer(200)]);
    let calls = 0;
    const body = (): unknown => {
      calls += 1;
      return make();
    };
    const response = await retryingInstance().put(lab.origin, body, { adapter: 'fetch' });
    expect(lab.requests.map(textOf)).toEqual([text, text, text]);
    expect(calls).toBe(3);
    expect(response.config.data).toBe(body);
  });

  test('a form of form-data, each with its own boundary', async () => {
    const lab = await openLab([answer(503), rst(), answer(200)]);
    await retryingInstance().put(lab.origin, nodeForm);
    const boundaries = lab.requests.map(({ headers, body }) => {
      const [, boundary = 'none'] =
        /^multipart\/form-data; boundary=(\S+)$/.exec(headers['content-type'] ?? '') ?? [];
      expect(body.toString()).toContain(text);
      expect(body.toString().endsWith(`--${boundary}--\r\n`)).toBe(true);
      return boundary;
    });
    expect(new Set(boundaries).size).toBe(3);
  });

  test('also if the request or the instance declares it as JSON', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const headers = { 'Content-Type': 'application/json' };
    const body = (): string => JSON.stringify({ text });
    await retryingInstance(soon).put(lab.origin, body, { headers });
    await retryingInstance(soon, { headers }).put(lab.origin, body);
    expect(lab.requests.map(textOf)).toEqual(Array(3).fill(body()));
    expect(lab.requests.map(({ headers }) => headers['content-type'])).toEqual(
      Array(3).fill('application/json'),
    );
  });
});
