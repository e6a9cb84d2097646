/** node-redis as `npm run test:redis` has installed it, in the version that is tested. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { end, type RedisClient } from '../../../src/fleet/redis/client.js';

export interface Client extends RedisClient {
  close?(): Promise<unknown>;
  quit(): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  legacy?(): unknown;
}

interface NodeRedis {
  createClient(options: object): Client;
  createCluster(options: object): unknown;
  createClientPool?(): unknown;
  createSentinel?(options: object): unknown;
}

const given = process.env['NODE_REDIS'];
if (given === undefined) throw new Error('NODE_REDIS names no folder with redis: use npm run test:redis');
export const folder: string = given;

export const nodeRedis = createRequire(join(folder, 'index.js'))('redis') as NodeRedis;
export const { createClient } = nodeRedis;

export async function connected(url: string): Promise<Client> {
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** At once: a client that never connected would wait for its turn. */
export async function closed(client: Client): Promise<void> {
  end(client);
}
