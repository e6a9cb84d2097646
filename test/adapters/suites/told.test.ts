/** What the functions of a policy are told: the same in every client, so that one policy means the same everywhere. */

import { describe, expect, test } from 'vitest';
import {
  createRetrier,
  definePolicy,
  type LiveOutcome,
  type Policy,
  type ToldRequest,
} from '../../../src/index.js';
import { answer, answerChunked, cutBody, refusedOrigin, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

type Seen = [name: string, request: ToldRequest][];

/** Every function of a policy that gets the request writes it down. */
function seeing(seen: Seen): Policy {
  const see = (name: string, request: ToldRequest): void => void seen.push([name, request]);
  return definePolicy({
    ...soon,
    rules: [
      {
        match: {
          test: (request) => {
            see('match.test', request);
            return true;
          },
        },
        scope: (request) => {
          see('scope', request);
          return 'mine';
        },
        retryIf: (_outcome, request) => {
          see('retryIf', request);
          return undefined;
        },
        beforeRetry: ({ request }) => see('beforeRetry', request),
      },
    ],
  });
}

const names = ['match.test', 'scope', 'retryIf', 'beforeRetry', 'retryIf'];

/** What a function does with the request. */
function readOut({ method, origin, path, url, header }: ToldRequest) {
  return { method, origin, path, url, tenant: header('x-tenant'), other: header('x-other') };
}

describe.each(subject.ways)('over $name', ({ client, open }) => {
  test('the request: method, origin, path with the query, URL and headers', async () => {
    const lab = await open([answer(503), answer(200)]);
    const seen: Seen = [];
    const headers = { 'X-Tenant': 'seven' };
    await client(seeing(seen))(`${lab.origin}/tenants/7/things?q=1`, { method: 'PUT', body: 'x', headers });
    expect(seen.map(([name]) => name)).toEqual(names);
    const path = '/tenants/7/things?q=1';
    const told = {
      method: 'PUT',
      origin: lab.origin,
      path,
      url: lab.origin + path,
      tenant: 'seven',
      other: undefined,
    };
    expect(seen.map(([, request]) => readOut(request))).toEqual(Array(names.length).fill(told));
  });

  test('the same object for all attempts, so that something can be kept by it', async () => {
    const lab = await open([answer(401), answer(401), answer(200)]);
    const seen = new WeakSet<object>();
    const send = client({
      ...soon,
      retryIf(outcome, request) {
        if (outcome.kind !== 'response' || outcome.status !== 401 || seen.has(request)) return undefined;
        seen.add(request);
        return true;
      },
    });
    expect((await send(lab.origin)).status).toBe(401);
    expect(lab.requests).toHaveLength(2);
  });

  test('a POST of a path that is not idempotent is sent once, if its connection is cut', async () => {
    const lab = await openLab(rst());
    const send = client({
      ...soon,
      idempotent: true,
      rules: [{ match: { test: (request) => request.path.startsWith('/payments') }, idempotent: false }],
    });
    await settled(send(`${lab.origin}/payments?to=7`, { method: 'POST', body: 'x' }));
    expect(lab.requests).toHaveLength(1);
    await settled(send(`${lab.origin}/other`, { method: 'POST', body: 'x' }));
    expect(lab.requests.length).toBeGreaterThan(2);
  });

  test('each tenant has a scope of its own: the one in docs/outages.md', async () => {
    const lab = await open(answer(200));
    const retrier = createRetrier({ scope: ({ path }) => `tenant ${path.split('/')[2]}` });
    const send = client(retrier);
    for (const tenant of ['7', '8', '7']) await send(`${lab.origin}/tenants/${tenant}/things`);
    expect(
      retrier
        .snapshot()
        .scopes.map(({ name }) => name)
        .sort(),
    ).toEqual(['tenant 7', 'tenant 8']);
  });

  describe('the outcome', () => {
    test('has the headers of the answer', async () => {
      const lab = await open([answer(200, '', { 'x-stale': 'yes' }), answer(200, 'fresh')]);
      const told: unknown[] = [];
      const send = client({
        ...soon,
        retryIf: ({ header }) => {
          told.push([header('X-Stale'), header('x-other')]);
          return header('x-stale') === 'yes' || undefined;
        },
      });
      expect((await send(lab.origin)).text).toBe('fresh');
      expect(told).toEqual([
        ['yes', undefined],
        [undefined, undefined],
      ]);
    });

    test('of an error has its code, wherever the client keeps it', async () => {
      const told: unknown[] = [];
      const retryIf = ({ kind, code }: LiveOutcome): false => {
        told.push([kind, code]);
        return false;
      };
      await settled(client({ ...soon, retryIf })(await refusedOrigin()));
      expect(told).toEqual([['error', 'ECONNREFUSED']]);
    });

    test('of an error has neither headers nor a body', async () => {
      const lab = await openLab(rst());
      const told: unknown[] = [];
      const retryIf = async ({ kind, header, body }: LiveOutcome) => {
        told.push([kind, header('x-stale'), await body()]);
        return false;
      };
      await settled(client({ ...soon, retryIf })(lab.origin));
      expect(told).toEqual([['error', undefined, undefined]]);
    });

    test('a 200 that says that it is an error is sent again, and the last one is the caller’s, whole', async () => {
      const lab = await open([
        answer(200, '{"error":"busy"}'),
        answerChunked(['{"error":', '"busy"}']),
        answer(200, '{"items":[1]}'),
      ]);
      const send = client({
        ...soon,
        retryIf: async (outcome) => (await outcome.body<{ error?: string }>())?.error === 'busy' || undefined,
      });
      expect((await send(lab.origin, { method: 'POST', body: 'x' })).text).toBe('{"items":[1]}');
      expect(lab.requests).toHaveLength(3);
    });

    test('a body that is read and then left to the caller is untouched', async () => {
      const told: unknown[] = [];
      const retryIf = async ({ body }: LiveOutcome): Promise<undefined> =>
        void told.push(await body(), await body());
      for (const play of [answer(200, 'text'), answer(200, ''), answer(404, '{"a":1}')]) {
        const lab = await open(play);
        const { text } = await client({ ...soon, retryIf })(lab.origin);
        told.push(text);
      }
      expect(told).toEqual(['text', 'text', 'text', '', '', '', { a: 1 }, { a: 1 }, '{"a":1}']);
    });

    test('nor does it have to be read at once, or to its end', async () => {
      const long = 'x'.repeat(300_000);
      const lab = await open(answer(200, long));
      const told: unknown[] = [];
      const retryIf = async ({ body }: LiveOutcome) => {
        await new Promise(setImmediate);
        void body();
        await new Promise(setImmediate);
        told.push((await body()) === long);
        return undefined;
      };
      const { text } = await client({ ...soon, retryIf })(lab.origin);
      expect(told).toEqual([true]);
      expect(text === long).toBe(true);
    });

    test('a body that is asked for and not waited for is untouched', async () => {
      const long = 'x'.repeat(300_000);
      const lab = await open([answer(200, 'a'), answer(200, long)]);
      const retryIf = ({ body }: LiveOutcome) => {
        void body();
        return lab.requests.length === 1 || undefined;
      };
      expect((await client({ ...soon, retryIf })(lab.origin)).text === long).toBe(true);
    });

    test('a body that breaks off has no opinion', async () => {
      const lab = await openLab(cutBody(1_000, 500, 'rst'));
      const told: unknown[] = [];
      const retryIf = async (outcome: LiveOutcome) => {
        told.push(await outcome.body());
        return false;
      };
      await settled(client({ ...soon, retryIf })(lab.origin));
      expect(told[0]).toBeUndefined();
      expect(lab.requests).toHaveLength(1);
    });
  });
});

test('several values of a header are joined', async () => {
  const lab = await openLab(answer(200, '', { 'x-list': ['one', 'two'], 'set-cookie': ['a=1', 'b=2'] }));
  const told: unknown[] = [];
  const retryIf = ({ header }: LiveOutcome): undefined =>
    void told.push(header('x-list'), header('set-cookie'));
  await subject.client({ ...soon, retryIf })(lab.origin);
  expect(told).toEqual(['one, two', 'a=1, b=2']);
});
