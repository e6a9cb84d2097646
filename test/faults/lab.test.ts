/** The lab does what its plays say, as seen by a client without any HTTP implementation. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  answer,
  answerChunked,
  bigBody,
  closeAfter,
  connectTunnel,
  contentOf,
  continueRefused,
  cutAfter,
  cutBody,
  cutChunked,
  dripBody,
  dripHead,
  endlessBody,
  fin,
  garbage,
  halfHead,
  hangUpIdle,
  idle408,
  informational,
  keepAliveRace,
  onCue,
  type Play,
  ranged,
  refusedOrigin,
  rst,
  silence,
  stallAfterHead,
  stallInBody,
  startFullBacklog,
  startLab,
  type TlsKind,
  tooLong,
  upgrade101,
} from './lab.js';
import { rawClient, rawTlsClient } from './raw-client.js';

const get = 'GET /things HTTP/1.1\r\nHost: lab\r\n\r\n';
const post = 'POST /things HTTP/1.1\r\nHost: lab\r\nX-Id: w1\r\nContent-Length: 5\r\n\r\nhello';

describe('a play that answers', () => {
  test.each<[string, Play, string]>([
    ['answer', answer(200, 'yes', { etag: '"1"' }), '200 OK\r\ncontent-length: 3\r\netag: "1"\r\n\r\nyes'],
    ['answer 204', answer(204), '204 No Content\r\n\r\n'],
    [
      'repeated headers',
      answer(200, '', { 'set-cookie': ['a=1', 'b=2'] }),
      '200 OK\r\ncontent-length: 0\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n\r\n',
    ],
    [
      'answerChunked',
      answerChunked(['one', 'twelve bytes'], { 'x-sum': '7' }),
      '200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\nc\r\ntwelve bytes\r\n0\r\nx-sum: 7\r\n\r\n',
    ],
    [
      'informational',
      informational(103, { link: '</a>' }, answer(200, 'yes')),
      '103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nyes',
    ],
    ['dripHead', dripHead(1), '200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['dripBody', dripBody('slow', 1), '200 OK\r\ncontent-length: 4\r\n\r\nslow'],
    ['tooLong', tooLong('ok', 'more'), '200 OK\r\ncontent-length: 2\r\n\r\nokmore'],
  ])('%s', async (_name, play, said) => {
    await using lab = await startLab(play);
    using client = rawClient(lab.port);
    client.say(post);
    const expected = `HTTP/1.1 ${said}`;
    await client.until(() => client.bytes.length >= expected.length);
    expect(client.text).toBe(expected);
    await lab.until(() => lab.bytesSent === expected.length);
    expect(lab.openSockets).toBe(1);
  });

  test('sends no body for HEAD', async () => {
    await using lab = await startLab([answer(200, 'yes'), answerChunked(['no']), bigBody(9), answer(204)]);
    using client = rawClient(lab.port);
    client.say(get.replace('GET', 'HEAD').repeat(3) + get);
    await client.hears('204');
    expect(client.text).not.toMatch(/yes|no\b|\r\n0\r\n/);
  });

  test('bigBody fills with content that is known', async () => {
    await using lab = await startLab(bigBody(300_000));
    using client = rawClient(lab.port);
    client.say(get);
    await client.until(() => client.bytes.length >= 300_000 + 42);
    expect(client.text).toContain('content-length: 300000\r\n');
    expect(client.bytes.subarray(-300_000).equals(contentOf('a', 0, 300_000))).toBe(true);
  });
});

describe('ranged', () => {
  test.each<[string | undefined, string, number, number]>([
    [undefined, '200 OK\r\ncontent-length: 100', 0, 100],
    ['bytes=40-', '206 Partial Content\r\ncontent-length: 60\r\ncontent-range: bytes 40-99/100', 40, 100],
    ['bytes=40-49', '206 Partial Content\r\ncontent-length: 10\r\ncontent-range: bytes 40-49/100', 40, 50],
    ['bytes=40-900', '206 Partial Content\r\ncontent-length: 60\r\ncontent-range: bytes 40-99/100', 40, 100],
  ])('%s', async (range, said, from, to) => {
    await using lab = await startLab((request) =>
      ranged(request.headers['range'], 100, { etag: '"1"' }, 'b'),
    );
    using client = rawClient(lab.port);
    client.say(range === undefined ? get : get.replace('\r\n\r\n', `\r\nRange: ${range}\r\n\r\n`));
    const expected = `HTTP/1.1 ${said}\r\netag: "1"\r\n\r\n${contentOf('b', from, to).toString('latin1')}`;
    await client.until(() => client.bytes.length >= expected.length);
    expect(client.text).toBe(expected);
  });
});

describe('content', () => {
  test('is the same from wherever it is read', () => {
    const whole = contentOf('a', 0, 400_000);
    expect(whole.length).toBe(400_000);
    for (const [from, to] of [
      [1, 2],
      [65_520, 65_523],
      [100_000, 399_999],
    ] as const) {
      expect(contentOf('a', from, to).equals(whole.subarray(from, to))).toBe(true);
    }
  });

  test('differs from place to place and from mark to mark', () => {
    expect(contentOf('a', 0, 64).equals(contentOf('a', 64, 128))).toBe(false);
    expect(contentOf('a', 0, 64).equals(contentOf('b', 0, 64))).toBe(false);
  });
});

describe('a play that ends the connection', () => {
  test.each<[string, Play, string, string]>([
    ['rst', rst(), '', 'ECONNRESET'],
    ['rst at the head', rst('head'), '', 'ECONNRESET'],
    ['fin', fin(), '', 'fin'],
    ['fin at the head', fin('head'), '', 'fin'],
    ['half a head, fin', halfHead('fin'), 'HTTP/1.1 200 OK\r\ncontent-le', 'fin'],
    ['half a head, rst', halfHead('rst'), 'HTTP/1.1 200 OK\r\ncontent-le', 'ECONNRESET'],
    ['garbage', garbage('what?'), 'what?', 'fin'],
    ['body cut, fin', cutBody(9, 4, 'fin'), head('content-length: 9') + bodyOf(4), 'fin'],
    ['body cut, rst', cutBody(9, 4, 'rst'), head('content-length: 9') + bodyOf(4), 'ECONNRESET'],
    [
      'chunks cut',
      cutChunked('fin', 'hi'),
      `${head('transfer-encoding: chunked')}2\r\nhi\r\nff\r\nhalf`,
      'fin',
    ],
    [
      'cutAfter',
      cutAfter(4, 'rst', ranged('bytes=5-', 50)),
      `HTTP/1.1 206 Partial Content\r\ncontent-length: 45\r\ncontent-range: bytes 5-49/50\r\n\r\n${contentOf('a', 5, 9).toString('latin1')}`,
      'ECONNRESET',
    ],
    ['closeAfter', closeAfter(answer(200)), head('content-length: 0\r\nconnection: close'), 'fin'],
    ['hangUpIdle', hangUpIdle({ afterMs: 1 }), head('content-length: 0'), 'fin'],
    ['hangUpIdle, rst', hangUpIdle({ afterMs: 1 }, 'rst'), head('content-length: 0'), 'ECONNRESET'],
  ])('%s', async (_name, play, said, end) => {
    await using lab = await startLab(play);
    using client = rawClient(lab.port);
    client.say(post);
    expect(await client.ended).toBe(end);
    expect(client.text).toBe(said);
    expect(lab.applied('w1')).toBe(play.at === 'head' ? 0 : 1);
    await lab.until(() => lab.openSockets === 0);
  });

  test.each<[string, Play, string]>([
    ['rst', rst('connect'), 'ECONNRESET'],
    ['fin', fin('connect'), 'fin'],
  ])('%s before a byte was said', async (_name, play, end) => {
    await using lab = await startLab([play, answer(200)]);
    using first = rawClient(lab.port);
    expect(await first.ended).toBe(end);
    expect(lab.requests).toEqual([]);
    using second = rawClient(lab.port);
    second.say(get);
    await second.hears('200 OK');
    expect(lab.connections).toBe(2);
  });

  test('at connect, on a connection already open, begins with the next head', async () => {
    await using lab = await startLab([answer(200), rst('connect')]);
    using client = rawClient(lab.port);
    client.say(get);
    await client.hears('200 OK');
    client.say(post);
    expect(await client.ended).toBe('ECONNRESET');
    expect(lab.requests).toHaveLength(2);
  });

  test('that this connection gets, whatever the script says', async () => {
    await using lab = await startLab(answer(200), {
      onAccept: (connection) => (connection === 1 ? fin('connect') : undefined),
    });
    using first = rawClient(lab.port);
    expect(await first.ended).toBe('fin');
    using second = rawClient(lab.port);
    second.say(get);
    await second.hears('200 OK');
  });
});

describe('a play that waits', () => {
  test.each<[string, Play, string]>([
    ['silence', silence(), ''],
    ['silence at connect', silence('connect'), ''],
    ['half a head', halfHead('stall'), 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['stallAfterHead', stallAfterHead(), head('content-length: 1000')],
    ['stallInBody', stallInBody(4), head('content-length: 1004') + bodyOf(4)],
  ])('%s: says so much, and never more, until the client goes', async (_name, play, said) => {
    await using lab = await startLab(play);
    using client = rawClient(lab.port);
    client.say(post);
    await lab.until(() => lab.requests[0]?.complete === true && lab.bytesSent === said.length);
    await client.until(() => client.bytes.length === said.length);
    // The lab reads on and still does not answer.
    client.say(post);
    await lab.until(() => lab.requests[1]?.complete === true);
    expect(lab.bytesSent).toBe(said.length);
    expect(client.text).toBe(said);
    client.socket.destroy();
    await lab.until(() => lab.openSockets === 0);
  });

  test('for a cue', async () => {
    await using lab = await startLab(onCue('go', answer(200)));
    using client = rawClient(lab.port);
    client.say(get);
    await lab.until(() => lab.requests.length === 1);
    expect(lab.bytesSent).toBe(0);
    lab.cue('go');
    await client.hears('200 OK');
  });

  test('idle408 speaks up on the idle connection, and ends it', async () => {
    await using lab = await startLab(idle408({ cue: 'idle' }));
    using client = rawClient(lab.port);
    client.say(get);
    await client.hears('\r\n\r\n');
    expect(client.text).toBe(head('content-length: 0'));
    lab.cue('idle');
    expect(await client.ended).toBe('fin');
    expect(client.text).toMatch(/HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*connection: close\r\n\r\n$/);
  });

  test.each<['fin' | 'rst', string]>([
    ['fin', 'fin'],
    ['rst', 'ECONNRESET'],
  ])('keepAliveRace ends (%s) as the next request arrives, which takes no play', async (how, end) => {
    await using lab = await startLab([keepAliveRace(how), answer(201)]);
    using first = rawClient(lab.port);
    first.say(get);
    await first.hears('200 OK');
    first.say(post);
    expect(await first.ended).toBe(end);
    using second = rawClient(lab.port);
    second.say(post);
    await second.hears('201 Created');
    expect(lab.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
    // The request in the race was never read.
    expect(lab.applied('w1')).toBe(1);
  });

  test('endlessBody goes on as long as it is read, and not faster', async () => {
    await using lab = await startLab(endlessBody());
    await using clock = await startLab(answer(200));
    using client = rawClient(lab.port);
    using ticking = rawClient(clock.port);
    client.say(get);
    await lab.until(() => lab.bytesSent > 20_000_000);
    client.socket.pause();
    // Without back-pressure, this would go on until the memory is full.
    let before = -1;
    for (let ticks = 20; lab.bytesSent !== before; ticks += 20) {
      before = lab.bytesSent;
      ticking.say(get.repeat(20));
      await ticking.hears('200 OK', ticks);
    }
    client.socket.resume();
    await lab.until(() => lab.bytesSent > before + 10_000_000);
    client.socket.destroy();
    await lab.until(() => lab.openSockets === 0);
  });

  test('deaf: reads no more', async () => {
    await using lab = await startLab([{ at: 'head', steps: [{ do: 'deaf' }, { do: 'stall' }] }, answer(200)]);
    using client = rawClient(lab.port);
    client.say('POST / HTTP/1.1\r\ncontent-length: 99999999\r\n\r\n');
    await lab.until(() => lab.requests.length === 1);
    client.socket.write(Buffer.alloc(20_000_000));
    using another = rawClient(lab.port);
    for (let round = 1; round <= 20; round++) {
      another.say(get);
      await another.hears('200 OK', round);
    }
    expect(lab.requests[0]?.body.length).toBe(0);
    expect(client.socket.writableLength).toBeGreaterThan(0);
  });
});

describe('100-continue', () => {
  const polite = post.replace('\r\n\r\nhello', '\r\nExpect: 100-continue\r\n\r\n');

  test('is granted by default', async () => {
    await using lab = await startLab(answer(200));
    using client = rawClient(lab.port);
    client.say(polite);
    await client.hears('HTTP/1.1 100 Continue\r\n\r\n');
    client.say('hello');
    await client.hears('200 OK');
    expect(String(lab.requests[0]?.body)).toBe('hello');
  });

  test('continueRefused ends the connection', async () => {
    await using lab = await startLab(continueRefused());
    using client = rawClient(lab.port);
    client.say(polite);
    expect(await client.ended).toBe('fin');
    expect(client.text).toMatch(/^HTTP\/1\.1 417 /);
    expect(lab.applied('w1')).toBe(0);
  });

  test('continueRefused may keep it, and reads the next request in place of the body', async () => {
    await using lab = await startLab([continueRefused(401, 'keep'), answer(200)]);
    using client = rawClient(lab.port);
    client.say(polite);
    await client.hears('401 Unauthorized');
    client.say(post);
    await client.hears('200 OK');
    expect(lab.applied('w1')).toBe(1);
  });
});

describe('other protocols', () => {
  test('upgrade101 switches, and echoes everything', async () => {
    await using lab = await startLab(upgrade101('echo'));
    using client = rawClient(lab.port);
    client.say('GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\nright away');
    await client.hears('\r\n\r\nright away');
    client.say(' and later');
    await client.hears('right away and later');
    expect(client.text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
  });

  test('connectTunnel reaches the target', async () => {
    await using target = await startLab(answer(418));
    await using lab = await startLab(connectTunnel());
    using client = rawClient(lab.port);
    client.say(`CONNECT 127.0.0.1:${target.port} HTTP/1.1\r\n\r\n`);
    await client.hears('200 OK\r\n\r\n');
    client.say(get);
    await client.hears("418 I'm a Teapot");
    expect(target.requests[0]?.path).toBe('/things');
    client.socket.destroy();
    await target.until(() => target.openSockets === 0);
  });

  test('connectTunnel may refuse', async () => {
    await using lab = await startLab(connectTunnel(407));
    using client = rawClient(lab.port);
    client.say('CONNECT nowhere.example:443 HTTP/1.1\r\n\r\n');
    await client.hears('407 Proxy Authentication Required');
  });
});

describe('the ledger', () => {
  test('keeps requests that came pipelined or in parts', async () => {
    await using lab = await startLab([answer(201), answer(202), answer(203)]);
    using client = rawClient(lab.port);
    const chunked =
      'PUT /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\nA: 1\r\na: 2\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n';
    for (const byte of get + post + chunked) {
      client.say(byte);
      await new Promise<void>((resolve) => client.socket.write('', () => resolve()));
    }
    await client.hears('203');
    expect(client.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 202', 'HTTP/1.1 203']);
    expect(lab.requests).toMatchObject([
      { number: 1, method: 'GET', path: '/things', connection: 1, complete: true },
      { number: 2, method: 'POST', headers: { 'x-id': 'w1' }, complete: true },
      { number: 3, headers: { a: '1, 2' }, rawHeaders: ['Transfer-Encoding', 'chunked', 'A', '1', 'a', '2'] },
    ]);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['', 'hello', 'abcde']);
  });

  test('counts only complete requests as applied', async () => {
    await using lab = await startLab(answer(200));
    using client = rawClient(lab.port);
    client.say(post.slice(0, -1));
    await lab.until(() => lab.requests[0]?.body.length === 4);
    expect([lab.requests[0]?.complete, lab.applied('w1')]).toEqual([false, 0]);
    client.say('o');
    await lab.until(() => lab.applied('w1') === 1);
    client.say(post);
    await lab.until(() => lab.applied('w1') === 2);
  });

  test('begins anew with a new script, on the connection that stands', async () => {
    await using lab = await startLab(() => answer(503));
    using client = rawClient(lab.port);
    client.say(post);
    await client.hears('503');
    lab.play([answer(200)]);
    expect([lab.requests.length, lab.applied('w1')]).toEqual([0, 0]);
    client.say(post);
    await client.hears('200');
    expect([lab.requests[0]?.number, lab.applied('w1'), lab.connections]).toEqual([1, 1, 1]);
  });

  test('a new script has cues of its own, on the connection that stands, too', async () => {
    await using lab = await startLab(() => answer(503));
    using client = rawClient(lab.port);
    client.say(get);
    await client.hears('503');
    lab.play(onCue('go', answer(200)));
    client.say(get);
    await lab.until(() => lab.requests.length === 1);
    lab.cue('go');
    await client.hears('200');
  });

  test('a script may look at the request', async () => {
    await using lab = await startLab((request) => answer(request.method === 'GET' ? 200 : 405));
    using client = rawClient(lab.port);
    client.say(post + get);
    await client.hears('200');
    expect(client.text).toMatch(/405[\s\S]*200/);
  });
});

describe('the lab', () => {
  test.each<['fin' | 'rst', string]>([
    ['fin', 'fin'],
    ['rst', 'ECONNRESET'],
  ])('hangs up on all clients when told to: %s', async (how, end) => {
    await using lab = await startLab(answer(200));
    using client = rawClient(lab.port);
    client.say(get);
    await client.hears('200');
    lab.hangUp(how);
    expect(await client.ended).toBe(end);
  });

  test('closes at once, whatever goes on', async () => {
    const lab = await startLab([silence(), endlessBody(), dripBody('never to be heard', 60_000)]);
    using one = rawClient(lab.port);
    using two = rawClient(lab.port);
    using three = rawClient(lab.port);
    for (const client of [one, two, three]) client.say(get);
    await lab.until(() => lab.requests.length === 3);
    const hopeless = lab.until(() => false);
    await lab.close();
    await expect(hopeless).rejects.toThrow('closed');
    expect(lab.openSockets).toBe(0);
  });

  test('has another port than the labs shortly before it', async () => {
    const ports: number[] = [];
    for (let labs = 0; labs < 1_000; labs += 1) {
      await using lab = await startLab(silence());
      expect(ports.slice(-100)).not.toContain(lab.port);
      ports.push(lab.port);
    }
  });

  test('survives clients that go whenever they like', async () => {
    const plays = [
      dripHead(1),
      endlessBody(),
      cutBody(9, 4, 'rst'),
      keepAliveRace(),
      idle408({ afterMs: 60_000 }),
    ];
    await using lab = await startLab(plays);
    for (let round = 0; round < 50; round++) {
      using client = rawClient(lab.port);
      client.say(post);
      if (round % 2 === 0) await lab.until(() => lab.requests.length > round);
      else await once(client.socket, 'connect');
      if (round % 3 === 0) client.socket.resetAndDestroy();
    }
    await lab.until(() => lab.connections === 50 && lab.openSockets === 0);
  });
});

describe('TLS', () => {
  test.each<[TlsKind, string]>([
    ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['expired', 'CERT_HAS_EXPIRED'],
    ['wrong-host', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['handshake-rst', 'ECONNRESET'],
    ['handshake-fin', 'ECONNRESET'],
    ['plain-http-on-tls-port', 'ERR_SSL_WRONG_VERSION_NUMBER'],
  ])('%s', async (kind, code) => {
    await using lab = await startLab(answer(200), { tls: [kind, 'trusted'] });
    using client = rawTlsClient(lab.port);
    const [error] = (await once(client.socket, 'error').catch((error: unknown) => [error])) as [Error];
    expect(error).toHaveProperty('code', code);
    await lab.until(() => lab.openSockets === 0);
    using second = rawTlsClient(lab.port);
    second.say(get);
    await second.hears('200 OK');
    expect(lab.connections).toBe(2);
    expect(lab.requests).toHaveLength(1);
  });

  test('handshake-stall: reads, and never answers', async () => {
    await using lab = await startLab(answer(200), { tls: ['handshake-stall', 'trusted'] });
    using client = rawTlsClient(lab.port);
    let isSecure = false;
    client.socket.once('secureConnect', () => {
      isSecure = true;
    });
    await once(client.socket, 'connect');
    using second = rawTlsClient(lab.port);
    second.say(get);
    await second.hears('200 OK');
    expect(isSecure).toBe(false);
    client.socket.destroy();
    second.socket.destroy();
    await lab.until(() => lab.openSockets === 0);
  });

  test.each<[string, Play, string]>([
    ['fin', cutBody(9, 4, 'fin'), 'fin'],
    ['rst', cutBody(9, 4, 'rst'), 'ECONNRESET'],
  ])('a body is cut under TLS too: %s', async (_name, play, end) => {
    await using lab = await startLab(play, { tls: 'trusted' });
    using client = rawTlsClient(lab.port);
    client.say(get);
    expect(await client.ended).toBe(end);
    expect(client.text).toBe(head('content-length: 9') + bodyOf(4));
    expect(lab.origin).toMatch(/^https:/);
  });
});

describe('no server', () => {
  test('refusedOrigin refuses', async () => {
    using client = rawClient(portOf(await refusedOrigin()));
    expect(await client.ended).toBe('ECONNREFUSED');
  });

  test('startFullBacklog accepts no connection', async () => {
    await using full = await startFullBacklog();
    await using control = await startLab(answer(200));
    const waiting = connect(portOf(full.origin), '127.0.0.1');
    waiting.on('error', () => {});
    using client = rawClient(control.port);
    await once(client.socket, 'connect');
    client.say(get);
    await client.hears('200 OK');
    expect(waiting.connecting).toBe(true);
    waiting.destroy();
  });
});

function head(fields: string): string {
  return `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n`;
}

function bodyOf(bytes: number): string {
  return contentOf('a', 0, bytes).toString('latin1');
}

function portOf(origin: string): number {
  return Number(new URL(origin).port);
}
