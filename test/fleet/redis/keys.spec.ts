/** What a fleet leaves in Redis: names, times and bytes of its keys. */

import { describe, expect, test } from 'vitest';
import { protocolVersion } from '../../../src/core/limits/fleet/messages.js';
import { redisFleet } from '../../../src/fleet/redis/index.js';
import { createRetrier, type Retrier } from '../../../src/index.js';
import type { Client } from './node-redis.js';
import { aClient, anAdmin, aServer, ends, fine, isShared, refused, until } from './stage.js';

const failed = { kind: 'response', status: 503, headers: {} } as const;

/** One scope with all that can be shared, after a life with failures and refusals. */
async function aLife(plainNames = false): Promise<{ admin: Client; keys: string[]; retrier: Retrier }> {
  const server = await aServer();
  const admin = await anAdmin(server);
  const fleet = redisFleet(aClient(server.url), { plainNames });
  const retrier = createRetrier({ gate: true, hold: true }, {}, { fleet });
  for (const outcome of [fine, failed, fine, refused, refused, failed]) ends(retrier, outcome);
  await until(() => isShared(retrier));
  for (const outcome of [fine, failed, fine, refused, refused, failed]) ends(retrier, outcome);
  let keys: string[] = [];
  await until(async () => {
    keys = ((await admin.sendCommand(['KEYS', '*'])) as string[]).sort();
    return keys.length === 3;
  });
  return { admin, keys, retrier };
}

describe('keys', () => {
  test('have the prefix, one hash tag and no name of a scope; a scope has three', async () => {
    const { keys } = await aLife();
    for (const key of keys) expect(key).toMatch(/^undaunted:\{1\}:[\w-]{22}$/);
  });

  test('name limit, version and scope if they are to be read', async () => {
    const { keys } = await aLife(true);
    const limits = ['budget', 'gate', 'hold'].map((limit) => `undaunted:{1}:v${protocolVersion} ${limit} `);
    for (const [index, key] of keys.entries()) {
      expect(key.startsWith(limits[index] as string)).toBe(true);
      expect(key.endsWith(' http://a.example')).toBe(true);
    }
  });

  test('expire ten minutes after the last report', async () => {
    const { admin, keys } = await aLife();
    for (const key of keys) {
      const leftMs = Number(await admin.sendCommand(['PTTL', key]));
      expect(leftMs).toBeGreaterThan(500_000);
      expect(leftMs).toBeLessThanOrEqual(600_000);
    }
  });

  test('take at most 1,500 bytes for a scope', async () => {
    const { admin, keys } = await aLife();
    let bytes = 0;
    for (const key of keys) bytes += Number(await admin.sendCommand(['MEMORY', 'USAGE', key]));
    console.log(`${bytes} bytes for a scope`);
    expect(bytes).toBeLessThanOrEqual(1_500);
  });

  test('do not grow with what has happened: a hundred places that were given back are the most', async () => {
    const { admin, keys } = await aLife(true);
    const key = keys.find((one) => one.includes(' hold ')) as string;
    const record = JSON.parse(String(await admin.sendCommand(['GET', key]))) as object;
    const free = Array.from({ length: 100 }, (_, index) => 1e12 + index);
    await admin.sendCommand(['SET', key, JSON.stringify({ ...record, free })]);
    const bytes = Number(await admin.sendCommand(['MEMORY', 'USAGE', key]));
    console.log(`${bytes} bytes for a hold with a hundred places`);
    expect(bytes).toBeLessThanOrEqual(3_000);
  });
});
