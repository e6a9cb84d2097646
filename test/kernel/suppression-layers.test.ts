/** Two layers that retry, and a server at the end that is down: with and without the attempt header between them. */

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { suppressWhenRetried } from '../../src/index.js';
import { retryingInstance } from '../adapters/axios/kit.js';
import { openLab, soon } from '../adapters/kit.js';
import { undici } from '../adapters/undici/client.js';
import { retryingAgent } from '../adapters/undici/kit.js';
import type { Lab } from '../faults/lab.js';
import { answer } from '../faults/plays.js';

/** A service that asks the server behind it once for each incoming request. */
type Asks = (url: string) => Promise<unknown>;

const clients: Readonly<Record<string, () => Asks>> = {
  undici: () => {
    const dispatcher = retryingAgent(soon);
    return async (url) => (await undici.request(url, { dispatcher })).body.dump();
  },
  axios: () => {
    const instance = retryingInstance(soon, { validateStatus: null });
    return (url) => instance.get(url);
  },
};

async function openServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The requests that reach the last server when the caller and the service both try four times. */
async function attemptsAtTheEnd(asks: Asks, attemptHeader: boolean): Promise<Lab['requests']> {
  const end = await openLab(answer(503));
  const service = await openServer((request, response) => {
    const serve = async (): Promise<void> => {
      await asks(`${end.origin}/for/${request.headers['retry-attempt'] ?? 'the-first'}`);
      response.writeHead(503).end();
    };
    void suppressWhenRetried(request, serve);
  });
  const dispatcher = retryingAgent({ ...soon, attemptHeader });
  await (await undici.request(service, { dispatcher })).body.dump();
  return end.requests;
}

describe.each(Object.entries(clients))('a service that retries with %s', (_name, openClient) => {
  test('does not retry its own requests while it serves a retry', async () => {
    const requests = await attemptsAtTheEnd(openClient(), true);
    expect(requests.map(({ path }) => path)).toEqual([
      ...Array.from({ length: 4 }, () => '/for/the-first'),
      '/for/1',
      '/for/2',
      '/for/3',
    ]);
  });

  test('multiplies the attempts if the caller sends no attempt header', async () => {
    expect(await attemptsAtTheEnd(openClient(), false)).toHaveLength(16);
  });
});
