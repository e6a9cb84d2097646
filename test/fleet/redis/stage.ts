/** Servers, clients and retriers of a test, which end with it. */

import { afterEach, expect, vi } from 'vitest';
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

export const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  // All of them begin, so that a client that does not end leaves no server behind.
  await Promise.all(
    cleanUps
      .splice(0)
      .reverse()
      .map((cleanUp) => cleanUp()),
  );
});

export async function aServer(...options: readonly string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...options);
  cleanUps.push(() => server.end());
  return server;
}

export async function aTlsServer(): Promise<RedisServer> {
  const server = await RedisServer.startTls();
  cleanUps.push(() => server.end());
  return server;
}

export function aClient(url: string, more: object = {}): Client {
  const client = createClient({ url, ...more });
  cleanUps.push(() => closed(client));
  return client;
}

export function aRetrier(client: Client, policy: PolicyOptions): Retrier {
  return createRetrier(policy, {}, { fleet: redisFleet(client) });
}

function open(retrier: Retrier): Session {
  return retrier.open({ method: 'GET', origin: 'http://a.example', path: '/', keyed: false } as never);
}

const prospects = { replayable: true };

export function ends(retrier: Retrier, outcome: Outcome): void {
  const session = open(retrier);
  session.admit();
  session.next(outcome, prospects);
}

export const refused: Outcome = { kind: 'response', status: 429, headers: { 'retry-after': '5' } };

export const fine: Outcome = { kind: 'response', status: 200, headers: {} };

export function admission(retrier: Retrier): string {
  const session = open(retrier);
  const { kind } = session.admit();
  session.abandon();
  return kind;
}

export function isShared(retrier: Retrier): boolean {
  return retrier.snapshot().fleet?.isShared === true;
}

export const until = (is: () => boolean | Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await is()).toBe(true), { timeout: 15_000, interval: 5 });

export const holding: PolicyOptions = { hold: { refusedShare: 0 } };

/** With all rights, to do things to the server. */
export async function anAdmin(server: RedisServer): Promise<Client> {
  const admin = await connected(server.url);
  cleanUps.push(() => closed(admin));
  return admin;
}

/** Has something to say all the time. */
export function keepsBusy(retrier: Retrier): void {
  const busy = setInterval(() => ends(retrier, fine), 10);
  cleanUps.push(async () => clearInterval(busy));
}
