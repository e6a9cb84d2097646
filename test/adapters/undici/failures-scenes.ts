/** How to make each failure that can be made on loopback, by the code that the fixture lists it under. */

import { constants } from 'node:http2';
import type { Agent, Dispatcher } from 'undici';
import { onTestFinished } from 'vitest';
import { goaway, rstStream } from '../../faults/h2-lab.js';
import {
  answer,
  ca,
  connectTunnel,
  cutBody,
  fin,
  garbage,
  halfHead,
  type LabOptions,
  type LabScript,
  refusedOrigin,
  rst,
  silence,
  stallInBody,
} from '../../faults/lab.js';
import { type FailureScene, final, unclear } from '../failure-rows.js';
import { openFullBacklog, openLab } from '../kit.js';
import { failingLookup, lookupOfTwo, tryNextSoon } from '../resolvers.js';
import { major, undici, version } from './client.js';
import { hearsCancel, hearsGoaway, multiplexes, openH2Lab, overTls } from './h2-client.js';
import { openAgent } from './kit.js';

export type Scene = FailureScene<Made>;

export interface Made {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  readonly options?: Partial<Dispatcher.RequestOptions>;
  /** Runs just before the request is made. */
  readonly before?: () => void;
  /** Runs once the request is made. */
  readonly afterwards?: () => Promise<void>;
}

const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_ENHANCE_YOUR_CALM } = constants;
const { NGHTTP2_PROTOCOL_ERROR, NGHTTP2_CANCEL, NGHTTP2_NO_ERROR } = constants;

function lab(script: LabScript, agent?: Agent.Options, options?: LabOptions): () => Promise<Made> {
  return async () => ({ dispatcher: openAgent(agent), origin: (await openLab(script, options)).origin });
}

function h2(play: Parameters<typeof openH2Lab>[0], more: Partial<Made> = {}): () => Promise<Made> {
  return async () => ({
    dispatcher: openAgent(overTls.agent),
    origin: (await openH2Lab(play)).origin,
    ...more,
  });
}

/** A server with this kind of TLS, and a client that trusts `ca`. */
function tls(kind: NonNullable<LabOptions['tls']>, connect: object = { ca }): () => Promise<Made> {
  // Only a handshake that stalls has a short timeout: any other takes as long as a busy machine needs.
  const timeout = kind === 'handshake-stall' ? { timeout: 300 } : {};
  return lab(answer(200), { connect: { ...connect, ...timeout } }, { tls: kind });
}

/** The system's resolver is asked for another name, or fails. */
function resolver(code: string): () => Promise<Made> {
  const lookup = failingLookup(code);
  return async () => ({
    dispatcher: openAgent({ connect: { lookup } as Agent.Options['connect'] & object }),
    origin: 'http://nowhere.invalid',
  });
}

function at(origin: string, agent?: Agent.Options): () => Promise<Made> {
  return async () => ({ dispatcher: openAgent(agent), origin });
}

async function backlog(agent: Agent.Options): Promise<Made> {
  return { dispatcher: openAgent(agent), origin: await openFullBacklog() };
}

async function proxied(status: number): Promise<Made> {
  const proxy = await openLab(connectTunnel(status));
  const dispatcher = new undici.ProxyAgent({ uri: proxy.origin, proxyTunnel: true });
  onTestFinished(() => dispatcher.destroy());
  return { dispatcher, origin: 'http://origin.test' };
}

async function closed(how: 'close' | 'destroy'): Promise<Made> {
  const { origin } = await openLab(answer(200));
  const dispatcher = openAgent();
  return { dispatcher, origin, before: () => void dispatcher[how]() };
}

async function manyOrigins(): Promise<Made> {
  const [first, second] = [await openLab(answer(200)), await openLab(answer(200))];
  const dispatcher = openAgent({ maxOrigins: 1 } as Agent.Options);
  await (await dispatcher.request({ origin: first.origin, path: '/', method: 'GET' })).body.dump();
  return { dispatcher, origin: second.origin };
}

/** A name with two addresses: the first is silent, the second refuses. */
async function addressThatIsSilent(): Promise<Made> {
  const { port } = new URL(await openFullBacklog());
  const connect = { lookup: lookupOfTwo(), ...tryNextSoon };
  return {
    dispatcher: openAgent({ connect: connect as Agent.Options['connect'] & object }),
    origin: `http://two.test:${port}`,
  };
}

/** An interceptor of undici underneath that turns answers into errors. */
function under(name: 'retry' | 'responseError'): () => Promise<Made> {
  return async () => {
    const interceptor =
      name === 'retry' ? undici.interceptors.retry({ maxRetries: 0 }) : undici.interceptors.responseError();
    return { dispatcher: openAgent().compose(interceptor), origin: (await openLab(answer(503))).origin };
  };
}

async function givenUp(): Promise<Made> {
  const lab = await openLab(silence());
  const controller = new AbortController();
  const afterwards = async (): Promise<void> => {
    await lab.until(({ requests }) => requests.length === 1);
    controller.abort();
  };
  return { dispatcher: openAgent(), origin: lab.origin, options: { signal: controller.signal }, afterwards };
}

async function outOfTime(): Promise<Made> {
  const lab = await openLab(silence());
  const controller = new AbortController();
  // A timeout that started earlier might end before the request is sent.
  const afterwards = async (): Promise<void> => {
    await lab.until(({ requests }) => requests.length === 1);
    const timeout = AbortSignal.timeout(1);
    timeout.addEventListener('abort', () => controller.abort(timeout.reason));
  };
  return { dispatcher: openAgent(), origin: lab.origin, options: { signal: controller.signal }, afterwards };
}

const otherGoaway =
  (multiplexes && 'undici 8 lets the streams end that were looked at') ||
  (!hearsGoaway && 'undici 6.17 knew no GOAWAY');

const makesResponseErrors = major > 7 || (major === 7 && !version.startsWith('7.0.'));

const unsent = { class: 'transient', evidence: 'unsent', neverBegan: true } as const;
/** A mistake that would be the same at each attempt, though nothing was sent. */
const finalUnsent = { class: 'final', evidence: 'unsent', neverBegan: true } as const;
/** One that undici sees before it creates the request. */
const finalAtOnce = { ...finalUnsent, atOnce: true } as const;

/** Scenes by the `code` of the fixture's row. */
export const scenes: Readonly<Record<string, readonly Scene[]>> = {
  '(any) with onRequestStart NOT yet called': [
    { name: 'RST in the TLS handshake', error: 'ECONNRESET', ...unsent, make: tls('handshake-rst') },
  ],
  ECONNREFUSED: [
    {
      name: 'a port without a listener',
      error: 'ECONNREFUSED',
      ...unsent,
      make: async () => at(await refusedOrigin())(),
    },
  ],
  ENOTFOUND: [{ name: 'no such name', error: 'ENOTFOUND', ...unsent, make: resolver('ENOTFOUND') }],
  EAI_AGAIN: [{ name: 'no name server', error: 'EAI_AGAIN', ...unsent, make: resolver('EAI_AGAIN') }],
  'EHOSTUNREACH/ENETUNREACH/EHOSTDOWN/ENETDOWN/EADDRNOTAVAIL': [
    // Linux gives this error for every broadcast address; this one is loopback's.
    { name: 'broadcast', error: 'ENETUNREACH', ...unsent, make: at('http://127.255.255.255:9') },
    {
      name: "an address that is not this host's",
      error: 'EADDRNOTAVAIL',
      ...unsent,
      make: lab(answer(200), { localAddress: '192.0.2.1' }),
    },
  ],
  'ETIMEDOUT syscall connect': [
    // An AggregateError: Node gave up on the first address, as the kernel would minutes later. undici 8 wraps it.
    {
      name: 'an address of several that is silent',
      error: /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
      ...unsent,
      make: addressThatIsSilent,
    },
  ],
  UND_ERR_CONNECT_TIMEOUT: [
    {
      name: 'a full accept queue',
      error: 'UND_ERR_CONNECT_TIMEOUT',
      ...unsent,
      make: () => backlog({ connect: { timeout: 100 } }),
    },
    { name: 'TLS that stalls', error: 'UND_ERR_CONNECT_TIMEOUT', ...unsent, make: tls('handshake-stall') },
  ],
  UND_ERR_HEADERS_TIMEOUT: [
    {
      name: 'silence',
      error: 'UND_ERR_HEADERS_TIMEOUT',
      ...unclear,
      make: lab(silence(), { headersTimeout: 200 }),
    },
    {
      name: 'half a head',
      error: 'UND_ERR_HEADERS_TIMEOUT',
      ...unclear,
      make: lab(halfHead('stall'), { headersTimeout: 200 }),
    },
  ],
  UND_ERR_BODY_TIMEOUT: [
    {
      name: 'a body that stalls',
      error: 'UND_ERR_BODY_TIMEOUT',
      ...unclear,
      inBody: true,
      make: lab(stallInBody(10), { bodyTimeout: 200 }),
    },
  ],
  'UND_ERR_SOCKET "other side closed"': [
    { name: 'FIN before the head', error: 'UND_ERR_SOCKET', ...unclear, make: lab(fin()) },
    { name: 'FIN in the head', error: 'UND_ERR_SOCKET', ...unclear, make: lab(halfHead('fin')) },
    {
      name: 'FIN in the body',
      error: 'UND_ERR_SOCKET',
      ...unclear,
      inBody: true,
      make: lab(cutBody(100, 40, 'fin')),
    },
  ],
  'ECONNRESET syscall read': [
    { name: 'RST after the request', error: 'ECONNRESET', ...unclear, make: lab(rst()) },
  ],
  'ECONNRESET "Client network socket disconnected before secure TLS connection was established"': [
    { name: 'FIN in the TLS handshake', error: 'ECONNRESET', ...unsent, make: tls('handshake-fin') },
  ],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    {
      name: 'a short body, and connection: close',
      error: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
      ...unclear,
      inBody: true,
      make: lab(cutBody(100, 40, 'fin', { connection: 'close' })),
    },
  ],
  'HTTPParserError (code usually undefined in undici 7)': [
    { name: 'no HTTP', error: /^(HTTPParserError|HPE_INVALID_CONSTANT)$/, ...final, make: lab(garbage()) },
  ],
  'UND_ERR_HEADERS_OVERFLOW / HPE_HEADER_OVERFLOW': [
    {
      name: 'a head of 20 kB',
      error: 'UND_ERR_HEADERS_OVERFLOW',
      ...final,
      make: lab(answer(200, '', { 'x-long': 'x'.repeat(20_000) })),
    },
  ],
  'CERT_*, DEPTH_ZERO_SELF_SIGNED_CERT, SELF_SIGNED_CERT_IN_CHAIN, UNABLE_TO_VERIFY_LEAF_SIGNATURE, ERR_TLS_CERT_ALTNAME_INVALID':
    [
      { name: 'self-signed', error: 'DEPTH_ZERO_SELF_SIGNED_CERT', ...finalUnsent, make: tls('self-signed') },
      { name: 'expired', error: 'CERT_HAS_EXPIRED', ...finalUnsent, make: tls('expired') },
      {
        name: 'of another host',
        error: 'ERR_TLS_CERT_ALTNAME_INVALID',
        ...finalUnsent,
        make: tls('wrong-host'),
      },
      {
        name: 'of an unknown authority',
        error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        ...finalUnsent,
        make: tls('trusted', {}),
      },
    ],
  'ERR_SSL_WRONG_VERSION_NUMBER (undici) = EPROTO[write] (axios)': [
    {
      name: 'TLS to a port without',
      // The name depends on the OpenSSL in Node.
      error: /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
      ...finalUnsent,
      make: tls('plain-http-on-tls-port'),
    },
  ],
  'ERR_HTTP2_STREAM_ERROR … NGHTTP2_REFUSED_STREAM': [
    {
      name: 'RST_STREAM(7)',
      error: 'ERR_HTTP2_STREAM_ERROR',
      class: 'transient',
      evidence: 'unsent',
      make: h2(rstStream(NGHTTP2_REFUSED_STREAM)),
    },
  ],
  'ERR_HTTP2_STREAM_ERROR other codes': [
    {
      name: 'INTERNAL_ERROR',
      error: 'ERR_HTTP2_STREAM_ERROR',
      ...unclear,
      make: h2(rstStream(NGHTTP2_INTERNAL_ERROR)),
    },
    {
      name: 'ENHANCE_YOUR_CALM',
      error: 'ERR_HTTP2_STREAM_ERROR',
      ...unclear,
      make: h2(rstStream(NGHTTP2_ENHANCE_YOUR_CALM)),
    },
    {
      name: 'PROTOCOL_ERROR',
      error: 'ERR_HTTP2_STREAM_ERROR',
      ...final,
      make: h2(rstStream(NGHTTP2_PROTOCOL_ERROR)),
    },
  ],
  'UND_ERR_SOCKET HTTP/2: "GOAWAY" frame received with code N': [
    {
      name: 'with an error',
      error: 'UND_ERR_SOCKET',
      ...unclear,
      missing: otherGoaway,
      make: h2(goaway(NGHTTP2_ENHANCE_YOUR_CALM, 'this')),
    },
    {
      name: 'without',
      error: 'UND_ERR_SOCKET',
      ...unclear,
      missing: otherGoaway,
      make: h2(goaway(NGHTTP2_NO_ERROR, 'this')),
    },
    {
      name: 'that disowns a stream which undici cannot send again itself',
      error: 'UND_ERR_SOCKET',
      ...unclear,
      missing: !multiplexes && 'undici 6 and 7 send nothing again themselves',
      make: h2(goaway(NGHTTP2_ENHANCE_YOUR_CALM, 'previous'), {
        options: {
          body: async function* () {
            yield 'pay';
          } as never,
        },
      }),
    },
  ],
  'UND_ERR_INFO HTTP/2: stream closed …': [
    {
      name: 'CANCEL',
      error: 'UND_ERR_INFO',
      ...unclear,
      missing: !hearsCancel && 'bare undici hangs, or throws a TypeError',
      make: h2(rstStream(NGHTTP2_CANCEL)),
    },
    { name: 'NO_ERROR', error: 'UND_ERR_INFO', ...unclear, make: h2(rstStream(NGHTTP2_NO_ERROR)) },
  ],
  'ERR_HTTP2_SESSION_ERROR / ERR_HTTP2_STREAM_CANCEL': [
    {
      name: 'GOAWAY with an error, while streams end',
      error: 'ERR_HTTP2_SESSION_ERROR',
      ...unclear,
      missing: !multiplexes && 'undici 6 and 7 make UND_ERR_SOCKET of every GOAWAY',
      make: h2(goaway(NGHTTP2_ENHANCE_YOUR_CALM, 'this')),
    },
  ],
  'AbortError code 20 / TimeoutError code 23 (numbers!)': [
    {
      name: 'given up',
      error: 'AbortError',
      ...final,
      make: givenUp,
    },
    {
      name: "the caller's time is over",
      error: 'TimeoutError',
      ...final,
      make: outOfTime,
    },
  ],
  'UND_ERR_ABORTED "Proxy response (N) !== 200 when HTTP Tunneling"': [
    { name: '502', error: 'UND_ERR_ABORTED', ...unsent, make: () => proxied(502) },
    { name: '407', error: 'UND_ERR_ABORTED', ...finalUnsent, make: () => proxied(407) },
  ],
  'UND_ERR_DESTROYED / UND_ERR_CLOSED': [
    { name: 'closed', error: 'UND_ERR_CLOSED', ...finalAtOnce, make: () => closed('close') },
    { name: 'destroyed', error: 'UND_ERR_DESTROYED', ...finalAtOnce, make: () => closed('destroy') },
  ],
  'UND_ERR_BPL_MISSING_UPSTREAM, UND_ERR_MAX_ORIGINS_REACHED, UND_ERR_INVALID_ARG, UND_ERR_NOT_SUPPORTED, UND_ERR_REQ_CONTENT_LENGTH_MISMATCH':
    [
      {
        name: 'a pool of nothing',
        error: 'UND_ERR_BPL_MISSING_UPSTREAM',
        ...finalAtOnce,
        make: async () => ({ dispatcher: new undici.BalancedPool([]), origin: 'http://nowhere.invalid' }),
      },
      {
        name: 'more origins than allowed',
        error: 'UND_ERR_MAX_ORIGINS_REACHED',
        ...finalAtOnce,
        missing: !('MaxOriginsReachedError' in undici.errors) && 'it knows no such limit',
        make: manyOrigins,
      },
      {
        name: 'an invalid path',
        error: 'UND_ERR_INVALID_ARG',
        ...finalAtOnce,
        make: async () => ({ ...(await lab(answer(200))()), options: { path: 'no slash' } }),
      },
      {
        name: 'headers that undici sends itself',
        error: 'UND_ERR_NOT_SUPPORTED',
        ...finalAtOnce,
        make: async () => ({ ...(await lab(answer(200))()), options: { headers: { expect: 'nothing' } } }),
      },
      {
        name: 'a body that is not as long as it says',
        method: 'PUT',
        error: 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
        ...finalUnsent,
        make: async () => ({
          ...(await lab(answer(200))()),
          options: { body: 'pay', headers: { 'content-length': '5' } },
        }),
      },
    ],
  'UND_ERR_RES_EXCEEDED_MAX_SIZE, UND_ERR_RESPONSE, UND_ERR_REQ_RETRY': [
    {
      name: 'longer than the caller wants',
      error: 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
      ...final,
      inBody: true,
      make: lab(answer(200, 'x'.repeat(100)), { maxResponseSize: 10 }),
    },
    {
      name: "undici's own retry() underneath has given up",
      error: 'UND_ERR_REQ_RETRY',
      ...final,
      make: under('retry'),
    },
    {
      name: "undici's responseError() underneath makes an error of an answer",
      error: 'UND_ERR_RESPONSE',
      ...unclear,
      unlike: 'it is judged as the answer that it is',
      missing: !makesResponseErrors && 'it has no such interceptor, or one that throws a TypeError',
      make: under('responseError'),
    },
  ],
};
