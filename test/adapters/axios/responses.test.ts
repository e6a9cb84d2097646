/** After failures, the caller gets what axios alone would give; a stream belongs to the caller from then on. */

import { getEventListeners } from 'node:events';
import { Agent } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRetrier, historyOf, type PolicyOptions } from '../../../src/index.js';
import {
  answer,
  answerChunked,
  bigBody,
  closeAfter,
  cutBody,
  type Lab,
  type Play,
  stallInBody,
} from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { isFirst, truncatedHasResponse } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

const json = JSON.stringify({ text: 'so', list: [1, null] });
const said = { 'content-type': 'application/json' };

function packed(bytes: Buffer, encoding: string): Play {
  return answer(200, bytes.toString('latin1'), { 'content-encoding': encoding });
}

/** The response as plain data. */
async function seen({ status, statusText, headers, data, config }: AxiosResponse): Promise<object> {
  const isStream = typeof data === 'object' && data !== null && ('pipe' in data || 'getReader' in data);
  const read =
    data instanceof Blob || isStream ? await text(data instanceof Blob ? data.stream() : data) : data;
  const kind = Object.prototype.toString.call(data);
  return { status, statusText, headers: { ...headers }, kind, read, method: config.method };
}

describe('each kind of answer, after two failures', () => {
  const types = ['json', 'text', 'arraybuffer', 'stream', 'blob', 'document', undefined] as const;
  const adapters = ['http', 'fetch'] as const;
  const cases = types.flatMap((responseType) => adapters.map((adapter) => [responseType, adapter] as const));

  test.each(cases)('%s over %s', async (responseType, adapter) => {
    const config = { adapter, ...(responseType && { responseType }) } as AxiosRequestConfig;
    const bareLab = await openLab(answer(200, json, said));
    const bare = await seen(await openInstance().get(bareLab.origin, config));
    const lab = await openLab([answer(503, json, said), cutBody(1_000, 10, 'rst'), answer(200, json, said)]);
    const failing = await openLab([answer(503, json, said), answer(503), answer(200, json, said)]);
    // A stream that breaks has been handed over already.
    const { origin } = responseType === 'stream' ? failing : lab;
    expect(await seen(await retryingInstance().get(origin, config))).toEqual(bare);
  });

  test.each([
    ['gzip', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['br', brotliCompressSync(json)],
  ] as const)('packed with %s', async (encoding, bytes) => {
    for (const responseType of ['json', 'stream'] as const) {
      const bareLab = await openLab(packed(bytes, encoding));
      const lab = await openLab([answer(503), packed(bytes, encoding)]);
      const bare = await seen(await openInstance().get(bareLab.origin, { responseType }));
      expect(bare).toMatchObject({ read: responseType === 'json' ? JSON.parse(json) : json });
      expect(await seen(await retryingInstance().get(lab.origin, { responseType }))).toEqual(bare);
    }
  });

  test('packed, and cut off', async () => {
    const bytes = gzipSync(json.repeat(100)).toString('latin1');
    const cut: Play = {
      steps: [
        {
          do: 'head',
          status: 200,
          headers: { 'content-encoding': 'gzip', 'content-length': String(bytes.length) },
        },
        { do: 'body', text: bytes.slice(0, 20) },
        { do: 'fin' },
      ],
    };
    const lab = await openLab([cut, packed(gzipSync(json), 'gzip')]);
    const response = await retryingInstance().get(lab.origin);
    expect(response.data).toEqual(JSON.parse(json));
    expect(historyOf(response)?.map(({ decision }) => decision.finding.kind)).toEqual(['error', 'response']);
  });

  test.each([204, 304])('%d', async (status) => {
    const lab = await openLab([answer(503), answer(status)]);
    const response = await retryingInstance().get(lab.origin, { validateStatus: null });
    expect([response.status, response.data]).toEqual([status, '']);
  });

  test('to HEAD', async () => {
    const lab = await openLab([
      answer(503, '', { 'content-length': '9' }),
      answer(200, '', { 'content-length': '9' }),
    ]);
    const response = await retryingInstance().head(lab.origin);
    expect([response.status, response.headers['content-length'], response.data]).toEqual([200, '9', '']);
  });
});

test('a failure has its answer as axios parses it, and its progress is reported', async () => {
  const lab = await openLab([answer(503, 'first'), answer(503, json, said)]);
  const loaded: number[] = [];
  const asked = retryingInstance({ ...soon, maxRetries: 1 }).get(lab.origin, {
    onDownloadProgress: (event) => void loaded.push(event.loaded),
  });
  const { error } = await settled(asked);
  expect(error).toMatchObject({ response: { data: JSON.parse(json) } });
  expect(loaded).toContain(json.length);
});

test('a body above maxContentLength is not asked for again', async () => {
  const lab = await openLab(bigBody(100_000));
  const { error } = await settled(retryingInstance().get(lab.origin, { maxContentLength: 10 }));
  expect(historyOf(error)).toHaveLength(1);
  expect(error).toMatchObject({ message: expect.stringContaining('maxContentLength') });
});

test.skipIf(!truncatedHasResponse)(
  'a success that was cut off is the error, if it is not retried',
  async () => {
    const lab = await openLab(cutBody(1_000, 10, 'fin'));
    const { error } = await settled(retryingInstance({ ...soon, maxRetries: 1 }).get(lab.origin));
    expect(error).toMatchObject({ response: { status: 200 } });
    expect(historyOf(error)).toHaveLength(2);
  },
);

describe('a stream that was handed over', () => {
  /** fetch opens other connections in place of closed ones. */
  const closed = ({ connections, openSockets }: Lab): number => connections - openSockets;
  const adapters = ['http', 'fetch'] as const;
  const policies: [name: string, policy: PolicyOptions][] = [
    ['no limits', soon],
    ['a deadline', { ...soon, deadlineMs: 60_000 }],
    ['an attempt timeout', { ...soon, attemptTimeoutMs: 60_000 }],
  ];
  const cases = adapters.flatMap((adapter) =>
    policies.map(([name, policy]) => [adapter, name, policy] as const),
  );

  test.each(cases)("over %s ends with the caller's abort, with %s", async (adapter, _name, policy) => {
    const lab = await openLab([closeAfter(answer(503)), stallInBody(10)]);
    const caller = new AbortController();
    const config = { adapter, responseType: 'stream', signal: caller.signal } as const;
    const response = await retryingInstance(policy).get<Readable>(lab.origin, config);
    await lab.until((each) => closed(each) === 1);
    const read = settled(text(response.data));
    caller.abort();
    expect((await read).error).toBeInstanceOf(Error);
    await lab.until((each) => closed(each) === 2);
  });

  // The first versions leave their own listeners over fetch.
  const tidy = cases.filter(([adapter]) => adapter === 'http' || !isFirst);

  test.each(tidy)(
    'over %s leaves no listener when it has been read, with %s',
    async (adapter, _name, policy) => {
      const lab = await openLab([answer(503), answer(200, 'yes')]);
      const { signal } = new AbortController();
      const config = { adapter, responseType: 'stream', signal } as const;
      const response = await retryingInstance(policy).get<Readable>(lab.origin, config);
      expect(await text(response.data)).toBe('yes');
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    },
  );

  test.each(adapters)('over %s is not cut by the limits of its request', async (adapter) => {
    const time = new HandTime();
    const retrier = createRetrier({ ...soon, deadlineMs: 5_000, attemptTimeoutMs: 2_000 }, time.ports);
    const slow: Play = {
      steps: [
        { do: 'head', status: 200, headers: { 'content-length': '4' } },
        { do: 'body', text: 'so' },
        { do: 'cue', name: 'later' },
        { do: 'body', text: 'on' },
      ],
    };
    const lab = await openLab(slow);
    const config = { adapter, responseType: 'stream' } as const;
    const response = await retryingInstance(retrier).get<Readable>(lab.origin, config);
    expect(time.pending).toEqual([]);
    time.now = 100_000;
    lab.cue('later');
    expect(await text(response.data)).toBe('soon');
  });

  test('gives its connection back when the caller destroys it', async () => {
    const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => httpAgent.destroy());
    const lab = await openLab([answer(503), stallInBody(10), answer(200, 'yes')]);
    const { signal } = new AbortController();
    const instance = retryingInstance({ ...soon, deadlineMs: 60_000 }, { httpAgent });
    const response = await instance.get<Readable>(lab.origin, { responseType: 'stream', signal });
    response.data.on('error', () => undefined).destroy();
    expect((await instance.get(lab.origin)).data).toBe('yes');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('of a failure is untouched, too', async () => {
    const lab = await openLab([answer(503), answerChunked(['so', 'rry'], {}, 500)]);
    const policy = { ...soon, maxRetries: 1 };
    const { error } = await settled(retryingInstance(policy).get(lab.origin, { responseType: 'stream' }));
    const { data } = (error as { response: AxiosResponse<Readable> }).response;
    expect([data.readableFlowing, data.listenerCount('data')]).toEqual([null, 0]);
    expect(await text(data)).toBe('sorry');
  });
});

test('leaves no unhandled rejection', async () => {
  const rejected: unknown[] = [];
  const onRejection = (reason: unknown): void => void rejected.push(reason);
  process.on('unhandledRejection', onRejection);
  onTestFinished(() => void process.off('unhandledRejection', onRejection));
  const plays: Play[] = [
    stallInBody(10, 503),
    answer(503),
    cutBody(100, 10, 'rst'),
    { at: 'head', steps: [{ do: 'rst' }] },
  ];
  for (const adapter of ['http', 'fetch'] as const) {
    for (const play of plays) {
      const lab = await openLab([play, play]);
      const policy = { ...soon, maxRetries: 1, attemptTimeoutMs: 100 };
      const config = { adapter, responseType: 'stream' } as const;
      const asked = retryingInstance(policy).put<Readable>(lab.origin, () => 'body', config);
      const { value, error } = await settled(asked);
      const { data } = value ?? (error as { response?: AxiosResponse<Readable> }).response ?? {};
      lab.hangUp('rst');
      if (data !== undefined) await settled(text(data));
    }
  }
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  expect(rejected).toEqual([]);
});
