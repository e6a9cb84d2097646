/** A gateway passes an incoming request's body on. Whatever becomes of that, it can answer its own client. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { answer, type Play, refusedOrigin, rst, silence } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { openAgent, retryingAgent } from './kit.js';

interface Inbound {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** What the gateway's client gets. */
  readonly told: Promise<string>;
}

/** A client sends the gateway a body, or half of one, or none, and waits. */
async function inbound(method: string, body: 'whole' | 'half' | 'none'): Promise<Inbound> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = request({ port, host: '127.0.0.1', method });
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

/** Passes it on, and tells the client what came of it. */
async function gateway(
  agent: Dispatcher,
  origin: string,
  { req, res, told }: Inbound,
  options: object = {},
): Promise<unknown> {
  const asked = agent.request({ origin, path: '/', method: req.method as 'PUT', body: req, ...options });
  const { value, error } = await settled(asked);
  await value?.body.dump();
  expect(res.socket?.destroyed).toBe(false);
  res.writeHead(value?.statusCode ?? 502).end();
  expect(await told).toBe(String(value?.statusCode ?? 502));
  return error;
}

const policies: [name: string, policy: PolicyOptions][] = [
  ['with retries', soon],
  ['with one retry', { ...soon, maxRetries: 1 }],
  ['retry: false', { retry: false }],
  ['maxRetries: 0', { maxRetries: 0 }],
];

describe.each(policies)('%s', (_name, policy) => {
  const requests: [method: string, body: 'whole' | 'half' | 'none'][] = [
    ['PUT', 'whole'],
    ['PUT', 'half'],
    ['POST', 'half'],
    ['GET', 'none'],
  ];

  test.each(requests)('%s, body %s: the port is refused', async (method, body) => {
    const error = await gateway(retryingAgent(policy), await refusedOrigin(), await inbound(method, body));
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  const plays: [name: string, play: Play][] = [
    ['the connection is reset', rst('head')],
    ['413 comes before the body', { ...answer(413), at: 'head' }],
    ['503 comes before the body', { ...answer(503), at: 'head' }],
  ];

  test.each(plays)('%s', async (_play, play) => {
    const lab = await openLab(play);
    for (const [method, body] of requests) {
      await gateway(retryingAgent(policy), lab.origin, await inbound(method, body));
    }
  });

  test.each(requests)('%s, body %s: it is given up', async (method, body) => {
    const lab = await openLab(silence('head'));
    const giveUp = new AbortController();
    const asked = gateway(retryingAgent(policy), lab.origin, await inbound(method, body), {
      signal: giveUp.signal,
    });
    await lab.until(({ requests: seen }) => seen.length === 1);
    giveUp.abort();
    expect(await asked).toMatchObject({ name: 'AbortError' });
  });

  // While a body is on its way, undici does not count.
  test.each(requests.filter(([, body]) => body !== 'half'))(
    '%s, body %s: undici waits no longer',
    async (method, body) => {
      const lab = await openLab(silence('head'));
      const agent = retryingAgent({ ...policy, maxRetries: 0 });
      const error = await gateway(agent, lab.origin, await inbound(method, body), { headersTimeout: 1 });
      expect(error).toBeInstanceOf(Error);
    },
  );

  const limits: [name: string, limit: PolicyOptions, code: string][] = [
    ['deadline', { deadlineMs: 5_000 }, 'ERR_UNDAUNTED_DEADLINE'],
    ['attempt timeout', { attemptTimeoutMs: 5_000, maxRetries: 0 }, 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT'],
  ];

  test.each(limits)('%s', async (_limit, limit, code) => {
    const lab = await openLab(silence('head'));
    for (const [method, body] of requests) {
      const time = new HandTime();
      const agent = openAgent().compose(retry(createRetrier({ ...policy, ...limit }, time.ports)));
      const before = lab.requests.length;
      const asked = gateway(agent, lab.origin, await inbound(method, body));
      await lab.until(({ requests: seen }) => seen.length > before);
      await time.fire(5_000);
      expect(await asked).toMatchObject({ code });
    }
  });
});

test('an abort in the wait', async () => {
  const waits = new Waits('when told');
  const agent = retryingAgent(createRetrier(soon, { sleep: waits.sleep }));
  const giveUp = new AbortController();
  const { signal } = giveUp;
  const asked = gateway(agent, await refusedOrigin(), await inbound('PUT', 'half'), { signal });
  await waits.until(1);
  giveUp.abort();
  expect(await asked).toMatchObject({ name: 'AbortError' });
});

test('a gate that is shut', async () => {
  const origin = await refusedOrigin();
  // The time stands: no probe is due.
  const policy = { maxRetries: 0, gate: { failures: 1, deadForMs: 0 } };
  const agent = retryingAgent(createRetrier(policy, { now: () => 0 }));
  await settled(agent.request({ origin, path: '/', method: 'PUT' }));
  const error = await gateway(agent, origin, await inbound('PUT', 'half'));
  expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_GATE_SHUT' });
});

test('what asks for its socket afterwards, as logs do, finds it', async () => {
  const { req, res } = await inbound('PUT', 'half');
  const origin = await refusedOrigin();
  await settled(retryingAgent().request({ origin, path: '/', method: 'PUT', body: req }));
  expect(req.destroyed).toBe(true);
  expect(req.socket).toBe(res.socket);
});

test('a body that is whole is sent again', async () => {
  const lab = await openLab([{ ...rst() }, answer(503), answer(201)]);
  const { req, res, told } = await inbound('PUT', 'whole');
  const { statusCode } = await retryingAgent().request({
    origin: lab.origin,
    path: '/',
    method: 'PUT',
    body: req,
  });
  res.writeHead(statusCode).end();
  expect(await told).toBe('201');
  expect(lab.requests.map(({ body }) => String(body))).toEqual(Array(3).fill('half, and half'));
});
