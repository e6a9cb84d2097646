/** A gateway forwards an incoming request's body. Whatever happens to it, the gateway can answer its own client. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { answer, type Play, refusedOrigin, rst, silence } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { type Asked, type Reply, type Send, theSubject } from './subject.js';

const subject = await theSubject();

/** A hang takes forever; nothing else takes nearly as long. */
vi.setConfig({ testTimeout: 10_000 });

interface Inbound {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The answer that the gateway's client gets. */
  readonly told: Promise<string>;
}

type Body = 'whole' | 'half' | 'none';

/** A client that sends the gateway a whole body, half of one or none, and waits. */
async function inbound(method: string, body: Body): Promise<Inbound> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const headers = body === 'none' ? {} : { 'transfer-encoding': 'chunked' };
  const client = request({ port, host: '127.0.0.1', method, headers });
  onTestFinished(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  const told = new Promise<string>((resolve) => {
    client.on('error', (error) => resolve(String((error as NodeJS.ErrnoException).code)));
    client.on('response', ({ statusCode }) => resolve(String(statusCode)));
  });
  if (body !== 'none') client.write('half, ');
  if (body !== 'half') client.end(body === 'whole' ? 'and half' : undefined);
  else client.flushHeaders();
  const [req, res] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { req, res, told };
}

/** Forwards the body, and tells the client the result. */
async function gateway(
  send: Send,
  origin: string,
  { req, res, told }: Inbound,
  asked: Asked = {},
): Promise<{ readonly value?: Reply; readonly error?: unknown }> {
  const { value, error } = await settled(send(origin, { method: req.method as string, body: req, ...asked }));
  expect(res.socket?.destroyed).toBe(false);
  res.writeHead(value?.status ?? 502).end();
  expect(await told).toBe(String(value?.status ?? 502));
  return { error, ...(value !== undefined && { value }) };
}

const policies: readonly (readonly [name: string, policy: PolicyOptions])[] = [
  ['with retries', soon],
  ['with one retry', { ...soon, maxRetries: 1 }],
  ['retry: false', { retry: false }],
  ['maxRetries: 0', { maxRetries: 0 }],
];

const requests: readonly (readonly [method: string, body: Body])[] = [
  ['PUT', 'whole'],
  ['PUT', 'half'],
  ['POST', 'half'],
  ['GET', 'none'],
];

const reset = expect.stringMatching(/^(ECONNRESET|EPIPE|ERR_NETWORK|UND_ERR_SOCKET)$/);
const refusal = expect.stringMatching(/^(ECONNREFUSED|ERR_NETWORK)$/);

describe.each(subject.uploading)('over $name', (way) => {
  const taken = requests.filter(([method]) => method !== 'GET' || !way.refusesGetBodies);

  describe.each(policies)('%s', (_name, policy) => {
    test.each(taken)('%s, body %s: the port is refused', async (method, body) => {
      const { error } = await gateway(way.client(policy), await refusedOrigin(), await inbound(method, body));
      expect(error).toMatchObject({ code: refusal });
    });

    const early: readonly (readonly [name: string, play: Play, status: number | undefined])[] = [
      ['the connection is reset', rst('head'), undefined],
      ['413 comes before the body', { ...answer(413, 'told'), at: 'head' }, 413],
      ['503 comes before the body', { ...answer(503, 'told'), at: 'head' }, 503],
      ['a success comes before the body', { ...answer(200, 'told'), at: 'head' }, 200],
    ];

    test.each(early)('%s', async (_play, play, status) => {
      const lab = await openLab(play);
      for (const [method, body] of taken) {
        const { value, error } = await gateway(way.client(policy), lab.origin, await inbound(method, body));
        expect(value?.status).toBe(status);
        if (status !== undefined) expect(value?.text).toBe('told');
        else expect(error).toMatchObject({ code: reset });
      }
    });

    test.each(taken)('%s, body %s: it is given up', async (method, body) => {
      const lab = await openLab(silence('head'));
      const giveUp = new AbortController();
      const { signal } = giveUp;
      const asked = gateway(way.client(policy), lab.origin, await inbound(method, body), { signal });
      await lab.until(({ requests: seen }) => seen.length === 1);
      giveUp.abort();
      expect((await asked).error).toMatchObject({ name: expect.stringMatching(/^(Abort|Canceled)Error$/) });
    });

    const limits: readonly (readonly [name: string, limit: PolicyOptions, code: string])[] = [
      ['deadline', { deadlineMs: 5_000 }, 'ERR_UNDAUNTED_DEADLINE'],
      ['attempt timeout', { attemptTimeoutMs: 5_000, maxRetries: 0 }, 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT'],
    ];

    test.each(limits)('%s', async (_limit, limit, code) => {
      const lab = await openLab(silence('head'));
      for (const [method, body] of taken) {
        const time = new HandTime();
        const send = way.client(createRetrier({ ...policy, ...limit }, time.ports));
        const before = lab.requests.length;
        const asked = gateway(send, lab.origin, await inbound(method, body));
        await lab.until(({ requests: seen }) => seen.length > before);
        await time.fire(5_000);
        expect((await asked).error).toMatchObject({ code });
      }
    });
  });

  test('an abort in the wait', async () => {
    const waits = new Waits('when told');
    const send = way.client(createRetrier(soon, { sleep: waits.sleep }));
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const asked = gateway(send, await refusedOrigin(), await inbound('PUT', 'half'), { signal });
    await waits.until(1);
    giveUp.abort();
    expect((await asked).error).toMatchObject({ name: expect.stringMatching(/^(Abort|Canceled)Error$/) });
  });

  test('a gate that is shut', async () => {
    const origin = await refusedOrigin();
    // Time stands still, so no probe is due.
    const policy = { maxRetries: 0, gate: { failures: 1, deadForMs: 0 } };
    const send = way.client(createRetrier(policy, { now: () => 0 }));
    await settled(send(origin, { method: 'PUT' }));
    const { error } = await gateway(send, origin, await inbound('PUT', 'half'));
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_GATE_SHUT' });
  });

  test('what asks for its socket afterwards, as logs do, finds it', async () => {
    const { req, res } = await inbound('PUT', 'half');
    await settled(way.client(soon)(await refusedOrigin(), { method: 'PUT', body: req }));
    expect(req.destroyed).toBe(true);
    expect(req.socket).toBe(res.socket);
  });

  test('a body that is whole is sent again', async () => {
    const lab = await openLab([rst(), answer(503), answer(201)]);
    const { value } = await gateway(way.client(soon), lab.origin, await inbound('PUT', 'whole'));
    expect(value?.status).toBe(201);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(Array(3).fill('half, and half'));
  });

  test.skipIf(way.refusesGetBodies).each([{ retry: false }, {}] as const)(
    'GET with a body, and %o',
    async (more) => {
      const { error } = await gateway(
        way.client({ ...soon, ...more }),
        await refusedOrigin(),
        await inbound('GET', 'half'),
      );
      expect(error).toMatchObject({ code: refusal });
    },
  );
});

describe.each(subject.impatient)("the client's own timeout: $name", (way) => {
  // Some clients' timeouts do not run while a body is being sent.
  const counted = requests.filter(
    ([method, body]) =>
      (body !== 'half' || way.countsWhileSending) && (method !== 'GET' || !way.refusesGetBodies),
  );
  test.each(counted)('%s, body %s', async (method, body) => {
    const lab = await openLab(silence('head'));
    for (const policy of [{ retry: false } as const, { maxRetries: 0 }]) {
      const { error } = await gateway(way.client(policy), lab.origin, await inbound(method, body));
      const code = expect.stringMatching(/^(ECONNABORTED|ETIMEDOUT|UND_ERR_HEADERS_TIMEOUT)$/);
      expect(error).toMatchObject({ code });
    }
  });
});

describe.each(subject.overH2)('$name', (way) => {
  test.each([413, 503])('an early %i', async (status) => {
    for (const maxRetries of [0, 1]) {
      const lab = await way.open({ ...answer(status, 'no'), at: 'head' });
      const { value } = await gateway(
        way.client({ ...soon, maxRetries }),
        lab.origin,
        await inbound('PUT', 'half'),
      );
      expect(value?.status).toBe(status);
    }
  });

  test.each([
    ['attemptTimeoutMs', 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT'],
    ['deadlineMs', 'ERR_UNDAUNTED_DEADLINE'],
  ])('%s', async (setting, code) => {
    for (const maxRetries of [0, 1]) {
      const lab = await way.open(silence('head'));
      const policy = { ...soon, maxRetries, [setting]: 100 };
      const { error } = await gateway(way.client(policy), lab.origin, await inbound('PUT', 'half'));
      expect(error).toMatchObject({ code });
    }
  });
});
