/** What the bench itself does with a Redis. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { RedisClient } from '../../src/fleet/redis/index.js';
import type { RedisServer } from '../../test/fleet/redis/server.js';
import { bareChannel, monotonicMs } from './plan.js';

type Admin = RedisClient & { destroy(): void };

async function adminOf(server: RedisServer, nodeRedis: string): Promise<Admin> {
  const { createClient } = createRequire(join(nodeRedis, 'index.js'))('redis') as {
    createClient(options: object): Admin;
  };
  const client = createClient({ url: server.url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Empties it, its scripts too. */
export async function flush(server: RedisServer, nodeRedis: string): Promise<void> {
  const client = await adminOf(server, nodeRedis);
  await client.sendCommand(['FLUSHALL']);
  await client.sendCommand(['SCRIPT', 'FLUSH']);
  client.destroy();
}

/** A message to all processes that says nothing but when it was sent. */
export async function publishBare(server: RedisServer, nodeRedis: string): Promise<void> {
  const client = await adminOf(server, nodeRedis);
  await client.sendCommand(['PUBLISH', bareChannel, String(monotonicMs())]);
  client.destroy();
}
