/** Credentials and undici's redirect interceptor, beneath retry() and above it; and a pool whose connections are all in use. */

import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { undici } from './client.js';
import { openAgent } from './kit.js';

const redirect = (): Dispatcher.DispatcherComposeInterceptor =>
  undici.interceptors.redirect({ maxRedirections: 3 });

const renewing = () => {
  let token = 'old';
  let renewals = 0;
  const credentials = {
    headers: () => ({ authorization: token, 'x-api-key': token }),
    renew: () => {
      renewals += 1;
      token = 'new';
    },
  };
  return { credentials, renewals: () => renewals };
};

async function statusOf(dispatcher: Dispatcher, origin: string, method = 'GET'): Promise<number> {
  const body = method === 'POST' ? 'x' : null;
  const answered = await undici.request(origin, { dispatcher, method: method as 'GET', body });
  await answered.body.dump();
  return answered.statusCode;
}

test('to another origin: the standard header stays, others go along, and its 401 renews nothing', async () => {
  const away = await openLab(answer(401));
  const home = await openLab(answer(302, '', { location: `${away.origin}/there` }));
  const { credentials, renewals } = renewing();
  const agent = openAgent().compose(redirect(), retry({ ...soon, credentials }));
  expect(await statusOf(agent, home.origin)).toBe(401);
  const [sent] = away.requests;
  expect([sent?.headers['authorization'], sent?.headers['x-api-key']]).toEqual([undefined, 'old']);
  expect([home.requests.length, away.requests.length, renewals()]).toEqual([1, 1, 0]);
});

test('within the origin: both go along, and its 401 renews', async () => {
  const lab = await openLab(({ path, headers }) => {
    if (path === '/') return answer(302, '', { location: '/there' });
    return answer(headers['authorization'] === 'new' ? 200 : 401);
  });
  const { credentials, renewals } = renewing();
  const agent = openAgent().compose(redirect(), retry({ ...soon, credentials }));
  expect(await statusOf(agent, lab.origin)).toBe(200);
  expect([lab.requests.length, renewals()]).toEqual([4, 1]);
});

test('a POST that was redirected is not sent again, and the token is renewed', async () => {
  const lab = await openLab(({ path }) =>
    path === '/' ? answer(307, '', { location: '/there' }) : answer(401),
  );
  const { credentials, renewals } = renewing();
  const agent = openAgent().compose(redirect(), retry({ ...soon, credentials }));
  expect(await statusOf(agent, lab.origin, 'POST')).toBe(401);
  expect([lab.requests.length, renewals()]).toEqual([2, 1]);
});

test('above retry(), each hop is a request of its own, and the rule says which get the headers', async () => {
  const away = await openLab(answer(200));
  const home = await openLab(answer(302, '', { location: `${away.origin}/there` }));
  const { credentials } = renewing();
  const rules: PolicyOptions['rules'] = [{ match: new URL(home.origin).host, credentials }];
  const agent = openAgent().compose(retry({ ...soon, rules }), redirect());
  expect(await statusOf(agent, home.origin)).toBe(200);
  const [sent] = away.requests;
  // What retry() adds, redirect() does not see, so it does not go along.
  expect([sent?.headers['authorization'], sent?.headers['x-api-key']]).toEqual([undefined, undefined]);
});

test('the login goes through the same few connections: answers that wait for it do not occupy them', async () => {
  const lab = await openLab(({ path, headers }) => {
    if (path === '/login') return answer(200, 'new');
    return headers['authorization'] === 'new' ? answer(200, 'ok') : answer(401, 'x'.repeat(10_000));
  });
  let token = 'old';
  const agent: Dispatcher = openAgent({ connections: 2 }).compose(
    retry({
      ...soon,
      rules: [{ match: '/login', credentials: false }],
      credentials: {
        headers: () => ({ authorization: token }),
        renew: async () => {
          const { body } = await undici.request(`${lab.origin}/login`, { dispatcher: agent });
          token = await body.text();
        },
        timeoutMs: 5_000,
      },
    }),
  );
  const statuses = await Promise.all(Array.from({ length: 10 }, () => statusOf(agent, lab.origin)));
  expect(statuses).toEqual(Array(10).fill(200));
});
