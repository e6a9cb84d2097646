/** The fetch that `withRetry` returns is called like the one that it wraps, and passes the caller's arguments on. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import type { BeforeRetry } from '../../../src/core/events.js';
import {
  createRetrier,
  definePolicy,
  historyOf,
  PolicyError,
  type PolicyOptions,
} from '../../../src/index.js';
import { answer } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';

afterEach(() => vi.unstubAllGlobals());

/** A fetch that answers with these statuses in order, and records its calls. */
function mock(...statuses: readonly number[]) {
  const calls: unknown[][] = [];
  const answers = statuses.map((status) => new Response(status === 204 ? null : 'said', { status }));
  const left = [...answers];
  const doFetch = async (...given: unknown[]): Promise<Response> => {
    calls.push(given);
    return left.shift() as Response;
  };
  return { doFetch: doFetch as typeof fetch, calls, answers };
}

describe('the fetch that is called', () => {
  test.each([
    ['options', soon],
    ['a policy', definePolicy(soon)],
    ['a retrier', createRetrier(soon)],
  ])('with %s', async (_what, given) => {
    const { doFetch, calls, answers } = mock(503, 200);
    expect(await withRetry(doFetch, given)('https://a.example/')).toBe(answers[1]);
    expect(calls).toHaveLength(2);
  });

  test('the answer that a retry succeeds with is accepted by its status, like that of a first attempt', async () => {
    const { doFetch, answers } = mock(503, 200);
    const [, success] = answers;
    const read = vi.fn();
    Object.defineProperty(success, 'headers', { get: read });
    expect(await withRetry(doFetch, soon)('https://a.example/')).toBe(success);
    expect(read).not.toHaveBeenCalled();
    expect(historyOf(success)?.map(({ decision }) => decision.reason)).toEqual([
      'transient-status',
      'success',
    ]);
  });

  test('without one, what globalThis.fetch is at each call', async () => {
    const own = withRetry(undefined, soon);
    const [one, other] = [mock(200), mock(503, 200)];
    vi.stubGlobal('fetch', one.doFetch);
    await own('https://a.example/');
    vi.stubGlobal('fetch', other.doFetch);
    await own('https://a.example/');
    expect([one.calls.length, other.calls.length]).toEqual([1, 2]);
  });

  test('put in the place of the global one, it calls the one that was there', async () => {
    const { doFetch, calls } = mock(503, 200);
    vi.stubGlobal('fetch', doFetch);
    const own = withRetry(undefined, soon);
    vi.stubGlobal('fetch', own);
    expect((await fetch('https://a.example/')).status).toBe(200);
    expect(calls).toHaveLength(2);
  });

  test.each(['at once', 'later'])(
    'put in the place of the global one, which is wrapped since, and calls it %s',
    async (when) => {
      const { doFetch, calls } = mock(503, 503, 503, 503, 503, 503);
      vi.stubGlobal('fetch', doFetch);
      const own = withRetry(undefined, { ...soon, maxRetries: 2 });
      let wrapped = 0;
      const around = async (...asked: Parameters<typeof fetch>): Promise<Response> => {
        wrapped += 1;
        if (wrapped > 100) throw new Error('forever');
        if (when === 'later') await new Promise((resolve) => setTimeout(resolve, 1));
        return own(...asked);
      };
      vi.stubGlobal('fetch', around);
      expect((await fetch('https://a.example/')).status).toBe(503);
      expect(calls).toHaveLength(3);
    },
  );

  test('a mock that returns its answer instead of a promise', async () => {
    const answers = [new Response('said', { status: 503 }), new Response('said')];
    const left = [...answers];
    const asked = withRetry((() => left.shift()) as unknown as typeof fetch, soon)('/x');
    expect(asked).toBeInstanceOf(Promise);
    expect(await asked).toBe(answers[1]);
  });

  test('a mock whose headers are a plain object', async () => {
    const answers = [503, 200].map((status) => ({ status, headers: {} }));
    const left = [...answers];
    const own = withRetry((async () => left.shift()) as unknown as typeof fetch, soon);
    expect(await own('/x')).toBe(answers[1]);
  });

  test.each<[string, PolicyOptions]>([
    ['an attempt timeout', { attemptTimeoutMs: 1_000 }],
    ['a deadline', { deadlineMs: 1_000 }],
    ['a deadline that covers the body', { deadlineMs: 1_000, deadlineCovers: 'body' }],
  ])('a mock that answers with nothing, with %s', async (_what, policy) => {
    const own = withRetry((async () => undefined) as unknown as typeof fetch, policy);
    expect(await own('/x')).toBeUndefined();
    const caller = new AbortController();
    const late = (async () => void caller.abort()) as unknown as typeof fetch;
    const { error } = await settled(withRetry(late, policy)('/x', { signal: caller.signal }));
    expect((error as Error).name).toBe('AbortError');
  });

  test('as a method, though the fetch bears no `this`', async () => {
    function strict(this: unknown): Promise<Response> {
      if (this !== undefined) throw new TypeError('Illegal invocation');
      return Promise.resolve(new Response('ok'));
    }
    const client = { fetch: withRetry(strict as typeof fetch, soon) };
    expect((await client.fetch('https://a.example/')).status).toBe(200);
  });

  test('static members are there, and new ones are not added to the wrapped fetch', () => {
    const { doFetch } = mock();
    const preconnect = (): string => 'connected';
    const own = withRetry(Object.assign(doFetch, { preconnect }), soon);
    expect(own.preconnect()).toBe('connected');
    Object.assign(own, { mark: true });
    expect('mark' in doFetch).toBe(false);
  });

  test('options in place of the fetch are refused, with a word on what to write', () => {
    expect(() => withRetry({ maxRetries: 1 } as never)).toThrow(/withRetry\(undefined, options\)/);
  });

  test('a policy that cannot be used is the error of a promise', async () => {
    const { doFetch, calls } = mock(200);
    const own = withRetry(doFetch, soon);
    const { error } = await settled(own('https://a.example/', { retry: { maxRetries: -1 } }));
    expect(error).toBeInstanceOf(PolicyError);
    expect(calls).toEqual([]);
  });
});

describe('what is passed on', () => {
  test('is the same input and init, if nothing has to be added', async () => {
    const { doFetch, calls } = mock(200);
    const init = { method: 'POST', body: 'x', headers: new Headers({ a: 'b' }), next: { revalidate: 1 } };
    const url = new URL('https://a.example/');
    await withRetry(doFetch, soon)(url, init as RequestInit);
    expect(calls[0]?.[0]).toBe(url);
    expect(calls[0]?.[1]).toBe(init);
  });

  test('and no init if there was none', async () => {
    const { doFetch, calls } = mock(503, 200);
    await withRetry(doFetch, soon)('/relative');
    expect(calls).toEqual([['/relative'], ['/relative']]);
  });

  test('without `retry`, which is ours, and with all that a framework or platform takes', async () => {
    const { doFetch, calls } = mock(503, 200);
    const more = { next: { tags: ['a'] }, cf: { cacheTtl: 1 }, client: {}, tls: {}, proxy: 'p' };
    await withRetry(doFetch, soon)('https://a.example/', { ...more, retry: { maxRetries: 1 } } as never);
    expect(calls.map(([, init]) => init)).toEqual([more, more]);
  });

  test('nor is `retry` passed on if it is undefined', async () => {
    const { doFetch, calls } = mock(200);
    await withRetry(doFetch, soon)('https://a.example/', { retry: undefined, method: 'PUT' });
    expect(Object.keys(calls[0]?.[1] as object)).toEqual(['method']);
  });

  test('a retry sends the request as it was at the call, whatever the caller has changed since', async () => {
    const { doFetch, calls } = mock(503, 200);
    const url = new URL('https://a.example/?page=1');
    const init = { method: 'PUT', body: 'one', headers: { 'x-page': '1' } };
    const answered = withRetry(doFetch, soon)(url, init);
    url.searchParams.set('page', '2');
    Object.assign(init, { body: 'two' });
    init.headers['x-page'] = '2';
    await answered;
    expect(calls[1]).toEqual([
      'https://a.example/?page=1',
      { method: 'PUT', body: 'one', headers: { 'x-page': '1' } },
    ]);
  });

  test('`beforeRetry` is shown the request as it was at the call, too', async () => {
    const { doFetch, calls } = mock(503, 200);
    const url = new URL('https://a.example/one');
    const beforeRetry: BeforeRetry = (context) => {
      context.url += '?again';
    };
    const answered = withRetry(doFetch, { ...soon, beforeRetry })(url);
    url.pathname = '/two';
    await answered;
    expect(calls[1]?.[0]).toBe('https://a.example/one?again');
  });

  test('headers that can be iterated over once go with every attempt', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    function* pairs(): Generator<[string, string]> {
      yield ['x-one', '1'];
    }
    await withRetry(fetch, soon)(lab.origin, { headers: pairs() as never });
    expect(lab.requests.map(({ headers }) => headers['x-one'])).toEqual(['1', '1']);
  });

  test('a Request of another realm or package is one, too', async () => {
    const { doFetch, calls } = mock(503, 200);
    const foreign = { url: 'https://a.example/x', method: 'DELETE', headers: new Headers(), body: null };
    await withRetry(doFetch, soon)(foreign as never);
    expect(calls.map(([input]) => input)).toEqual([foreign, foreign]);
  });

  test("a Request's own: method, headers and referrer, with a signal of ours beside them", async () => {
    const { doFetch, calls } = mock(503, 200);
    const request = new Request('https://a.example/', {
      method: 'PUT',
      headers: { 'x-one': '1' },
      referrerPolicy: 'origin',
    });
    await withRetry(doFetch, { ...soon, deadlineMs: 60_000 })(request);
    for (const [input, init] of calls as [Request, RequestInit][]) {
      expect(input).toBe(request);
      expect(Object.keys(init).sort()).toEqual(['referrer', 'referrerPolicy', 'signal']);
      expect(init.referrerPolicy).toBe(request.referrerPolicy);
    }
  });

  test('a function as init', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const init = Object.assign(() => undefined, { method: 'PUT', body: 'pay' });
    await withRetry(fetch, soon)(lab.origin, init as object);
    expect(lab.requests.map(({ method, body }) => `${method} ${body}`)).toEqual(['PUT pay', 'PUT pay']);
  });

  test('a Request as init', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const request = new Request(lab.origin, { method: 'DELETE', headers: { 'x-one': '1' } });
    await withRetry(fetch, soon)(`${lab.origin}/there`, request);
    expect(lab.requests.map(({ method, headers, path }) => [method, path, headers['x-one']])).toEqual([
      ['DELETE', '/there', '1'],
      ['DELETE', '/there', '1'],
    ]);
  });

  test.each([
    ['', {}],
    [', with a time', { deadlineMs: 60_000 }],
    [', with a key', { idempotencyKey: true }],
  ])('an init that has what it has from its class%s', async (_what, policy) => {
    class Asked {
      get method(): string {
        return 'DELETE';
      }
      get headers(): Record<string, string> {
        return { 'x-one': '1' };
      }
    }
    const lab = await openLab([answer(503), answer(200)]);
    const own = withRetry(fetch, { ...soon, ...policy });
    for (const init of [
      new Asked(),
      new Request(lab.origin, { method: 'DELETE', headers: { 'x-one': '1' } }),
    ]) {
      await own(lab.origin, init);
    }
    const sent = lab.requests.map(({ method, headers }) => [method, headers['x-one']]);
    expect(sent).toEqual(lab.requests.map(() => ['DELETE', '1']));
  });

  test('a request that waits before its first attempt is sent as it was at the call', async () => {
    const { doFetch, calls } = mock(200);
    const url = new URL('https://a.example/?page=1');
    const init = { method: 'PUT', headers: { 'x-page': '1' }, body: async () => 'one' };
    const answered = withRetry(doFetch, soon)(url, init as object);
    url.searchParams.set('page', '2');
    init.headers['x-page'] = '2';
    await answered;
    expect(calls).toEqual([
      ['https://a.example/?page=1', { method: 'PUT', headers: { 'x-page': '1' }, body: 'one' }],
    ]);
  });

  test('beforeRetry may send a Request elsewhere, with its method, headers and body', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const own = withRetry(fetch, {
      ...soon,
      beforeRetry: (context) => {
        context.url = `${lab.origin}/other`;
        context.headers['x-two'] = '2';
      },
    });
    const headers = { 'x-one': '1', 'content-type': 'text/odd' };
    await own(new Request(lab.origin, { method: 'PUT', body: 'body', headers }));
    const seen = lab.requests.map(({ method, path, body, headers: sent }) => [
      method,
      path,
      String(body),
      sent['x-one'],
      sent['x-two'],
      sent['content-type'],
    ]);
    expect(seen).toEqual([
      ['PUT', '/', 'body', '1', undefined, 'text/odd'],
      ['PUT', '/other', 'body', '1', '2', 'text/odd'],
    ]);
  });

  test('`retry: false` and `{ maxRetries }` of one request', async () => {
    for (const [retry, sent] of [[false, 1] as const, [{ maxRetries: 1 }, 2] as const]) {
      const lab = await openLab(answer(503));
      await withRetry(fetch, soon)(lab.origin, { retry });
      expect(lab.requests).toHaveLength(sent);
    }
  });
});

describe('what comes out', () => {
  test('is the same Response, with its history, and without a visible mark', async () => {
    const { doFetch, answers } = mock(503, 200);
    const before = Reflect.ownKeys(answers[1] as Response);
    const response = await withRetry(doFetch, soon)('https://a.example/');
    expect(response).toBe(answers[1]);
    expect(Reflect.ownKeys(response)).toEqual(before);
    expect(response.bodyUsed).toBe(false);
    expect(historyOf(response)).toHaveLength(2);
  });

  test('or the same error', async () => {
    const errors = [1, 2].map(() => new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }));
    const left = [...errors];
    const own = withRetry((() => Promise.reject(left.shift())) as typeof fetch, { ...soon, maxRetries: 1 });
    const { error } = await settled(own('https://a.example/'));
    expect(error).toBe(errors[1]);
    expect(historyOf(error)).toHaveLength(2);
  });

  test('an opaque answer is final, and so is one that an odd mock gives', async () => {
    for (const given of [Response.error(), undefined, {}]) {
      let calls = 0;
      const doFetch = async (): Promise<unknown> => {
        calls += 1;
        return given;
      };
      const own = withRetry(doFetch as typeof fetch, { ...soon, retryIf: () => true });
      expect(await own('https://a.example/')).toBe(given);
      expect(calls).toBe(1);
    }
  });

  test('what throws at once is an error of the promise', async () => {
    const thrown = new Error('at once');
    const doFetch = (_url: string): Promise<Response> => {
      throw thrown;
    };
    expect((await settled(withRetry(doFetch, soon)('/x'))).error).toBe(thrown);
  });
});
