/** The rule that a request matches, however it is dispatched, and its own `retry` option. */

import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { OverrideOptions, PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, PolicyError } from '../../../src/index.js';
import { answer } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { major, undici, version } from './client.js';
import { openAgent, retryingAgent } from './kit.js';

describe('a rule applies by', () => {
  test.each([
    ['path, with the option `query`', { path: '/health', query: { deep: 'true' } }, 1],
    ['path, however it is written', { path: '//x/../%68ealth/' }, 1],
    ['the host of an absolute path', { path: 'http://other.example/a' }, 6],
  ] as const)('%s', async (_by, request, sent) => {
    const lab = await openLab(answer(503));
    const dispatcher = retryingAgent({
      ...soon,
      rules: [
        { match: '/health', retry: false },
        { match: 'other.example/*', maxRetries: 5 },
      ],
    });
    const { body } = await dispatcher.request({ origin: lab.origin, method: 'GET', ...request });
    await body.dump();
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

  test('the name of the host, not its address, and its port', async () => {
    const lab = await openLab(answer(503));
    const policy: PolicyOptions = {
      ...soon,
      rules: [
        { match: 'localhost:1/*', maxRetries: 6 },
        { match: '127.0.0.1', maxRetries: 5 },
        { match: 'localhost', maxRetries: 1 },
      ],
    };
    // By default, Node tries the next address after a quarter of a second.
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

test('the request is sent as it was written', async () => {
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

/** From 8.10.2 on, undici gives a Client's interceptors the origin. */
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
    ['{ maxRetries: 1 }', { maxRetries: 1 }, 2],
  ] as const)(
    '%s, of stream() and pipeline()',
    async (_written, retryOption: OverrideOptions | false | undefined, sent) => {
      const lab = await openLab(answer(503));
      const dispatcher = retryingAgent();
      const options = {
        dispatcher,
        method: 'GET',
        ...(retryOption !== undefined && { retry: retryOption }),
      } as const;
      await undici.stream(`${lab.origin}/stream`, options, () => sink());
      await new Promise<void>((resolve) =>
        undici
          .pipeline(`${lab.origin}/pipeline`, options, ({ body: given }) => given)
          .resume()
          .on('close', resolve)
          .end(),
      );
      expect(lab.requests.map(({ path }) => path)).toEqual([
        ...Array(sent).fill('/stream'),
        ...Array(sent).fill('/pipeline'),
      ]);
    },
  );

  test('goes with the request through redirects', async () => {
    const lab = await openLab([answer(307, '', { location: '/there' }), answer(503)]);
    const dispatcher = openAgent().compose(retry(soon), undici.interceptors.redirect({ maxRedirections: 1 }));

    const { body } = await undici.request(lab.origin, { dispatcher, retry: { maxRetries: 1 } });
    await body.dump();

    expect(lab.requests.map(({ path }) => path)).toEqual(['/', '/there', '/there']);
  });

  test('that cannot be used is reported by stream() and by the dispatcher, too', async () => {
    const lab = await openLab(answer(200));
    const dispatcher = retryingAgent();
    const wrong = { maxRetrys: 1 } as never;
    for (const ask of [
      () => undici.stream(lab.origin, { dispatcher, method: 'GET', retry: wrong }, () => sink()),
      () => dispatcher.request({ origin: lab.origin, path: '/', method: 'GET', retry: wrong }),
    ]) {
      const { error } = await settled<unknown>(ask());
      expect(error).toBeInstanceOf(PolicyError);
    }
    expect([lab.requests.length, lab.connections]).toEqual([0, 0]);
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

function sink(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
