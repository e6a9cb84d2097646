/** The lab does what its plays say, as seen by an HTTP/2 client (`node:http2` alone). */

import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { describe, expect, test } from 'vitest';
import {
  answerWithTrailers,
  destroySession,
  destroySessionLater,
  goaway,
  type H2Lab,
  type H2Play,
  rstStream,
  startH2Lab,
} from './h2-lab.js';
import {
  answer,
  answerChunked,
  bigBody,
  ca,
  contentOf,
  dripBody,
  endlessBody,
  informational,
  silence,
  stallInBody,
} from './lab.js';

const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_ENHANCE_YOUR_CALM } = constants;
const { NGHTTP2_NO_ERROR, NGHTTP2_CANCEL } = constants;

interface Heard {
  readonly statuses: readonly unknown[];
  readonly body: string;
  readonly trailers: object | undefined;
  readonly code: number | undefined;
}

describe.each([{ tls: true }, { tls: false }])('with TLS: $tls', (options) => {
  test.each<[string, H2Play, Partial<Heard>]>([
    ['answer', answer(200, 'yes'), { statuses: [200], body: 'yes', code: 0 }],
    ['answer 204', answer(204), { statuses: [204], body: '', code: 0 }],
    ['answerChunked', answerChunked(['a', 'b']), { statuses: [200], body: 'ab' }],
    ['informational', informational(103, { link: '</a>' }, answer(200)), { statuses: [103, 200] }],
    ['answerWithTrailers', answerWithTrailers('yes', { 'x-sum': '7' }), { body: 'yes' }],
    ['dripBody', dripBody('slow', 1), { body: 'slow' }],
    ['bigBody', bigBody(300_000), { body: contentOf('a', 0, 300_000).toString('latin1'), code: 0 }],
    ['REFUSED_STREAM', rstStream(NGHTTP2_REFUSED_STREAM), { statuses: [], code: NGHTTP2_REFUSED_STREAM }],
    [
      'reset after the head',
      rstStream(NGHTTP2_INTERNAL_ERROR, 'after-head'),
      { statuses: [200], body: '', code: NGHTTP2_INTERNAL_ERROR },
    ],
    [
      'reset in the body',
      rstStream(NGHTTP2_ENHANCE_YOUR_CALM, 40_000),
      {
        statuses: [200],
        body: contentOf('a', 0, 40_000).toString('latin1'),
        code: NGHTTP2_ENHANCE_YOUR_CALM,
      },
    ],
  ])('%s', async (_name, play, expected) => {
    await using lab = await startH2Lab(play, options);
    using client = clientOf(lab);
    const heard = await everything(client.session.request({ 'x-id': 'w1' }));
    expect(heard).toMatchObject(expected);
    expect(lab.applied('w1')).toBe(1);
    expect(lab.requests[0]).toMatchObject({ number: 1, method: 'GET', path: '/', connection: 1 });
  });

  test('trailers arrive', async () => {
    await using lab = await startH2Lab(answerWithTrailers('yes', { 'x-sum': '7' }), options);
    using client = clientOf(lab);
    expect((await everything(client.session.request())).trailers).toMatchObject({ 'x-sum': '7' });
  });

  test.each<[string, H2Play]>([
    ['fin', destroySession('fin')],
    ['rst', destroySession('rst')],
  ])('destroySession: %s', async (_name, play) => {
    await using lab = await startH2Lab([play, answer(200)], options);
    using first = clientOf(lab);
    const heard = await everything(first.session.request());
    expect(heard.statuses).toEqual([]);
    await lab.until(() => lab.openSockets === 0);
    using second = clientOf(lab);
    expect((await everything(second.session.request())).statuses).toEqual([200]);
    expect(lab.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  test('destroySessionLater lets the answer through first', async () => {
    await using lab = await startH2Lab(destroySessionLater({ cue: 'now' }), options);
    using client = clientOf(lab);
    expect((await everything(client.session.request())).statuses).toEqual([503]);
    expect(lab.openSockets).toBe(1);
    lab.cue('now');
    await new Promise((resolve) => client.session.on('close', resolve));
    await lab.until(() => lab.openSockets === 0);
  });

  test('a client that goes is let go', async () => {
    await using lab = await startH2Lab(silence(), options);
    using client = clientOf(lab);
    void everything(client.session.request());
    await lab.until(() => lab.requests[0]?.complete === true);
    client.session.destroy();
    await lab.until(() => lab.openSockets === 0);
  });
});

describe('goaway', () => {
  test('with this stream looked at: it is answered', async () => {
    await using lab = await startH2Lab(goaway(NGHTTP2_NO_ERROR, 'this', answer(200, 'yes')));
    using client = clientOf(lab);
    const announced = once(client.session, 'goaway');
    const heard = await everything(client.session.request());
    expect(heard).toMatchObject({ statuses: [200], body: 'yes' });
    expect((await announced).slice(0, 2)).toEqual([NGHTTP2_NO_ERROR, 1]);
  });

  test('with this stream disowned: it is not', async () => {
    await using lab = await startH2Lab(goaway(NGHTTP2_ENHANCE_YOUR_CALM, 'previous'));
    using client = clientOf(lab);
    const announced = once(client.session, 'goaway');
    const heard = await everything(client.session.request());
    expect(heard.statuses).toEqual([]);
    expect((await announced).slice(0, 2)).toEqual([NGHTTP2_ENHANCE_YOUR_CALM, 0]);
  });
});

describe('a reader that does not read', () => {
  test('is not sent more than its window', async () => {
    await using lab = await startH2Lab([endlessBody(), answer(200)]);
    using client = clientOf(lab);
    const stream = client.session.request();
    await once(stream, 'response');
    stream.pause();
    // The window of one stream is full; another stream has its own.
    await lab.until(() => lab.bytesSent > 0);
    await everything(client.session.request());
    const window = 65_535;
    expect(lab.bytesSent).toBeLessThanOrEqual(2 * window);
    stream.resume();
    await lab.until(() => lab.bytesSent > 1_000_000);
    stream.close(NGHTTP2_CANCEL);
    await once(stream, 'close');
  });

  test('a stall stays one, until the client resets the stream', async () => {
    await using lab = await startH2Lab([stallInBody(100), answer(200)]);
    using client = clientOf(lab);
    const stream = client.session.request();
    let heardBytes = 0;
    stream.on('data', (piece: Buffer) => {
      heardBytes += piece.length;
    });
    while (heardBytes < 100) await once(stream, 'data');
    await everything(client.session.request());
    expect(heardBytes).toBe(100);
    stream.close(NGHTTP2_CANCEL);
    await once(stream, 'close');
    expect(lab.openSockets).toBe(1);
  });
});

describe('the ledger', () => {
  test('keeps bodies and headers, and counts complete requests', async () => {
    await using lab = await startH2Lab(answer(200));
    using client = clientOf(lab);
    const stream = client.session.request({
      ':method': 'POST',
      ':path': '/b?c',
      'x-id': 'w1',
      'x-a': ['1', '2'],
    });
    stream.write('hel');
    await lab.until(() => lab.requests[0]?.body.length === 3);
    expect([lab.requests[0]?.complete, lab.applied('w1')]).toEqual([false, 0]);
    stream.end('lo');
    await everything(stream);
    expect(lab.requests).toMatchObject([
      { method: 'POST', path: '/b?c', headers: { 'x-id': 'w1', 'x-a': '1, 2' }, complete: true },
    ]);
    expect(String(lab.requests[0]?.body)).toBe('hello');
    expect(lab.requests[0]?.rawHeaders).toEqual(['x-id', 'w1', 'x-a', '1', 'x-a', '2']);
    expect(lab.applied('w1')).toBe(1);
  });

  test.each<[string, (stream: ClientHttp2Stream, session: ClientHttp2Session) => void]>([
    [
      'the stream was reset',
      (stream) => {
        // Node's own close() ends the body properly first.
        stream.end = () => stream;
        stream.close(NGHTTP2_CANCEL);
      },
    ],
    ['the session died', (_stream, session) => session.destroy()],
  ])('does not count a body that broke off: %s', async (_name, breakOff) => {
    await using lab = await startH2Lab(answer(200));
    using client = clientOf(lab);
    const stream = client.session.request({ ':method': 'POST', 'x-id': 'w1' });
    stream.on('error', () => {});
    stream.write('hel');
    await lab.until(() => lab.requests[0]?.body.length === 3);
    breakOff(stream, client.session);
    client.session.close();
    await lab.until(() => lab.openSockets === 0);
    expect([lab.requests[0]?.complete, lab.applied('w1')]).toEqual([false, 0]);
  });

  test('begins anew with a new script', async () => {
    await using lab = await startH2Lab(answer(503));
    using client = clientOf(lab);
    await everything(client.session.request());
    lab.play((request) => answer(request.method === 'GET' ? 200 : 405));
    expect(lab.requests).toEqual([]);
    expect((await everything(client.session.request())).statuses).toEqual([200]);
    expect(lab.connections).toBe(1);
  });
});

function clientOf(lab: H2Lab): { readonly session: ClientHttp2Session } & Disposable {
  const session = connect(lab.origin, { ca });
  session.on('error', () => {});
  return { session, [Symbol.dispose]: () => session.destroy() };
}

async function everything(stream: ClientHttp2Stream): Promise<Heard> {
  const statuses: unknown[] = [];
  const pieces: Buffer[] = [];
  let trailers: object | undefined;
  stream.on('error', () => {});
  stream.on('headers', (headers) => statuses.push(headers[':status']));
  stream.on('response', (headers) => statuses.push(headers[':status']));
  stream.on('trailers', (headers) => {
    trailers = headers;
  });
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  if (!stream.closed) await new Promise((resolve) => stream.on('close', resolve));
  return { statuses, body: Buffer.concat(pieces).toString('latin1'), trailers, code: stream.rstCode };
}
