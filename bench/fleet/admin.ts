/** Empties a Redis, its scripts too. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { RedisClient } from '../../src/fleet/redis/index.js';
import type { RedisServer } from '../../test/fleet/redis/server.js';

export async function flush(server: RedisServer, nodeRedis: string): Promise<void> {
  const { createClient } = createRequire(join(nodeRedis, 'index.js'))('redis') as {
    createClient(options: object): RedisClient & { destroy(): void };
  };
  const client = createClient({ url: server.url });
  client.on('error', () => undefined);
  await client.connect();
  await client.sendCommand(['FLUSHALL']);
  await client.sendCommand(['SCRIPT', 'FLUSH']);
  client.destroy();
}
