/** Which rights a user of Redis needs, and a connection with TLS. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Retrier } from '../../../src/index.js';
import type { RedisServer } from './server.js';
import {
  aClient,
  admission,
  anAdmin,
  aRetrier,
  aServer,
  aTlsServer,
  ends,
  fine,
  holding,
  isShared,
  refused,
  until,
} from './stage.js';

/** As docs/fleet.md says. */
const rights: readonly string[] = [
  '~undaunted:*',
  '&undaunted:*',
  '+evalsha',
  '+eval',
  '+time',
  '+get',
  '+set',
  '+publish',
  '+subscribe',
];

const user = { username: 'app', password: 'secret' };

async function aServerWith(given: readonly string[]): Promise<RedisServer> {
  const server = await aServer();
  const admin = await anAdmin(server);
  const nothing = ['reset', 'on', `>${user.password}`];
  await admin.sendCommand(['ACL', 'SETUSER', user.username, ...nothing, ...given]);
  return server;
}

function two(server: RedisServer): readonly [Retrier, Retrier] {
  const pair = [1, 2].map(() => aRetrier(aClient(server.url, user), holding));
  for (const retrier of pair) ends(retrier, fine);
  return pair as [Retrier, Retrier];
}

describe('a user of Redis', () => {
  test('with the rights that the docs name can do all of it, and is denied nothing', async () => {
    const server = await aServerWith(rights);
    const [one, other] = two(server);
    await until(() => isShared(one) && isShared(other));
    await sleep(200);
    ends(one, refused);
    await until(() => admission(other) !== 'go');
    const admin = await anAdmin(server);
    const log = JSON.stringify(await admin.sendCommand(['ACL', 'LOG']));
    // What node-redis tries by itself, and does without.
    expect(log.replaceAll(/client\|setinfo/gi, '')).not.toMatch(/"object","(?!"|client)[^"]+"/i);
  });

  test.each(rights.filter((right) => right !== '+eval'))('without %s goes on alone', async (missing) => {
    const server = await aServerWith(rights.filter((right) => right !== missing));
    const [one, other] = two(server);
    await sleep(1_200);
    // The right to publish is asked for with the first news.
    ends(one, refused);
    await sleep(500);
    expect(isShared(one) && isShared(other) && admission(other) !== 'go').toBe(false);
  });

  test('without +eval goes on alone until the script is known to Redis', async () => {
    const server = await aServerWith(rights.filter((right) => right !== '+eval'));
    const [one] = two(server);
    await sleep(1_200);
    expect(isShared(one)).toBe(false);
  });
});

test('TLS', async () => {
  const server = await aTlsServer();
  const ca = readFileSync(join(server.folder, 'cert.pem'));
  const pair = [1, 2].map(() =>
    aRetrier(aClient(server.url.replace('redis:', 'rediss:'), { socket: { tls: true, ca } }), holding),
  );
  for (const retrier of pair) ends(retrier, fine);
  await until(() => pair.every(isShared));
  const [one, other] = pair as [Retrier, Retrier];
  await sleep(200);
  ends(one, refused);
  await until(() => admission(other) !== 'go');
});

test('TLS with a certificate that is not trusted: on alone', async () => {
  const server = await aTlsServer();
  const retrier = aRetrier(
    aClient(server.url.replace('redis:', 'rediss:'), { socket: { tls: true } }),
    holding,
  );
  ends(retrier, fine);
  await sleep(1_500);
  expect(isShared(retrier)).toBe(false);
  expect(admission(retrier)).toBe('go');
});
