/** `retryIf` may read what axios's caller would get, in every form. */

import type { AxiosResponse } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { historyOf, type LiveOutcome, type RetryIf, type ToldRequest } from '../../../src/index.js';
import { answer, answerChunked, bigBody, type Lab, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { retryingInstance } from './kit.js';

/** A hang takes forever; nothing else takes nearly as long. */
vi.setConfig({ testTimeout: 10_000 });

const adapters = ['http', 'fetch'] as const;
const json = { 'content-type': 'application/json' };
const failedInside = answer(200, '{"error":"try again"}', json);
const fine = answer(200, '{"items":[1]}', json);

const isFailedInside: RetryIf = async (outcome) => {
  const body = await outcome.body();
  return typeof body === 'object' && body !== null && 'error' in body ? true : undefined;
};

describe('a 200 that is an error inside', () => {
  test.each(adapters)('is sent again, also a POST, if it says so (%s)', async (adapter) => {
    const lab = await openLab([failedInside, failedInside, fine]);
    const instance = retryingInstance({ ...soon, retryIf: isFailedInside }, { adapter });
    const { data } = await instance.post(lab.origin, { name: 'x' });
    expect(data).toEqual({ items: [1] });
    expect(lab.requests.map(({ body }) => body.toString())).toEqual(Array(3).fill('{"name":"x"}'));
  });

  test('is what the caller gets when the retries are spent, with its history', async () => {
    const lab = await openLab(failedInside);
    const instance = retryingInstance({ ...soon, maxRetries: 2, retryIf: isFailedInside });
    const response = await instance.get(lab.origin);
    expect(response.data).toEqual({ error: 'try again' });
    const reasons = historyOf(response)?.map(({ decision }) => decision.reason);
    expect(reasons).toEqual(['caller-asks', 'caller-asks', 'retries-spent']);
  });

  test('without async', async () => {
    const lab = await openLab([answer(200, '', { 'x-stale': 'yes' }), fine]);
    const retryIf: RetryIf = (outcome) => (outcome.header('x-stale') === 'yes' ? true : undefined);
    const { data } = await retryingInstance({ ...soon, retryIf }).get(lab.origin);
    expect(data).toEqual({ items: [1] });
  });
});

describe('its arguments', () => {
  test('the outcome and the request, with the query that axios makes of params', async () => {
    const seen: [LiveOutcome, ToldRequest][] = [];
    const lab = await openLab([rst(), answer(404), answer(200)]);
    const retryIf: RetryIf = (outcome, request) => {
      seen.push([outcome, request]);
      return seen.length < 3 ? true : undefined;
    };
    const instance = retryingInstance({ ...soon, retryIf }, { baseURL: lab.origin });
    await instance.get('/things', { params: { q: 'secret' } });
    const [failed, missing, ok] = seen.map(([outcome]) => outcome);
    expect(failed).toMatchObject({ kind: 'error', error: { code: 'ECONNRESET' } });
    expect(await failed?.body()).toBeUndefined();
    expect(missing).toMatchObject({ kind: 'response', status: 404 });
    expect(ok).toMatchObject({ kind: 'response', status: 200 });
    const path = '/things?q=secret';
    const told = { method: 'GET', origin: lab.origin, path, url: `${lab.origin}${path}`, keyed: false };
    expect(seen.map(([, request]) => request)).toMatchObject([told, told, told]);
    expect(new Set(seen.map(([, request]) => request)).size).toBe(1);
  });

  test.each(adapters)(
    'the body as the caller would get it, as often as it is asked for (%s)',
    async (adapter) => {
      const bodies: unknown[] = [];
      const lab = await openLab([answer(503, '{"n":1}', json), answer(200, '{"n":2}', json)]);
      const retryIf: RetryIf = async ({ body }) => {
        bodies.push(await body(), await body());
        return undefined;
      };
      const wrap = (data: unknown) => ({ wrapped: data });
      const parse = (data: string) => JSON.parse(data) as unknown;
      const instance = retryingInstance({ ...soon, retryIf }, { adapter, transformResponse: [parse, wrap] });
      const { data } = await instance.get(lab.origin);
      expect(bodies).toEqual([1, 1, 2, 2].map((n) => ({ wrapped: { n } })));
      expect(bodies[0]).not.toBe(bodies[1]);
      expect(data).toEqual({ wrapped: { n: 2 } });
    },
  );

  test('transforms are called with headers, status and configuration, and the caller keeps its own', async () => {
    const calls: unknown[] = [];
    const lab = await openLab(answer(200, 'text', { 'x-mark': 'of the server' }));
    const retryIf: RetryIf = async ({ body }) => {
      await body();
      return undefined;
    };
    function transform(
      this: { url?: string },
      data: unknown,
      headers: AxiosResponse['headers'],
      status?: number,
    ) {
      calls.push([this.url, data, headers['x-mark'], status]);
      headers['x-mark'] = 'changed';
      return data;
    }
    const instance = retryingInstance({ ...soon, retryIf }, { transformResponse: [transform] });
    await instance.get(lab.origin);
    // The caller's own call is the second one, independent of the first.
    const call = [lab.origin, 'text', 'of the server', 200];
    expect(calls).toEqual([call, call]);
  });

  test('text that is not JSON stays text', async () => {
    const bodies: unknown[] = [];
    const lab = await openLab([answer(503, '{"half":'), answer(200, 'not JSON at all')]);
    const retryIf: RetryIf = async ({ body }) => void bodies.push(await body());
    const { data } = await retryingInstance({ ...soon, retryIf }).get(lab.origin);
    expect(bodies).toEqual(['{"half":', 'not JSON at all']);
    expect(data).toBe('not JSON at all');
  });

  test('with strict JSON parsing, reading other text fails, and that can be judged, too', async () => {
    const lab = await openLab([answer(200, '{"half":', json), fine]);
    const retryIf: RetryIf = async ({ body }) =>
      body().then(
        () => undefined,
        () => true,
      );
    const transitional = { silentJSONParsing: false };
    const instance = retryingInstance({ ...soon, retryIf }, { responseType: 'json', transitional });
    const { data } = await instance.get(lab.origin);
    expect(data).toEqual({ items: [1] });
  });

  test.each(adapters)('of a stream nothing is read: it is the caller’s (%s)', async (adapter) => {
    const bodies: unknown[] = [];
    const lab = await openLab([answer(503, 'busy'), answerChunked(['all ', 'of it'])]);
    const retryIf: RetryIf = async ({ body }) => void bodies.push(await body());
    const instance = retryingInstance({ ...soon, retryIf }, { adapter, responseType: 'stream' });
    const { data } = await instance.get<AsyncIterable<Uint8Array>>(lab.origin);
    expect(bodies).toEqual([undefined, undefined]);
    const pieces: Uint8Array[] = [];
    for await (const piece of data) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('all of it');
  });

  test('bytes are bytes', async () => {
    const bodies: unknown[] = [];
    const lab = await openLab(answer(200, 'bytes'));
    const retryIf: RetryIf = async ({ body }) => void bodies.push(await body());
    await retryingInstance({ ...soon, retryIf }).get(lab.origin, { responseType: 'arraybuffer' });
    expect(Buffer.from(bodies[0] as ArrayBuffer).toString()).toBe('bytes');
  });
});

describe('its verdict', () => {
  test('false: a 503 that validateStatus accepts resolves', async () => {
    const lab = await openLab(answer(503, 'busy'));
    const instance = retryingInstance({ ...soon, retryIf: () => false }, { validateStatus: () => true });
    expect(await instance.get(lab.origin)).toMatchObject({ status: 503, data: 'busy' });
    expect(lab.requests).toHaveLength(1);
  });
});

const broken = new Error('retryIf broke');

/** fetch may open a new connection, which stays unused, for one that it destroyed. */
function oneIsClosed(lab: Lab): Promise<void> {
  return lab.until(({ connections, openSockets }) => openSockets < connections);
}

function throwing(error: unknown): RetryIf {
  return () => {
    throw error;
  };
}

function rejecting(error: unknown): RetryIf {
  return async () => {
    await new Promise(setImmediate);
    throw error;
  };
}

describe('that fails', () => {
  const answers = [
    ['an answer', answer(503)],
    ['a success', answer(200)],
    ['an error', rst()],
  ] as const;
  const ways = [
    ['throws', throwing],
    ['rejects', rejecting],
  ] as const;
  const cells = ways.flatMap(([how, failing]) =>
    answers.map(([about, play]) => [`${how} nothing about ${about}`, failing(undefined), play] as const),
  );

  test.each(cells)('%s: nothing is the request’s error', async (_name, retryIf, play) => {
    const lab = await openLab(play);
    const ended = await settled(retryingInstance({ ...soon, retryIf }).get(lab.origin));
    expect(ended).toEqual({ error: undefined });
    expect(lab.requests).toHaveLength(1);
  });

  const streams = ways.flatMap(([how, failing]) =>
    adapters.map((adapter) => ({ how, retryIf: failing(broken), adapter })),
  );
  test.each(streams)('$how: the stream in its hands is let go ($adapter)', async ({ retryIf, adapter }) => {
    const lab = await openLab(bigBody(100_000_000));
    const instance = retryingInstance({ ...soon, retryIf }, { adapter, responseType: 'stream' });
    const { error } = await settled(instance.get(lab.origin));
    expect(error).toBe(broken);
    await oneIsClosed(lab);
  });
});

describe('that never ends', () => {
  function thinking() {
    let hasAsked = (): void => undefined;
    let end = (_error: Error): void => undefined;
    const asked = new Promise<void>((resolve) => {
      hasAsked = resolve;
    });
    const answer = new Promise<never>((_, reject) => {
      end = reject;
    });
    const retryIf: RetryIf = () => {
      hasAsked();
      return answer;
    };
    return { asked, retryIf, end: (error: Error) => end(error) };
  }

  test.each(adapters)('a stream in its hands is let go at an abort (%s)', async (adapter) => {
    const lab = await openLab(bigBody(100_000_000));
    const { asked, retryIf } = thinking();
    const instance = retryingInstance({ ...soon, retryIf }, { adapter, responseType: 'stream' });
    const controller = new AbortController();
    const answered = settled(instance.get(lab.origin, { signal: controller.signal }));
    await asked;
    controller.abort();
    expect((await answered).error).toMatchObject({ code: 'ERR_CANCELED' });
    await oneIsClosed(lab);
  });
});
