/** The server over real sockets: late, never early; and what a client does does not change that. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { CrowdedHttpServer } from '../../../../src/tools/cli/outage/http-server.js';
import { openServer } from '../../../../src/tools/cli/outage/http-server.js';
import type { CrowdedServer } from '../../../../src/tools/sim/world.js';
import { articleServer } from '../../../../src/tools/sim/worlds.js';

let server: CrowdedHttpServer | undefined;

afterEach(() => server?.close());

async function open(differences: Partial<CrowdedServer>): Promise<CrowdedHttpServer> {
  server = await openServer({ model: { ...articleServer, ...differences }, port: 0, backlog: 511 });
  return server;
}

async function text(url: string | URL): Promise<string> {
  return (await fetch(url)).text();
}

test('answers, and not before its time', async () => {
  const { url, host } = await open({ baseMs: 120 });
  const startedAt = performance.now();
  expect(await text(url)).toBe('OK');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(120);
  expect([host.concurrency, host.delayMs]).toEqual([0, 120]);
});

test('tells its process', async () => {
  const { url } = await open({});
  expect(await text(new URL('/pid', url))).toBe(String(process.pid));
  expect((await fetch(new URL('/elsewhere', url))).status).toBe(404);
});

test('becomes slower for those who are there already', async () => {
  const { url, host } = await open({ limit: 1, factor: 3, step: 1 });
  const startedAt = performance.now();
  // Of three at once, each takes nine times as long; and the first to go leaves the others with less.
  const answers = await Promise.all([text(url), text(url), text(url)]);
  expect(answers).toEqual(['OK', 'OK', 'OK']);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300);
  expect(host.concurrency).toBe(0);
});

test('keeps the place of a client that has left', async () => {
  const { url, host } = await open({ baseMs: 60_000 });
  const { hostname, port } = new URL(url);
  const leaving = connect(Number(port), hostname, () =>
    leaving.end('GET /api HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  );
  await once(leaving, 'connect');
  leaving.destroy();
  await once(leaving, 'close');
  // A request that comes later is answered later.
  await text(new URL('/pid', url));
  expect(host.concurrency).toBe(1);
});

test('never takes longer than forever', async () => {
  const { host } = await open({ limit: 0, factor: 100, step: 1, baseMs: 60_000 });
  for (let request = 0; request < 1_000; request += 1) host.receive(() => {});
  expect(host.concurrency).toBe(1_000);
  expect(Number.isFinite(host.delayMs)).toBe(true);
});
