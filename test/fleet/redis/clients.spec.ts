/** Clients of every kind, and clients that give up. */

import { describe, expect, test } from 'vitest';
import { redisFleet } from '../../../src/fleet/redis/index.js';
import { createRetrier } from '../../../src/index.js';
import { nodeRedis } from './node-redis.js';
import {
  aClient,
  admission,
  anAdmin,
  aRetrier,
  aServer,
  ends,
  fine,
  holding,
  isShared,
  keepsBusy,
  refused,
  until,
} from './stage.js';

const root = { host: '127.0.0.1', port: 1 };

describe('not supported, and refused at once', () => {
  test('a cluster', () => {
    const cluster = nodeRedis.createCluster({ rootNodes: [{ socket: root }] });
    expect(() => redisFleet(cluster as never)).toThrow(/clusters/);
  });

  test('a sentinel client', () => {
    const sentinel = nodeRedis.createSentinel?.({ name: 'main', sentinelRootNodes: [root] });
    expect(() => redisFleet(sentinel as never)).toThrow(/sentinels/);
  });

  test('a pool', () => {
    expect(() => redisFleet(nodeRedis.createClientPool?.() as never)).toThrow(/pools/);
  });

  test('the legacy mode of version 4, or a client of its like of later versions', () => {
    const client = nodeRedis.createClient({ legacyMode: true });
    expect(() => redisFleet((client.legacy?.() ?? client) as never)).toThrow(/legacy/);
  });
});

test.each([
  ['a prefix by itself', 'app:', 'redisFleet() takes a client and { prefix, plainNames, observe }'],
  ['an option misspelt', { prefx: 'app:' }, '{ prefix, plainNames, observe }; it got prefx'],
  ['an empty prefix', { prefix: '' }, 'prefix must be a string that is not empty'],
])('options that would be ignored are errors: %s', (_what, options, message) => {
  const client = nodeRedis.createClient({});
  expect(() => redisFleet(client, options as never)).toThrow(message);
});

describe('a client that gives up, as its reconnectStrategy says', () => {
  test('is connected again if the fleet connected it', async () => {
    const server = await aServer();
    const client = aClient(server.url, { socket: { reconnectStrategy: false } });
    const retrier = aRetrier(client, holding);
    keepsBusy(retrier);
    await until(() => isShared(retrier));
    await server.kill();
    await until(() => !isShared(retrier) && !client.isOpen);
    await server.start();
    await until(() => isShared(retrier));
  });

  test('is not if the caller did', async () => {
    const server = await aServer();
    const client = aClient(server.url, { socket: { reconnectStrategy: false } });
    client.on('error', () => undefined);
    await client.connect();
    const retrier = aRetrier(client, holding);
    keepsBusy(retrier);
    await until(() => isShared(retrier));
    await server.kill();
    await until(() => !isShared(retrier) && !client.isOpen);
    await server.start();
    // No "Socket already opened".
    await client.connect();
    await until(() => isShared(retrier));
  });
});

describe('the connection for news', () => {
  test('is made again after it has given up', async () => {
    const server = await aServer();
    const admin = await anAdmin(server);
    const retrier = aRetrier(aClient(server.url, { socket: { reconnectStrategy: false } }), holding);
    keepsBusy(retrier);
    const hears = async (): Promise<boolean> =>
      String(await admin.sendCommand(['PUBSUB', 'NUMSUB', 'undaunted:{1}:news'])).endsWith(',1');
    await until(hears);
    await admin.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub']);
    await until(hears);
    await until(() => isShared(retrier));
  });

  test('without the right to subscribe, goes on alone, and does not connect over and over', async () => {
    const server = await aServer();
    const admin = await anAdmin(server);
    const user = { username: 'app', password: 'secret' };
    const rights = ['on', `>${user.password}`, '~undaunted:*', '+@all', 'resetchannels'];
    await admin.sendCommand(['ACL', 'SETUSER', user.username, 'reset', ...rights]);
    const client = aClient(server.url, user);
    let connections = 0;
    const { duplicate } = client;
    client.duplicate = () => {
      connections += 1;
      return duplicate.call(client);
    };
    const retrier = aRetrier(client, holding);
    keepsBusy(retrier);
    const since = performance.now();
    await until(() => connections === 2);
    // The first at once, the next two seconds later.
    expect(performance.now() - since).toBeGreaterThan(1_900);
    expect(isShared(retrier)).toBe(false);
    expect(retrier.snapshot().fleet?.problem).toMatch(/NOPERM/);
    expect(admission(retrier)).toBe('go');
    await admin.sendCommand(['ACL', 'SETUSER', user.username, '&undaunted:*']);
    await until(() => isShared(retrier));
  });
});

test('databases of one Redis share nothing', async () => {
  const server = await aServer();
  const of = (database: number): ReturnType<typeof aRetrier> =>
    aRetrier(aClient(`${server.url}/${database}`), holding);
  const [one, same, other] = [of(1), of(1), of(2)];
  for (const retrier of [one, same, other]) ends(retrier, fine);
  await until(() => [one, same, other].every(isShared));
  const hears = async (database: number): Promise<string> =>
    String(await admin.sendCommand(['PUBSUB', 'NUMSUB', `undaunted:{1}:news:${database}`]));
  const admin = await anAdmin(server);
  await until(async () => (await hears(1)).endsWith(',2') && (await hears(2)).endsWith(',1'));
  ends(one, refused);
  await until(() => admission(same) !== 'go');
  expect(admission(other)).toBe('go');
});

test('a fleet that is closed in the turn in which its retrier is made does not connect the client', async () => {
  const server = await aServer();
  const client = aClient(server.url);
  const fleet = redisFleet(client);
  createRetrier(holding, {}, { fleet });
  await fleet.close();
  expect(client.isOpen).toBe(false);
});

test('twenty fleets over one client, each closed before the next, leave no listeners', async () => {
  const server = await aServer();
  const client = aClient(server.url);
  await client.connect();
  const emitter = client as unknown as { listenerCount(event: string): number };
  const counts = (): number[] => ['ready', 'end', 'error'].map((event) => emitter.listenerCount(event));
  let first: number[] | undefined;
  for (let time = 0; time < 20; time += 1) {
    const fleet = redisFleet(client);
    const retrier = createRetrier(holding, {}, { fleet });
    ends(retrier, fine);
    await until(() => isShared(retrier));
    await fleet.close();
    first ??= counts();
  }
  expect(counts()).toEqual(first);
});
