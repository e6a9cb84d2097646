/**
 * `credentials` in a storm: tokens that expire all the time, logins that fail or hang, functions that throw, connections
 * that break, callers that abort. Every request ends, there is one renewal at a time, and afterwards all is well.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { settled } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

/** Numerical Recipes' generator: the same storm for the same seed, as far as the clock lets it be. */
function diceFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Back-offs of a second pass in 50 ms. */
const speed = 20;

const storms: readonly (readonly [name: string, policy: PolicyOptions])[] = [
  ['plain', {}],
  ['with time limits', { deadlineMs: 400 * speed, attemptTimeoutMs: 50 }],
  ['with hedges', { hedge: { afterMs: 6, share: 1, capacity: 100 } }],
  ['with limits', { concurrency: 8, gate: true, hold: true }],
  ['with whole answers', { wholeBodyBytes: 2_000 }],
];

test.each(storms)('%s', async (name, policy) => {
  const draw = diceFrom(name.length * 7_919);
  let isCalm = false;
  const login = { good: 'none', token: 'old', renewed: 0, running: 0, most: 0 };
  const server = createServer((request, response) => {
    request.resume();
    const luck = isCalm ? 1 : draw();
    if (luck < 0.02) request.socket.destroy();
    else {
      const known = request.headers.authorization === login.good ? 200 : 401;
      const status = luck < 0.06 ? 503 : known;
      setTimeout(() => response.writeHead(status).end('x'.repeat(draw() * 3_000)), draw() * 8);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const fails = (share: number): boolean => !isCalm && draw() < share;
  const later = async () => {
    await pause(draw() * 5);
    if (fails(0.02)) throw new Error('headers rejected');
    return { authorization: login.token };
  };
  const renew = async (signal: AbortSignal): Promise<void> => {
    await pause(draw() * 20);
    if (fails(0.15)) throw new Error('the login is down');
    if (fails(0.1)) await pause(10_000, undefined, { signal });
    login.renewed += 1;
    login.good = `token-${login.renewed}`;
    login.token = login.good;
  };
  const credentials: PolicyOptions['credentials'] = {
    timeoutMs: 60,
    headers: () => {
      if (fails(0.01)) throw new Error('headers threw');
      return draw() < 0.2 ? later() : { authorization: login.token };
    },
    renew: async ({ signal }) => {
      login.running += 1;
      login.most = Math.max(login.most, login.running);
      await renew(signal).finally(() => {
        login.running -= 1;
      });
    },
  };
  const schedule = { kind: 'fixed', waitMs: 2 } as const;
  const retrier = createRetrier(
    { credentials, schedule, maxRetries: 2, budget: false, ...policy },
    { now: () => performance.now() * speed },
  );
  const send = subject.client(retrier);

  let sent = 0;
  const worker = async (): Promise<void> => {
    for (let round = 0; round < 12; round += 1) {
      sent += 1;
      const control = new AbortController();
      if (draw() < 0.3) setTimeout(() => control.abort(), draw() * 40);
      const write = draw() < 0.3 ? { method: 'POST', body: 'x' } : {};
      const { value } = await settled(send(`${origin}/${sent}`, { signal: control.signal, ...write }));
      if (value !== undefined) expect([200, 401, 503]).toContain(value.status);
    }
  };
  const expiry = setInterval(() => {
    login.good = 'none';
  }, 60);
  await Promise.all(Array.from({ length: 25 }, worker));
  clearInterval(expiry);

  isCalm = true;
  let status: number | undefined;
  for (let tries = 0; tries < 200 && status !== 200; tries += 1) {
    status = (await settled(send(`${origin}/calm`))).value?.status;
    if (status !== 200) await pause(20);
  }
  expect(status).toBe(200);
  expect(login.renewed).toBeGreaterThan(0);
  expect([login.most, login.running]).toEqual([1, 0]);
  expect(retrier.snapshot().scopes.map(({ waiting }) => waiting)).toEqual([0]);
});
