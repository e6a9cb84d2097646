/** An answer that waited for its body is the fetch's own, untouched, and behaves as one that did not wait. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import {
  answer,
  answerChunked,
  bigBody,
  cutBody,
  endlessBody,
  type Play,
  stallInBody,
} from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { nodeFetch, undiciFetch } from './client.js';

const whole: PolicyOptions = { ...soon, wholeBodyBytes: 1_000 };
const hour = 3_600_000;
const json = { 'content-type': 'application/json' };

/** More than the client reads ahead, but not more than arrives at once. */
const arrived: Play = {
  steps: [
    { do: 'head', status: 200, headers: { 'transfer-encoding': 'chunked' } },
    { do: 'fill', bytes: 25_000 },
    { do: 'end' },
  ],
};

describe.each([
  ["Node's own", nodeFetch],
  ["undici's", undiciFetch],
])('%s', (_name, doFetch) => {
  /** With what the fetch itself has given. */
  function watched(policy: PolicyOptions = whole) {
    const given: Response[] = [];
    const watching: typeof fetch = async (...asked) => {
      const response = await doFetch(...asked);
      given.push(response);
      return response;
    };
    return { send: withRetry(watching, policy), given };
  }

  test.each([
    ['whole', answer(200, '{"a":1}', json)],
    ['empty', answer(200)],
    ['in chunks', answerChunked(['{"a"', ':1}'])],
    ['longer than the limit', answer(200, 'x'.repeat(5_000))],
    ['longer than the limit, in chunks', answerChunked(['x'.repeat(900), 'y'.repeat(900)])],
  ])('%s: the same object, unread', async (_what, play) => {
    const lab = await openLab([play]);
    const { send, given } = watched();
    const response = await send(`${lab.origin}/a`);
    expect(response).toBe(given[0]);
    expect([response.bodyUsed, response.body?.locked ?? false]).toEqual([false, false]);
    expect(response).toMatchObject({ url: `${lab.origin}/a`, redirected: false, status: 200 });
    const text = play.steps.map((step) => ('text' in step ? step.text : '')).join('');
    expect(await response.clone().text()).toBe(text);
    expect(await response.text()).toBe(text);
  });

  test.each([
    ['an event stream', { 'content-type': 'text/event-stream' }],
    ['lines of JSON', { 'content-type': 'application/x-ndjson' }],
    ['a long one', { 'content-length': '1001' }],
  ])('%s is handed over at once, and no timer is set', async (_what, headers) => {
    const time = new HandTime();
    const lab = await openLab([stallInBody(10, 200, headers)]);
    const response = await withRetry(doFetch, createRetrier(whole, time.ports))(lab.origin);
    expect(response.status).toBe(200);
    expect(time.timers).toEqual([]);
    void response.body?.cancel();
  });

  test('after a POST without a key, the caller gets the answer, whose body then breaks off as it does alone', async () => {
    const lab = await openLab([cutBody(1_000, 500, 'fin')]);
    const asked = { method: 'POST', body: 'x' };
    const { send, given } = watched();
    const response = await send(lab.origin, asked);
    expect(response).toBe(given[0]);
    const bare = await doFetch(lab.origin, asked);
    const [{ error }, { error: alone }] = [await settled(response.text()), await settled(bare.text())];
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toBe(String(alone));
    expect(lab.requests).toHaveLength(2);
  });

  test('a call whose signal has aborted already is rejected with its reason, and nothing is sent', async () => {
    const lab = await openLab(answer(200, 'text'));
    const reason = new Error('before');
    for (const policy of [whole, { ...whole, deadlineMs: 60_000, attemptTimeoutMs: 60_000 }]) {
      const asked = withRetry(doFetch, policy)(lab.origin, { signal: AbortSignal.abort(reason) });
      expect((await settled(asked)).error).toBe(reason);
    }
    expect(lab.requests).toEqual([]);
  });

  describe('an abort after the answer was handed over', () => {
    const plays = { whole: answer(200, 'whole'), slow: stallInBody(10), arrived };

    async function aborted(
      path: keyof typeof plays,
      policy: PolicyOptions,
      waits: boolean,
      send = withRetry(doFetch, policy),
    ) {
      const lab = await openLab(plays[path]);
      const caller = new AbortController();
      const response = await send(lab.origin, { signal: caller.signal });
      caller.abort();
      if (waits) await setTimeout(5);
      const { value, error } = await settled(response.text());
      return value ?? String(error);
    }

    test.each([
      ['at once', false],
      ['later', true],
    ])('and read %s: the bytes of a whole one', async (_when, waits) => {
      expect(await aborted('whole', whole, waits)).toBe('whole');
      expect(await aborted('whole', { ...whole, deadlineMs: 60_000, attemptTimeoutMs: 60_000 }, waits)).toBe(
        'whole',
      );
    });

    test.each([
      ['at once', false],
      ['later', true],
    ])('and read %s: the error that it has alone, where it did not wait any longer', async (_when, waits) => {
      const short = { ...whole, wholeBodyMs: 5 };
      const bare = await aborted('slow', {}, waits, doFetch as never);
      expect(bare).toMatch(/^AbortError/);
      expect(await aborted('slow', short, waits)).toBe(bare);
      const timed = { ...short, deadlineMs: 60_000, attemptTimeoutMs: 60_000 };
      expect(await aborted('slow', timed, waits)).toBe(bare);
    });

    test.each([
      ['at once', false],
      ['later', true],
    ])('and read %s: an error, where all of a longer one has arrived', async (_when, waits) => {
      const longer = { ...whole, wholeBodyBytes: 1 };
      const timed = {
        ...longer,
        deadlineMs: 60_000,
        attemptTimeoutMs: 60_000,
        deadlineCovers: 'body',
      } as const;
      // Node 20 says of such a body that it was read, also without us.
      const error = /^AbortError|^TypeError: Body is unusable/;
      expect(await aborted('arrived', longer, waits)).toMatch(error);
      expect(await aborted('arrived', timed, waits)).toMatch(error);
    });
  });

  test.each([
    ['without a limit', {}],
    ['with limits', { deadlineMs: 60_000, attemptTimeoutMs: 60_000 }],
  ])('an abort when all has arrived but is not read yet rejects the call, %s', async (_what, limits) => {
    const time = new HandTime();
    const lab = await openLab(bigBody(60_000));
    const policy = { ...whole, ...limits, wholeBodyBytes: 100_000, wholeBodyMs: 60_000 };
    const caller = new AbortController();
    const reason = new Error('arrived');
    const abort = (): void => queueMicrotask(() => caller.abort(reason));
    subscribe('undici:request:trailers', abort);
    try {
      const send = withRetry(doFetch, createRetrier(policy, time.ports));
      const asked = send(lab.origin, { signal: caller.signal });
      expect((await settled(asked)).error).toBe(reason);
    } finally {
      unsubscribe('undici:request:trailers', abort);
    }
  });

  test('nothing of a longer answer is read aside any longer: it can be cancelled, and a reader that stops, stops it', async () => {
    const lab = await openLab(endlessBody());
    const response = await withRetry(doFetch, { ...whole, wholeBodyBytes: 100_000 })(lab.origin);
    await lab.until(({ bytesSent }) => bytesSent > 100_000);
    const stalled = async (): Promise<number> => {
      for (let sent = -1; ; ) {
        await setTimeout(60);
        if (lab.bytesSent === sent) return sent;
        sent = lab.bytesSent;
      }
    };
    const paused = await stalled();
    const reader = response.body?.getReader();
    for (let read = 0; read < 2_000_000; ) read += (await reader?.read())?.value?.byteLength ?? Number.NaN;
    expect(await stalled()).toBeGreaterThan(paused);
    await reader?.cancel();
    await lab.until(({ openSockets }) => openSockets === 0);
  });

  test('a small answer that is never read gives its connection back', async () => {
    const lab = await openLab(answer(200, '{"a":1}', json));
    const { send } = watched();
    for (let request = 0; request < 20; request += 1) await send(lab.origin);
    expect(lab.requests).toHaveLength(20);
    expect(lab.connections).toBeLessThanOrEqual(2);
  });

  test('what unpacks to more than the limit is handed over there', async () => {
    const bomb = gzipSync(Buffer.alloc(3_000_000)).toString('latin1');
    const head = { 'content-length': String(bomb.length), 'content-encoding': 'gzip' };
    const lab = await openLab(
      (): Play => ({
        steps: [{ do: 'head', status: 200, headers: head }, { do: 'body', text: bomb }, { do: 'end' }],
      }),
    );
    const response = await withRetry(doFetch, { ...whole, wholeBodyBytes: 10_000 })(lab.origin);
    expect((await response.arrayBuffer()).byteLength).toBe(3_000_000);
    expect(lab.requests).toHaveLength(1);
  });

  test('a large body goes through', async () => {
    const lab = await openLab(bigBody(2_000_000));
    const response = await withRetry(doFetch, { ...whole, wholeBodyBytes: 100_000 })(lab.origin);
    expect((await response.arrayBuffer()).byteLength).toBe(2_000_000);
  });
});

test("an answer of a class that is neither the platform's nor undici's is handed over at once, with one warning", async () => {
  const warned: string[] = [];
  const spy = vi
    .spyOn(process, 'emitWarning')
    .mockImplementation((warning) => void warned.push(String(warning)));
  class Response {
    readonly status = 200;
    readonly headers = new Headers();
    readonly body = new ReadableStream();
    clone(): never {
      throw new Error('read');
    }
  }
  const send = withRetry((async () => new Response()) as unknown as typeof fetch, {
    ...whole,
    wholeBodyMs: hour,
  });
  for (let request = 0; request < 3; request += 1) expect((await send('http://a.example/')).status).toBe(200);
  spy.mockRestore();
  expect(warned).toHaveLength(1);
  expect(warned[0]).toContain(
    'wholeBodyBytes and streamStart have no effect on a fetch whose answers are neither',
  );
});

test('a mock that returns nothing, or an answer without a body, is handed over', async () => {
  const results = [
    undefined,
    new Response(null),
    new Response('text', { headers: { 'content-length': '4' } }),
  ];
  const send = withRetry((async () => results.shift()) as unknown as typeof fetch, whole);
  expect(await send('http://a.example/')).toBeUndefined();
  expect((await send('http://a.example/')).status).toBe(200);
  expect(await (await send('http://a.example/')).text()).toBe('text');
});

test('an answer that is longer or shorter than its content-length is fetched again', async () => {
  const of = (length: string, text = 'text') => new Response(text, { headers: { 'content-length': length } });
  const results = [of('5'), of('3'), of('4')];
  const send = withRetry((async () => results.shift()) as unknown as typeof fetch, whole);
  expect(await (await send('http://a.example/')).text()).toBe('text');
  expect(results).toEqual([]);
});
