/** Upgraded connections: handed over unchanged, and requested again only if the request never left. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import {
  answer,
  ca,
  connectTunnel,
  fin,
  informational,
  type Play,
  refusedOrigin,
  rst,
  upgrade101,
} from '../../faults/lab.js';
import { brief } from '../decisions.js';
import { openLab, settled, soon } from '../kit.js';
import { major, undici } from './client.js';
import { type Generation, native, type Reactions, recorder, terminalCalls } from './generations.js';
import { openAgent, retryingAgent } from './kit.js';

type Way = 'upgrade' | 'connect';

async function over(socket: Duplex, text: string): Promise<string> {
  socket.write(text);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.on('error', () => undefined).destroy();
  return bytes.toString();
}

const optionsOf = (way: Way) =>
  way === 'upgrade'
    ? { path: '/', method: 'GET', upgrade: 'echo' }
    : { path: 'example.com:80', method: 'CONNECT' as const };

const switching = (way: Way): Play => (way === 'upgrade' ? upgrade101() : connectTunnel(200, 'echo'));

describe.each<Way>(['upgrade', 'connect'])('%s()', (way) => {
  const ask = (dispatcher: Dispatcher, origin: string) =>
    way === 'upgrade'
      ? undici.upgrade(origin, { dispatcher, protocol: 'echo' })
      : dispatcher.connect({ origin, path: 'example.com:80' });

  const sent = (origin: string, given: PolicyOptions = soon) => ask(retryingAgent(given), origin);

  test('hands the connection over, both ways open', async () => {
    const lab = await openLab(switching(way));
    const { socket } = await sent(lab.origin);
    expect(await over(socket, 'hello')).toBe('hello');
    expect(lab.requests).toHaveLength(1);
  });

  test.each([
    ['RST', rst()],
    ['FIN', fin()],
    // For CONNECT, undici treats any answer as the tunnel's.
    ...(way === 'upgrade'
      ? ([['RST after a 1xx', informational(103, {}, { steps: [{ do: 'rst' }] })]] as const)
      : []),
  ] as const)('is not sent again after a %s: it may have arrived', async (_name, play) => {
    const lab = await openLab([play, switching(way)]);
    expect((await settled(sent(lab.origin))).error).toMatchObject({
      code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/),
    });
    expect(lab.requests).toHaveLength(1);
  });

  test('is not sent again even if the policy calls everything safe', async () => {
    const lab = await openLab([rst(), switching(way)]);
    await settled(sent(lab.origin, { ...soon, idempotent: true, methods: ['GET', 'CONNECT'] }));
    expect(lab.requests).toHaveLength(1);
  });

  test('is sent again while the connection is refused', async () => {
    const decisions: string[] = [];
    const observe: PolicyOptions['observe'] = (event) => {
      if (event.type === 'decision') decisions.push(event.decision.action);
    };
    const { error } = await settled(sent(await refusedOrigin(), { ...soon, observe }));
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    expect(decisions).toEqual(['retry', 'retry', 'retry', 'stop']);
  });

  test('is sent again after a TLS handshake that was cut, and then goes through', async () => {
    const lab = await openLab(switching(way), { tls: ['handshake-rst', 'trusted'] });
    const dispatcher = retryingAgent(soon, { connect: { ca } });
    const handler = recorder(2);
    dispatcher.dispatch({ origin: lab.origin, ...optionsOf(way) }, handler);
    await handler.settled;
    expect(handler.calls.at(-1)).toMatch(/^upgrade/);
    expect(lab.requests).toHaveLength(1);
    expect(lab.connections).toBe(2);
    handler.socket?.on('error', () => undefined).destroy();
  });

  test.each<[string, PolicyOptions, string]>([
    ['a success', {}, 'stop 2: success'],
    [
      'a success, which retryIf is not asked about',
      { retryIf: ({ kind }) => kind === 'response' || undefined },
      'stop 2: success',
    ],
    ['one that is not safe to send again', { statuses: [101, 200] }, 'stop 2: unsafe-method'],
  ])('by the second attempt is told as %s', async (_name, policy, told) => {
    const lab = await openLab(switching(way), { tls: ['handshake-rst', 'trusted'] });
    const heard: string[] = [];
    const observe: PolicyOptions['observe'] = (event) => heard.push(brief(event));
    const dispatcher = retryingAgent({ ...soon, ...policy, observe }, { connect: { ca } });
    const handler = recorder(2);
    dispatcher.dispatch({ origin: lab.origin, ...optionsOf(way) }, handler);
    await handler.settled;
    const status = way === 'upgrade' ? 101 : 200;
    expect(heard).toEqual(['retry 1: transport-error', told, `settled ${status} after 2`]);
    handler.socket?.on('error', () => undefined).destroy();
  });

  test.each([503, 429, 408, 401, 200])(
    'an answer of %i gets to the caller as from the bare Agent',
    async (status) => {
      for (const generation of [1, 2] as const) {
        const lab = await openLab(answer(status, 'no', { 'x-why': 'because' }));
        const options = { origin: lab.origin, ...optionsOf(way) };
        const bare = recorder(2);
        // The bare Agent has an interceptor, too, which in undici 7 changes what a handler gets.
        openAgent()
          .compose((dispatch) => (given, handler) => dispatch(given, handler), retry({ retry: false }))
          .dispatch(options, bare);
        const ours = recorder(generation);
        retryingAgent().dispatch(options, ours);
        await Promise.all([bare.settled, ours.settled]);
        const toCaller = (call: string): boolean => /^(head|upgrade|end|error)/.test(call);
        expect(ours.calls.filter(toCaller)).toEqual(bare.calls.filter(toCaller));
        expect(ours.rawHeaders).toEqual(bare.rawHeaders);
        expect(ours.rawHeaders.flat()).toContain('because');
        expect(terminalCalls(ours)).toBe(1);
        expect(lab.requests).toHaveLength(2);
        for (const { socket } of [bare, ours]) socket?.on('error', () => undefined).destroy();
      }
    },
  );

  test('an answer of 503 reaches upgrade() and connect() as without retry()', async () => {
    const lab = await openLab(answer(503));
    const plain = await settled(ask(openAgent(), lab.origin));
    const ours = await settled(sent(lab.origin));
    expect(nameAndCode(ours.error)).toEqual(nameAndCode(plain.error));
    expect(ours.value === undefined).toBe(plain.value === undefined);
    expect(lab.requests).toHaveLength(2);
  });
});

function nameAndCode(error: unknown): unknown {
  return error instanceof Error ? [error.name, 'code' in error && error.code, error.message] : error;
}

describe.each<Generation>([1, 2])('a handler of generation %i', (generation) => {
  test('gets head, headers and socket of the upgrade, once', async () => {
    const lab = await openLab(informational(103, { link: '<a>' }, upgrade101('echo')));
    const heard = recorder(generation);
    retryingAgent().dispatch({ origin: lab.origin, ...optionsOf('upgrade') }, heard);
    await heard.settled;
    expect(heard.calls.filter((call) => /^(start|head|upgrade|end|error)/.test(call))).toEqual([
      'start',
      'head 103',
      'upgrade 101',
    ]);
    expect(heard.rawHeaders.at(-1)).toEqual(['connection', 'upgrade', 'upgrade', 'echo']);
    expect(heard.socket && (await over(heard.socket, 'over'))).toBe('over');
  });

  test('that throws when it gets the socket is asked nothing more, and the socket is closed', async () => {
    const lab = await openLab(upgrade101());
    const thrown = Object.assign(new Error('not wanted'), { code: 'ECONNRESET' });
    const reactions: Reactions = {
      onUpgrade: () => {
        throw thrown;
      },
    };
    const heardBare = recorder(native, reactions);
    const heard = recorder(generation, reactions);
    openAgent().dispatch({ origin: lab.origin, ...optionsOf('upgrade') }, heardBare);
    retryingAgent().dispatch({ origin: lab.origin, ...optionsOf('upgrade') }, heard);
    await Promise.all([heardBare.settled, heard.settled]);
    for (const { socket } of [heardBare, heard]) socket?.on('error', () => undefined);
    await lab.until(({ openSockets, connections }) => connections - openSockets === 2);
    // Older undici does not report the error.
    const toCaller = (call: string): boolean => /^(upgrade|end|error)/.test(call);
    expect(heard.calls.filter(toCaller)).toEqual(heardBare.calls.filter(toCaller));
    expect(heard.error).toBe(heardBare.error);
    expect(lab.requests).toHaveLength(2);
  });

  test('whose abort comes after the upgrade acts as under the bare dispatcher', async () => {
    const lab = await openLab(upgrade101());
    const agent = openAgent();
    const heardBare = recorder(native);
    const heard = recorder(generation);
    agent.dispatch({ origin: lab.origin, ...optionsOf('upgrade') }, heardBare);
    agent.compose(retry(soon)).dispatch({ origin: lab.origin, ...optionsOf('upgrade') }, heard);
    await Promise.all([heardBare.settled, heard.settled]);
    for (const { hold, socket } of [heardBare, heard]) {
      socket?.on('error', () => undefined);
      hold?.abort(new Error('late'));
    }
    // The oldest versions close the connection and report it; the others leave it to its owner.
    expect(heard.socket?.destroyed).toBe(heardBare.socket?.destroyed);
    expect(terminalCalls(heard)).toBe(terminalCalls(heardBare));
    for (const { socket } of [heardBare, heard]) socket?.destroy();
  });
});

test.each([
  ['once the connection is refused', 1],
  ['at once', 0],
])('a WebSocket opens and talks through retry(): %s', async (_name, refusals) => {
  const server = createServer().on('upgrade', (request, socket) => {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.on('error', () => undefined);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    // One unmasked text frame: "hi".
    socket.write(Buffer.from([0x81, 2, 0x68, 0x69]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  let refused = 0;
  const refusing: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (refused === refusals) return dispatch(options, handler);
    refused += 1;
    const error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });
    if (major === 6) handler.onError?.(error);
    else handler.onResponseError?.(null as never, error);
    return true;
  };
  const dispatcher = openAgent().compose(refusing, retry(soon));
  const { port } = server.address() as AddressInfo;
  const socket = new undici.WebSocket(`ws://127.0.0.1:${port}`, { dispatcher });
  const said = await new Promise((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => resolve(data));
    socket.addEventListener('error', reject);
  });
  socket.close();
  expect(said).toBe('hi');
  expect(refused).toBe(refusals);
});
