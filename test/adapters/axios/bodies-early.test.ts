/** An answer that comes while the body is still being sent: its connection is freed for other requests. */

import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ReadableStream } from 'node:stream/web';
import type { AxiosError, AxiosInstance } from 'axios';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answer, closeAfter, contentOf, type Play, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { retryingInstance } from './kit.js';

/** With one connection at a time, so that a connection that is not given back shows. */
function narrowInstance(policy: PolicyOptions = soon): AxiosInstance {
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => httpAgent.destroy());
  return retryingInstance(policy, { httpAgent });
}

/** Answers early, and does not read the rest of the request. */
function early(status: number, body: string): Play {
  return { at: 'head', steps: [{ do: 'deaf' }, ...answer(status, body).steps] };
}

/** A stream with one chunk that never ends. */
function unfinished(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('first,');
  return stream;
}

/** More than the kernel's buffers hold. */
const big = Buffer.alloc(20_000_000, 'x');

const streams: [name: string, make: () => unknown][] = [
  ['a Readable', unfinished],
  ['a function that makes a Readable', () => unfinished],
  ['a function that promises a Readable', () => async () => unfinished()],
];

describe('with one connection to spend', () => {
  test.each([
    ...streams,
    ['a big string', () => big.toString()] as const,
    ['a big Buffer', () => big] as const,
    ['a big Blob', () => new Blob([big])] as const,
  ])('the next attempt is made while %s is being sent', async (_name, make) => {
    const lab = await openLab([early(503, 'no'), early(200, 'yes')]);
    const response = await narrowInstance().put(lab.origin, make());
    expect(response.data).toBe('yes');
    expect(lab.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  test.each(streams)('the next request is made after the failure of %s', async (_name, make) => {
    const lab = await openLab([early(503, 'no'), answer(200, 'yes')]);
    const instance = narrowInstance({ ...soon, methods: [] });
    const { error } = await settled(instance.put(lab.origin, make()));
    expect(error).toMatchObject({ response: { status: 503, data: 'no' } });
    expect((await instance.get(lab.origin)).data).toBe('yes');
  });

  test.each(streams)(
    'the next request is made after a failure that is a stream, and %s',
    async (_name, make) => {
      const lab = await openLab([early(503, 'no'), answer(200, 'yes')]);
      const instance = narrowInstance({ ...soon, methods: [] });
      const { error } = await settled(instance.put(lab.origin, make(), { responseType: 'stream' }));
      const { data } = (error as AxiosError<Readable>).response ?? {};
      expect(await text(data as Readable)).toBe('no');
      expect((await instance.get(lab.origin)).data).toBe('yes');
    },
  );
});

test('over fetch, a stream that is still being sent is broken off', async () => {
  const lab = await openLab([
    { ...answer(503), at: 'head' },
    closeAfter({ ...answer(200, 'yes'), at: 'head' }),
  ]);
  const parts = ['first,', 'second'];
  const body = new ReadableStream({
    async pull(controller) {
      const part = parts.shift();
      if (part === 'second') await lab.until(({ requests }) => requests.length === 2);
      if (part === undefined) controller.close();
      else controller.enqueue(Buffer.from(part));
    },
  });
  const response = await retryingInstance().put(lab.origin, body, { adapter: 'fetch' });
  expect(response.data).toBe('yes');
  await lab.until(({ connections, openSockets }) => connections - openSockets >= 2);
  expect(lab.requests[0]?.complete).toBe(false);
});

describe('an upload that goes on while a success is being read arrives whole', () => {
  const bytes = 8_000_000;
  const policy: PolicyOptions = { ...soon, bufferBodyBytes: 2 * bytes };
  function* parts(): Generator<Buffer> {
    for (let at = 0; at < bytes; at += 1_000_000) yield contentOf('a', at, at + 1_000_000);
  }
  const success: Play = {
    at: 'head',
    steps: [
      { do: 'head', status: 200, headers: { 'transfer-encoding': 'chunked' } },
      { do: 'body', text: 'y' },
      { do: 'cue', name: 'received' },
      { do: 'body', text: 'es' },
      { do: 'end' },
    ],
  };
  const scripts: [name: string, plays: readonly Play[]][] = [
    ['at once', [success]],
    ['if an attempt before it was cut off', [rst('head'), success]],
    ['if an attempt before it was sent whole', [answer(503), success]],
  ];

  test.each(scripts)('%s', { timeout: 10_000 }, async (_name, plays) => {
    const lab = await openLab(plays);
    const instance = retryingInstance(policy, { maxRedirects: 0, responseType: 'stream' });
    const response = await instance.put<Readable>(lab.origin, Readable.from(parts()));
    await lab.until(({ requests }) => requests[plays.length - 1]?.complete === true);
    expect(lab.requests.at(-1)?.body.equals(contentOf('a', 0, bytes))).toBe(true);
    lab.cue('received');
    expect(await text(response.data)).toBe('yes');
  });
});
