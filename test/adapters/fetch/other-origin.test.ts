/** `beforeRetry` sends a request to another origin: what names a socket or a client certificate stays at home. */

import { Agent } from 'node:https';
import { expect, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import type { BeforeRetry } from '../../../src/index.js';
import { soon } from '../kit.js';

const home = 'https://home.example/';
const agent = new Agent();

/** What each attempt is sent with: the first and the third to its own origin, the second to another one. */
async function sentWith(init: object, input: string | Request = home): Promise<readonly object[]> {
  const given: object[] = [];
  const urls = ['https://elsewhere.example/', `${home}spare`];
  const beforeRetry: BeforeRetry = (context) => {
    context.url = urls[given.length - 1] as string;
  };
  const doFetch = async (_input: unknown, sent: object = {}): Promise<Response> => {
    given.push(sent);
    return new Response(null, { status: given.length === 3 ? 200 : 503 });
  };
  await withRetry(doFetch as typeof fetch, { ...soon, beforeRetry })(input, init as RequestInit);
  return given;
}

test.each([
  ["Bun's socket", { unix: '/run/docker.sock' }],
  ["Bun's client certificate", { tls: { cert: 'mine', key: 'secret' } }],
  ["node-fetch's agent with one", { agent: new Agent({ cert: 'mine', key: 'secret' }) }],
])('%s', async (_name, init) => {
  const sent = await sentWith({ ...init, keepalive: true });
  for (const key of Object.keys(init)) expect(sent.map((one) => key in one)).toEqual([true, false, true]);
  expect(sent).toMatchObject([{ keepalive: true }, { keepalive: true }, { keepalive: true }]);
});

test('of a Request, too', async () => {
  const sent = await sentWith({ unix: '/run/docker.sock' }, new Request(home));
  expect(sent.map((one) => 'unix' in one)).toEqual([true, false, true]);
});

test.each([
  ['what trusts the other server, too', { tls: { ca: 'theirs', rejectUnauthorized: true } }],
  ['a proxy', { proxy: 'http://proxy.example/' }],
  ['a dispatcher', { dispatcher: {} }],
  ['an agent without an identity', { agent }],
])('%s stays', async (_name, init) => {
  for (const sent of await sentWith(init)) expect(sent).toMatchObject(init);
});
