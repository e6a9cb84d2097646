/** Credentials and the redirects that axios follows, and what is left of them in its configuration. */

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { answer } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { retryingInstance } from './kit.js';

const renewing = (defaults: Parameters<typeof retryingInstance>[1] = {}) => {
  let token = 'old-token';
  let renewals = 0;
  const credentials = {
    headers: () => ({ authorization: token, 'X-Api-Key': token }),
    renew: () => {
      renewals += 1;
      token = 'new-token';
    },
  };
  const instance = retryingInstance({ ...soon, credentials }, { validateStatus: null, ...defaults });
  return { instance, renewals: () => renewals };
};

describe('http', () => {
  test('to another origin: none goes along, and its 401 renews nothing', async () => {
    const away = await openLab(answer(401));
    const home = await openLab(answer(302, '', { location: `${away.origin}/there` }));
    const seen: string[] = [];
    const beforeRedirect = (options: Record<string, unknown>): void => {
      seen.push(...Object.keys(options['headers'] as object));
    };
    const { instance, renewals } = renewing({ beforeRedirect });
    const { status, config } = await instance.get(home.origin, { headers: { 'x-own': 'kept' } });
    expect(status).toBe(401);
    const [sent] = away.requests;
    expect(sent?.headers).toMatchObject({ 'x-own': 'kept' });
    expect(sent?.headers).not.toHaveProperty('authorization');
    expect(sent?.headers).not.toHaveProperty('x-api-key');
    expect(renewals()).toBe(0);
    // The caller's own function is called after that, and is there again.
    expect(seen.map((name) => name.toLowerCase())).toContain('x-own');
    expect(seen.map((name) => name.toLowerCase())).not.toContain('x-api-key');
    expect(config.beforeRedirect).toBe(beforeRedirect);
  });

  test('within the origin: both go along, and its 401 renews', async () => {
    const lab = await openLab(({ path, headers }) => {
      if (path === '/') return answer(302, '', { location: '/there' });
      return answer(headers['x-api-key'] === 'new-token' ? 200 : 401);
    });
    const { instance, renewals } = renewing();
    expect((await instance.get(lab.origin)).status).toBe(200);
    expect([lab.requests.length, renewals()]).toEqual([4, 1]);
  });

  test('a POST that was redirected is not sent again, and the token is renewed', async () => {
    const lab = await openLab(({ path }) => {
      return path === '/' ? answer(307, '', { location: '/there' }) : answer(401);
    });
    const { instance, renewals } = renewing();
    expect((await instance.post(lab.origin, 'x')).status).toBe(401);
    expect([lab.requests.length, renewals()]).toEqual([2, 1]);
  });
});

test.each(['http', 'fetch'] as const)(
  '%s: the configuration that the caller gets has no secret',
  async (adapter) => {
    const lab = await openLab(answer(401));
    const { instance } = renewing({ adapter, validateStatus: (status) => status < 400 });
    const { error } = await settled(instance.get(lab.origin, { headers: { authorization: 'mine' } }));
    const { config } = error as { readonly config: object & { readonly headers: object } };
    // Node's own agent has the last request of each socket.
    expect(inspect({ ...config, httpAgent: undefined }, { depth: 9 })).not.toContain('-token');
    expect(config.headers).toMatchObject({ authorization: 'mine' });
    expect('beforeRedirect' in config && config.beforeRedirect).toBeFalsy();
    expect(lab.requests).toHaveLength(2);
  },
);
