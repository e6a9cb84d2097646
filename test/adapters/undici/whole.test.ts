/** What undici's callers hear of an answer that waited for its body: the same callbacks, in the same order. */

import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import {
  answer,
  answerChunked,
  contentOf,
  cutBody,
  endlessBody,
  type Play,
  stallInBody,
} from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { type Hold, native, type Recorder, recorder } from './generations.js';
import {
  Deferred,
  littleBytes,
  openAgent,
  retryingAgent,
  toldAfterAbortAtHead,
  whileAnotherReads,
} from './kit.js';
import { record } from './recorder.js';

const whole: PolicyOptions = { ...soon, wholeBodyBytes: 1_000 };

test('one head, the bytes in order, and the trailers', async () => {
  const lab = await openLab([cutBody(1_000, 500, 'fin'), answerChunked(['a', 'b', 'c'], { 'x-sum': '3' })]);
  const recorder = await record(retryingAgent(whole), { origin: lab.origin }).end();
  expect(recorder).toMatchObject({ starts: 1, ends: 1, errors: [] });
  expect(recorder.heads).toHaveLength(1);
  expect(recorder.bytes.toString()).toBe('abc');
  expect(recorder.trailers).toMatchObject([{ 'x-sum': '3' }]);
  expect(lab.requests).toHaveLength(2);
});

test.each([
  ['an event stream', { 'content-type': 'text/event-stream' }],
  ['a long one', { 'content-length': '1001' }],
])('%s is handed over at once, and no timer is set', async (_what, headers) => {
  const time = new HandTime();
  const lab = await openLab([stallInBody(10, 200, headers)]);
  const recorder = record(retryingAgent(createRetrier(whole, time.ports)), { origin: lab.origin });
  await recorder.until(({ pieces }) => pieces.length > 0);
  expect(time.timers).toEqual([]);
  recorder.controller?.abort();
});

test('after a POST without a key, the caller gets the answer, whose body then breaks off', async () => {
  const lab = await openLab([cutBody(1_000, 500, 'fin')]);
  const dispatcher = retryingAgent(whole);
  const given = await undici.request(lab.origin, { method: 'POST', body: 'x', dispatcher });
  expect(given.statusCode).toBe(200);
  expect((await settled(given.body.text())).error).toMatchObject({ code: 'UND_ERR_SOCKET' });
  expect(lab.requests).toHaveLength(1);
});

test('a reader of that body gets what came of it before it breaks off', async () => {
  const lab = await openLab([cutBody(1_000, 500, 'fin')]);
  const dispatcher = retryingAgent(whole);
  const { body } = await undici.request(lab.origin, { method: 'POST', body: 'x', dispatcher });
  let bytes = 0;
  const read = async (): Promise<void> => {
    for await (const piece of body) bytes += (piece as Buffer).length;
  };
  expect((await settled(read())).error).toMatchObject({ code: 'UND_ERR_SOCKET' });
  expect(bytes).toBe(500);
});

describe('a body that was handed over before it was whole', () => {
  const size = 5_000;
  const etag = '"v1"';
  const headers = { 'accept-ranges': 'bytes', etag };

  test('is resumed where it breaks off', async () => {
    const rest: Play = {
      steps: [
        {
          do: 'head',
          status: 206,
          headers: { 'content-length': '2000', 'content-range': `bytes 3000-4999/${size}`, etag },
        },
        { do: 'fill', bytes: 2_000, from: 3_000 },
        { do: 'end' },
      ],
    };
    const lab = await openLab([cutBody(size, 3_000, 'fin', headers), rest]);
    const recorder = await record(retryingAgent(whole), { origin: lab.origin }).end();
    expect(recorder.errors).toEqual([]);
    expect(recorder.bytes.equals(contentOf('a', 0, size))).toBe(true);
    expect(lab.requests[1]?.headers).toMatchObject({ range: 'bytes=3000-4999' });
  });

  test('is read as slowly as its reader wants', async () => {
    const lab = await openLab(endlessBody());
    const { body } = await undici.request(lab.origin, { dispatcher: retryingAgent(whole) });
    await whileAnotherReads();
    expect(lab.bytesSent).toBeLessThan(littleBytes);
    let read = 0;
    for await (const piece of body) {
      read += (piece as Buffer).length;
      if (read > 2_000_000) break;
    }
  });
});

test('a handler of the first generation that pauses at the head gets the rest once it resumes', async () => {
  const lab = await openLab([answer(200, 'paused')]);
  const text: string[] = [];
  const done = new Promise<void>((resolve, reject) => {
    const handler = {
      onConnect: () => undefined,
      onHeaders: (_status: number, _headers: unknown, resume: () => void) => {
        text.push('head');
        setTimeout(resume, 5);
        return false;
      },
      onData: (chunk: Buffer) => void text.push(String(chunk)),
      onComplete: () => resolve(),
      onError: reject,
    };
    const agent = openAgent().compose(retry(whole));
    agent.dispatch({ origin: lab.origin, path: '/', method: 'GET' }, handler as never);
  });
  await done;
  expect(text).toEqual(['head', 'paused']);
});

test('a caller that resumes does not resume the next answer on its connection', async () => {
  const lab = await openLab([answer(200, 'first'), answer(200, 'x'.repeat(2_000))]);
  const agent = openAgent({ connections: 1 }).compose(retry(whole));
  const holds: Hold[] = [];
  const pausing = (onHead?: () => void): Recorder =>
    recorder(native, {
      onHead(_status, hold) {
        hold.pause();
        holds.push(hold);
        onHead?.();
      },
    });
  const first = pausing();
  const bothBegun = new Deferred();
  const second = pausing(() => bothBegun.resolve());
  const options = { origin: lab.origin, path: '/', method: 'GET' } as const;
  agent.dispatch(options, first);
  agent.dispatch(options, second);
  await bothBegun.promise;
  holds[0]?.resume();
  await first.settled;
  await whileAnotherReads();
  expect([String(first.body), second.body.length]).toEqual(['first', 0]);
  holds[1]?.resume();
  await second.settled;
  expect(second.body).toHaveLength(2_000);
});

test('a caller that aborts at the head hears of nothing else than its abort', async () => {
  const lab = await openLab([answer(200, 'text')]);
  const told = await toldAfterAbortAtHead(openAgent().compose(retry(whole)), lab.origin);
  expect(told).toEqual(['head', 'Error: enough']);
});

test('retryIf reads a body that is whole', async () => {
  const lab = await openLab([answer(200, '{"done":false}'), answer(200, '{"done":true}')]);
  const dispatcher = retryingAgent({
    ...whole,
    retryIf: async (outcome) => /false/.test(JSON.stringify(await outcome.body())),
  });
  const { body } = await undici.request(lab.origin, { dispatcher });
  expect(await body.json()).toEqual({ done: true });
});

test('an error that the handler throws at the head is its own, as without us', async () => {
  const lab = await openLab([answer(200, 'text')]);
  const thrown = new Error('thrown');
  const error = await new Promise((resolve) => {
    const handler = {
      onRequestStart: () => undefined,
      onResponseStart: () => {
        throw thrown;
      },
      onResponseData: () => undefined,
      onResponseEnd: () => undefined,
      onResponseError: (_controller: unknown, told: unknown) => resolve(told),
    };
    const agent = openAgent().compose(retry(whole));
    agent.dispatch({ origin: lab.origin, path: '/', method: 'GET' }, handler as never);
  });
  expect(error).toBe(thrown);
});
