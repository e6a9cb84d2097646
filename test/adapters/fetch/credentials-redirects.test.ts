/** Credentials and the redirects that fetch follows by itself. */

import { describe, expect, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { nodeFetch, undiciFetch } from './client.js';

describe.each([
  ["Node's own", nodeFetch],
  ["undici's", undiciFetch],
] as const)('%s', (_name, fetch) => {
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
    return { send: withRetry(fetch, { ...soon, credentials }), renewals: () => renewals };
  };

  test('to another origin: the standard header stays, others go along, and its 401 renews nothing', async () => {
    const away = await openLab(answer(401));
    const home = await openLab(answer(302, '', { location: `${away.origin}/there` }));
    const { send, renewals } = renewing();
    expect((await send(home.origin)).status).toBe(401);
    const [sent] = away.requests;
    expect([sent?.headers['authorization'], sent?.headers['x-api-key']]).toEqual([undefined, 'old']);
    expect([home.requests.length, away.requests.length, renewals()]).toEqual([1, 1, 0]);
  });

  test('within the origin: both go along, and its 401 renews', async () => {
    const lab = await openLab(({ path, headers }) => {
      if (path === '/') return answer(302, '', { location: '/there' });
      return answer(headers['authorization'] === 'new' ? 200 : 401);
    });
    const { send, renewals } = renewing();
    expect((await send(lab.origin)).status).toBe(200);
    expect(lab.requests.map(({ path }) => path)).toEqual(['/', '/there', '/', '/there']);
    expect(renewals()).toBe(1);
  });

  test('a POST that was redirected is not sent again, and the token is renewed', async () => {
    const lab = await openLab(({ path }) => {
      return path === '/' ? answer(307, '', { location: '/there' }) : answer(401);
    });
    const { send, renewals } = renewing();
    expect((await send(lab.origin, { method: 'POST', body: 'x' })).status).toBe(401);
    expect(lab.requests).toHaveLength(2);
    expect(renewals()).toBe(1);
  });

  test('a Request keeps what it is, and gets the headers', async () => {
    const lab = await openLab(({ headers }) => answer(headers['authorization'] === 'new' ? 200 : 401));
    const { send } = renewing();
    const Own = fetch === nodeFetch ? Request : undefined;
    if (Own === undefined) return;
    const request = new Own(`${lab.origin}/a`, { method: 'PUT', body: 'x', headers: { 'x-own': 'kept' } });
    expect((await send(request)).status).toBe(200);
    expect(lab.requests.map(({ headers, body }) => [headers['x-own'], String(body)])).toEqual([
      ['kept', 'x'],
      ['kept', 'x'],
    ]);
    expect(request.headers.get('authorization')).toBeNull();
  });
});
