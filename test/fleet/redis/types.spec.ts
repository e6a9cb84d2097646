/** What TypeScript says to the clients of node-redis, with its own types. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from './node-redis.js';

const repository = join(import.meta.dirname, '../../..');

const program = `
import { createClient, createCluster, type RedisClientType } from 'redis';
import { redisFleet } from ${JSON.stringify(join(repository, 'src/fleet/redis/index.js'))};

redisFleet(createClient());
redisFleet(createClient({ url: 'redis://localhost', socket: { reconnectStrategy: false } }));
redisFleet(createClient().duplicate(), { prefix: 'app:' });
declare const client: RedisClientType;
redisFleet(client);
// @ts-expect-error
redisFleet(createCluster({ rootNodes: [] }));
`;

const flags: readonly string[] = [
  ...['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck'],
  ...['--module', 'nodenext', '--target', 'es2023', '--types', 'node'],
  ...['--typeRoots', join(repository, 'node_modules/@types')],
];

test('a client is taken as it is, and a cluster is an error', () => {
  const here = mkdtempSync(join(folder, 'types-'));
  try {
    const file = join(here, 'program.mts');
    writeFileSync(file, program);
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, ...flags, file], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  } finally {
    rmSync(here, { recursive: true });
  }
});
