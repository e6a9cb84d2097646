/** Retriers that share their scopes through a real Redis, as processes do. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { redisFleet } from '../../../src/fleet/redis/index.js';
import {
  createRetrier,
  type Outcome,
  type PolicyOptions,
  type Retrier,
  type Session,
} from '../../../src/index.js';
import { type Client, closed, connected, createClient } from './node-redis.js';
import { RedisServer } from './server.js';

const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function aServer(...options: readonly string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...options);
  cleanUps.push(() => server.end());
  return server;
}

function aClient(url: string, more: object = {}): Client {
  const client = createClient({ url, ...more });
  cleanUps.push(() => closed(client));
  return client;
}

function aRetrier(client: Client, policy: PolicyOptions): Retrier {
  return createRetrier(policy, {}, { fleet: redisFleet(client) });
}

function open(retrier: Retrier): Session {
  return retrier.open({ method: 'GET', origin: 'http://a.example', path: '/', keyed: false } as never);
}

const prospects = { replayable: true };

function ends(retrier: Retrier, outcome: Outcome): void {
  const session = open(retrier);
  session.admit();
  session.next(outcome, prospects);
}

const refused: Outcome = { kind: 'response', status: 429, headers: { 'retry-after': '5' } };

const fine: Outcome = { kind: 'response', status: 200, headers: {} };

function admission(retrier: Retrier): string {
  const session = open(retrier);
  const { kind } = session.admit();
  session.abandon();
  return kind;
}

function isShared(retrier: Retrier): boolean {
  return retrier.snapshot().fleet?.isShared === true;
}

const until = (is: () => boolean | Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await is()).toBe(true), { timeout: 15_000, interval: 5 });

const holding: PolicyOptions = { hold: { refusedShare: 0 } };

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
    const busy = setInterval(() => ends(retrier, fine), 20);
    cleanUps.push(async () => clearInterval(busy));
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
    const admin = await connected(server.url);
    cleanUps.push(() => closed(admin));
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
  });
});

test.each([[undefined], ['redis://127.0.0.1'], [{}], [{ connect() {}, sendCommand() {} }]])(
  '%o is no client',
  (given) => {
    expect(() => redisFleet(given as never)).toThrow(/redisFleet needs a client of node-redis/);
  },
);
