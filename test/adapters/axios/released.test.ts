/** Discarded answers: they free their connection for the next attempt, and are not read forever. */

import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRetrier, type PolicyOptions, type Retrier } from '../../../src/index.js';
import { sleep } from '../../../src/kernel/sleep.js';
import {
  type Answer,
  answer,
  answerChunked,
  bigBody,
  contentOf,
  endlessBody,
  stallAfterHead,
  stallInBody,
} from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { isFirst } from './client.js';
import { retryingInstance } from './kit.js';

/** With one connection at a time, so that a connection that is not given back shows. */
function narrowInstance(policy: PolicyOptions | Retrier = impatient()): AxiosInstance {
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => httpAgent.destroy());
  return retryingInstance(policy, { httpAgent, responseType: 'stream' });
}

/** A retrier whose time for a stalled rest is short. */
function impatient(policy: PolicyOptions = soon): Retrier {
  return createRetrier(policy, {
    sleep: (delayMs, wake, options) =>
      sleep(delayMs > 1_000 ? delayMs : Math.min(delayMs, 30), wake, options),
  });
}

const zipped = gzipSync('x'.repeat(1_000)).toString('latin1');

const small: [name: string, play: Answer][] = [
  ['is empty', answer(503)],
  ['is small', answer(503, 'sorry')],
  ['is small, in chunks', answerChunked(['sor', 'ry'], {}, 503)],
  ['is just short enough', bigBody(65_536, 503)],
  ['is packed', answer(503, zipped, { 'content-encoding': 'gzip' })],
];

const big: [name: string, play: Answer][] = [
  ['is too long', bigBody(200_000, 503)],
  ['is 64 MiB', bigBody(64 * 2 ** 20, 503)],
  ['never ends', endlessBody(65_536, 503)],
  ['never begins', stallAfterHead(503)],
  ['stalls', stallInBody(100, 503)],
  [
    'stalls, and is long',
    { steps: [{ do: 'head', status: 503, headers: { 'content-length': '1000000' } }, { do: 'stall' }] },
  ],
  [
    'stalls in a chunk',
    {
      steps: [
        { do: 'head', status: 503, headers: { 'transfer-encoding': 'chunked' } },
        { do: 'body', text: 'sorry' },
        { do: 'stall' },
      ],
    },
  ],
  ['stalls while it is unpacked', stallInBody(0, 503, { 'content-encoding': 'gzip' })],
];

/** Options for which axios puts a stream of its own before that of fetch. */
const watched: [name: string, policy: PolicyOptions, config: () => AxiosRequestConfig][] = [
  ["the caller's signal", soon, () => ({ signal: new AbortController().signal })],
  ['an attempt timeout', { ...soon, attemptTimeoutMs: 60_000 }, () => ({})],
  ['progress', soon, () => ({ onDownloadProgress: () => undefined })],
];

const settings: [name: string, config: object][] = [
  ['', {}],
  [', counted by axios', { maxContentLength: 10_000_000 }],
  [', watched by axios', { onDownloadProgress: () => undefined }],
  [', accepted by validateStatus', { validateStatus: () => true }],
];

describe.each(settings)('with one connection to spend%s', (_name, config) => {
  test.each(small)('it is used again when the rest %s', async (_rest, play) => {
    const lab = await openLab([play, play, answer(200, 'yes')]);
    const response = await narrowInstance().get<Readable>(lab.origin, config);
    expect(await text(response.data)).toBe('yes');
    expect(lab.requests.map(({ connection }) => connection)).toEqual([1, 1, 1]);
  });

  test.each(big)('it is cut off when the rest %s', async (_rest, play) => {
    const lab = await openLab([play, answer(200, 'yes')]);
    const response = await narrowInstance().get<Readable>(lab.origin, config);
    expect(await text(response.data)).toBe('yes');
    expect(lab.requests.map(({ connection }) => connection)).toEqual([1, 2]);
    // Only the kernel's buffers may be on the way.
    expect(lab.bytesSent).toBeLessThan(32_000_000);
  });
});

test.each(['HEAD', 'GET'])('an answer to %s without a body keeps its connection', async (method) => {
  const lab = await openLab([
    answer(503, '', method === 'HEAD' ? { 'content-length': '1000000' } : {}),
    answer(204),
  ]);
  const response = await narrowInstance().request({ url: lab.origin, method });
  expect(response.status).toBe(204);
  expect(lab.requests.map(({ connection }) => connection)).toEqual([1, 1]);
});

describe('over fetch', () => {
  // The connection stays open for longer than the test.
  const last = answer(200, 'yes', { connection: 'keep-alive', 'keep-alive': 'timeout=600' });

  // The first versions put a stream of their own before every stream: see below.
  test.skipIf(isFirst).each(big)(
    'a discarded answer that %s leaves no connection behind',
    async (_rest, play) => {
      const lab = await openLab([play, last]);
      const instance = retryingInstance(impatient(), { adapter: 'fetch', responseType: 'stream' });
      const response = await instance.get<Readable>(lab.origin);
      expect(await text(response.data)).toBe('yes');
      await lab.until(({ openSockets, connections }) => openSockets < connections);
      expect(lab.bytesSent).toBeLessThan(32_000_000);
    },
  );

  // undici's own timeouts end its connection: the stream that axios puts before another cannot be cancelled while it
  // waits.
  test.each(watched)(
    'the next attempt waits for none, when axios watches it: %s',
    async (_name, policy, config) => {
      const lab = await openLab([stallInBody(100, 503), answer(200, 'yes')]);
      const instance = retryingInstance(policy, { adapter: 'fetch', responseType: 'stream' });
      const response = await instance.get<Readable>(lab.origin, config());
      expect(await text(response.data)).toBe('yes');
    },
  );
});

test('twenty attempts warn of no listeners, and leave none', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const lab = await openLab(answer(503, 'sorry'));
  const policy = {
    ...soon,
    maxRetries: 19,
    budget: false,
    deadlineMs: 60_000,
    attemptTimeoutMs: 30_000,
  } as const;
  const { signal } = new AbortController();
  const instance = narrowInstance(createRetrier(policy));
  const response = await instance.put<Readable>(lab.origin, Readable.from(['body']), {
    signal,
    validateStatus: null,
  });
  expect(await text(response.data)).toBe('sorry');
  expect(lab.requests).toHaveLength(20);
  expect(lab.connections).toBe(1);
  expect(warnings).toEqual([]);
});

test('the last answer is given whole', async () => {
  const bytes = 1_000_000;
  const lab = await openLab([answer(503, 'sorry'), bigBody(bytes, 503)]);
  const instance = narrowInstance({ ...soon, maxRetries: 1 });
  const response = await instance.get<Readable>(lab.origin, { validateStatus: () => true });
  expect(response.data.listenerCount('data')).toBe(0);
  expect(Buffer.concat(await response.data.toArray()).equals(contentOf('a', 0, bytes))).toBe(true);
});
