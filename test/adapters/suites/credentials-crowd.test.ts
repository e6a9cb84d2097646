/** `credentials` for many requests at once: one renewal serves them all, however often the token expires. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type CredentialsOptions, createRetrier } from '../../../src/index.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

interface Guard {
  readonly origin: string;
  /** How many requests of each caller came. */
  readonly attempts: Map<string, number>;
  /** How often a good token has expired. */
  expiries: number;
  /** Makes another token the only good one. */
  logIn(): string;
}

/** A server whose tokens are good for so many requests. */
async function openGuard(uses: number): Promise<Guard> {
  let token = '';
  let left = 0;
  const server: Server = createServer(({ url = '', headers }, response) => {
    guard.attempts.set(url, (guard.attempts.get(url) ?? 0) + 1);
    const isGood = headers.authorization === `Bearer ${token}` && left > 0;
    if (isGood) {
      left -= 1;
      if (left === 0) guard.expiries += 1;
    }
    response.writeHead(isGood ? 200 : 401).end(isGood ? 'ok' : 'no');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  let logins = 0;
  const guard: Guard = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    attempts: new Map(),
    expiries: 0,
    logIn: () => {
      logins += 1;
      token = `token-${logins}`;
      left = uses;
      return token;
    },
  };
  return guard;
}

function credentialsOf(guard: Guard, isDown: (renewal: number) => boolean = () => false) {
  let token = 'expired';
  let renewals = 0;
  const credentials: CredentialsOptions = {
    headers: () => ({ authorization: `Bearer ${token}` }),
    renew: async () => {
      renewals += 1;
      const number = renewals;
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (isDown(number)) throw new Error('the login is down');
      token = guard.logIn();
    },
  };
  return { credentials, renewals: () => renewals };
}

const many = 200;
const urls = (origin: string, round: number) =>
  Array.from({ length: many }, (_, number) => `${origin}/${round}/${number}`);

test('200 at once: one renewal, 200 good answers, two attempts each', async () => {
  const guard = await openGuard(Infinity);
  const { credentials, renewals } = credentialsOf(guard);
  const send = subject.client({ credentials });
  const replies = await Promise.all(urls(guard.origin, 1).map((url) => send(url)));
  expect(replies.filter(({ status, text }) => status === 200 && text === 'ok')).toHaveLength(many);
  expect(renewals()).toBe(1);
  expect(guard.attempts.size).toBe(many);
  expect(Math.max(...guard.attempts.values())).toBeLessThanOrEqual(2);
});

test('the login is down for the first renewal: all recover after the second', async () => {
  const guard = await openGuard(Infinity);
  const { credentials, renewals } = credentialsOf(guard, (number) => number === 1);
  // It stands still, so that the back-off lasts as long as the first round.
  let later = 0;
  const send = subject.client(createRetrier({ credentials }, { now: () => later }));
  const statuses = async (round: number): Promise<readonly number[]> => {
    const replies = await Promise.all(urls(guard.origin, round).map((url) => send(url)));
    return [...new Set(replies.map(({ status }) => status))];
  };
  expect(await statuses(1)).toEqual([401]);
  expect(renewals()).toBe(1);
  later = 1_000;
  expect(await statuses(2)).toEqual([200]);
  expect(renewals()).toBe(2);
  // The first round was not sent again: it waited in vain.
  expect([...guard.attempts].filter(([url]) => url.startsWith('/1/')).map(([, count]) => count)).toEqual(
    Array(many).fill(1),
  );
});

/** As in a minute of 100 requests a second with a token that expires every 6 s, but by requests and not by the clock. */
test('a token that expires ten times: no caller sees a 401, and each expiry costs one renewal', async () => {
  const [requests, uses, workers] = [3_000, 300, 20];
  const guard = await openGuard(uses);
  const { credentials, renewals } = credentialsOf(guard);
  const send = subject.client({ credentials });
  const statuses = new Map<number, number>();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < requests) {
      next += 1;
      const { status } = await send(`${guard.origin}/${next}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  expect(Object.fromEntries(statuses)).toEqual({ 200: requests });
  // One for each token: the last one may have expired with the last request.
  expect(renewals()).toBe(requests / uses);
  expect(guard.expiries).toBe(requests / uses);
  expect(Math.max(...guard.attempts.values())).toBe(2);
});
