/** `beforeRetry` with what only undici's callers can give: headers in many forms, a query, an origin of their own. */

import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { BeforeRetry } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answer, onCue } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { recorder } from './generations.js';
import { Deferred, openAgent, retryingAgent } from './kit.js';

function agentWith(beforeRetry: BeforeRetry, policy: PolicyOptions = {}): Dispatcher {
  return retryingAgent({ ...soon, ...policy, beforeRetry });
}

async function textOf(url: string, options: object): Promise<string> {
  return (await undici.request(url, options as never)).body.text();
}

describe('is shown', () => {
  test('the URL with the option `query` in it', async () => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    let url = '';
    const dispatcher = agentWith((context) => {
      url = context.url;
    });
    await textOf(`${lab.origin}/a`, { dispatcher, query: { b: 'c d', e: ['1', '2'] } });
    expect(url).toBe(`${lab.origin}/a?b=c%20d&e=1&e=2`);
    expect(lab.requests[1]?.path).toBe(lab.requests[0]?.path);
  });
});

describe('changes headers that the caller gave as', () => {
  const forms: [string, unknown][] = [
    ['an object', { Authorization: 'stale', 'X-Kept': 'yes', 'x-many': ['1', '2'] }],
    ['a flat list', ['Authorization', 'stale', 'X-Kept', 'yes', 'x-many', '1', 'x-many', '2']],
    [
      'a Map',
      new Map<string, unknown>([
        ['Authorization', 'stale'],
        ['X-Kept', 'yes'],
        ['x-many', ['1', '2']],
      ]),
    ],
    ['a Headers object', headersWith('x-many', '1, 2')],
    ['nothing', undefined],
  ];

  test.each(forms)('%s', async (form, headers) => {
    const lab = await openLab([answer(503), answer(503), answer(200, 'ok')]);
    let fresh = 0;
    const dispatcher = agentWith(async (context) => {
      await Promise.resolve();
      fresh += 1;
      context.headers['authorization'] = `fresh ${fresh}`;
      delete context.headers['x-many'];
    });
    const before = form === 'a Headers object' ? undefined : structuredClone(headers);

    await textOf(lab.origin, { dispatcher, ...(headers !== undefined && { headers }) });

    const [first, second, third] = lab.requests.map(({ headers: sent }) => sent);
    if (headers !== undefined) {
      expect(first).toMatchObject({ authorization: 'stale', 'x-kept': 'yes', 'x-many': '1, 2' });
      expect(second).toMatchObject({ 'x-kept': 'yes' });
      expect(third).toMatchObject({ 'x-kept': 'yes' });
    }
    expect(second).toMatchObject({ authorization: 'fresh 1' });
    expect(third).toMatchObject({ authorization: 'fresh 2' });
    expect(second).not.toHaveProperty('x-many');
    if (before !== undefined) expect(headers).toEqual(before);
  });
});

describe('changes the URL', () => {
  test('to another host', async () => {
    const lab = await openLab(answer(503));
    const spare = await openLab([answer(503), answer(200, 'from the spare')]);
    const seen: string[] = [];
    const dispatcher = agentWith((context) => {
      seen.push(context.url);
      context.url = `${spare.origin}/elsewhere?now=1`;
    });
    const query = { before: '1' };

    expect(await textOf(`${lab.origin}/here`, { dispatcher, query })).toBe('from the spare');

    expect(lab.requests.map(({ path }) => path)).toEqual(['/here?before=1']);
    expect(spare.requests.map(({ path }) => path)).toEqual(Array(2).fill('/elsewhere?now=1'));
    expect(spare.requests.map(({ headers }) => headers['host'])).toEqual(
      Array(2).fill(`127.0.0.1:${spare.port}`),
    );
    expect(seen).toEqual([`${lab.origin}/here?before=1`, `${spare.origin}/elsewhere?now=1`]);
    expect(query).toEqual({ before: '1' });
  });

  test('to something that is not a URL: a TypeError, no hang', async () => {
    const lab = await openLab(answer(503));
    const dispatcher = agentWith((context) => {
      context.url = 'not a url';
    });
    const { error } = await settled(undici.request(lab.origin, { dispatcher }));
    expect(error).toBeInstanceOf(TypeError);
    expect(lab.requests).toHaveLength(1);
  });
});

describe('of an origin that only an interceptor underneath understands', () => {
  /** An interceptor that resolves names, as for service discovery. */
  const discovers =
    (real: string): Dispatcher.DispatcherComposeInterceptor =>
    (dispatch) =>
    ({ origin, ...options }, handler) =>
      dispatch({ ...options, origin: String(origin).includes('service') ? real : String(origin) }, handler);

  test.each(['service', 'service:80', 'my service', ''])(
    'sees it as it is, and may leave it: %j',
    async (origin) => {
      const lab = await openLab([answer(503), answer(200)]);
      const seen: string[] = [];
      const beforeRetry: BeforeRetry = ({ url, headers }) => {
        seen.push(url);
        headers['x-token'] = 'fresh';
      };
      const real = origin === '' ? lab.origin : origin;
      const agent = openAgent().compose(discovers(lab.origin), retry({ ...soon, beforeRetry }));
      const heard = recorder(2);
      agent.dispatch({ origin: real, path: '/a', method: 'GET' }, heard);
      await heard.settled;
      expect(heard.calls).toContain('head 200');
      expect(seen).toEqual([`${real}/a`]);
      expect(lab.requests.map(({ headers }) => headers['x-token'])).toEqual([undefined, 'fresh']);
    },
  );

  test('may put a real one in its place', async () => {
    const lab = await openLab(answer(503));
    const spare = await openLab(answer(200));
    const beforeRetry: BeforeRetry = (context) => {
      context.url = `${spare.origin}/b`;
    };
    const agent = openAgent().compose(discovers(lab.origin), retry({ ...soon, beforeRetry }));
    const heard = recorder(2);
    agent.dispatch({ origin: 'my service', path: '/a', method: 'GET' }, heard);
    await heard.settled;
    expect(heard.calls).toContain('head 200');
    expect(spare.requests.map(({ path }) => path)).toEqual(['/b']);
  });

  test('a query that cannot be serialised fails the request, without an uncaught exception', async () => {
    const lab = await openLab(answer(503));
    const query = {
      get q(): string {
        if (lab.requests.length > 0) throw new Error('no query any more');
        return '1';
      },
    };
    const { error } = await settled(
      undici.request(lab.origin, { dispatcher: agentWith(() => undefined), query, method: 'GET' }),
    );
    expect(error).toMatchObject({ message: 'no query any more' });
  });
});

describe('while it is at work', () => {
  test('no connection is held', async () => {
    const lab = await openLab([answer(503), answer(200, 'the other'), answer(200, 'ok')]);
    const started = new Deferred();
    const gate = new Deferred();
    const dispatcher = retryingAgent(
      {
        ...soon,
        beforeRetry: () => {
          started.resolve();
          return gate.promise;
        },
      },
      { connections: 1, pipelining: 1 },
    );
    const text = textOf(lab.origin, { dispatcher });
    await started.promise;

    expect(await textOf(lab.origin, { dispatcher })).toBe('the other');

    gate.resolve();
    expect(await text).toBe('ok');
    expect(lab.connections).toBe(1);
  });
});

test('sees the context of the caller (AsyncLocalStorage)', async () => {
  const { AsyncLocalStorage } = await import('node:async_hooks');
  const storage = new AsyncLocalStorage<string>();
  const lab = await openLab((request) =>
    request.number <= 2 ? onCue('both are here', answer(503)) : answer(200, 'ok'),
  );
  const seen: unknown[] = [];
  const dispatcher = agentWith(
    async (context) => {
      const before = storage.getStore();
      await Promise.resolve();
      seen.push([context.request.path, before, storage.getStore()]);
    },
    {
      retryIf: async (_outcome, { path }) => {
        seen.push([path, storage.getStore()]);
        return undefined;
      },
    },
  );
  const both = ['/a', '/b'].map((path) => storage.run(path, () => textOf(lab.origin + path, { dispatcher })));
  await lab.until(({ requests }) => requests.length === 2);
  lab.cue('both are here');
  await Promise.all(both);
  expect(seen).toHaveLength(6);
  for (const [path, ...stores] of seen as string[][]) expect(new Set(stores)).toEqual(new Set([path]));
});

function headersWith(name: string, value: string): Headers {
  return new Headers([
    ['Authorization', 'stale'],
    ['X-Kept', 'yes'],
    [name, value],
  ]);
}
