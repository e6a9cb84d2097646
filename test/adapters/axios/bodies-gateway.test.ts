/** A server that passes its client's body on: whatever becomes of that, its client is answered on its connection. */

import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AxiosError, AxiosRequestConfig } from 'axios';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { type Answer, answer, type Play, refusedOrigin, rst, silence } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { retryingInstance } from './kit.js';
import { overH2, survivesHttp2 } from './ways.js';

interface Answered {
  readonly status: number | undefined;
  readonly body: string;
}

/** Passes on what it is sent, and answers with what it gets: with the refusal's status, or with 502 and why. */
async function openGateway(
  origin: string,
  given: Parameters<typeof retryingInstance>[0],
  config: AxiosRequestConfig = {},
): Promise<string> {
  const instance = retryingInstance(given);
  const server = createServer(async (incoming, response) => {
    const method = incoming.method ?? 'PUT';
    const { value, error } = await settled(
      instance.request({ url: origin, method, data: incoming, ...config }),
    );
    const { code, response: refusal } = Object(error) as AxiosError;
    response.writeHead(value?.status ?? refusal?.status ?? 502).end(String(value?.data ?? code));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Kind = 'whole' | 'unfinished';

function ask(gateway: string, kind: Kind, method = 'PUT'): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = { 'transfer-encoding': 'chunked' };
    const request = httpRequest(gateway, { method, agent: false, headers });
    onTestFinished(() => void request.destroy());
    request.on('error', reject);
    request.on('response', async (response) => {
      resolve({ status: response.statusCode, body: await text(response) });
    });
    request.write('first,');
    if (kind === 'whole') request.end('second');
  });
}

interface Scene {
  readonly play: Play | 'refused';
  readonly policy?: PolicyOptions;
  readonly config?: () => AxiosRequestConfig;
  readonly status: number;
  readonly body: RegExp;
}

const silent = silence('head');
const scenes: Readonly<Record<string, Scene>> = {
  'a refusal': { play: 'refused', status: 502, body: /^(ECONNREFUSED|ERR_NETWORK)$/ },
  'a reset': { play: rst('head'), status: 502, body: /^(ECONNRESET|EPIPE|ERR_NETWORK)$/ },
  'an attempt timeout': {
    play: silent,
    policy: { attemptTimeoutMs: 100 },
    status: 502,
    body: /^ERR_UNDAUNTED_ATTEMPT_TIMEOUT$/,
  },
  'a deadline': {
    play: silent,
    policy: { deadlineMs: 100 },
    status: 502,
    body: /^ERR_UNDAUNTED_DEADLINE$/,
  },
  "axios's own timeout": {
    play: silent,
    config: () => ({ timeout: 100 }),
    status: 502,
    body: /^(ECONNABORTED|ETIMEDOUT)$/,
  },
  'an abort': {
    play: silent,
    config: () => ({ signal: AbortSignal.timeout(100) }),
    status: 502,
    body: /^ERR_CANCELED$/,
  },
  'an early 413': { play: { ...answer(413, 'no'), at: 'head' }, status: 413, body: /^ERR_BAD_REQUEST$/ },
  'an early success': { play: { ...answer(200, 'yes'), at: 'head' }, status: 200, body: /^yes$/ },
};

describe.each(['http', 'fetch'])('over %s', (adapter) => {
  const cases = Object.entries(scenes).flatMap(([name, scene]) =>
    (['whole', 'unfinished'] as const).flatMap((kind) =>
      [0, 1].map((maxRetries) => [name, kind, maxRetries, scene] as const),
    ),
  );

  test.each(cases)('%s, of a body that is %s, with %i retries', async (_name, kind, maxRetries, scene) => {
    const { play, policy, config, status, body } = scene;
    const origin = play === 'refused' ? await refusedOrigin() : (await openLab(play)).origin;
    const gateway = await openGateway(origin, { ...soon, ...policy, maxRetries }, { adapter, ...config?.() });
    expect(await ask(gateway, kind)).toEqual({ status, body: expect.stringMatching(body) });
  });

  test('a gate that is shut', async () => {
    const origin = await refusedOrigin();
    const retrier = createRetrier({
      ...soon,
      maxRetries: 1,
      gate: { failures: 1, deadForMs: 0, probeMs: 60_000 },
    });
    await settled(retryingInstance(retrier).get(origin));
    const gateway = await openGateway(origin, retrier, { adapter });
    expect(await ask(gateway, 'unfinished')).toEqual({ status: 502, body: 'ERR_UNDAUNTED_GATE_SHUT' });
  });

  test('a retry has the same body', async () => {
    const lab = await openLab([answer(503), rst(), answer(200, 'yes')]);
    const gateway = await openGateway(lab.origin, soon, { adapter });
    expect(await ask(gateway, 'whole')).toEqual({ status: 200, body: 'yes' });
    expect(lab.requests.map(({ body }) => String(body))).toEqual(Array(3).fill('first,second'));
  });
});

describe.skipIf(!survivesHttp2)('over HTTP/2', () => {
  const early = (status: number): Answer => ({ ...answer(status, 'no'), at: 'head' });
  const silentH2: Answer = { at: 'head', steps: [{ do: 'stall' }] };
  const cases: [name: string, play: Answer, policy: PolicyOptions, status: number][] = [
    ['an attempt timeout', silentH2, { attemptTimeoutMs: 100 }, 502],
    ['a deadline', silentH2, { deadlineMs: 100 }, 502],
    ['an early 413', early(413), {}, 413],
    ['an early 503', early(503), {}, 503],
  ];

  test.each(cases)('%s', async (_name, play, policy, status) => {
    for (const maxRetries of [0, 1]) {
      const { origin } = await overH2.open(play);
      const gateway = await openGateway(origin, { ...soon, ...policy, maxRetries }, overH2.config);
      expect(await ask(gateway, 'unfinished')).toMatchObject({ status });
    }
  });
});

test.each([false, 1])('GET with a body, and retry: %j', async (retry) => {
  const config = retry === false ? { retry } : {};
  const gateway = await openGateway(await refusedOrigin(), soon, config);
  expect(await ask(gateway, 'unfinished', 'GET')).toEqual({ status: 502, body: 'ECONNREFUSED' });
});
