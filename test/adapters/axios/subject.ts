/** axios as a subject of the suites. */

import { Agent as TlsAgent } from 'node:https';
import type { AxiosError, AxiosInstance, AxiosResponse, AxiosStatic } from 'axios';
import { expect } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { ca } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import type { GivingUp } from '../suites/callers.js';
import type { Asked, Given, Reply, Send, Subject, Way } from '../suites/subject.js';
import { axios, axiosEsm, callsTruncatedTooLong, isFirst, version } from './client.js';
import { givingUp } from './giving-up.js';
import { openInstance, retryingInstance } from './kit.js';
import { mockedInstance } from './mocked.js';
import { type Way as Adapter, overH2 as h2, openH2Lab, overHttp1, survivesHttp2 } from './ways.js';

async function send(instance: AxiosInstance, url: string, { body, ...asked }: Asked): Promise<Reply> {
  try {
    const response = await instance.request({ url, ...asked, ...(body !== undefined && { data: body }) });
    return replyOf(response, response);
  } catch (error) {
    if (!refusesStatus(error)) throw error;
    return replyOf(error.response, error);
  }
}

/** axios's own `validateStatus` rejects a complete answer. */
function refusesStatus(error: unknown): error is { readonly response: AxiosResponse } {
  const { response, message = '' } = (error ?? {}) as {
    readonly response?: unknown;
    readonly message?: string;
  };
  return response !== undefined && /^(Request failed with status code|answered with)/.test(message);
}

/** A reply as text: axios has parsed JSON, so it is written as text again. */
function replyOf({ status, headers, data }: AxiosResponse, given: unknown): Reply {
  const text = typeof data === 'string' ? data : JSON.stringify(data ?? '');
  return { status, headers: { ...headers }, text, given };
}

/** As a caller does who reads the answer while it comes. */
async function sendStreaming(
  instance: AxiosInstance,
  url: string,
  { body, ...asked }: Asked,
): Promise<Reply> {
  const config = {
    url,
    ...asked,
    ...(body !== undefined && { data: body }),
    responseType: 'stream',
  } as const;
  const given = await instance.request<AsyncIterable<Uint8Array>>({ ...config, validateStatus: null });
  const pieces: Uint8Array[] = [];
  for await (const piece of given.data) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('latin1');
  return { status: given.status, headers: { ...given.headers }, text, given };
}

function sendingBy(instance: AxiosInstance): Send {
  return (url, asked = {}) => send(instance, url, asked);
}

function retrying(given?: Given, config: object = {}): Send {
  return sendingBy(retryingInstance(given, config));
}

function wayOf({ name, config, open }: Adapter): Way {
  const client: Way['client'] = (given) => retrying(given, config);
  const streaming: Way['client'] = (given) => {
    const instance = retryingInstance(given, config);
    return (url, asked = {}) => sendStreaming(instance, url, asked);
  };
  const provesNothing = name === 'an adapter of the caller';
  const packedBodies = provesNothing ? 'broken' : 'unpacked';
  const misreads = callsTruncatedTooLong && name === 'http' ? ['hangs up in the body'] : [];
  const isFetch = name === 'fetch';
  const kinds = { refusesGetBodies: isFetch, takesWebStreams: isFetch };
  const bare = (): Send => sendingBy(openInstance(config));
  return {
    name,
    client,
    streaming,
    open,
    takesOverride: true,
    packedBodies,
    misreads,
    bare,
    provesNothing,
    ...kinds,
  };
}

function impatient(adapter: 'http' | 'fetch'): Way {
  const config = { adapter, timeout: 200 };
  return { ...wayOf({ name: adapter, config, open: openLab }), countsWhileSending: true };
}

const [http, ...others] = overHttp1.map(wayOf);
if (http === undefined) throw new Error('the plain way is gone');
const ways = [http, ...others] as const;

/** Both builds recognise the error as an AxiosError, and it shows the request. */
function expectOwn(given: unknown, { method = 'GET', body, signal }: Asked): void {
  const isError = given instanceof Error;
  expect([axios.isAxiosError(given), axiosEsm.isAxiosError(given)]).toEqual([isError, isError]);
  const { config } = given as AxiosError;
  expect(config).toMatchObject({ method: method.toLowerCase(), ...(body !== undefined && { data: body }) });
  if (signal !== undefined) expect(config?.signal).toBe(signal);
}

function retryingWith(build: AxiosStatic, adapter: 'http' | 'fetch', name: string): GivingUp {
  const open = (): AxiosInstance => openInstance({ adapter }, build);
  const client: Way['client'] = (given = soon) => {
    const instance = open();
    attachRetry(instance, given);
    return sendingBy(instance);
  };
  const bare = (): Send => sendingBy(open());
  const way: Way = { name, client, open: openLab, takesOverride: true, packedBodies: 'unpacked' };
  return givingUp(name, build, adapter, way, bare);
}

const cutOnce = ['handshake-fin', 'trusted'] as const;

export const subject: Subject = {
  name: 'axios',
  startsStreams: true,
  hedges: true,
  underTest: { name: 'axios', version, is: (module) => module === axios },
  client: retrying,
  ways,
  overH2: survivesHttp2 ? [wayOf(h2)] : [],
  uploading: ways.filter(({ name }) => name !== 'an adapter of the caller'),
  cutShort: [
    wayOf({
      name: 'http',
      config: { adapter: 'http', httpsAgent: new TlsAgent({ ca }) },
      open: (script) => openLab(script, { tls: cutOnce }),
    }),
    ...(survivesHttp2 ? [wayOf({ ...h2, open: (script) => openH2Lab(script, { tls: cutOnce }) })] : []),
  ],
  impatient: [impatient('http'), impatient('fetch')],
  mocked: (statuses, given) => {
    const { instance, attempts } = mockedInstance(statuses, given);
    return { send: (url, asked = {}) => send(instance, url, asked), attempts };
  },
  program: `
    const get = (policy, { body, ...asked } = {}, adapter = 'http') => {
      const instance = client.create({ baseURL: origin, adapter });
      undaunted.attachRetry(instance, policy);
      const told = instance.request({ url: '/', ...(body && { data: body }), ...asked });
      return told.then(({ status }) => status, ({ code }) => code);
    };
    const close = () => {};`,
  programWays: ['http', 'fetch'],
  // `http` hands over Node's own stream.
  dropping: {
    program: `
      const dropping = (policy, adapter) => {
        const instance = client.create({ adapter, responseType: 'stream', validateStatus: null });
        undaunted.attachRetry(instance, policy);
        return async ({ body, ...asked }) =>
          void (await instance.request({ url: origin, ...(body && { data: body }), ...asked }));
      };`,
    // The first version puts a stream of its own around every body.
    ways: isFirst ? [] : ['fetch'],
  },
  collectable: ways
    .filter(({ name }) => name === 'fetch')
    .map((way) => ({ ...way, name: 'fetch, as a stream', client: way.streaming ?? way.client })),
  unwrapped: (error) => (error as Error).cause,
  abortCode: 'ERR_CANCELED',
  givingUp: [
    retryingWith(axios, 'http', 'http'),
    retryingWith(axios, 'fetch', 'fetch'),
    retryingWith(axiosEsm, 'http', 'http of the ESM build'),
  ],
  failures: async () => (await import('./failures-play.js')).failures,
  attemptEnds: 'with the body',
  knowsUnsent: false,
  expectOwn,
  overrideStandsIn: 'config.retry',
  skips: {
    "hints > over 'http' > of two Retry-After that contradict each other, the wait is the longer, or none of theirs":
      'Node hands over only the first of them',
    ...Object.fromEntries(
      ['returns', 'promises'].map((does) => [
        `bodies-replayed > over 'http' > a function that ${does} a Uint8Array is sent as the client alone sends it, again and again`,
        'a transform makes bytes of it, and what a function returns is not transformed; the http adapter takes only a Buffer',
      ]),
    ),
    "bodies-sources > over 'fetch' > a Readable that breaks where nothing reads it is reported > when it was broken before the request":
      'fetch refuses it with an error of its own',
    ...Object.fromEntries(
      ways.flatMap(({ name }) =>
        ['match.test', 'scope'].map((asked) => [
          `function-aborts > over '${name}' > aborts and returns > ${asked}`,
          'axios looks at the signal before these are asked; the attempt is sent, and given up',
        ]),
      ),
    ),
  },
};
