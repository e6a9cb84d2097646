/** The rule that a request matches by host, path and method, and its scope. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier } from '../../../src/index.js';
import type { Lab } from '../../faults/lab.js';
import { answer } from '../../faults/plays.js';
import type { Event } from '../decisions.js';
import { openLab, soon } from '../kit.js';
import { type Asked, theSubject } from './subject.js';

const subject = await theSubject();

/** The number of attempts shows which rule applied. */
const rules: PolicyOptions['rules'] = [
  { match: '/health', retry: false },
  { match: 'POST /searches', idempotent: true, maxRetries: 1 },
  { match: 'GET /searches', maxRetries: 4 },
  { match: '/files/:id/parts/*', maxRetries: 2 },
  { match: 'other.example/*', maxRetries: 5 },
  { match: { host: '127.0.0.1', path: '/odd', test: ({ path }) => path.includes('?x=1') }, maxRetries: 6 },
];

describe.each(subject.ways)('over $name, a rule applies by', ({ client }) => {
  async function sentTo(url: (lab: Lab) => string, asked: Asked, policy: PolicyOptions): Promise<number> {
    const lab = await openLab(answer(503));
    const { status } = await client({ ...soon, maxRetries: 3, ...policy })(url(lab), asked);
    expect(status).toBe(503);
    return lab.requests.length;
  }

  test.each<[string, string, string, number]>([
    ['path', '/health', 'GET', 1],
    ['path, whatever the query', '/health?deep=true', 'GET', 1],
    ['path, with a query that looks like another', '/health?a=/searches', 'GET', 1],
    ['path, whatever the fragment', '/health#c', 'GET', 1],
    ['path, with a slash behind it', '/health/', 'GET', 1],
    ['path, with dot segments', '/x/../health', 'GET', 1],
    ['path, with escaped letters', '/%68ealth', 'GET', 1],
    ['path, however it is written', '//x/../%68ealth/', 'GET', 1],
    ['method', '/searches', 'POST', 2],
    ['the other method', '/searches', 'GET', 5],
    ['method, in small letters', '/searches', 'get', 5],
    ['segments', '/files/7/parts/1/2', 'GET', 3],
    ['its own test, which sees the query', '/odd?x=1', 'GET', 7],
    ['nothing: the policy itself', '/elsewhere', 'GET', 4],
    ['nothing: paths mind their case', '/Health', 'GET', 4],
    ['nothing: a longer path', '/health/deep', 'GET', 4],
    ['nothing: another method', '/searches', 'PUT', 4],
    ['nothing: an escaped slash is not a slash', '/files%2F7/parts/1', 'GET', 4],
    ['nothing: a host in the query', '/?http://other.example/a', 'GET', 4],
  ])('%s', async (_by, path, method, sent) => {
    expect(await sentTo(({ origin }) => origin + path, { method }, { rules })).toBe(sent);
  });

  test('host and port', async () => {
    const lab = await openLab(answer(503));
    const match = [`127.0.0.1:${lab.port + 1}`, `127.0.0.1:${lab.port}/*`, '127.0.0.1'];
    const send = client({ ...soon, rules: match.map((each, at) => ({ match: each, maxRetries: at })) });
    await send(`${lab.origin}/a`);
    expect(lab.requests).toHaveLength(2);
  });
});

test.each<[string, (lab: Lab) => string]>([
  ['letters of the scheme', ({ origin }) => origin.replace('http', 'HTTP')],
  ['userinfo', ({ origin }) => origin.replace('//', '//me:secret@')],
  ['userinfo that looks like a host', ({ origin }) => origin.replace('//', '//other.example@')],
])('a rule applies by host, whatever the %s', async (_what, url) => {
  const lab = await openLab(answer(503));
  const match = ['other.example', '*.example', '127.0.0.1/*'];
  const send = subject.client({
    ...soon,
    rules: match.map((each, at) => ({ match: each, maxRetries: 3 - at })),
  });
  await send(`${url(lab)}/a`);
  expect(lab.requests).toHaveLength(2);
});

describe('scopes', () => {
  test.each<[string, ((lab: Lab) => string)[]]>([
    ['letters of the scheme', [({ origin }) => origin.replace('http', 'HTTP')]],
    [
      'userinfo',
      [({ origin }) => origin.replace('//', '//me:secret@'), ({ origin }) => origin.replace('//', '//you@')],
    ],
    [
      'what follows',
      [({ origin }) => `${origin}/`, ({ origin }) => `${origin}?x`, ({ origin }) => `${origin}/a#x`],
    ],
  ])('differ by servers, and not by %s', async (_what, urls) => {
    const lab = await openLab(answer(200));
    const retrier = createRetrier();
    const send = subject.client(retrier);
    await send(lab.origin);
    for (const url of urls) await send(url(lab));
    expect(retrier.snapshot().scopes.map(({ name }) => name)).toEqual([lab.origin]);
  });

  test.each<[string, (lab: Lab) => string]>([
    ['userinfo', ({ origin }) => `${origin.replace('//', '//me:secret@')}/x`],
    ['a query', ({ origin }) => `${origin}/x?token=secret`],
    ['a fragment', ({ origin }) => `${origin}/x#token=secret`],
  ])('and what is told show no secret of %s', async (_what, url) => {
    const lab = await openLab(answer(200));
    const events: Event[] = [];
    const retrier = createRetrier({ observe: (event) => void events.push(event) });
    const headers = { authorization: 'secret' };
    await subject.client(retrier)(url(lab), { method: 'POST', headers, body: 'secret' });
    expect(events).toMatchObject([{ scope: lab.origin, request: { url: `${lab.origin}/x` } }]);
    expect(JSON.stringify([events, retrier.snapshot()])).not.toContain('secret');
  });

  test('are named by rules, or by functions', async () => {
    const lab = await openLab(answer(200));
    const scope = ({ path }: { readonly path: string }): string => `tenant of ${path.split('/').at(-1)}`;
    const retrier = createRetrier({
      rules: [
        { match: '/a/*', scope: 'mine' },
        { match: '/b/*', scope },
      ],
    });
    const send = subject.client(retrier);
    for (const path of ['/a/1', '/b/7', '/c']) await send(lab.origin + path);
    const names = retrier.snapshot().scopes.map(({ name }) => name);
    expect(names.sort()).toEqual([lab.origin, 'mine', 'tenant of 7']);
  });
});
