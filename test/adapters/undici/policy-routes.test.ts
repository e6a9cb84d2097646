/** Which rule a request meets: by its host, path and method, and by what it says for itself. */

import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { SettledEvent } from '../../../src/core/events.js';
import type { OverrideOptions, PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, definePolicy, historyOf, PolicyError } from '../../../src/index.js';
import { answer, closeAfter } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { major, undici, version } from './client.js';
import { openAgent, retryingAgent } from './kit.js';

/** Which rule applied is seen in how often the request was sent. */
const rules: PolicyOptions['rules'] = [
  { match: '/health', retry: false },
  { match: 'POST /searches', idempotent: true, maxRetries: 1 },
  { match: 'GET /searches', maxRetries: 4 },
  { match: '/files/:id/parts/*', maxRetries: 2 },
  { match: 'other.example/*', maxRetries: 5 },
  { match: { host: '127.0.0.1', path: '/odd', test: ({ path }) => path.includes('?x=1') }, maxRetries: 6 },
];

describe('a rule applies by', () => {
  test.each([
    ['path', { path: '/health', method: 'GET' }, 1],
    ['path, whatever the query', { path: '/health?deep=true', method: 'GET' }, 1],
    ['path, with the option `query`', { path: '/health', method: 'GET', query: { deep: 'true' } }, 1],
    ['path, however it is written', { path: '//x/../%68ealth/', method: 'GET' }, 1],
    ['method', { path: '/searches', method: 'POST' }, 2],
    ['the other method', { path: '/searches', method: 'GET' }, 5],
    ['segments', { path: '/files/7/parts/1/2', method: 'GET' }, 3],
    ['the host of an absolute path', { path: 'http://other.example/a', method: 'GET' }, 6],
    ['its own test, which sees the query', { path: '/odd?x=1', method: 'GET' }, 7],
    ['nothing: the policy itself', { path: '/elsewhere', method: 'GET' }, 4],
    ['nothing: paths mind their case', { path: '/Health', method: 'GET' }, 4],
  ] as const)('%s', async (_by, request, sent) => {
    const lab = await openLab(answer(503));
    const dispatcher = retryingAgent({ ...soon, maxRetries: 3, rules });

    const { statusCode, body } = await dispatcher.request({ origin: lab.origin, ...request });
    await body.dump();

    expect(statusCode).toBe(503);
    expect(lab.requests).toHaveLength(sent);
  });

  test('the origin as a URL object', async () => {
    const lab = await openLab(answer(503));
    const { port } = lab;
    const dispatcher = retryingAgent({ ...soon, rules: [{ match: `127.0.0.1:${port}/*`, maxRetries: 1 }] });

    const { body } = await undici.request(new URL('/a', lab.origin), { dispatcher });
    await body.dump();

    expect(lab.requests).toHaveLength(2);
  });

  test('the name of the host, not what it resolves to, and its port', async () => {
    const lab = await openLab(answer(503));
    const policy: PolicyOptions = {
      ...soon,
      rules: [
        { match: 'localhost:1/*', maxRetries: 6 },
        { match: '127.0.0.1', maxRetries: 5 },
        { match: 'localhost', maxRetries: 1 },
      ],
    };
    // By default, Node gives an address up for the next one after a quarter of a second.
    const dispatcher = retryingAgent(policy, { autoSelectFamilyAttemptTimeout: 60_000 });

    const { body } = await dispatcher.request({
      origin: `http://LocalHost:${lab.port}`,
      path: '/a',
      method: 'GET',
    });
    await body.dump();

    expect(lab.requests).toHaveLength(2);
  });
});

test('what is sent stays as it was written', async () => {
  const lab = await openLab([answer(503), answer(200)]);
  const dispatcher = retryingAgent({ ...soon, rules: [{ match: '/b', maxRetries: 1 }] });

  const { body } = await dispatcher.request({
    origin: lab.origin,
    path: '//a/./../%62/',
    method: 'GET',
    query: { of: 'x y', list: ['1', '2'] },
  });
  await body.dump();

  expect(lab.requests.map(({ path }) => path)).toEqual(Array(2).fill('//a/./../%62/?of=x%20y&list=1&list=2'));
});

/** From 8.10.2 on, undici tells a Client's interceptors its origin. */
const tellsOrigin = major === 8 && Number(version.split('.')[1]) > 10;

describe(`under a Client, which ${tellsOrigin ? 'tells' : 'does not tell'} its origin`, () => {
  async function openClient(given: Parameters<typeof retry>[0], status = 503) {
    const lab = await openLab(answer(status));
    const client = new undici.Client(lab.origin);
    onTestFinished(() => client.destroy());
    return { lab, dispatcher: client.compose(retry(given)) };
  }

  test('rules by path apply', async () => {
    const { lab, dispatcher } = await openClient({ ...soon, rules: [{ match: '/a', maxRetries: 1 }] });
    const { body } = await dispatcher.request({ path: '/a', method: 'GET' } as never);
    await body.dump();
    expect(lab.requests).toHaveLength(2);
  });

  test.skipIf(tellsOrigin)('rules by host apply to none', async () => {
    const { lab, dispatcher } = await openClient({ ...soon, rules: [{ match: '127.0.0.1', retry: false }] });
    const { body } = await dispatcher.request({ path: '/a', method: 'GET' } as never);
    await body.dump();
    expect(lab.requests).toHaveLength(4);
  });

  test('each has a scope of its own', async () => {
    const retrier = createRetrier({ ...soon, maxRetries: 5, budget: { capacity: 2, perSecond: 0 } });
    for (const { lab, dispatcher } of [await openClient(retrier), await openClient(retrier)]) {
      const { body } = await dispatcher.request({ path: '/a', method: 'GET' } as never);
      await body.dump();
      expect(lab.requests).toHaveLength(3);
    }
    expect(retrier.snapshot().scopes.map(({ budgets }) => budgets)).toEqual([
      [{ tokens: 0 }],
      [{ tokens: 0 }],
    ]);
  });

  test('and so has each Pool', async () => {
    const retrier = createRetrier({ ...soon, maxRetries: 1 });
    for (const lab of [await openLab(answer(503)), await openLab(answer(503))]) {
      const pool = new undici.Pool(lab.origin);
      onTestFinished(() => pool.destroy());
      const { body } = await pool.compose(retry(retrier)).request({ path: '/a', method: 'GET' } as never);
      await body.dump();
    }
    expect(retrier.snapshot().scopes).toHaveLength(2);
  });
});

describe('the key `retry` of one request', () => {
  test.each([
    ['undefined', undefined, 4],
    ['false', false, 1],
    ['{ retry: false }', { retry: false }, 1],
    ['{ maxRetries: 1 }', { maxRetries: 1 }, 2],
    ['{ statuses: [500] }', { statuses: [500] }, 1],
    ['{}', {}, 4],
  ] as const)('%s', async (_written, retryOption: OverrideOptions | false | undefined, sent) => {
    const lab = await openLab(answer(503));
    const dispatcher = retryingAgent();

    const options = retryOption === undefined ? {} : { retry: retryOption };
    const { body } = await undici.request(lab.origin, { dispatcher, ...options });
    await body.dump();
    const { error } = await settled(
      undici.stream(`${lab.origin}/stream`, { dispatcher, method: 'GET', ...options }, () => sink()),
    );
    await new Promise<void>((resolve) =>
      undici
        .pipeline(
          `${lab.origin}/pipeline`,
          { dispatcher, method: 'GET', ...options },
          ({ body: given }) => given,
        )
        .resume()
        .on('close', resolve)
        .end(),
    );

    expect(error).toBeUndefined();
    expect(lab.requests.map(({ path }) => path)).toEqual([
      ...Array(sent).fill('/'),
      ...Array(sent).fill('/stream'),
      ...Array(sent).fill('/pipeline'),
    ]);
  });

  test('lies over the rule that the request meets, and over nothing else of it', async () => {
    const lab = await openLab(answer(429));
    const { dispatcher, events } = listened({ rules: [{ match: 'POST /a', name: 'writes', maxRetries: 3 }] });

    const { body } = await undici.request(`${lab.origin}/a`, {
      dispatcher,
      method: 'POST',
      retry: { maxRetries: 2 },
    });
    await body.dump();

    expect(events.map(({ rule, attempts }) => [rule, attempts])).toEqual([['writes', 3]]);
  });

  test('goes with the request through redirects', async () => {
    const lab = await openLab([answer(307, '', { location: '/there' }), answer(503)]);
    const dispatcher = openAgent().compose(retry(soon), undici.interceptors.redirect({ maxRedirections: 1 }));

    const { body } = await undici.request(lab.origin, { dispatcher, retry: { maxRetries: 1 } });
    await body.dump();

    expect(lab.requests.map(({ path }) => path)).toEqual(['/', '/there', '/there']);
  });

  test('may be one object for many requests, is checked once, and is not changed', async () => {
    const lab = await openLab(answer(503));
    const dispatcher = retryingAgent({ ...soon, rules: [{ match: '/b', maxRetries: 5, statuses: [500] }] });
    const override = Object.freeze({ maxRetries: 1 });

    for (const path of ['/a', '/b', '/a', '/b']) {
      const { body } = await undici.request(lab.origin + path, { dispatcher, retry: override });
      await body.dump();
    }

    expect(lab.requests.map(({ path }) => path)).toEqual(['/a', '/a', '/b', '/a', '/a', '/b']);
  });

  test('may be one object that the caller changes: it says what it says when a request is dispatched', async () => {
    const lab = await openLab(answer(503));
    const seen: string[] = [];
    const override = { maxRetries: 1, statuses: [503], beforeRetry: () => void seen.push('first') };
    const dispatcher = retryingAgent(soon);
    const sent = async (): Promise<number> => {
      const before = lab.requests.length;
      const { body } = await undici.request(lab.origin, { dispatcher, retry: override });
      await body.dump();
      return lab.requests.length - before;
    };
    expect(await sent()).toBe(2);
    override.maxRetries = 3;
    override.beforeRetry = () => void seen.push('second');
    expect(await sent()).toBe(4);
    override.statuses[0] = 500;
    expect(await sent()).toBe(1);
    override.statuses.push(503);
    expect(await sent()).toBe(4);
    expect(seen).toEqual(['first', ...Array(6).fill('second')]);
    override.maxRetries = -1;
    await expect(sent()).rejects.toBeInstanceOf(PolicyError);
  });

  test.each([
    ['a misspelt key', { maxRetrys: 1 }, 'maxRetrys'],
    ['a value that is none', { maxRetries: -1 }, 'maxRetries'],
    ['a key that belongs to a policy', { rules: [] }, 'rules'],
    ['a word', 'often', ''],
    ['true', true, ''],
    ['null', null, ''],
  ])('%s is reported, and nothing is sent', async (_what, wrong, path) => {
    const lab = await openLab(answer(200));
    const dispatcher = retryingAgent();

    for (const attempt of [
      () => undici.request(lab.origin, { dispatcher, retry: wrong as never }),
      () => undici.stream(lab.origin, { dispatcher, method: 'GET', retry: wrong as never }, () => sink()),
      () => dispatcher.request({ origin: lab.origin, path: '/', method: 'GET', retry: wrong as never }),
    ]) {
      const { error } = await settled<unknown>(attempt());
      expect(error).toBeInstanceOf(PolicyError);
      expect((error as PolicyError).problems.map((problem) => problem.path)).toEqual([path]);
      expect(historyOf(error)).toBeUndefined();
    }
    expect(lab.requests).toHaveLength(0);
    expect(lab.connections).toBe(0);
  });

  test.each(['often', true, null])('a bad one (%s) is reported for an upgrade, too', async (wrong) => {
    const lab = await openLab(answer(200));
    const options = { dispatcher: retryingAgent(), protocol: 'echo', retry: wrong };
    const { error } = await settled(undici.upgrade(lab.origin, options as never));
    expect(error).toBeInstanceOf(PolicyError);
    expect(lab.requests).toHaveLength(0);
  });
});

describe('functions of the policy that throw are reported as an error of the request', () => {
  const broken = new Error('broken function');
  const thrower = (): never => {
    throw broken;
  };

  test.each<[string, PolicyOptions]>([
    ['test', { rules: [{ match: { test: thrower }, retry: false }] }],
    ['scope', { scope: thrower }],
    ['generate', { idempotencyKey: { generate: thrower } }],
  ])('%s', async (_name, policy) => {
    const lab = await openLab(answer(200));
    const dispatcher = retryingAgent(policy);
    const reported: unknown[] = [];
    const handler = {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData() {},
      onResponseEnd() {},
      onResponseError(_controller: unknown, error: unknown) {
        reported.push(error);
      },
    };

    expect(() =>
      dispatcher.dispatch({ origin: lab.origin, path: '/', method: 'POST' }, handler as never),
    ).not.toThrow();

    expect(reported).toEqual([broken]);
    expect(lab.connections).toBe(0);
  });
});

test('a policy that is given twice is one retrier, an options object makes its own', async () => {
  const lab = await openLab(closeAfter(answer(503)));
  const options: PolicyOptions = { ...soon, maxRetries: 9, budget: { capacity: 3, perSecond: 0 } };
  const policy = definePolicy(options);

  const sent: number[] = [];
  for (const given of [policy, policy, options, options]) {
    const before = lab.requests.length;
    const { body } = await undici.request(lab.origin, { dispatcher: retryingAgent(given) });
    await body.dump();
    sent.push(lab.requests.length - before);
  }

  expect(sent).toEqual([4, 1, 4, 4]);
});

function listened(policy: PolicyOptions) {
  const events: SettledEvent[] = [];
  const dispatcher = retryingAgent({
    ...soon,
    ...policy,
    observe: (event) => {
      if (event.type === 'settled') events.push(event);
    },
  });
  return { dispatcher, events };
}

function sink(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
