/** Two attempts of one axios request at the same time: neither disturbs the other, and the caller sees its own request. */

import { getEventListeners } from 'node:events';
import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type {
  AxiosAdapter,
  AxiosInstance,
  AxiosProgressEvent,
  AxiosRequestConfig,
  AxiosResponse,
  InternalAxiosRequestConfig,
} from 'axios';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { historyOf, type PolicyOptions } from '../../../src/index.js';
import { answer, type Lab, type Play, silence } from '../../faults/lab.js';
import { comesTrue, openLab, settled } from '../kit.js';
import { type Hedging, hedgeMs, hedging, onCue, retryMs } from '../suites/hedged.js';
import { axios, axiosEsm } from './client.js';
import { openInstance, retryingInstance } from './kit.js';
import { overHttp1 } from './ways.js';

type Stage = Pick<Hedging, 'time' | 'retrier' | 'told'> & { readonly instance: AxiosInstance };

function stage(policy: PolicyOptions = {}, config: AxiosRequestConfig = {}): Stage {
  const { time, retrier, told } = hedging({ client: () => () => Promise.reject() }, policy);
  return { time, retrier, told, instance: retryingInstance(retrier, config as object) };
}

/** The hedge is out, too. */
async function untilHedged({ time }: Stage, lab: Lab): Promise<void> {
  const before = lab.requests.length;
  await lab.until(({ requests }) => requests.length > 0);
  await time.fire(hedgeMs);
  await lab.until(({ requests }) => requests.length === Math.max(before, 1) + 1);
}

const slowFirst: readonly Play[] = [
  onCue('first', answer(200, 'first')),
  onCue('hedge', answer(200, 'hedge')),
];

/** What the last request interceptor saw, and what is in it. */
function watch(instance: AxiosInstance) {
  const seen: { config?: InternalAxiosRequestConfig; before?: Record<string, unknown> } = {};
  instance.interceptors.request.use((config) => {
    seen.config = config;
    seen.before = { ...config, headers: { ...config.headers } };
    return config;
  });
  return seen;
}

describe.each(overHttp1)("the caller's configuration, by $name", ({ name, config }) => {
  test.each([
    ['the first wins', 'first', 200],
    ['the hedge wins', 'hedge', 200],
    ['the first wins with a failure', 'first', 404],
    ['the hedge wins with a failure', 'hedge', 404],
  ] as const)('is the same object with the same contents: %s', async (_title, winner, status) => {
    const plays = ['first', 'hedge'].map((name) => onCue(name, answer(name === winner ? status : 200, name)));
    const lab = await openLab(plays);
    const it = stage({ idempotencyKey: true }, config);
    const { signal } = new AbortController();
    const seen = watch(it.instance);
    const asked = settled(
      it.instance.get('/a', { baseURL: lab.origin, params: { page: 1 }, headers: { 'X-Mine': '1' }, signal }),
    );
    await untilHedged(it, lab);
    expect(lab.requests.map(({ headers }) => headers['x-mine'])).toEqual(['1', '1']);
    lab.cue(winner);
    const { value, error } = await asked;
    const result = (value ?? error) as AxiosResponse;
    const { config: left } = result;
    if (name !== 'an adapter of the caller') expect(axios.isAxiosError(error)).toBe(status === 404);
    expect(left).toBe(seen.config);
    const { headers, ...others } = left;
    const { headers: headersBefore, ...before } = seen.before ?? {};
    expect(others).toEqual(before);
    expect(left.signal).toBe(signal);
    const { response } = result as { response?: AxiosResponse };
    if (response !== undefined) expect(response.config).toBe(seen.config);
    expect(headers.get('retry-attempt') ?? null).toBe(null);
    expect(headers).toMatchObject(headersBefore as object);
    expect(historyOf(result)).toHaveLength(2);
    lab.cue(winner === 'first' ? 'hedge' : 'first');
    await it.time.until(({ pending }) => pending.length === 0);
    expect(left).toBe(seen.config);
    expect(left.signal).toBe(signal);
    expect(await comesTrue(() => getEventListeners(signal, 'abort').length === 0)).toBe(true);
  });

  test('is as it was after both attempts and a retry have failed', async () => {
    const lab = await openLab([onCue('first', answer(503)), onCue('hedge', answer(503)), answer(503)]);
    const it = stage({ maxRetries: 1 }, config);
    const seen = watch(it.instance);
    const asked = settled(it.instance.get(lab.origin));
    await untilHedged(it, lab);
    lab.cue('first');
    lab.cue('hedge');
    await it.time.fire(retryMs);
    const { error } = (await asked) as { error: { config: InternalAxiosRequestConfig } };
    expect(error.config).toBe(seen.config);
    expect(lab.requests.map(({ headers }) => headers['retry-attempt'])).toEqual([undefined, '1', '2']);
    expect(error.config.headers.has('retry-attempt')).toBe(false);
  });

  test.each([
    ['a string', 'some text', 'some text'],
    ['an object', { some: 'thing' }, '{"some":"thing"}'],
    ['URLSearchParams', new URLSearchParams('a=1'), 'a=1'],
  ])('has a body that both send: %s', async (_title, data, sent) => {
    const lab = await openLab(slowFirst);
    const it = stage({ hedge: { afterMs: hedgeMs, methods: ['PUT'] } }, config);
    const asked = it.instance.put(lab.origin, data);
    await untilHedged(it, lab);
    await lab.until(({ requests }) => requests.every(({ complete }) => complete));
    lab.cue('hedge');
    expect((await asked).data).toBe('hedge');
    const bodies = lab.requests.map(({ body }) => body.toString());
    expect(bodies).toEqual([sent, sent]);
    lab.cue('first');
    await it.time.until(({ pending }) => pending.length === 0);
  });
});

describe.each(['http', 'fetch'] as const)('by %s,', (adapter) => {
  test('bytes, Blobs and forms are sent by both attempts', async () => {
    for (const make of [
      () => Buffer.from('bytes'),
      () => new Blob(['a blob']),
      () => {
        const form = new FormData();
        form.append('name', 'value');
        return form;
      },
    ]) {
      const lab = await openLab(slowFirst);
      const it = stage({ hedge: { afterMs: hedgeMs, methods: ['PUT'] } }, { adapter });
      const asked = it.instance.put(lab.origin, make());
      await untilHedged(it, lab);
      await lab.until(({ requests }) => requests.every(({ complete }) => complete));
      lab.cue('first');
      expect((await asked).data).toBe('first');
      const [one, other] = lab.requests.map(({ body }) => body.length);
      expect(one).toBe(other);
      expect(one).toBeGreaterThan(4);
      lab.cue('hedge');
      await it.time.until(({ pending }) => pending.length === 0);
    }
  });

  test('a stream is not sent twice, so there is no hedge', async () => {
    const lab = await openLab([onCue('first', answer(200, 'first'))]);
    const it = stage({ hedge: { afterMs: hedgeMs, methods: ['PUT'] } }, { adapter });
    const asked = it.instance.put(lab.origin, Readable.from(['a', 'b']));
    await lab.until(({ requests }) => requests[0]?.complete === true);
    expect(it.time.pending).toEqual([]);
    lab.cue('first');
    expect((await asked).data).toBe('first');
  });

  test('the transforms run once, on the answer that wins', async () => {
    const lab = await openLab(slowFirst);
    const transformed: unknown[] = [];
    const it = stage({}, { adapter });
    const transformResponse = (data: unknown): unknown => {
      transformed.push(data);
      return data;
    };
    const asked = it.instance.get(lab.origin, { transformResponse });
    await untilHedged(it, lab);
    lab.cue('hedge');
    await asked;
    lab.cue('first');
    await it.time.until(({ pending }) => pending.length === 0);
    expect(transformed).toEqual(['hedge']);
  });

  test.each([
    ['the first', 'first', 'hedge'],
    ['the hedge', 'hedge', 'first'],
  ])(
    'the caller hears the progress of %s, which wins, and not of the other after that',
    async (_, won, lost) => {
      const longer = onCue(lost, answer(200, 'a longer answer'));
      const quick = onCue(won, answer(200, 'quick'));
      const lab = await openLab(won === 'first' ? [quick, longer] : [longer, quick]);
      const it = stage({}, { adapter });
      const loaded: number[] = [];
      const onDownloadProgress = (event: AxiosProgressEvent): void => void loaded.push(event.loaded);
      const asked = it.instance.get(lab.origin, { onDownloadProgress });
      await untilHedged(it, lab);
      lab.cue(won);
      expect((await asked).data).toBe('quick');
      lab.cue(lost);
      await it.time.until(({ pending }) => pending.length === 0);
      // axios reports progress at its own pace, and may do so after the answer.
      await vi.waitUntil(() => loaded.length > 0, { timeout: 10_000 });
      expect(loaded).toEqual([5]);
      expect((await asked).config.onDownloadProgress).toBe(onDownloadProgress);
    },
  );

  test('a stream wins with its head, and is read whole; the stream of the loser is drained', async () => {
    const lab = await openLab(slowFirst);
    const it = stage({}, { adapter, responseType: 'stream' });
    const asked = it.instance.get(lab.origin);
    await untilHedged(it, lab);
    lab.cue('hedge');
    const { data } = await asked;
    expect(await text(data)).toBe('hedge');
    lab.cue('first');
    await it.time.until(({ pending }) => pending.length === 0);
    const again = await it.instance.get(lab.origin, { responseType: 'text' });
    expect(again.data).toBe('hedge');
    expect(lab.connections).toBe(2);
  });

  test('a hedge that waits for the connection of a failed stream gets it', async () => {
    const lab = await openLab([onCue('first', answer(503, 'busy')), answer(200, 'hedge')]);
    const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => httpAgent.destroy());
    const it = stage({}, { adapter, responseType: 'stream', httpAgent });
    const asked = it.instance.get(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await it.time.fire(hedgeMs);
    await setImmediate();
    lab.cue('first');
    if (adapter === 'http') await it.time.fire(hedgeMs);
    expect(await text((await asked).data)).toBe('hedge');
    await it.time.until(({ pending }) => pending.length === 0);
  });

  test('a token ends both', async () => {
    const lab = await openLab(silence());
    const it = stage({}, { adapter });
    const { token, cancel } = axios.CancelToken.source();
    const asked = settled(it.instance.get(lab.origin, { cancelToken: token }));
    await untilHedged(it, lab);
    cancel('enough');
    const { error } = await asked;
    expect(axios.isCancel(error)).toBe(true);
    expect((error as Error).message).toBe('enough');
    expect(it.time.pending).toEqual([]);
    expect(historyOf(error)).toHaveLength(2);
  });
});

describe('with an adapter of the caller', () => {
  const late = (): { adapter: AxiosAdapter; configs: InternalAxiosRequestConfig[]; ends: (() => void)[] } => {
    const configs: InternalAxiosRequestConfig[] = [];
    const ends: (() => void)[] = [];
    const adapter: AxiosAdapter = (config) =>
      new Promise((resolve) => {
        configs.push(config);
        const number = configs.length;
        ends.push(() => resolve({ data: number, status: 200, statusText: '', headers: {}, config }));
      });
    return { adapter, configs, ends };
  };

  test('each attempt has its own configuration, with its own signal and headers', async () => {
    const { adapter, configs, ends } = late();
    const it = stage({}, { adapter });
    const asked = it.instance.get('http://127.0.0.1/');
    await it.time.fire(hedgeMs);
    const [one, other] = configs;
    expect(one).not.toBe(other);
    expect(one?.headers).not.toBe(other?.headers);
    expect(one?.signal).not.toBe(other?.signal);
    expect(other?.headers.constructor).toBe(one?.headers.constructor);
    ends[1]?.();
    expect((await asked).data).toBe(2);
    // One that ignores its signal answers very late: its answer is dropped.
    await it.time.fire(it.time.pending[0] ?? 0);
    expect(one?.signal?.aborted).toBe(true);
    ends[0]?.();
    await setImmediate();
    expect(it.time.pending).toEqual([]);
  });

  test.each([
    ['/here', 'no-cache'],
    ['http://elsewhere.example/', undefined],
  ])('in a browser, the hedge does not ask the cache: %s', async (url, header) => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/149' });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { adapter, configs, ends } = late();
    const it = stage({}, { adapter });
    const asked = it.instance.get(url);
    await it.time.fire(hedgeMs);
    expect(configs.map(({ headers }) => headers.get('cache-control') ?? undefined)).toEqual([
      undefined,
      header,
    ]);
    expect(configs.map(({ fetchOptions }) => fetchOptions)).toEqual([undefined, { cache: 'reload' }]);
    ends[1]?.();
    const { config } = await asked;
    expect(config.headers.has('cache-control')).toBe(false);
    expect(config.fetchOptions).toBeUndefined();
  });

  test('a loser that fails late disturbs nothing', async () => {
    const fails: ((error: Error) => void)[] = [];
    const adapter: AxiosAdapter = (config) =>
      new Promise((resolve, reject) => {
        fails.push(reject);
        if (fails.length === 2) resolve({ data: 'ok', status: 200, statusText: '', headers: {}, config });
      });
    const it = stage({}, { adapter });
    const asked = it.instance.get('http://127.0.0.1/');
    await it.time.fire(hedgeMs);
    expect((await asked).data).toBe('ok');
    fails[0]?.(new Error('late'));
    await setImmediate();
    expect(it.time.pending).toEqual([]);
  });

  test('an answer without a status wins as it is', async () => {
    let sent = 0;
    const adapter = ((config: InternalAxiosRequestConfig) => {
      sent += 1;
      return sent === 1
        ? new Promise(() => undefined)
        : Promise.resolve({ data: 'odd', headers: {}, config });
    }) as unknown as AxiosAdapter;
    const it = stage({}, { adapter, validateStatus: null });
    const asked = it.instance.get('http://127.0.0.1/');
    await it.time.fire(hedgeMs);
    expect((await asked).data).toBe('odd');
    expect(it.time.pending).toEqual([]);
  });
});

test('the ES module of axios gets its own classes back', async () => {
  const lab = await openLab([silence(), answer(404, 'hedge')]);
  const { time, retrier } = hedging({ client: () => () => Promise.reject() });
  const instance = openInstance({ adapter: 'http' }, axiosEsm);
  attachRetry(instance, retrier);
  const asked = settled(instance.get(lab.origin));
  await lab.until(({ requests }) => requests.length === 1);
  await time.fire(hedgeMs);
  const { error } = await asked;
  expect(error).toBeInstanceOf(axiosEsm.AxiosError);
  await time.fire(time.pending[0] ?? 0);
});
