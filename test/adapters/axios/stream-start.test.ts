/** An event stream that fails before its content is a failed attempt, in every form in which axios hands it over. */

import { Readable } from 'node:stream';
import type { AxiosResponse } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { cutChunked, type Play } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { begun, bye, ended, errorOf, eventStream, hello, ping, stream } from '../suites/streams.js';
import { retryingInstance } from './kit.js';

const start: PolicyOptions = { ...soon, hints: 'anthropic', streamStart: {} };
const good = ended(begun, ping, hello, bye);
const all = begun + ping + hello + bye;

const failures: readonly (readonly [string, Play])[] = [
  ['an error event', ended(begun, errorOf('overloaded_error'))],
  ['a cut', cutChunked('fin', begun, eventStream)],
  ['a reset', cutChunked('rst', begun, eventStream)],
  ['nothing at all', ended()],
  ['an end without content', ended(begun, ping)],
];

/** What was read, and the error that ended it. */
async function read({ data }: AxiosResponse): Promise<{ text: string; error: unknown }> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const piece of data as AsyncIterable<Uint8Array>) text += decoder.decode(piece);
    return { text, error: undefined };
  } catch (error) {
    return { text, error };
  }
}

describe.each(['http', 'fetch'])('over %s, as a stream', (adapter) => {
  const asked = { adapter, responseType: 'stream' } as const;

  test.each(failures)('%s is retried', async (_what, play) => {
    const lab = await openLab([play, good]);
    const answer = await retryingInstance(start).get(lab.origin, asked);
    expect(await read(answer)).toEqual({ text: all, error: undefined });
    expect(lab.requests).toHaveLength(2);
  });

  test.each(failures)('%s reaches the caller once retries are spent', async (what, play) => {
    const lab = await openLab([play]);
    const answer = await retryingInstance({ ...start, maxRetries: 1 }).get(lab.origin, asked);
    const { text, error } = await read(answer);
    expect(lab.requests).toHaveLength(2);
    const sent = play.steps.flatMap((step) => (step.do === 'body' ? [step.text] : [])).join('');
    if (what === 'a cut' || what === 'a reset') expect(error).toBeInstanceOf(Error);
    else expect({ text, error }).toEqual({ text: sent, error: undefined });
  });
});

describe.each(['http', 'fetch'])('over %s, as text', (adapter) => {
  test.each(failures)('%s is retried', async (_what, play) => {
    const lab = await openLab([play, good]);
    const { data } = await retryingInstance(start).get(lab.origin, { adapter: adapter as 'http' });
    expect(data).toBe(all);
    expect(lab.requests).toHaveLength(2);
  });
});

test('the stream is as axios made it: unread, not listened to, and its own', async () => {
  const lab = await openLab([cutChunked('fin', begun, eventStream), good]);
  const { data } = await retryingInstance(start).get<Readable>(lab.origin, { responseType: 'stream' });
  expect(Readable.isDisturbed(data)).toBe(false);
  expect(data.readableFlowing).toBe(null);
  expect(Object.hasOwn(data, 'destroy')).toBe(false);
  await new Promise(setImmediate);
  expect(data.listenerCount('readable')).toBe(0);
});

test('a stream that breaks off is heard by listeners as it breaks off', async () => {
  const lab = await openLab([cutChunked('fin', begun, eventStream)]);
  const { data } = await retryingInstance({ ...start, maxRetries: 1 }).get<Readable>(lab.origin, {
    responseType: 'stream',
  });
  const told: string[] = [];
  await new Promise<void>((resolve) => {
    data.on('data', (piece: Buffer) => told.push(String(piece)));
    data.on('end', () => told.push('end'));
    data.on('error', () => told.push('error'));
    data.on('close', () => resolve());
  });
  expect(told.join('')).toBe(`${begun}halferror`);
});

test('an abort while the beginning is waited for', async () => {
  const lab = await openLab([stream(begun, { do: 'stall' })]);
  const abort = new AbortController();
  const asked = retryingInstance(start).get(lab.origin, { responseType: 'stream', signal: abort.signal });
  const ended = settled(asked);
  await lab.until(({ requests }) => requests.length === 1);
  setTimeout(() => abort.abort(), 20);
  expect((await ended).error).toMatchObject({ code: 'ERR_CANCELED' });
  await lab.until(({ openSockets }) => openSockets === 0);
});
