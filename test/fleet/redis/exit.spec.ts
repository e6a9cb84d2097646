/** A fleet keeps no process alive: run as one, of the built package, as `npm run test:redis` has built it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { redisFleet } from '../../../src/fleet/redis/index.js';
import { createRetrier } from '../../../src/index.js';
import { aClient, anAdmin, aServer, ends, fine, isShared, until } from './stage.js';

const built = join(import.meta.dirname, '../../../.build/src');

/** What the program does with its client after it has sent a request and shares. */
const programs: readonly (readonly [string, string, string])[] = [
  ['closes it', 'await client.connect()', 'client.close ? await client.close() : await client.quit()'],
  ['leaves it to the fleet to connect', '', ''],
  ['leaves it to the fleet to connect, and closes the fleet', '', 'await fleet.close()'],
  [
    'closes the fleet and it',
    'await client.connect()',
    'await fleet.close(); client.close ? await client.close() : await client.quit()',
  ],
];

function programOf(url: string, before: string, after: string): string {
  return `
import { createRequire } from 'node:module';
const { createClient } = createRequire(${JSON.stringify(join(process.env['NODE_REDIS'] ?? '', 'index.js'))})('redis');
const { createRetrier } = await import(${JSON.stringify(join(built, 'index.js'))});
const { redisFleet } = await import(${JSON.stringify(join(built, 'fleet/redis/index.js'))});
const client = createClient({ url: ${JSON.stringify(url)} });
client.on('error', () => undefined);
${before};
const fleet = redisFleet(client);
const retrier = createRetrier({ gate: true, hold: true }, {}, { fleet });
const session = retrier.open({ method: 'GET', origin: 'http://a.example', path: '/', keyed: false });
session.admit();
session.next({ kind: 'response', status: 200, headers: {} }, { replayable: true });
while (!retrier.snapshot().fleet.isShared) await new Promise((resolve) => setTimeout(resolve, 10));
${after};
console.log('shared');
`;
}

describe('a process ends by itself that', () => {
  test.each(programs)('%s', async (_what, before, after) => {
    expect(existsSync(built), 'npm run build:tools').toBe(true);
    const server = await aServer();
    const program = programOf(server.url, before, after);
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'pipe' });
    let said = '';
    child.stdout.on('data', (data) => {
      said += String(data);
    });
    child.stderr.on('data', (data) => {
      said += String(data);
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const [code, signal] = (await once(child, 'exit')) as [number, string | null];
    clearTimeout(timer);
    expect({ said, code, signal }).toEqual({ said: 'shared\n', code: 0, signal: null });
  });
});

test('a fleet that is closed has given back its tokens, and has left Redis, except for the client', async () => {
  const server = await aServer();
  const admin = await anAdmin(server);
  const fleet = redisFleet(aClient(server.url));
  const retrier = createRetrier({}, {}, { fleet });
  ends(retrier, fine);
  await until(() => isShared(retrier));
  const [key = ''] = (await admin.sendCommand(['KEYS', 'undaunted:*'])) as string[];
  const tokens = async (): Promise<number> =>
    JSON.parse(String(await admin.sendCommand(['GET', key]))).tokens;
  const before = await tokens();
  await fleet.close();
  expect(await tokens()).toBeGreaterThan(before + 5_000);
  expect(isShared(retrier)).toBe(false);
  await until(async () =>
    String(await admin.sendCommand(['PUBSUB', 'NUMSUB', 'undaunted:{1}:news'])).endsWith(',0'),
  );
});
