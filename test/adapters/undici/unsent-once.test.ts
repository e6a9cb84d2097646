/** A POST that may have arrived is sent only once, and the caller gets undici's own error. */

import type { Agent, Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf } from '../../../src/index.js';
import {
  answer,
  connectTunnel,
  fin,
  garbage,
  halfHead,
  type Lab,
  type Play,
  refusedOrigin,
  rst,
  silence,
} from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { major, undici } from './client.js';
import { openAgent, retryingAgent } from './kit.js';

function post(dispatcher: Dispatcher, origin: string): Promise<Dispatcher.ResponseData> {
  const headers = { 'x-id': 'a' };
  return dispatcher.request({ origin, path: '/', method: 'POST', headers, body: 'once' });
}

interface Told {
  readonly name: unknown;
  readonly code: unknown;
  readonly message: unknown;
}

function told(error: unknown): Told {
  const { name, code, message } = error as Record<keyof Told, unknown>;
  return { name, code, message };
}

const faults: [name: string, play: Play, expected: object, options?: Agent.Options][] = [
  ['a reset after the request', rst(), { code: 'ECONNRESET' }],
  ['a reset in the middle of it', rst('head'), { code: 'ECONNRESET' }],
  ['an end after it', fin(), { code: 'UND_ERR_SOCKET' }],
  ['half a head, and the end', halfHead('fin'), { code: 'UND_ERR_SOCKET' }],
  ['half a head, and a reset', halfHead('rst'), { code: 'ECONNRESET' }],
  [
    'half a head, and nothing more',
    halfHead('stall'),
    { code: 'UND_ERR_HEADERS_TIMEOUT' },
    { headersTimeout: 500 },
  ],
  ['no head in time', silence(), { code: 'UND_ERR_HEADERS_TIMEOUT' }, { headersTimeout: 500 }],
  ['an answer that is not HTTP', garbage(), { name: 'HTTPParserError' }],
];

describe.each(faults)('%s', (_name, play, expected, options) => {
  async function expectOnce(lab: Lab, dispatcher: Dispatcher): Promise<unknown> {
    const { error } = await settled(post(dispatcher, lab.origin));
    // The client may give up before the server, in this same process, has read the request.
    await lab.until(({ requests }) => requests.length > 0);
    expect(lab.requests).toHaveLength(1);
    expect(lab.applied('a')).toBeLessThanOrEqual(1);
    return error;
  }

  test('is not answered with a second sending', async () => {
    const [bare, error] = await Promise.all([
      expectOnce(await openLab([play, answer(200)]), openAgent(options)),
      expectOnce(await openLab([play, answer(200)]), retryingAgent(soon, options)),
    ]);
    expect(told(error)).toEqual(told(bare));
    expect(error).toMatchObject(expected);
    expect(historyOf(error)).toMatchObject([
      { decision: { finding: { evidence: 'unknown' }, action: 'stop' } },
    ]);
  });
});

describe('a redirect below, whose second hop', () => {
  const { redirect } = undici.interceptors;

  test('is refused: the first one has the request', async () => {
    const refused = await refusedOrigin();
    const lab = await openLab(answer(307, '', { location: `${refused}/next` }));
    const agent = openAgent().compose(redirect({ maxRedirections: 3 }), retry(soon));
    const { error } = await settled(post(agent, lab.origin));
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    expect(historyOf(error)).toMatchObject([
      { decision: { finding: { evidence: 'unknown' }, action: 'stop' } },
    ]);
    expect([lab.requests.length, lab.applied('a')]).toEqual([1, 1]);
  });

  test('is reset', async () => {
    const next = await openLab([rst(), answer(200)]);
    const lab = await openLab(answer(307, '', { location: `${next.origin}/next` }));
    const agent = openAgent().compose(redirect({ maxRedirections: 3 }), retry(soon));
    expect(await settled(post(agent, lab.origin))).toMatchObject({ error: { code: 'ECONNRESET' } });
    expect([lab.requests.length, next.requests.length]).toEqual([1, 1]);
  });

  test('… but above, each hop stands for itself: a refused one is tried again', async () => {
    const refused = await refusedOrigin();
    const lab = await openLab(answer(307, '', { location: `${refused}/next` }));
    const agent = openAgent().compose(retry({ ...soon, maxRetries: 2 }), redirect({ maxRedirections: 3 }));
    const { error } = await settled(post(agent, lab.origin));
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    expect(historyOf(error)).toHaveLength(3);
    expect(lab.requests).toHaveLength(1);
  });
});

test('a tunnel that breaks after the request went through it', async () => {
  const lab = await openLab([rst(), answer(200)]);
  const proxy = await openLab(connectTunnel(200));
  const base = new undici.ProxyAgent({ uri: proxy.origin, proxyTunnel: true });
  onTestFinished(() => base.destroy());
  const { error } = await settled(post(base.compose(retry(soon)), lab.origin));
  expect(error).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/) });
  expect([lab.requests.length, lab.applied('a')]).toEqual([1, 1]);
});

test(`a pipelined POST waits for its turn, and is sent once (undici ${major})`, async () => {
  const lab = await openLab([rst(), answer(200)]);
  const agent = retryingAgent({ ...soon, maxRetries: 0 }, { connections: 1, pipelining: 10 });
  const first = settled(agent.request({ origin: lab.origin, path: '/first', method: 'GET' }));
  const { value } = await settled(post(agent, lab.origin));
  expect((await first).error).toMatchObject({ code: 'ECONNRESET' });
  expect(value?.statusCode).toBe(200);
  expect(lab.applied('a')).toBe(1);
});
