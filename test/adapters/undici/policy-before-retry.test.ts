/** `beforeRetry`: what it is shown, what it may change, and what becomes of a request when it fails. */

import { inspect } from 'node:util';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { BeforeRetry, RetryContext } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { RequestFacts } from '../../../src/core/types.js';
import { createRetrier, DeadlineError, historyOf } from '../../../src/index.js';
import { answer, onCue } from '../../faults/plays.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
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
  test('the request, the decision, the history and where the next attempt goes', async () => {
    const lab = await openLab([answer(503), answer(500), answer(200, 'ok')]);
    const shown: RetryContext[] = [];
    const dispatcher = agentWith((context) => {
      shown.push({ ...context, history: [...context.history], headers: { ...context.headers } });
    });

    await textOf(`${lab.origin}/a/b?c=d`, {
      dispatcher,
      method: 'PUT',
      headers: { 'X-One': '1' },
      body: 'x',
    });

    expect(shown).toMatchObject([
      {
        request: { method: 'PUT', origin: lab.origin, path: '/a/b?c=d' },
        decision: { action: 'retry', attempt: 1, reason: 'transient-status' },
        history: [{ decision: { attempt: 1, finding: { status: 503 } } }],
        url: `${lab.origin}/a/b?c=d`,
        headers: { 'x-one': '1' },
      },
      {
        decision: { attempt: 2 },
        history: [{ decision: { attempt: 1 } }, { decision: { attempt: 2, finding: { status: 500 } } }],
      },
    ]);
  });

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

  test('what can be logged without showing a header', async () => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const logged: string[] = [];
    const log = (request: RequestFacts): undefined => {
      logged.push(inspect(request, { depth: 10 }), JSON.stringify(request));
    };
    const dispatcher = agentWith(({ request }) => log(request), {
      retryIf: (_outcome, request) => log(request),
    });
    await textOf(lab.origin, { dispatcher, headers: { authorization: 'secret' } });
    expect(logged).toHaveLength(6);
    expect(logged.join('\n')).not.toContain('secret');
  });

  test('nothing before the wait is over: a token that it gets is fresh', async () => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const waits = new Waits('when told');
    let calls = 0;
    const policy: PolicyOptions = {
      beforeRetry: () => {
        calls += 1;
      },
    };
    const dispatcher = retryingAgent(createRetrier(policy, { sleep: waits.sleep }));
    const text = textOf(lab.origin, { dispatcher });
    await waits.until(1);
    expect(calls).toBe(0);
    waits.wake();
    await text;
    expect(calls).toBe(1);
  });
});

describe('changes the headers of what the caller gave as', () => {
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

  test('any, when it puts another object in their place', async () => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const dispatcher = agentWith((context) => {
      context.headers = { 'x-new': ['1', '2'] };
    });
    await textOf(lab.origin, { dispatcher, headers: { 'x-old': '1' } });
    expect(lab.requests[1]?.headers).toMatchObject({ 'x-new': '1, 2' });
    expect(lab.requests[1]?.headers).not.toHaveProperty('x-old');
  });

  test.each(['undici', 'the built-in'])('any, through %s fetch', async (whose) => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const dispatcher = agentWith((context) => {
      context.headers['authorization'] = 'fresh';
    });
    const doFetch = whose === 'undici' ? undici.fetch : fetch;
    const response = await doFetch(lab.origin, {
      dispatcher,
      method: 'PUT',
      body: 'sent twice',
      headers: { authorization: 'stale', 'x-kept': 'yes' },
    } as never);
    await response.text();
    expect(lab.requests.map(({ headers }) => headers)).toMatchObject([
      { authorization: 'stale', 'x-kept': 'yes', 'content-length': '10' },
      { authorization: 'fresh', 'x-kept': 'yes', 'content-length': '10' },
    ]);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['sent twice', 'sent twice']);
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

  test('by one query parameter, with the body sent again', async () => {
    const lab = await openLab([answer(503), answer(200, 'ok')]);
    const dispatcher = agentWith(async (context) => {
      const url = new URL(context.url);
      url.searchParams.set('try', '2');
      context.url = url.href;
    });
    await textOf(`${lab.origin}/a?b=c`, { dispatcher, method: 'PUT', body: 'body' });
    expect(lab.requests.map(({ path, body }) => [path, String(body)])).toEqual([
      ['/a?b=c', 'body'],
      ['/a?b=c&try=2', 'body'],
    ]);
  });

  test('to something that is none: a TypeError, no hang', async () => {
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
  /** As service discovery does it. */
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

  test('a query that cannot be written fails the request, and is no uncaught exception', async () => {
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

describe('fails the request with its own error', () => {
  const broken = new Error('no token');

  test.each<[string, BeforeRetry]>([
    [
      'when it throws',
      () => {
        throw broken;
      },
    ],
    ['when it rejects', () => Promise.reject(broken)],
    [
      'when it rejects later',
      async () => {
        await new Promise(setImmediate);
        throw broken;
      },
    ],
  ])('%s', async (_when, beforeRetry) => {
    const lab = await openLab(answer(503));
    const dispatcher = agentWith(beforeRetry);

    const { error } = await settled(undici.request(lab.origin, { dispatcher }));
    const ofFetch = await settled(undici.fetch(lab.origin, { dispatcher }));

    expect(error).toBe(broken);
    expect((ofFetch.error as Error).cause).toBe(broken);
    expect(lab.requests).toHaveLength(2);
  });

  test('also when it throws no error at all', async () => {
    const lab = await openLab(answer(503));
    const dispatcher = agentWith(() => Promise.reject('a string'));
    const { error } = await settled(undici.request(lab.origin, { dispatcher }));
    expect(error).toBe('a string');
    expect(historyOf(error)).toBeUndefined();
  });
});

describe('while it is at work', () => {
  test.each(['for ever', 'until after the deadline'])('the deadline ends the request (%s)', async (until) => {
    const lab = await openLab(answer(503, '', { 'x-served-by': 'a' }));
    const started = new Deferred();
    const gate = new Deferred();
    const time = new HandTime();
    const beforeRetry = (): Promise<void> => {
      started.resolve();
      return gate.promise;
    };
    const retrier = createRetrier({ ...soon, beforeRetry, deadlineMs: 5_000 }, time.ports);
    const ended = settled(undici.request(lab.origin, { dispatcher: retryingAgent(retrier) }));
    await time.fire(1);
    await started.promise;
    await time.fire(5_000);
    const { error } = await ended;

    expect(error).toBeInstanceOf(DeadlineError);
    expect((error as Error).cause).toMatchObject({ status: 503, headers: { 'x-served-by': 'a' } });
    if (until !== 'for ever') {
      gate.resolve();
      await new Promise(setImmediate);
    }
    expect(lab.requests).toHaveLength(1);
  });

  test('an abort ends the request at once', async () => {
    const lab = await openLab(answer(503));
    const started = new Deferred();
    const gate = new Deferred();
    const dispatcher = agentWith(() => {
      started.resolve();
      return gate.promise;
    });
    const aborter = new AbortController();
    const aborted = settled(undici.request(lab.origin, { dispatcher, signal: aborter.signal }));
    await started.promise;

    aborter.abort();

    expect((await aborted).error).toBe(aborter.signal.reason);
    gate.resolve();
    await new Promise(setImmediate);
    expect(lab.requests).toHaveLength(1);
  });

  test('a rejection that comes after the end is nobody’s', async () => {
    const lab = await openLab(answer(503));
    const started = new Deferred();
    const gate = new Deferred();
    const dispatcher = agentWith(() => {
      started.resolve();
      return gate.promise;
    });
    const aborter = new AbortController();
    const aborted = settled(undici.request(lab.origin, { dispatcher, signal: aborter.signal }));
    await started.promise;
    aborter.abort();
    await aborted;
    gate.reject(new Error('too late'));
    // An unhandled rejection would fail the run.
    await new Promise(setImmediate);
  });

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
