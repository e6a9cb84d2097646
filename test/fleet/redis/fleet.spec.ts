/** Retriers that share their scopes through a real Redis, as processes do. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { redisFleet } from '../../../src/fleet/redis/index.js';
import type { RedisServer } from './server.js';
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

describe('a fleet over Redis', () => {
  test('comes up with a client that is not connected yet, and holds for all what one is told', async () => {
    const server = await aServer();
    const [one, other] = [aRetrier(aClient(server.url), holding), aRetrier(aClient(server.url), holding)];
    for (const retrier of [one, other]) ends(retrier, fine);
    await until(() => isShared(one) && isShared(other));
    ends(one, refused);
    await until(() => admission(other) !== 'go');
  });

  test('goes on alone while Redis is not there, and is one once it is', async () => {
    const server = await aServer();
    await server.kill();
    const [one, other] = [aRetrier(aClient(server.url), holding), aRetrier(aClient(server.url), holding)];
    for (const retrier of [one, other]) ends(retrier, fine);
    await sleep(1_500);
    expect(isShared(one)).toBe(false);
    expect(admission(one)).toBe('go');
    await server.start();
    await until(() => isShared(one) && isShared(other));
    ends(one, refused);
    await until(() => admission(other) !== 'go');
  });

  test.each([
    ['stopped', (server: RedisServer) => server.pause(), (server: RedisServer) => server.goOn()],
    ['killed', (server: RedisServer) => server.kill(), (server: RedisServer) => server.start()],
  ])('notices within a second that Redis is %s, and comes back', async (_how, away, back) => {
    const server = await aServer();
    const client = aClient(server.url);
    const retrier = aRetrier(client, holding);
    ends(retrier, fine);
    await until(() => isShared(retrier));
    await away(server);
    // It has to have something to say in order to notice.
    keepsBusy(retrier);
    await until(() => !isShared(retrier));
    expect(admission(retrier)).toBe('go');
    await back(server);
    await until(() => isShared(retrier));
  });

  test('forgets and is told again what is emptied', async () => {
    const server = await aServer();
    const [one, other] = [aRetrier(aClient(server.url), holding), aRetrier(aClient(server.url), holding)];
    for (const retrier of [one, other]) ends(retrier, fine);
    await until(() => isShared(one) && isShared(other));
    const admin = await anAdmin(server);
    await admin.sendCommand(['FLUSHALL']);
    await admin.sendCommand(['SCRIPT', 'FLUSH']);
    ends(one, refused);
    await until(() => admission(other) !== 'go');
  });

  test('with a wrong password goes on alone', async () => {
    const server = await aServer('--requirepass', 'right');
    const retrier = aRetrier(aClient(server.url, { password: 'wrong' }), holding);
    ends(retrier, fine);
    await sleep(1_500);
    expect(isShared(retrier)).toBe(false);
    expect(admission(retrier)).toBe('go');
    expect(retrier.snapshot().fleet?.problem).toMatch(/WRONGPASS/);
  });

  test('says why it is alone, and no more once it shares', async () => {
    const server = await aServer();
    await server.kill();
    const retrier = aRetrier(aClient(`redis://localhost:${server.port}`), holding);
    keepsBusy(retrier);
    await until(() => retrier.snapshot().fleet?.problem?.includes('ECONNREFUSED') === true);
    await server.start();
    await until(() => isShared(retrier));
    expect(retrier.snapshot().fleet).toEqual({ isShared: true, unreadable: 0 });
  });
});

test.each([[undefined], ['redis://127.0.0.1'], [{}], [{ connect() {}, sendCommand() {} }]])(
  '%o is not a client',
  (given) => {
    expect(() => redisFleet(given as never)).toThrow(/redisFleet\(\) needs a node-redis client/);
  },
);
