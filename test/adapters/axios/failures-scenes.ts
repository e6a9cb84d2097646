/** How to make each failure that can be made on loopback with axios, by the code that the fixture lists it under. */

import { Agent, type AgentOptions } from 'node:http';
import { constants } from 'node:http2';
import { Agent as TlsAgent } from 'node:https';
import type { AxiosAdapter, AxiosRequestConfig } from 'axios';
import type { FaultLab } from '../../faults/faulty-server.js';
import {
  destroySession,
  goaway,
  type H2LabOptions,
  type H2LabScript,
  rstStream,
} from '../../faults/h2-lab.js';
import {
  answer,
  ca,
  connectTunnel,
  cutBody,
  cutChunked,
  fin,
  garbage,
  halfHead,
  type LabOptions,
  type LabScript,
  refusedOrigin,
  rst,
  silence,
  stallAfterHead,
} from '../../faults/lab.js';
import { type FailureScene, final, unclear } from '../failure-rows.js';
import { openFullBacklog, openLab } from '../kit.js';
import { failingLookup, lookupOfTwo, tryNextSoon } from '../resolvers.js';
import { callsTruncatedTooLong, fetchHasLimits, minor, tunnelAgent } from './client.js';
import { startMutualTls } from './mutual-tls.js';
import { openH2Lab, overH2, survivesHttp2 } from './ways.js';

export type Scene = FailureScene<Made>;

export interface Made {
  readonly config: AxiosRequestConfig;
  /** The lab, if the request reaches one. */
  readonly lab?: Pick<FaultLab<never>, 'requests'>;
  /** Ends a request that would never end. */
  readonly attemptTimeoutMs?: number;
  /** Runs once the request is made. */
  readonly afterwards?: () => Promise<void>;
}

const unsent = { class: 'transient', evidence: 'unsent' } as const;

/** Before axios opened tunnels, the proxy got the request itself. */
const tunnelled = tunnelAgent === undefined ? {} : ({ evidence: 'unsent' } as const);

const noHttp2 = !survivesHttp2 && 'it speaks no HTTP/2, or dies of it';
const noTruncated = callsTruncatedTooLong && 'it says that the body is too long';
const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_ENHANCE_YOUR_CALM } = constants;
const { NGHTTP2_PROTOCOL_ERROR, NGHTTP2_CANCEL, NGHTTP2_NO_ERROR } = constants;

type Adapter = 'http' | 'fetch';

/** A request to a lab by this adapter. */
function lab(
  adapter: Adapter,
  script: LabScript,
  config: AxiosRequestConfig = {},
  options?: LabOptions,
): () => Promise<Made> {
  return async () => {
    const faulty = await openLab(script, options);
    return { config: { baseURL: faulty.origin, adapter, ...config }, lab: faulty };
  };
}

function at(adapter: Adapter, baseURL: string, config: AxiosRequestConfig = {}): () => Promise<Made> {
  return async () => ({ config: { baseURL, adapter, ...config } });
}

function h2(script: H2LabScript, more: Partial<Made> = {}, options?: H2LabOptions): () => Promise<Made> {
  return async () => {
    const faulty = await openH2Lab(script, options);
    return { lab: faulty, ...more, config: { baseURL: faulty.origin, ...overH2.config, ...more.config } };
  };
}

/** A request to a server with this kind of TLS. */
function tls(adapter: Adapter, kind: NonNullable<LabOptions['tls']>): () => Promise<Made> {
  return lab(adapter, answer(200), {}, { tls: kind });
}

/** The same, by a client that trusts the lab's authority. Node's `fetch` knows only the system's. */
function trusting(kind: NonNullable<LabOptions['tls']>): () => Promise<Made> {
  return lab('http', answer(200), { httpsAgent: new TlsAgent({ ca }) }, { tls: kind });
}

async function refused(adapter: Adapter): Promise<Made> {
  return at(adapter, await refusedOrigin())();
}

/** The system's resolver is asked for another name, or fails. */
function resolver(code: string): () => Promise<Made> {
  return at('http', 'http://nowhere.invalid', { lookup: failingLookup(code) } as object);
}

/** A name with two addresses: the first is silent, the second refuses. */
async function addressThatIsSilent(): Promise<Made> {
  const { port } = new URL(await openFullBacklog());
  const httpAgent = new Agent(tryNextSoon as AgentOptions);
  return at('http', `http://two.test:${port}`, { httpAgent, lookup: lookupOfTwo() } as object)();
}

async function backlog(adapter: Adapter): Promise<Made> {
  return at(adapter, await openFullBacklog(), { timeout: 100 })();
}

/** An https: origin behind a proxy that opens no tunnel. */
async function proxied(status: number): Promise<Made> {
  const proxy = await openLab(connectTunnel(status));
  const { port } = proxy;
  return {
    ...(await at('http', 'https://origin.test', { proxy: { protocol: 'http', host: '127.0.0.1', port } })()),
    lab: proxy,
  };
}

async function givenUp(adapter: Adapter): Promise<Made> {
  const controller = new AbortController();
  const { config, lab: silent } = await lab(adapter, silence(), { signal: controller.signal })();
  const afterwards = async (): Promise<void> => {
    await (silent as Awaited<ReturnType<typeof openLab>>).until(({ requests }) => requests.length === 1);
    controller.abort();
  };
  return { config, lab: silent as NonNullable<Made['lab']>, afterwards };
}

/** The error that `xhr` gives for every failure. */
const sayingNothing: AxiosAdapter = async (config) => {
  throw Object.assign(new Error('Network Error'), { isAxiosError: true, code: 'ERR_NETWORK', config });
};

function within(ms: number): AxiosRequestConfig {
  return { timeout: ms };
}

const clear: AxiosRequestConfig = { transitional: { clarifyTimeoutError: true } };

/** Scenes by the `code` of the fixture's row. */
export const scenes: Readonly<Record<string, readonly Scene[]>> = {
  ECONNREFUSED: [
    { name: 'http', error: 'ECONNREFUSED', ...unsent, make: () => refused('http') },
    { name: 'fetch', error: 'ERR_NETWORK', ...unsent, make: () => refused('fetch') },
    {
      name: 'HTTP/2',
      error: 'ERR_HTTP2_STREAM_CANCEL',
      ...unsent,
      missing: noHttp2,
      make: async () => at('http', (await refusedOrigin()).replace('http:', 'https:'), overH2.config)(),
    },
  ],
  ENOTFOUND: [
    { name: 'http', error: 'ENOTFOUND', ...unsent, make: resolver('ENOTFOUND') },
    // Without a name server, it is EAI_AGAIN.
    { name: 'fetch', error: 'ERR_NETWORK', ...unsent, make: at('fetch', 'http://name.invalid') },
    {
      name: 'HTTP/2',
      error: 'ERR_HTTP2_STREAM_CANCEL',
      ...unsent,
      missing: noHttp2,
      make: at('http', 'https://name.invalid', overH2.config),
    },
  ],
  EAI_AGAIN: [{ name: 'http', error: 'EAI_AGAIN', ...unsent, make: resolver('EAI_AGAIN') }],
  'EHOSTUNREACH/ENETUNREACH/EHOSTDOWN/ENETDOWN/EADDRNOTAVAIL': [
    // Linux gives this error for every broadcast address; this one is loopback's.
    { name: 'http', error: 'ENETUNREACH', ...unsent, make: at('http', 'http://127.255.255.255:8089') },
    { name: 'fetch', error: 'ERR_NETWORK', ...unsent, make: at('fetch', 'http://127.255.255.255:8089') },
    {
      name: "an address that is not this host's",
      error: 'EADDRNOTAVAIL',
      // The failure is in binding, before connecting.
      ...unclear,
      make: lab('http', answer(200), { httpAgent: new Agent({ localAddress: '192.0.2.1' } as AgentOptions) }),
    },
  ],
  'ETIMEDOUT syscall connect': [
    // An AggregateError: Node gave up on the first address, as the kernel would minutes later.
    { name: 'an address of several that is silent', error: /./, ...unsent, make: addressThatIsSilent },
  ],
  'ETIMEDOUT/ECONNABORTED without syscall (AxiosError)': [
    { name: 'http', error: 'ECONNABORTED', ...unclear, make: lab('http', silence(), within(100)) },
    {
      name: 'http, clarified',
      error: 'ETIMEDOUT',
      ...unclear,
      make: lab('http', silence(), { ...within(100), ...clear }),
    },
    { name: 'http, while connecting', error: 'ECONNABORTED', ...unclear, make: () => backlog('http') },
    { name: 'fetch', error: 'ETIMEDOUT', ...unclear, make: lab('fetch', silence(), within(100)) },
    {
      name: 'fetch, in the body',
      error: 'ETIMEDOUT',
      ...unclear,
      make: lab('fetch', stallAfterHead(), within(100)),
    },
    { name: 'fetch, while connecting', error: 'ETIMEDOUT', ...unclear, make: () => backlog('fetch') },
    {
      name: 'HTTP/2',
      error: 'ECONNABORTED',
      ...unclear,
      missing: noHttp2,
      make: h2(silence(), { config: within(100) }),
    },
  ],
  'UND_ERR_SOCKET "other side closed"': [
    { name: 'fetch, before the head', error: 'ERR_NETWORK', ...unclear, make: lab('fetch', fin()) },
    { name: 'fetch, in the head', error: 'ERR_NETWORK', ...unclear, make: lab('fetch', halfHead('fin')) },
  ],
  'ECONNRESET syscall read': [
    { name: 'http', error: 'ECONNRESET', ...unclear, make: lab('http', rst()) },
    {
      name: 'http, in the body',
      error: 'ECONNRESET',
      ...unclear,
      make: lab('http', cutBody(100, 40, 'rst')),
    },
    {
      name: 'http, in the TLS handshake',
      error: 'ECONNRESET',
      ...unclear,
      make: tls('http', 'handshake-rst'),
    },
    { name: 'fetch', error: 'ERR_NETWORK', ...unclear, make: lab('fetch', rst()) },
    {
      name: 'fetch, in the TLS handshake',
      error: 'ERR_NETWORK',
      ...unclear,
      make: tls('fetch', 'handshake-rst'),
    },
    {
      name: 'HTTP/2',
      error: 'ECONNRESET',
      ...unclear,
      missing: noHttp2,
      make: h2(destroySession('rst')),
    },
  ],
  'ECONNRESET "socket hang up" (no syscall)': [
    { name: 'before the head', error: 'ECONNRESET', ...unclear, make: lab('http', fin()) },
    { name: 'in the head', error: 'ECONNRESET', ...unclear, make: lab('http', halfHead('fin')) },
  ],
  'ECONNRESET "Client network socket disconnected before secure TLS connection was established"': [
    { name: 'http', error: 'ECONNRESET', ...unsent, make: tls('http', 'handshake-fin') },
    { name: 'fetch', error: 'ERR_NETWORK', ...unsent, make: tls('fetch', 'handshake-fin') },
    {
      name: 'HTTP/2',
      error: 'ERR_HTTP2_STREAM_CANCEL',
      ...unsent,
      missing: noHttp2,
      make: h2(answer(200), {}, { tls: 'handshake-fin' }),
    },
  ],
  'HTTPParserError (code usually undefined in undici 7)': [
    { name: 'fetch', error: 'ERR_NETWORK', ...final, make: lab('fetch', garbage()) },
  ],
  'HPE_*': [{ name: 'no HTTP', error: 'HPE_INVALID_CONSTANT', ...final, make: lab('http', garbage()) }],
  'UND_ERR_HEADERS_OVERFLOW / HPE_HEADER_OVERFLOW': [
    { name: 'http', error: 'HPE_HEADER_OVERFLOW', ...final, make: lab('http', longHead()) },
    { name: 'fetch', error: 'ERR_NETWORK', ...final, make: lab('fetch', longHead()) },
  ],
  'CERT_*, DEPTH_ZERO_SELF_SIGNED_CERT, SELF_SIGNED_CERT_IN_CHAIN, UNABLE_TO_VERIFY_LEAF_SIGNATURE, ERR_TLS_CERT_ALTNAME_INVALID':
    [
      { name: 'self-signed', error: 'DEPTH_ZERO_SELF_SIGNED_CERT', ...final, make: trusting('self-signed') },
      { name: 'expired', error: 'CERT_HAS_EXPIRED', ...final, make: trusting('expired') },
      {
        name: 'of another host',
        error: 'ERR_TLS_CERT_ALTNAME_INVALID',
        ...final,
        make: trusting('wrong-host'),
      },
      {
        name: 'of an unknown authority',
        error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        ...final,
        make: tls('http', 'trusted'),
      },
      { name: 'fetch, self-signed', error: 'ERR_NETWORK', ...final, make: tls('fetch', 'self-signed') },
      {
        name: 'fetch, of an unknown authority',
        error: 'ERR_NETWORK',
        ...final,
        make: tls('fetch', 'trusted'),
      },
      ...(['self-signed', 'expired', 'wrong-host', 'trusted'] as const).map((kind) => ({
        name: `HTTP/2, ${kind}`,
        error: 'ERR_HTTP2_STREAM_CANCEL',
        ...final,
        missing: noHttp2,
        make: h2(answer(200), { config: { http2Options: kind === 'trusted' ? {} : { ca } } }, { tls: kind }),
      })),
    ],
  'ERR_SSL_WRONG_VERSION_NUMBER (undici) = EPROTO[write] (axios)': [
    { name: 'http', error: 'EPROTO', ...final, make: tls('http', 'plain-http-on-tls-port') },
    { name: 'fetch', error: 'ERR_NETWORK', ...final, make: tls('fetch', 'plain-http-on-tls-port') },
    {
      name: 'HTTP/2',
      error: 'ERR_HTTP2_STREAM_CANCEL',
      ...final,
      missing: noHttp2,
      make: h2(answer(200), {}, { tls: 'plain-http-on-tls-port' }),
    },
  ],
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: [
    {
      name: 'http',
      error: /^ERR_SSL_TLSV1(3)?_ALERT_CERTIFICATE_REQUIRED$/,
      ...final,
      make: async () => at('http', await startMutualTls(), { httpsAgent: new TlsAgent({ ca }) })(),
    },
  ],
  'ERR_HTTP2_STREAM_ERROR … NGHTTP2_REFUSED_STREAM': [
    {
      name: 'RST_STREAM(7)',
      error: 'ERR_HTTP2_STREAM_ERROR',
      ...unsent,
      missing: noHttp2,
      make: h2(rstStream(NGHTTP2_REFUSED_STREAM)),
    },
    {
      name: 'GOAWAY that disowns it',
      error: 'ERR_HTTP2_STREAM_ERROR',
      ...unsent,
      missing: noHttp2,
      make: h2(goaway(NGHTTP2_NO_ERROR, 'previous')),
    },
  ],
  'ERR_HTTP2_STREAM_ERROR other codes': [
    ...(
      [
        ['INTERNAL_ERROR', NGHTTP2_INTERNAL_ERROR, unclear],
        ['ENHANCE_YOUR_CALM', NGHTTP2_ENHANCE_YOUR_CALM, unclear],
        ['PROTOCOL_ERROR', NGHTTP2_PROTOCOL_ERROR, final],
      ] as const
    ).map(([name, code, finding]) => ({
      name,
      error: 'ERR_HTTP2_STREAM_ERROR',
      ...finding,
      missing: noHttp2,
      make: h2(rstStream(code)),
    })),
    {
      name: 'INTERNAL_ERROR in the body',
      error: 'ERR_HTTP2_STREAM_ERROR',
      ...unclear,
      missing: noHttp2,
      make: h2(rstStream(NGHTTP2_INTERNAL_ERROR, 40)),
    },
  ],
  'ERR_HTTP2_SESSION_ERROR / ERR_HTTP2_STREAM_CANCEL': [
    {
      name: 'GOAWAY with an error',
      error: 'ERR_HTTP2_SESSION_ERROR',
      ...unclear,
      missing: noHttp2,
      make: h2(goaway(NGHTTP2_ENHANCE_YOUR_CALM, 'this')),
    },
  ],
  '(promise never settles)': [
    ...(
      [
        ['RST_STREAM(CANCEL)', rstStream(NGHTTP2_CANCEL)],
        ['RST_STREAM(NO_ERROR)', rstStream(NGHTTP2_NO_ERROR)],
        ['the session ends without a word', destroySession('fin')],
      ] as const
    ).map(([name, play]) => ({
      name,
      error: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT',
      ...unclear,
      missing: noHttp2,
      make: h2(play, { attemptTimeoutMs: 200 }),
    })),
  ],
  ERR_CANCELED: [
    { name: 'http', error: 'ERR_CANCELED', ...final, make: () => givenUp('http') },
    { name: 'fetch', error: 'ERR_CANCELED', ...final, make: () => givenUp('fetch') },
    {
      name: "the caller's time is over",
      error: 'ERR_CANCELED',
      ...final,
      make: async () => lab('http', silence(), { signal: AbortSignal.timeout(200) })(),
    },
  ],
  'response from proxy to CONNECT': [
    { name: '502', error: 'ERR_BAD_RESPONSE', ...unclear, ...tunnelled, make: () => proxied(502) },
    { name: '407', error: 'ERR_BAD_REQUEST', ...final, ...tunnelled, make: () => proxied(407) },
  ],
  'ERR_BAD_RESPONSE with response.status>=500': [
    { name: '503', error: 'ERR_BAD_RESPONSE', ...unclear, make: lab('http', answer(503)) },
    { name: '501', error: 'ERR_BAD_RESPONSE', ...final, make: lab('fetch', answer(501)) },
  ],
  'ERR_BAD_RESPONSE "stream has been aborted", response.status 200': [
    {
      name: 'a short body',
      error: 'ERR_BAD_RESPONSE',
      ...unclear,
      missing: noTruncated,
      make: lab('http', cutBody(100, 40, 'fin')),
    },
    {
      name: 'in a chunk',
      error: 'ERR_BAD_RESPONSE',
      ...unclear,
      missing: noTruncated,
      make: lab('http', cutChunked('fin')),
    },
    {
      name: "axios's timeout in the body",
      error: 'ERR_BAD_RESPONSE',
      ...unclear,
      missing: noTruncated,
      make: lab('http', stallAfterHead(), within(100)),
    },
  ],
  'ERR_BAD_RESPONSE "maxContentLength size of N exceeded"': [
    {
      name: 'http',
      error: 'ERR_BAD_RESPONSE',
      ...final,
      make: lab('http', answer(200, 'x'.repeat(100)), { maxContentLength: 10 }),
    },
    {
      name: 'fetch',
      error: 'ERR_BAD_RESPONSE',
      ...final,
      missing: !fetchHasLimits && 'its fetch adapter has no such limit',
      make: lab('fetch', answer(200, 'x'.repeat(100)), { maxContentLength: 10 }),
    },
  ],
  ERR_BAD_REQUEST: [
    { name: '404', error: 'ERR_BAD_REQUEST', ...final, make: lab('http', answer(404)) },
    {
      name: '429',
      error: 'ERR_BAD_REQUEST',
      class: 'throttled',
      evidence: 'refused',
      make: lab('http', answer(429)),
    },
    {
      name: 'an unknown protocol',
      error: 'ERR_BAD_REQUEST',
      ...final,
      make: at('http', 'gopher://nowhere.invalid'),
    },
  ],
  ERR_NETWORK: [
    {
      name: 'without a cause, as in a browser',
      error: 'ERR_NETWORK',
      ...unclear,
      make: async () => ({ config: { adapter: sayingNothing } }),
    },
    ...(
      [
        ['a redirect loop', lab('fetch', answer(302, '', { location: '/' }))],
        ['an unknown protocol', at('fetch', 'gopher://nowhere.invalid')],
        ['a port that fetch forbids', at('fetch', 'http://127.0.0.1:9')],
      ] as const
    ).map(([name, make]) => ({
      name,
      error: 'ERR_NETWORK',
      ...final,
      unlike: 'fetch itself refuses; trying again cannot help',
      make,
    })),
  ],
  'code undefined, name TypeError "terminated"': [
    { name: 'a short body', error: 'TypeError', ...unclear, make: lab('fetch', cutBody(100, 40, 'fin')) },
    {
      name: 'a reset in the body',
      error: 'TypeError',
      ...unclear,
      make: lab('fetch', cutBody(100, 40, 'rst')),
    },
    { name: 'in a chunk', error: 'TypeError', ...unclear, make: lab('fetch', cutChunked('fin')) },
    { name: 'a reset in a chunk', error: 'TypeError', ...unclear, make: lab('fetch', cutChunked('rst')) },
  ],
  'ERR_FR_TOO_MANY_REDIRECTS, ERR_INVALID_URL, ERR_NOT_SUPPORT, ERR_BAD_OPTION*': [
    {
      name: 'a redirect loop',
      error: 'ERR_FR_TOO_MANY_REDIRECTS',
      ...final,
      make: lab('http', answer(302, '', { location: '/' }), { maxRedirects: 3 }),
    },
    { name: 'no URL, http', error: 'ERR_INVALID_URL', ...final, make: at('http', 'http://[no') },
    {
      name: 'no URL, fetch',
      error: /^(TypeError|ERR_INVALID_URL)$/,
      ...final,
      make: at('fetch', 'http://[no'),
    },
    {
      name: 'HTTP/2 through a proxy',
      error: 'ERR_NOT_SUPPORT',
      ...final,
      missing: minor < 16 && 'it ignores the proxy',
      make: at('http', 'https://nowhere.invalid', {
        ...overH2.config,
        proxy: { host: '127.0.0.1', port: 9 },
      }),
    },
    {
      name: 'an address that is not a string',
      error: 'ERR_BAD_OPTION_VALUE',
      ...final,
      missing: minor < 16 && 'it throws a TypeError, or an error that nothing can catch',
      make: at('http', 'http://nowhere.invalid', {
        lookup: (_name: string, _options: object, done: (error: null, address: unknown) => void) =>
          setImmediate(done, null, 7),
      } as object),
    },
  ],
};

function longHead(): LabScript {
  return answer(200, '', { 'x-long': 'x'.repeat(20_000) });
}
