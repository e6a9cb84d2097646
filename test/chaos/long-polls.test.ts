/**
 * Long polls that run into their time limit, beside a few requests that are answered at once: the polls shut the gate,
 * which turns none of the others away.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createRetrier } from '../../src/index.js';
import { type Client, overHttp, overPlainFetch, overUndici } from './clients.js';

const pollers = 30;
const policy = {
  retry: false,
  deadlineCovers: 'head',
  gate: { failures: 20, deadForMs: 100 },
  // Only the polls have one, so that a busy machine has time for the others.
  rules: [{ match: '/events', attemptTimeoutMs: 100 }],
} as const;

async function openServer(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/state') response.end('well');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function get({ send }: Client, path: string, signal: AbortSignal): Promise<number | string> {
  return send({ method: 'GET', path, headers: {}, body: null }, signal).then(
    ({ status }) => status,
    (error: Error) => error.name,
  );
}

test.each([overUndici, overHttp, overPlainFetch])('$name', async (kind) => {
  const retrier = createRetrier({ ...policy });
  const client = kind.open(await openServer(), retrier);
  const end = new AbortController();
  const isShut = (): boolean =>
    retrier.snapshot().scopes.some(({ gates }) => gates.some(({ state }) => state === 'shut'));
  const poll = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await get(client, '/events', end.signal);
      await wait(5);
    }
  };
  const polling = Promise.all(Array.from({ length: pollers }, poll));
  await expect.poll(isShut, { timeout: 60_000, interval: 5 }).toBe(true);
  expect(await get(client, '/state', end.signal)).toBe(200);
  // One after the other, at whatever moment of the gate.
  for (let asked = 1; asked < 12; asked += 1) {
    await wait(150);
    expect(await get(client, '/state', end.signal)).toBe(200);
  }
  // And all at once.
  await expect.poll(isShut, { timeout: 60_000, interval: 5 }).toBe(true);
  const all = await Promise.all(Array.from({ length: 20 }, () => get(client, '/state', end.signal)));
  expect(all).toEqual(Array.from({ length: 20 }, () => 200));
  end.abort();
  await polling;
  await client.close();
});
