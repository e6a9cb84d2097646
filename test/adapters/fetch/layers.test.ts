/** One request through several layers of ours: only one retries, counted at a server. */

import { AsyncLocalStorage } from 'node:async_hooks';
import axiosModule from 'axios';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { retry } from '../../../src/adapters/undici/index.js';
import { AttemptTimeoutError, DeadlineError, historyOf, type PolicyOptions } from '../../../src/index.js';
import { answer, rst, silence } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { openAgent } from '../undici/kit.js';
import { undici, undiciFetch } from './client.js';

const three = { ...soon, maxRetries: 2, budget: false } as const;

const reasonsOf = (result: unknown) => historyOf(result)?.map(({ decision }) => decision.reason);

afterEach(() => vi.unstubAllGlobals());

test.each<[string, (doFetch: typeof fetch) => typeof fetch]>([
  ['at once', (doFetch) => withRetry(withRetry(doFetch, three), three)],
  [
    'with a wrapper between that waits',
    (doFetch) => {
      const inner = withRetry(doFetch, three);
      const between: typeof fetch = async (url, init) => {
        await new Promise(setImmediate);
        return inner(url, init);
      };
      return withRetry(between, three);
    },
  ],
])('withRetry() around withRetry(): %s', async (_how, wrap) => {
  const lab = await openLab(answer(503));
  const answered = await wrap(fetch)(lab.origin);
  expect(lab.requests).toHaveLength(3);
  expect(historyOf(answered)).toHaveLength(3);
});

test('the outer one decides, also that nothing is retried', async () => {
  const lab = await openLab(answer(503));
  await withRetry(withRetry(fetch, three), { retry: false })(lab.origin);
  expect(lab.requests).toHaveLength(1);
});

test('other requests of a wrapper keep their own retries', async () => {
  const lab = await openLab(({ path, number }) => answer(path === '/token' && number < 3 ? 503 : 200, 'x'));
  const inner = withRetry(fetch, three);
  const withToken: typeof fetch = async (url, init) => {
    expect((await inner(`${lab.origin}/token`)).status).toBe(200);
    return inner(url, init);
  };
  expect((await withRetry(withToken, three)(`${lab.origin}/x`)).status).toBe(200);
  expect(lab.requests.map(({ path }) => path)).toEqual(['/token', '/token', '/token', '/x']);
});

test('over a dispatcher with retry()', async () => {
  const lab = await openLab(answer(503));
  const dispatcher = openAgent().compose(retry(three));
  await withRetry(undiciFetch, three)(lab.origin, { dispatcher } as object);
  expect(lab.requests).toHaveLength(3);
});

test('over a dispatcher with retry(), a retry that goes to another URL', async () => {
  const lab = await openLab(answer(503));
  const dispatcher = openAgent().compose(retry(three));
  const beforeRetry: PolicyOptions['beforeRetry'] = (context) => {
    context.url = `${lab.origin}/elsewhere`;
  };
  await withRetry(undiciFetch, { ...three, beforeRetry })(`${lab.origin}/first`, { dispatcher } as object);
  expect(lab.requests.map(({ path }) => path)).toEqual(['/first', '/elsewhere', '/elsewhere']);
});

describe("over a dispatcher with retry(), an error's history is the outer layer's:", () => {
  async function errorOf(
    policy: PolicyOptions,
    controller?: AbortController,
    reason?: Error,
  ): Promise<unknown> {
    const lab = await openLab(silence());
    const init = { dispatcher: openAgent().compose(retry(three)), signal: controller?.signal ?? null };
    const asked = settled(withRetry(undiciFetch, { ...three, ...policy })(lab.origin, init as object));
    if (controller !== undefined) {
      await lab.until(({ requests }) => requests.length === 1);
      controller.abort(reason);
    }
    return (await asked).error;
  }

  test('an attempt timeout', async () => {
    const error = await errorOf({ attemptTimeoutMs: 20 });
    expect(error).toBeInstanceOf(AttemptTimeoutError);
    expect(reasonsOf(error)).toEqual(['attempt-timeout', 'attempt-timeout', 'retries-spent']);
  });

  test('a deadline', async () => {
    const error = await errorOf({ deadlineMs: 100 });
    expect(error).toBeInstanceOf(DeadlineError);
    expect(reasonsOf(error)).toHaveLength(1);
  });

  describe.each([undefined, 'the user left'])("the caller's abort, reason: %s", (text) => {
    test.each([{}, { attemptTimeoutMs: 60_000 }])('with %o', async (policy) => {
      const reason = text === undefined ? undefined : new Error(text);
      const error = await errorOf(policy, new AbortController(), reason);
      expect(reasonsOf(error)).toEqual(['aborted']);
    });
  });
});

test("under attachRetry() with axios's adapter fetch", async () => {
  const lab = await openLab(answer(503));
  const instance = axiosModule.create({ adapter: 'fetch' });
  attachRetry(instance, three);
  vi.stubGlobal('fetch', withRetry(fetch, three));
  await settled(instance.get(lab.origin));
  expect(lab.requests).toHaveLength(3);
});

test('concurrent requests of one wrapped fetch are each retried', async () => {
  const lab = await openLab(answer(503));
  const own = withRetry(fetch, three);
  await Promise.all([own(lab.origin), own(lab.origin)]);
  expect(lab.requests).toHaveLength(6);
});

describe('several layers beside each other', () => {
  /** How many attempts the fetch sends within a context of ours, once there are other layers, but none on a dispatcher. */
  async function contextsOf(wrap: () => typeof fetch): Promise<number> {
    const lab = await openLab(answer(200));
    const counts = Reflect.get(globalThis, Symbol.for('undaunted.layers')) as { dispatchers: number };
    const { dispatchers } = counts;
    const run = vi.spyOn(AsyncLocalStorage.prototype, 'run');
    onTestFinished(() => {
      counts.dispatchers = dispatchers;
      run.mockRestore();
    });
    counts.dispatchers = 0;
    withRetry(fetch, three);
    attachRetry(axiosModule.create(), three);
    await wrap()(lab.origin);
    return run.mock.calls.filter(([store]) => Object(store) === store && 'isOver' in Object(store)).length;
  }

  // In Node 20, a context makes each promise of the process dearer: of fetch, there are many.
  test.each<[string, () => typeof fetch]>([
    ['the one that is given', () => withRetry(fetch, three)],
    ['the global one', () => withRetry(undefined, three)],
    ["undici's", () => withRetry(undiciFetch, three)],
  ])("need no context over the platform's fetch: %s", async (_which, wrap) => {
    expect(await contextsOf(wrap)).toBe(0);
  });

  test.each<[string, () => typeof fetch]>([
    ['another layer', () => withRetry(withRetry(fetch, three), three)],
    ['a function', () => withRetry((...given: Parameters<typeof fetch>) => fetch(...given), three)],
    [
      'a global one that was replaced',
      () => {
        const own = fetch;
        vi.stubGlobal('fetch', (...given: Parameters<typeof fetch>) => own(...given));
        return withRetry(undefined, three);
      },
    ],
  ])('need one over %s', async (_which, wrap) => {
    expect(await contextsOf(wrap)).toBe(1);
  });
});

test("undici's RetryAgent underneath multiplies, and a warning says so", async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const lab = await openLab(rst());
  const dispatcher = new undici.RetryAgent(openAgent(), { maxRetries: 0 });
  await settled(withRetry(undiciFetch, three)(lab.origin, { dispatcher } as object));
  const told = warned.mock.calls.map(([warning]) => String(warning));
  warned.mockRestore();
  expect(told.filter((text) => text.includes('RetryAgent'))).toHaveLength(1);
});
