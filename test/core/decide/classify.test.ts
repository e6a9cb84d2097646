import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { classify } from '../../../src/core/decide/classify.js';
import { AttemptTimeoutError, DeadlineError, PolicyError } from '../../../src/core/errors.js';
import { GateShutError } from '../../../src/core/limits/gate/error.js';
import type { Class, ErrorOutcome, Evidence } from '../../../src/core/types.js';
import { createRetrier } from '../../../src/parts/all.js';
import { answered, date, errorWith, failed, requestOf, settingsOf } from '../../kit.js';

const settings = settingsOf();

interface Row {
  readonly code: string;
  readonly class: string;
  readonly evidence: string;
}

const { rows } = JSON.parse(
  readFileSync(new URL('../../../fixtures/failures.json', import.meta.url), 'utf8'),
) as { rows: Row[] };

type Case = readonly [error: unknown, cls: Class, evidence: Evidence, more?: Partial<ErrorOutcome>];

function coded(code: string, more: object = {}, message = ''): Error {
  return errorWith({ code, ...more }, message);
}

function aggregate(...errors: Error[]): Error {
  return Object.assign(new AggregateError(errors, ''), { code: 'ECONNREFUSED' });
}

const refused = coded('ECONNREFUSED', { syscall: 'connect' });
const network = (cause?: object): Error =>
  coded('ERR_NETWORK', { name: 'AxiosError', ...(cause === undefined ? {} : { cause }) }, 'Network Error');
const unsentRefused = { code: 'ECONNREFUSED', class: 'transient', evidence: 'unsent' };
const withResponse = (code: string, status: number, message = ''): Error =>
  coded(code, { name: 'AxiosError', response: { status, headers: {} } }, message);

/** At least one error for every row of the table, keyed by the row's first column. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  '(any) with onRequestStart NOT yet called': [
    [coded('ECONNRESET', { syscall: 'read' }), 'transient', 'unsent', { evidence: 'unsent' }],
    [coded('CERT_HAS_EXPIRED'), 'final', 'unsent', { evidence: 'unsent' }],
  ],
  ECONNREFUSED: [
    [refused, 'transient', 'unsent'],
    [coded('ECONNREFUSED', { name: 'AxiosError', cause: refused }), 'transient', 'unsent'],
    [aggregate(refused, refused), 'transient', 'unsent'],
    [aggregate(refused, coded('ECONNRESET', { syscall: 'read' })), 'transient', 'unknown'],
    [aggregate(refused, coded('CERT_HAS_EXPIRED')), 'transient', 'unknown'],
    [aggregate(coded('CERT_HAS_EXPIRED'), coded('EPROTO')), 'final', 'unknown'],
    [coded('ECONNREFUSED', { cause: aggregate(refused) }), 'transient', 'unsent'],
  ],
  ENOTFOUND: [[coded('ENOTFOUND', { syscall: 'getaddrinfo' }), 'transient', 'unsent']],
  EAI_AGAIN: [[coded('EAI_AGAIN', { syscall: 'getaddrinfo' }), 'transient', 'unsent']],
  'EHOSTUNREACH/ENETUNREACH/EHOSTDOWN/ENETDOWN/EADDRNOTAVAIL': [
    ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL'].flatMap((code): Case[] => [
      [coded(code, { syscall: 'connect' }), 'transient', 'unsent'],
      [coded(code, { syscall: 'write' }), 'transient', 'unknown'],
      [coded(code), 'transient', 'unknown'],
    ]),
    // nock's, alone and as the cause of what it gives for fetch.
    [coded('ENETUNREACH', {}, 'Nock: Disallowed net connect for "a.example:80/"'), 'final', 'unknown'],
    [
      new TypeError('Failed to fetch', {
        cause: coded('ENETUNREACH', {}, 'Nock: Disallowed net connect for "a.example:80/"'),
      }),
      'final',
      'unknown',
    ],
  ],
  'ETIMEDOUT syscall connect': [[coded('ETIMEDOUT', { syscall: 'connect' }), 'transient', 'unsent']],
  'ETIMEDOUT syscall read/write': [
    [coded('ETIMEDOUT', { syscall: 'read' }), 'transient', 'unknown'],
    [coded('ETIMEDOUT', { syscall: 'write' }), 'transient', 'unknown'],
  ],
  'ETIMEDOUT/ECONNABORTED without syscall (AxiosError)': [
    [coded('ETIMEDOUT', {}, 'timeout of 5 ms exceeded'), 'transient', 'unknown'],
    [coded('ECONNABORTED', {}, 'timeout of 5 ms exceeded'), 'transient', 'unknown'],
  ],
  UND_ERR_CONNECT_TIMEOUT: [[coded('UND_ERR_CONNECT_TIMEOUT'), 'transient', 'unsent']],
  UND_ERR_HEADERS_TIMEOUT: [[coded('UND_ERR_HEADERS_TIMEOUT'), 'transient', 'unknown']],
  UND_ERR_BODY_TIMEOUT: [[coded('UND_ERR_BODY_TIMEOUT'), 'transient', 'unknown']],
  'UND_ERR_SOCKET "other side closed"': [
    [coded('UND_ERR_SOCKET', {}, 'other side closed'), 'transient', 'unknown'],
  ],
  'ECONNRESET syscall connect': [[coded('ECONNRESET', { syscall: 'connect' }), 'transient', 'unsent']],
  'ECONNRESET syscall read': [[coded('ECONNRESET', { syscall: 'read' }), 'transient', 'unknown']],
  'ECONNRESET syscall write': [[coded('ECONNRESET', { syscall: 'write' }), 'transient', 'unknown']],
  'ECONNRESET "socket hang up" (no syscall)': [
    [coded('ECONNRESET', {}, 'socket hang up'), 'transient', 'unknown'],
  ],
  'ECONNRESET "Client network socket disconnected before secure TLS connection was established"': [
    [
      coded(
        'ECONNRESET',
        {},
        'Client network socket disconnected before secure TLS connection was established',
      ),
      'transient',
      'unsent',
    ],
  ],
  EPIPE: [[coded('EPIPE', { syscall: 'write' }), 'transient', 'unknown']],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    [coded('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'), 'transient', 'unknown'],
  ],
  'HTTPParserError (code usually undefined in undici 7)': [
    [errorWith({ name: 'HTTPParserError' }, 'Expected HTTP/'), 'final', 'unknown'],
  ],
  'HPE_*': [[coded('HPE_INVALID_CONSTANT'), 'final', 'unknown']],
  'UND_ERR_HEADERS_OVERFLOW / HPE_HEADER_OVERFLOW': [
    [coded('UND_ERR_HEADERS_OVERFLOW'), 'final', 'unknown'],
    [coded('HPE_HEADER_OVERFLOW'), 'final', 'unknown'],
  ],
  'CERT_*, DEPTH_ZERO_SELF_SIGNED_CERT, SELF_SIGNED_CERT_IN_CHAIN, UNABLE_TO_VERIFY_LEAF_SIGNATURE, ERR_TLS_CERT_ALTNAME_INVALID':
    [
      'CERT_HAS_EXPIRED',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ].map((code): Case => [network(coded(code)), 'final', 'unknown']),
  'ERR_SSL_WRONG_VERSION_NUMBER (undici) = EPROTO[write] (axios)': [
    [coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'final', 'unknown'],
    [coded('EPROTO', { syscall: 'write' }), 'final', 'unknown'],
  ],
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: [
    [coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'final', 'unknown'],
  ],
  'ERR_HTTP2_STREAM_ERROR … NGHTTP2_REFUSED_STREAM': [
    [
      coded('ERR_HTTP2_STREAM_ERROR', {}, 'Stream closed with error code NGHTTP2_REFUSED_STREAM'),
      'transient',
      'unsent',
    ],
  ],
  'ERR_HTTP2_STREAM_ERROR other codes': [
    [coded('ERR_HTTP2_STREAM_ERROR', {}, '… NGHTTP2_INTERNAL_ERROR'), 'transient', 'unknown'],
    [coded('ERR_HTTP2_STREAM_ERROR', {}, '… NGHTTP2_ENHANCE_YOUR_CALM'), 'transient', 'unknown'],
    [coded('ERR_HTTP2_STREAM_ERROR', {}, '… NGHTTP2_PROTOCOL_ERROR'), 'final', 'unknown'],
  ],
  'UND_ERR_SOCKET HTTP/2: "GOAWAY" frame received with code N': [
    [coded('UND_ERR_SOCKET', {}, 'HTTP/2: "GOAWAY" frame received with code 0'), 'transient', 'unknown'],
  ],
  'UND_ERR_INFO HTTP/2: stream closed …': [
    [coded('UND_ERR_INFO', {}, 'HTTP/2: stream closed'), 'transient', 'unknown'],
  ],
  'ERR_HTTP2_SESSION_ERROR / ERR_HTTP2_STREAM_CANCEL': [
    [coded('ERR_HTTP2_SESSION_ERROR'), 'transient', 'unknown'],
    [coded('ERR_HTTP2_STREAM_CANCEL'), 'transient', 'unknown'],
  ],
  'ERR_HTTP2_GOAWAY_SESSION / ERR_HTTP2_INVALID_SESSION': [
    [coded('ERR_HTTP2_GOAWAY_SESSION'), 'transient', 'unsent'],
    [coded('ERR_HTTP2_INVALID_SESSION'), 'transient', 'unsent'],
  ],
  '(promise never settles)': [[new AttemptTimeoutError(5), 'transient', 'unknown']],
  'AbortError code 20 / TimeoutError code 23 (numbers!)': [
    [new DOMException('', 'AbortError'), 'final', 'unknown'],
    [new DOMException('', 'TimeoutError'), 'final', 'unknown'],
    [new DOMException('', 'TimeoutError'), 'transient', 'unknown', { aborted: false }],
    [new DOMException('', 'AbortError'), 'final', 'unknown', { aborted: false }],
    [coded('ECONNRESET'), 'final', 'unknown', { aborted: true }],
    [coded('ABORT_ERR', { name: 'Error' }), 'final', 'unknown'],
  ],
  ERR_CANCELED: [[coded('ERR_CANCELED', { name: 'CanceledError' }), 'final', 'unknown']],
  'UND_ERR_ABORTED "Proxy response (N) !== 200 when HTTP Tunneling"': [
    [coded('UND_ERR_ABORTED', {}, 'Proxy response (503) !== 200 when HTTP Tunneling'), 'transient', 'unsent'],
    [coded('UND_ERR_ABORTED', {}, 'Proxy response (429) !== 200 when HTTP Tunneling'), 'throttled', 'unsent'],
    [coded('UND_ERR_ABORTED', {}, 'Proxy response (407) !== 200 when HTTP Tunneling'), 'final', 'unsent'],
    [coded('UND_ERR_ABORTED', {}, 'aborted'), 'final', 'unknown'],
    [coded('EPIPE', {}, 'Proxy response (407) !== 200'), 'transient', 'unknown'],
  ],
  'response from proxy to CONNECT': [[withResponse('ERR_BAD_RESPONSE', 502), 'transient', 'unknown']],
  'UND_ERR_DESTROYED / UND_ERR_CLOSED': [
    [coded('UND_ERR_DESTROYED'), 'final', 'unknown'],
    [coded('UND_ERR_CLOSED'), 'final', 'unknown'],
  ],
  'UND_ERR_BPL_MISSING_UPSTREAM, UND_ERR_MAX_ORIGINS_REACHED, UND_ERR_INVALID_ARG, UND_ERR_NOT_SUPPORTED, UND_ERR_REQ_CONTENT_LENGTH_MISMATCH':
    [
      'UND_ERR_BPL_MISSING_UPSTREAM',
      'UND_ERR_MAX_ORIGINS_REACHED',
      'UND_ERR_INVALID_ARG',
      'UND_ERR_NOT_SUPPORTED',
      'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
    ].map((code): Case => [coded(code), 'final', 'unknown']),
  'UND_ERR_RES_EXCEEDED_MAX_SIZE, UND_ERR_RESPONSE, UND_ERR_REQ_RETRY': [
    'UND_ERR_RES_EXCEEDED_MAX_SIZE',
    'UND_ERR_RESPONSE',
    'UND_ERR_REQ_RETRY',
  ].map((code): Case => [coded(code), 'final', 'unknown']),
  'UND_ERR_PRX_TLS, UND_ERR_SOCKS5*': [
    [coded('UND_ERR_PRX_TLS'), 'transient', 'unsent'],
    [coded('UND_ERR_SOCKS5'), 'transient', 'unsent'],
    [coded('UND_ERR_SOCKS5_AUTH_FAILED'), 'transient', 'unsent'],
    [coded('X_UND_ERR_SOCKS5'), 'final', 'unknown'],
  ],
  'ERR_BAD_RESPONSE with response.status>=500': [
    [withResponse('ERR_BAD_RESPONSE', 503), 'transient', 'unknown'],
    [withResponse('ERR_BAD_RESPONSE', 501), 'final', 'unknown'],
  ],
  'ERR_BAD_RESPONSE "stream has been aborted", response.status 200': [
    [withResponse('ERR_BAD_RESPONSE', 200, 'stream has been aborted'), 'transient', 'unknown'],
  ],
  'ERR_BAD_RESPONSE "maxContentLength size of N exceeded"': [
    [coded('ERR_BAD_RESPONSE', {}, 'maxContentLength size of 10 exceeded'), 'final', 'unknown'],
    [withResponse('ERR_BAD_RESPONSE', 200, 'maxContentLength size of 10 exceeded'), 'final', 'unknown'],
  ],
  ERR_BAD_REQUEST: [
    [withResponse('ERR_BAD_REQUEST', 429), 'throttled', 'refused'],
    [withResponse('ERR_BAD_REQUEST', 408), 'transient', 'refused'],
    [withResponse('ERR_BAD_REQUEST', 404), 'final', 'unknown'],
    [coded('ERR_BAD_REQUEST'), 'final', 'unknown'],
  ],
  ERR_NETWORK: [
    [network(), 'transient', 'unknown'],
    [network(refused), 'transient', 'unsent'],
    [network(new TypeError('fetch failed', { cause: refused })), 'transient', 'unsent'],
    [network(new TypeError('fetch failed', { cause: coded('UND_ERR_SOCKET') })), 'transient', 'unknown'],
    // A browser's error, which axios makes the cause itself; and a mock's, whose cause is the Response.
    [network(new TypeError('Failed to fetch')), 'transient', 'unknown'],
    [network(Response.error()), 'transient', 'unknown'],
    [network(new Error('unexpected redirect')), 'final', 'unknown'],
    [network(new Error('integrity mismatch')), 'final', 'unknown'],
    [network(new TypeError('fetch failed', { cause: new Error('no code') })), 'final', 'unknown'],
  ],
  'isAxiosError, code undefined, no response': [
    [errorWith({ isAxiosError: true, config: {} }, 'Network Error'), 'transient', 'unknown'],
    [errorWith({ isAxiosError: true, request: {}, response: undefined }), 'transient', 'unknown'],
    [
      errorWith({
        name: 'TypeError',
        isAxiosError: true,
        request: {},
        cause: new TypeError('Network error'),
      }),
      'transient',
      'unknown',
    ],
    [errorWith({ isAxiosError: true }, 'something else'), 'final', 'unknown'],
    // What a function of the caller's has thrown, within the adapter that sends a Request.
    [errorWith({ isAxiosError: true, request: new Request('http://a.example') }, 'mine'), 'final', 'unknown'],
    [errorWith({ isAxiosError: true, request: {}, code: 'E_ODD' }), 'final', 'unknown'],
    [errorWith({ isAxiosError: true, request: {}, cause: coded('CERT_HAS_EXPIRED') }), 'final', 'unknown'],
    [errorWith({ isAxiosError: true, request: {}, response: { status: 404 } }), 'final', 'unknown'],
    [errorWith({ request: {} }, 'Network Error'), 'final', 'unknown'],
    [errorWith({}, 'Network Error'), 'final', 'unknown'],
  ],
  'code undefined, name TypeError "terminated"': [
    [new TypeError('terminated', { cause: coded('UND_ERR_SOCKET') }), 'transient', 'unknown'],
    [new TypeError('terminated'), 'transient', 'unknown'],
  ],
  'ERR_FR_TOO_MANY_REDIRECTS, ERR_INVALID_URL, ERR_NOT_SUPPORT, ERR_BAD_OPTION*': [
    'ERR_FR_TOO_MANY_REDIRECTS',
    'ERR_INVALID_URL',
    'ERR_NOT_SUPPORT',
    'ERR_BAD_OPTION',
    'ERR_BAD_OPTION_VALUE',
  ].map((code): Case => [coded(code), 'final', 'unknown']),
};

describe('every row of the table of failures', () => {
  test('has cases, and no case is without a row', () => {
    expect(Object.keys(cases).sort()).toEqual(rows.map(({ code }) => code).sort());
  });

  for (const row of rows) {
    describe(row.code, () => {
      test.each((cases[row.code] ?? []).map((given) => ({ given })))('case %#', ({ given }) => {
        const [error, cls, evidence, more] = given;
        expect(classify(settings, failed(error, more), date)).toMatchObject({ class: cls, evidence });
      });
      test('is classified as the row says, if the row has no conditions', () => {
        const findings = (cases[row.code] ?? []).map(([error, , , more]) =>
          classify(settings, failed(error, more), date),
        );
        const first = findings[0];
        if (row.class === 'transient' || row.class === 'final') expect(first?.class).toBe(row.class);
        if (row.evidence === 'unsent' || row.evidence === 'unknown')
          expect(first?.evidence).toBe(row.evidence);
        expect(first).toBeDefined();
      });
    });
  }
});

describe('errors of all kinds', () => {
  const circle: { cause?: unknown } = { cause: undefined };
  circle.cause = circle;
  let nested: Error = coded('ECONNREFUSED');
  for (let depth = 0; depth < 9; depth += 1) nested = new Error('wrapped', { cause: nested });
  const tooDeep = new Error('wrapped', { cause: nested });
  const trap = Object.defineProperty({}, 'code', {
    get() {
      throw new Error('trap');
    },
  });

  test.each<[string, unknown, Class, Evidence]>([
    ['a string', 'ECONNRESET', 'final', 'unknown'],
    ['undefined', undefined, 'final', 'unknown'],
    ['null', null, 'final', 'unknown'],
    ['a circle of causes', circle, 'final', 'unknown'],
    ['a getter that throws', trap, 'final', 'unknown'],
    ['a code that is a prototype key', coded('constructor'), 'final', 'unknown'],
    ['a user error', new TypeError('x is not a function'), 'final', 'unknown'],
    ['ten links', nested, 'transient', 'unsent'],
    ['eleven links', tooDeep, 'final', 'unknown'],
    ['an empty aggregate', new AggregateError([]), 'final', 'unknown'],
    ['an aggregate of nothing', new AggregateError(['x', null]), 'final', 'unknown'],
    ["a browser's", new TypeError('Failed to fetch'), 'transient', 'unknown'],
    ["Safari's", new TypeError('Load failed'), 'transient', 'unknown'],
    ["Firefox's", new TypeError('NetworkError when attempting to fetch resource.'), 'transient', 'unknown'],
    ["Safari's, of a connection", new TypeError('The network connection was lost.'), 'transient', 'unknown'],
    ["Chromium's, to the reader of a body", new TypeError('network error'), 'transient', 'unknown'],
    ["Firefox's, to the reader of a body", new TypeError('Error in input stream'), 'transient', 'unknown'],
    ["Firefox's in older versions", new TypeError('Error in body stream'), 'transient', 'unknown'],
    ["React Native's", new TypeError('Network request failed'), 'transient', 'unknown'],
    ["Bun's: connection refused", coded('ConnectionRefused'), 'transient', 'unsent'],
    ["Bun's: the socket failed to open", coded('FailedToOpenSocket'), 'transient', 'unsent'],
    ["Bun's: the connection was closed", coded('ConnectionClosed'), 'transient', 'unknown'],
    ["Bun's, over http: the handshake was cut off", coded('ERR_SOCKET_CLOSED'), 'transient', 'unknown'],
    ["Bun's: a code is read before the text", coded('E_ODD', {}, 'Failed to fetch'), 'final', 'unknown'],
    [
      "Deno's: connection refused, which a message alone does not prove",
      new TypeError('error sending request for url (http://a.example/): client error (Connect): refused'),
      'transient',
      'unknown',
    ],
    [
      "Deno's: a certificate",
      new TypeError(
        'error sending request for url (https://a.example/): client error (Connect): invalid peer certificate: Expired',
      ),
      'final',
      'unknown',
    ],
    ...(
      [
        ['Connection reset by peer (os error 104)', 'transient'],
        ['Connection reset by peer (os error 54)', 'transient'],
        ['An existing connection was forcibly closed by the remote host. (os error 10054)', 'transient'],
        ['Broken pipe (os error 32)', 'transient'],
        ['error reading a body from connection', 'transient'],
        ['error sending request for url (http://a.example/): client error (Connect): dns error', 'transient'],
        ['client error (SendRequest): connection closed before message completed', 'transient'],
        ['client error (SendRequest): invalid HTTP version parsed', 'final'],
        ['client error (SendRequest): invalid HTTP header parsed', 'final'],
        ['client error (SendRequest): message head is too large', 'final'],
        ['Permission denied (os error 13)', 'final'],
      ] as const
    ).map(([text, cls]): [string, unknown, Class, Evidence] => [
      `Deno's, in the cause: ${text}`,
      new TypeError('fetch failed', { cause: new Error(text) }),
      cls,
      'unknown',
    ]),
    [
      "Workers': a name that is not found",
      new Error('internal error; reference = a1b2'),
      'transient',
      'unknown',
    ],
    ["Workers'", errorWith({ retryable: true }, 'Network connection lost.'), 'transient', 'unknown'],
    ["Workers', with only the message", new Error('Network connection lost.'), 'transient', 'unknown'],
    [
      "Workers', marked as not retryable",
      errorWith({ retryable: false }, 'Network connection lost.'),
      'final',
      'unknown',
    ],
    ["Workers', marked as overloaded", errorWith({ retryable: true, overloaded: true }), 'final', 'unknown'],
    ['retryable beside a code', coded('E_ODD', { retryable: true }), 'final', 'unknown'],
    ...[
      'Failed to parse URL from /x',
      'Request with GET/HEAD method cannot have body.',
      "Failed to execute 'fetch' on 'Window': Request with GET/HEAD method cannot have body.",
      'Headers.append: "\u0001" is an invalid header value.',
      "Url scheme 'gopher' not supported",
    ].map((text): [string, unknown, Class, Evidence] => [
      `a programming error: ${text}`,
      new TypeError(text),
      'final',
      'unknown',
    ]),
    ...[
      'unknown scheme',
      'bad port',
      'integrity mismatch',
      'redirect count exceeded',
      'the source failed',
    ].map((text): [string, unknown, Class, Evidence] => [
      `a failure of Node's fetch without a code: ${text}`,
      new TypeError('fetch failed', { cause: new Error(text) }),
      'final',
      'unknown',
    ]),
    ['our deadline', new DeadlineError(5), 'transient', 'unknown'],
    ['our gate', new GateShutError('x'), 'final', 'unknown'],
    ['our policy error', new PolicyError([]), 'final', 'unknown'],
    [
      'a response without a numeric status',
      coded('ERR_BAD_RESPONSE', { response: { status: '503' } }),
      'final',
      'unknown',
    ],
    ['a response without headers', coded('E', { response: { status: 503 } }), 'transient', 'unknown'],
    ['corrupt gzip beside a 200', withResponse('Z_DATA_ERROR', 200), 'transient', 'unknown'],
    ['cut-off gzip', coded('Z_BUF_ERROR'), 'transient', 'unknown'],
    ['corrupt Brotli', coded('ERR__ERROR_FORMAT_PADDING_1'), 'transient', 'unknown'],
    ['corrupt Zstandard', coded('ZSTD_error_corruption_detected'), 'transient', 'unknown'],
  ])('%s', (_name, error, cls, evidence) => {
    expect(classify(settings, failed(error), date)).toMatchObject({ class: cls, evidence });
  });

  test.each([
    [undefined, 'response'],
    ['ERR_BAD_RESPONSE', 'response'],
    ['ERR_BAD_REQUEST', 'response'],
    ['ERR_STRING_TOO_LONG', 'error'],
  ])('a good answer beside the code %s counts as the %s', (code, kind) => {
    const error = Object.assign(new Error('no'), { code, response: { status: 200, headers: {} } });
    expect(classify(settings, failed(error), date)).toMatchObject({ kind, class: 'final' });
  });

  test('names what failed, not its wrapper', () => {
    const finding = classify(settings, failed(network(refused)), date);
    expect(finding).toEqual({
      kind: 'error',
      name: 'Error',
      code: 'ECONNREFUSED',
      class: 'transient',
      evidence: 'unsent',
      aborted: false,
    });
    expect(classify(settings, failed(network(new Error('?'))), date)).toMatchObject({
      name: 'AxiosError',
      code: 'ERR_NETWORK',
    });
    expect(classify(settings, failed(7), date)).toMatchObject({ name: 'NonError', code: undefined });
    expect(classify(settings, failed(errorWith({ name: '', code: '' })), date)).toMatchObject({
      name: 'Error',
      code: undefined,
    });
    expect(classify(settings, failed({ message: 'no name' }), date)).toMatchObject({ name: 'Error' });
  });

  test.each<[string, unknown, Partial<ErrorOutcome>, object]>([
    ['an unknown code around a known one', coded('E_MINE', { cause: refused }), {}, unsentRefused],
    [
      'the outer of two known ones',
      coded('EPIPE', { cause: refused }),
      {},
      { code: 'EPIPE', evidence: 'unknown' },
    ],
    [
      'a message inside a wrapper',
      network(new TypeError('terminated')),
      {},
      { name: 'TypeError', code: undefined, class: 'transient' },
    ],
    [
      'a name counts only without a code',
      coded('E_MINE', { name: 'TimeoutError' }),
      { aborted: false },
      { class: 'final' },
    ],
    [
      'a system call below',
      coded('ETIMEDOUT', { cause: new Error('x', { cause: coded('Y', { syscall: 'connect' }) }) }),
      {},
      { code: 'ETIMEDOUT', evidence: 'unsent' },
    ],
    [
      'a system call above does not apply to the error below',
      errorWith({ syscall: 'connect', cause: coded('ECONNRESET', { syscall: 'read' }) }),
      {},
      { code: 'ECONNRESET', evidence: 'unknown' },
    ],
    [
      'the first system call below counts',
      coded('ETIMEDOUT', { syscall: 'read', cause: coded('Y', { syscall: 'connect' }) }),
      {},
      { evidence: 'unknown' },
    ],
    [
      'parts of which some are not errors',
      Object.assign(new AggregateError(['x', null, refused], ''), { code: 'X' }),
      {},
      { evidence: 'unsent' },
    ],
    [
      'parts recognised by their names',
      new AggregateError([new DOMException('', 'TimeoutError')]),
      { aborted: false },
      { class: 'transient' },
    ],
    [
      'parts recognised by their messages',
      new AggregateError([coded('ECONNRESET', {}, 'before secure TLS connection was established')]),
      {},
      { class: 'transient', evidence: 'unsent' },
    ],
    [
      'parts that are plain objects',
      new AggregateError([{}, { code: 'ETIMEDOUT', syscall: 'connect' }]),
      {},
      { class: 'transient', evidence: 'unknown' },
    ],
    ['errors that are not a list', coded('ECONNREFUSED', { errors: 'x' }), {}, unsentRefused],
    [
      'a refused tunnel, in another wording',
      coded('UND_ERR_ABORTED', {}, 'Unexpected Proxy response (503)'),
      {},
      { class: 'final' },
    ],
    [
      'a refused tunnel, which is not an abort',
      coded('UND_ERR_ABORTED', {}, 'Proxy response (503) !== 200'),
      {},
      { aborted: false, code: 'UND_ERR_ABORTED', name: 'Error' },
    ],
    ['AbortError', new DOMException('', 'AbortError'), {}, { aborted: true, name: 'AbortError' }],
    ['TimeoutError', new DOMException('', 'TimeoutError'), {}, { aborted: true, name: 'TimeoutError' }],
    ['ABORT_ERR', coded('ABORT_ERR'), {}, { aborted: true, code: 'ABORT_ERR' }],
    ['ERR_CANCELED', coded('ERR_CANCELED'), {}, { aborted: true }],
  ])('reads %s', (_name, error, more, expected) => {
    expect(classify(settings, failed(error, more), date)).toMatchObject(expected);
  });

  test('the answer in an error counts only if the transport did not fail', () => {
    const reset = coded('ECONNRESET', { response: { status: 503, headers: {} } });
    expect(classify(settings, failed(reset), date)).toMatchObject({ kind: 'error', code: 'ECONNRESET' });
    const answer = coded('E_MINE', { response: { status: 503, headers: 'none' } });
    expect(classify(settings, failed(answer), date)).toMatchObject({
      kind: 'response',
      status: 503,
      hint: undefined,
    });
  });

  test('every finding begins with the same keys, in the same order', () => {
    const session = createRetrier().open(requestOf());
    session.acceptAtOnce(200);
    const accepted = session.history[0]?.decision.finding ?? {};
    const keysOf = (finding: object): string[] => Object.keys(finding).slice(0, 5);
    const first = ['kind', 'class', 'evidence', 'hint', 'aborted'];
    expect(keysOf(accepted)).toEqual(first);
    expect(keysOf(classify(settings, answered(503), date))).toEqual(first);
    expect(keysOf(classify(settings, failed(coded('ECONNRESET')), date))).toEqual(first);
  });

  test("tells the caller's abort from other ends", () => {
    const aborted = (error: unknown, more = {}): unknown => {
      const finding = classify(settings, failed(error, more), date);
      return finding.kind === 'error' && finding.aborted;
    };
    expect(aborted(coded('ERR_CANCELED'))).toBe(true);
    expect(aborted(new Error('outer', { cause: new DOMException('', 'AbortError') }))).toBe(true);
    expect(aborted(new DOMException('', 'TimeoutError'), { aborted: false })).toBe(false);
    expect(aborted(coded('ECONNRESET'))).toBe(false);
  });

  test("evidence from the client outranks the error's code", () => {
    const finding = classify(settings, failed(refused, { evidence: 'unknown' }), date);
    expect(finding).toMatchObject({ class: 'transient', evidence: 'unknown' });
  });

  test('an axios error is classified by its answer, hint included', () => {
    const error = coded('ERR_BAD_REQUEST', {
      response: { status: 429, headers: { get: (name: string) => (name === 'retry-after' ? '3' : null) } },
    });
    expect(classify(settings, failed(error), date)).toMatchObject({
      kind: 'response',
      status: 429,
      class: 'throttled',
      evidence: 'refused',
      hint: { delayMs: 3_000 },
    });
  });
});

describe('responses', () => {
  test.each<[number, Class, Evidence]>([
    [200, 'final', 'unknown'],
    [301, 'final', 'unknown'],
    [400, 'final', 'unknown'],
    [404, 'final', 'unknown'],
    [407, 'final', 'unknown'],
    [408, 'transient', 'refused'],
    [409, 'final', 'unknown'],
    [413, 'final', 'unknown'],
    [421, 'final', 'unknown'],
    [424, 'final', 'unknown'],
    [425, 'transient', 'refused'],
    [426, 'final', 'unknown'],
    [428, 'final', 'unknown'],
    [429, 'throttled', 'refused'],
    [430, 'final', 'unknown'],
    [499, 'final', 'unknown'],
    [500, 'transient', 'unknown'],
    [501, 'final', 'unknown'],
    [502, 'transient', 'unknown'],
    [503, 'transient', 'unknown'],
    [504, 'transient', 'unknown'],
    [505, 'final', 'unknown'],
    [506, 'final', 'unknown'],
    [507, 'transient', 'unknown'],
    [508, 'final', 'unknown'],
    [509, 'transient', 'unknown'],
    [510, 'final', 'unknown'],
    [511, 'final', 'unknown'],
    [520, 'transient', 'unknown'],
    [529, 'transient', 'unknown'],
    [599, 'transient', 'unknown'],
    [600, 'final', 'unknown'],
  ])('%i is %s, %s', (status, cls, evidence) => {
    expect(classify(settings, answered(status), date)).toEqual({
      kind: 'response',
      status,
      class: cls,
      evidence,
      hint: undefined,
      aborted: false,
    });
  });

  test('413 is transient only if it says how long to wait', () => {
    const cls = (value: string, options = {}): Class =>
      classify(settingsOf(options), answered(413, { 'retry-after': value }), date).class;
    expect(cls('5')).toBe('transient');
    expect(cls('0')).toBe('final');
    expect(cls('soon')).toBe('final');
    expect(cls('5', { statuses: ['5xx', '!413'] })).toBe('final');
  });

  test('a hint on a redirect belongs to the redirect', () => {
    expect(classify(settings, answered(301, { 'retry-after': '5' }), date)).toMatchObject({
      hint: undefined,
    });
    expect(classify(settings, answered(300, { 'retry-after': '5' }), date)).toMatchObject({
      hint: undefined,
    });
    expect(classify(settings, answered(200, { 'retry-after': '5' }), date)).toMatchObject({
      hint: { reason: 'not-retryable-status' },
    });
    expect(classify(settings, answered(400, { 'retry-after': '5' }), date)).toMatchObject({
      hint: { reason: 'not-retryable-status' },
    });
    expect(classify(settings, answered(399, { 'retry-after': '5' }), date)).toMatchObject({
      hint: undefined,
    });
  });

  test('an answer that asks for a retry is worth it, unless its status was negated', () => {
    const asks = answered(400, { 'x-should-retry': 'true' });
    expect(classify(settings, asks, date).class).toBe('transient');
    expect(classify(settingsOf({ statuses: ['5xx', '!400'] }), asks, date).class).toBe('final');
    expect(classify(settingsOf({ hints: false }), asks, date)).toMatchObject({
      class: 'final',
      hint: undefined,
    });
  });

  test('408 is retried because it is listed, not because a rule of the protocol allows it', () => {
    const closing = answered(408, { connection: 'close' });
    expect(classify(settings, closing, date).class).toBe('transient');
    expect(classify(settingsOf({ statuses: [503] }), closing, date).class).toBe('final');
  });

  test('an answer that means "rate limited" without being a 429 is throttled, too', () => {
    const limited = answered(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1773144090' });
    expect(classify(settingsOf({ hints: 'github' }), limited, date)).toMatchObject({ class: 'throttled' });
    expect(classify(settings, limited, date).class).toBe('final');
  });

  test('a body that is given is read for a hint', () => {
    const outcome = {
      kind: 'response',
      status: 429,
      headers: {},
      content: '{"parameters":{"retry_after":35}}',
    } as const;
    expect(classify(settingsOf({ hints: 'telegram' }), outcome, date)).toMatchObject({
      hint: { delayMs: 35_000 },
    });
  });

  test('without headers there is no hint, and a finding is not read again', () => {
    const finding = classify(settings, { kind: 'response', status: 503 }, date);
    expect(finding).toMatchObject({ hint: undefined });
    expect(classify(settings, finding, date)).toBe(finding);
  });
});
