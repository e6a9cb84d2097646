/** Every way to send a request through undici, and through the fetch that is built into Node. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { inspect } from 'node:util';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { answer, answerChunked, informational, type Play, refusedOrigin, rst } from '../../faults/lab.js';
import { setGlobally } from '../global-dispatcher.js';
import { openLab, settled, soon } from '../kit.js';
import { builtIn, globalReachesBuiltIn, undici, version } from './client.js';
import { isEarly7 } from './generations.js';
import { openAgent, retryingAgent } from './kit.js';

interface Answered {
  readonly status: number;
  readonly text: string;
}

type Way = (dispatcher: Dispatcher, url: string, method: 'GET' | 'PUT', body?: string) => Promise<Answered>;

/** Node's types do not declare the options of the built-in fetch. */
const builtInFetch = fetch as unknown as typeof undici.fetch;

const ways: Record<string, Way> = {
  'request()': async (dispatcher, url, method, body) => {
    const response = await undici.request(url, { dispatcher, method, ...(body !== undefined && { body }) });
    return { status: response.statusCode, text: await response.body.text() };
  },
  'stream()': async (dispatcher, url, method, body) => {
    const pieces: Buffer[] = [];
    let status = 0;
    await undici.stream(
      url,
      { dispatcher, method, ...(body !== undefined && { body }) },
      ({ statusCode }) => {
        status = statusCode;
        return new Writable({
          write(piece: Buffer, _encoding, done) {
            pieces.push(piece);
            done();
          },
        });
      },
    );
    return { status, text: Buffer.concat(pieces).toString() };
  },
  'pipeline()': async (dispatcher, url, method, body) => {
    const pieces: Buffer[] = [];
    let status = 0;
    const duplex = undici.pipeline(url, { dispatcher, method }, ({ statusCode, body: received }) => {
      status = statusCode;
      return received.pipe(new PassThrough());
    });
    duplex.end(body);
    for await (const piece of duplex) pieces.push(piece as Buffer);
    return { status, text: Buffer.concat(pieces).toString() };
  },
  'fetch()': async (dispatcher, url, method, body) => {
    const response = await undici.fetch(url, { dispatcher, method, ...(body !== undefined && { body }) });
    return { status: response.status, text: await response.text() };
  },
  'the built-in fetch()': async (dispatcher, url, method, body) => {
    const response = await builtInFetch(url, { dispatcher, method, ...(body !== undefined && { body }) });
    return { status: response.status, text: await response.text() };
  },
};

describe.each(Object.entries(ways))('%s', (name, send) => {
  test.each<[string, Play[], Answered]>([
    ['200', [answer(200, 'ok')], { status: 200, text: 'ok' }],
    ['503, RST, 200', [answer(503, 'no'), rst(), answer(200, 'ok')], { status: 200, text: 'ok' }],
    ['503 forever', [answer(503, 'no')], { status: 503, text: 'no' }],
    [
      '103 and 503, 103 and 200',
      [informational(103, {}, answer(503, 'no')), informational(103, {}, answerChunked(['o', 'k']))],
      { status: 200, text: 'ok' },
    ],
  ])('GET: %s', async (_name, script, expected) => {
    const lab = await openLab(script);
    expect(await send(retryingAgent(), `${lab.origin}/things?q=1`, 'GET')).toEqual(expected);
    expect(lab.requests.every(({ path }) => path === '/things?q=1')).toBe(true);
  });

  test('PUT: the body comes whole each time', async () => {
    const lab = await openLab([answer(503, 'no'), rst(), answer(200, 'ok')]);
    expect(await send(retryingAgent(), lab.origin, 'PUT', 'hello')).toEqual({ status: 200, text: 'ok' });
    expect(lab.requests.map(({ body }) => body.toString())).toEqual(['hello', 'hello', 'hello']);
  });

  test('a refused connection is an error in the end', async () => {
    const { error } = await settled(send(retryingAgent(), await refusedOrigin(), 'GET'));
    const cause = error instanceof TypeError ? error.cause : error;
    expect(cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('through the global dispatcher', async () => {
    const lab = await openLab([answer(503, 'no'), answer(200, 'ok')]);
    setGlobally(undici.setGlobalDispatcher, retryingAgent());
    const sent = await send(undefined as unknown as Dispatcher, lab.origin, 'GET');
    // undici before 7.27 sets a global that a built-in undici 8 does not read: no interceptor can help.
    const reaches = name !== 'the built-in fetch()' || globalReachesBuiltIn;
    expect(sent, `undici ${version}, built-in ${builtIn.version}`).toEqual(
      reaches ? { status: 200, text: 'ok' } : { status: 503, text: 'no' },
    );
    expect(lab.requests).toHaveLength(reaches ? 2 : 1);
  });

  test('20 attempts leave no listener behind', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const lab = await openLab(({ number }) => (number < 20 ? answer(503, 'no') : answer(200, 'ok')));
    const dispatcher = retryingAgent({ ...soon, maxRetries: 30 });
    expect(await send(dispatcher, lab.origin, 'PUT', 'hello')).toEqual({ status: 200, text: 'ok' });
    // A warning is emitted in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
    expect(lab.requests).toHaveLength(20);
  });
});

test.each(['undici', 'built-in'] as const)(
  '%s fetch(): headers, cookies, redirects, a 204 and a 304',
  async (which) => {
    const send = which === 'undici' ? undici.fetch : builtInFetch;
    const lab = await openLab(({ path, number }) => {
      if (number % 2 === 1) return answer(503, 'no', { 'x-attempt': 'discarded' });
      if (path === '/moved') return answer(302, '', { location: '/here' });
      return answer(Number(path.slice(1)) || 200, '', { 'set-cookie': ['a=1', 'b=2'], 'x-name': 'caf\xe9' });
    });
    const dispatcher = retryingAgent();
    const got = async (path: string, init = {}) => send(`${lab.origin}${path}`, { dispatcher, ...init });
    const plain = await got('/200');
    expect(plain.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    if (!isEarly7) expect(plain.headers.get('x-name')).toBe('caf\xe9');
    expect(plain.headers.get('x-attempt')).toBeNull();
    expect(plain.statusText).toBe('OK');
    expect((await got('/204')).status).toBe(204);
    expect((await got('/304')).status).toBe(304);
    expect((await got('/200', { method: 'HEAD' })).status).toBe(200);
    const moved = await got('/moved');
    expect([moved.status, moved.url, moved.redirected]).toEqual([200, `${lab.origin}/here`, true]);
  },
);

test('the built-in fetch through an agent that is not composed is as this pair has it', async () => {
  const lab = await openLab(answer(200, 'ok'));
  const { value } = await settled(
    ways['the built-in fetch()']?.(openAgent(), lab.origin, 'GET') as Promise<Answered>,
  );
  const { value: ours } = await settled(
    ways['the built-in fetch()']?.(retryingAgent({ retry: false }), lab.origin, 'GET') as Promise<Answered>,
  );
  const generationsMeet = builtIn.major < 8 ? !version.startsWith('8.') : !version.startsWith('6.');
  expect(value === undefined).toBe(!generationsMeet);
  expect(ours).toEqual({ status: 200, text: 'ok' });
});

describe('request()', () => {
  test.skipIf(isEarly7)("responseHeaders: 'raw', onInfo, trailers and opaque", async () => {
    const lab = await openLab([
      answer(503, 'no', { 'X-Discarded': 'yes' }),
      informational(
        103,
        { Link: '</a.css>' },
        {
          steps: [
            { do: 'head', status: 200, headers: { 'X-Mixed': ['a', 'b'], 'transfer-encoding': 'chunked' } },
            { do: 'body', text: 'ok' },
            { do: 'end', trailers: { 'X-Sum': '1' } },
          ],
        },
      ),
    ]);
    const infos: unknown[] = [];
    const { headers, body, trailers, opaque } = await retryingAgent().request({
      origin: lab.origin,
      path: '/',
      method: 'GET',
      responseHeaders: 'raw',
      onInfo: (info) => infos.push(info),
      opaque: 'mine',
    });
    expect(await body.text()).toBe('ok');
    expect(headers).toEqual(['X-Mixed', 'a', 'X-Mixed', 'b', 'transfer-encoding', 'chunked']);
    expect(infos).toEqual([{ statusCode: 103, headers: ['Link', '</a.css>'] }]);
    expect(trailers).toEqual({ 'x-sum': '1' });
    expect(opaque).toBe('mine');
  });

  test('repeated headers, bytes beyond ASCII and trailers are as from the bare Agent', async () => {
    const headers = { 'set-cookie': ['a=1', 'b=2'], 'x-name': 'caf\xe9', 'transfer-encoding': 'chunked' };
    const kept: Play = {
      steps: [
        { do: 'head', status: 200, headers },
        { do: 'end', trailers: { 'x-sum': 'caf\xe9' } },
      ],
    };
    const lab = await openLab([kept, answer(503), kept]);
    const got = async (agent: Dispatcher) => {
      const { body, ...head } = await agent.request({ origin: lab.origin, path: '/', method: 'GET' });
      await body.dump();
      return { headers: head.headers, trailers: head.trailers };
    };
    const bare = await got(openAgent());
    const ours = await got(retryingAgent());
    expect(ours).toEqual(bare);
    expect(ours.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(Object.keys(ours.trailers)).toEqual(['x-sum']);
  });

  // undici's own context is null, or the history of a redirect: code that logs a response logs this, too.
  test.each(['alone', 'with redirect'])(
    '`context` may be printed, and tells no secrets: %s',
    async (which) => {
      const lab = await openLab([answer(503), answer(200, 'ok')]);
      const redirect = which === 'alone' ? null : undici.interceptors.redirect({ maxRedirections: 2 });
      const { body, context } = await openAgent()
        .compose([redirect, retry(soon)].filter((interceptor) => interceptor !== null))
        .request({
          origin: lab.origin,
          path: '/',
          method: 'PUT',
          headers: { authorization: 'secret' },
          body: 'secret',
        });
      expect(await body.text()).toBe('ok');
      expect(JSON.stringify(context) ?? '').not.toContain('secret');
      expect(inspect({ ...context }, { depth: 9 })).not.toContain("'secret'");
    },
  );
});

test('stream() calls its factory once, for the response that the caller gets', async () => {
  const lab = await openLab([answer(503, 'no'), answer(200, 'ok')]);
  const statuses: number[] = [];
  await undici.stream(lab.origin, { dispatcher: retryingAgent(), method: 'GET' }, ({ statusCode }) => {
    statuses.push(statusCode);
    return new PassThrough().resume();
  });
  expect(statuses).toEqual([200]);
});

test('pipeline() from a source, through the server, to a sink, is repeated', async () => {
  const lab = await openLab([answer(503, 'no'), answer(200, 'ok')]);
  const source = new PassThrough();
  const sink = new PassThrough();
  const whole = pipeline(
    source,
    undici.pipeline(lab.origin, { dispatcher: retryingAgent(), method: 'PUT' }, ({ body }) => body),
    sink,
  );
  source.end('hello');
  await whole;
  expect(String(sink.read())).toBe('ok');
  expect(lab.requests.map(({ body }) => body.toString())).toEqual(['hello', 'hello']);
});

test('over a real server of Node: keep-alive, and every answer its own', async () => {
  const seen = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.set(path, (seen.get(path) ?? 0) + 1);
    request.resume().on('end', () => {
      response.statusCode = seen.get(path) === 1 ? 503 : 200;
      response.end(path);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dispatcher = openAgent().compose(retry({ ...soon, budget: false }));
  const paths = Array.from({ length: 50 }, (_, index) => `/${index}`);
  const texts = await Promise.all(
    paths.map(async (path) => (await dispatcher.request({ origin, path, method: 'GET' })).body.text()),
  );
  expect(texts).toEqual(paths);
  expect([...seen.values()]).toEqual(Array(50).fill(2));
});
