/** A body that a function makes: anew for each attempt, and what it made is not left open. */

import { PassThrough, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import NodeForm from 'form-data';
import { describe, expect, test } from 'vitest';
import { historyOf } from '../../../src/index.js';
import { answer, type Received, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { retryingInstance } from './kit.js';

const text = 'Grüße aus dem Körper';
const pieces = [Buffer.from(text).subarray(0, 2), Buffer.from(text).subarray(2)] as const;

function nodeForm(): NodeForm {
  const form = new NodeForm();
  form.append('greeting', text);
  form.append('stream', Readable.from(pieces, { objectMode: false }));
  return form;
}

/** Never ends, and has one piece to give. */
function unfinished(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('first,');
  return stream;
}

function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => stream.once('close', resolve));
}

function textOf({ body }: Received): string {
  return body.toString();
}

describe('each attempt is sent a body of its own', () => {
  const made: [name: string, adapters: readonly string[], make: () => unknown][] = [
    ['a string', ['http', 'fetch'], () => text],
    ['a Buffer', ['http', 'fetch'], () => Buffer.from(text)],
    ['a Blob', ['http', 'fetch'], () => new Blob([text])],
    ['a Readable', ['http', 'fetch'], () => Readable.from(pieces)],
    ['a PassThrough', ['http', 'fetch'], () => Readable.from(pieces).pipe(new PassThrough())],
    ['a web stream', ['fetch'], () => ReadableStream.from(pieces)],
  ];
  const cases = made.flatMap(([name, adapters, make]) =>
    adapters.flatMap((adapter) => [
      [name, adapter, 'returned', make] as const,
      [name, adapter, 'promised', async () => make()] as const,
    ]),
  );

  test.each(cases)('%s over %s, %s', async (_name, adapter, _how, make) => {
    const lab = await openLab([answer(503), rst(), answer(200)]);
    let calls = 0;
    const body = (): unknown => {
      calls += 1;
      return make();
    };
    const response = await retryingInstance().put(lab.origin, body, { adapter });
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

  test('bodies of different lengths, each with its own', async () => {
    const lab = await openLab([answer(503), answer(503), answer(200)]);
    const bodies = ['a long first body', 'b', 'a longer one'];
    const body = (): string => bodies.shift() ?? '';
    await retryingInstance().put(lab.origin, body);
    expect(lab.requests.map(textOf)).toEqual(['a long first body', 'b', 'a longer one']);
    expect(lab.requests.map(({ headers }) => headers['content-length'])).toEqual(['17', '1', '12']);
  });

  test('also if it is said to be JSON, by the request or by the instance', async () => {
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

describe('a factory that fails', () => {
  const failing: [name: string, fail: (error: Error) => unknown][] = [
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
    const mine = new Error('no body today');
    const { error } = await settled(retryingInstance().put(lab.origin, () => fail(mine)));
    expect(error).toBe(mine);
    expect(lab.connections).toBe(0);
  });

  test.each(failing)('fails the request if it %s the second time', async (_name, fail) => {
    const lab = await openLab([answer(503), answer(200)]);
    const mine = new Error('no body today');
    let calls = 0;
    const body = (): unknown => {
      calls += 1;
      return calls === 1 ? 'first' : fail(mine);
    };
    const { error } = await settled(retryingInstance().put(lab.origin, body));
    expect(error).toBe(mine);
    expect([lab.requests.length, calls]).toEqual([1, 2]);
  });

  test('is not asked for attempts that are not made', async () => {
    const lab = await openLab(answer(400));
    let calls = 0;
    const body = (): string => {
      calls += 1;
      return 'body';
    };
    const { error } = await settled(retryingInstance().put(lab.origin, body));
    expect(historyOf(error)).toHaveLength(1);
    expect(calls).toBe(1);
  });
});

describe('a stream that it made is closed', () => {
  const ways: [name: string, promised: (stream: Readable) => unknown][] = [
    ['returned', (stream) => stream],
    ['promised', (stream) => Promise.resolve(stream)],
  ];

  test.each(ways)('when its attempt has failed, %s', async (_name, hand) => {
    const lab = await openLab([rst('head'), answer(200)]);
    const streams = [unfinished(), Readable.from(['whole'])];
    const first = streams[0] as Readable;
    const ends = closed(first);
    await retryingInstance().put(lab.origin, () => hand(streams.shift() as Readable));
    await ends;
    expect(textOf(lab.requests[1] as Received)).toBe('whole');
  });

  test.each(ways)('when the request has failed, %s', async (_name, hand) => {
    const lab = await openLab(rst('head'));
    const stream = unfinished();
    const ends = closed(stream);
    const { error } = await settled(retryingInstance({ maxRetries: 0 }).put(lab.origin, () => hand(stream)));
    expect(error).toMatchObject({ isAxiosError: true });
    await ends;
  });

  test.each(ways)('when the caller ends the request, %s', async (_name, hand) => {
    const lab = await openLab({ at: 'head', steps: [{ do: 'stall' }] });
    const stream = unfinished();
    const ends = closed(stream);
    const caller = new AbortController();
    const asked = settled(retryingInstance().put(lab.origin, () => hand(stream), { signal: caller.signal }));
    await lab.until(({ requests }) => requests.length === 1);
    caller.abort();
    expect((await asked).error).toMatchObject({ code: 'ERR_CANCELED' });
    await ends;
  });
});

describe('what it promised comes too late for a caller who has gone', () => {
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
      const instance = retryingInstance();
      const { error } = await settled(instance.post(lab.origin, body, { signal: caller.signal }));
      expect(error).toMatchObject({ code: 'ERR_CANCELED' });
      await ends;
      // On a connection opened later: by now, the other would have been accepted.
      await instance.get(lab.origin);
      expect(lab.requests.map(({ method }) => method)).toEqual(['GET']);
    },
  );
});
