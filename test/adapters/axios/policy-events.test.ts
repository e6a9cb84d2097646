/** What listeners are told: one event per decision, and one when the request is settled, however it ends. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { AxiosInstance } from 'axios';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DecisionEvent } from '../../../src/core/events.js';
import { decide, definePolicy, explain } from '../../../src/index.js';
import { answer, type Play, refusedOrigin, rst, silence } from '../../faults/lab.js';
import { brief, type Event } from '../decisions.js';
import { openLab, settled, soon } from '../kit.js';
import { retryingInstance } from './kit.js';
import { listened } from './listeners.js';

describe.each(['http', 'fetch'])('by %s, in order:', (adapter) => {
  test.each<[string, Play[], string[]]>([
    ['success at once', [answer(200)], ['settled 200 after 1']],
    [
      'success after retries',
      [answer(503), rst(), answer(200)],
      ['retry 1: transient-status', 'retry 2: transport-error', 'stop 3: success', 'settled 200 after 3'],
    ],
    ['a final answer', [answer(404)], ['stop 1: final-status', 'settled 404 after 1']],
    [
      'a retry too many',
      [answer(429)],
      ['retry 1: throttled', 'stop 2: retries-spent', 'settled 429 after 2'],
    ],
    [
      'the server says no',
      [answer(503, '', { 'x-should-retry': 'false' })],
      ['stop 1: server-forbids', 'settled 503 after 1'],
    ],
    [
      'too long a hint',
      [answer(503, '', { 'retry-after': '3600' })],
      ['stop 1: hint-too-long', 'settled 503 after 1'],
    ],
  ])('%s', async (_what, plays, told) => {
    const lab = await openLab(plays);
    const { instance, events } = listened(told.includes('stop 2: retries-spent') ? { maxRetries: 1 } : {});
    await settled(instance.get(lab.origin, { adapter }));
    expect(events.map(brief)).toEqual(told);
  });
});

describe('and', () => {
  test('an answer that `validateStatus` lets through, or refuses, is told as what it is', async () => {
    const lab = await openLab([answer(503), answer(503), answer(201)]);
    const { instance, events } = listened({ maxRetries: 1 });
    expect((await instance.get(lab.origin, { validateStatus: null })).status).toBe(503);
    await settled(instance.get(lab.origin, { validateStatus: (status) => status === 200 }));
    expect(events.map(brief).filter((event) => event.startsWith('settled'))).toEqual([
      'settled 503 after 2',
      expect.stringMatching(/^settled .* after 1$/),
    ]);
  });

  test('an error', async () => {
    const origin = await refusedOrigin();
    const { instance, events } = listened({ maxRetries: 1 });
    await settled(instance.get(origin));
    expect(events.map(brief)).toEqual([
      'retry 1: transport-error',
      'stop 2: retries-spent',
      'settled ECONNREFUSED after 2',
    ]);
  });

  test('an abort before the head', async () => {
    const lab = await openLab(silence());
    const { instance, events } = listened();
    const aborter = new AbortController();
    const pending = settled(instance.get(lab.origin, { signal: aborter.signal }));
    await lab.until(({ requests }) => requests.length === 1);
    aborter.abort();
    await pending;
    expect(events.map(brief)).toEqual(['stop 1: aborted', expect.stringMatching(/^settled .* after 1$/)]);
  });

  test('a request that was aborted before it began is none of ours', async () => {
    const lab = await openLab(answer(200));
    const { instance, events } = listened();
    await settled(instance.get(lab.origin, { signal: AbortSignal.abort() }));
    expect([events.length, lab.requests.length]).toEqual([0, 0]);
  });
});

describe('says', () => {
  test('enough to decide again, and to make a sentence of it', async () => {
    const lab = await openLab([answer(503, '', { 'retry-after': '0.001' }), rst(), answer(404)]);
    const policy = definePolicy({ ...soon, attemptTimeoutMs: 10_000 });
    const events: DecisionEvent[] = [];
    const instance = retryingInstance({
      ...policy.toJSON(),
      observe: (event) => {
        if (event.type === 'decision') events.push(structuredClone(event));
      },
    });
    await settled(instance.get(lab.origin));
    expect(events).toHaveLength(3);
    for (const { history, world, decision } of events) {
      const before = history.slice(0, -1);
      expect(decide(policy.fallback.settings, before, decision.finding, world)).toEqual(decision);
      expect(explain(decision)).toMatch(/^[A-Z].*\.$/);
    }
    expect(events.map(({ history }) => history.length)).toEqual([1, 2, 3]);
    expect(events.map(({ decision }) => explain(decision))).toEqual([
      expect.stringContaining('as the server asks'),
      expect.stringContaining('ECONNRESET'),
      expect.stringContaining('404'),
    ]);
  });

  test('rule, scope and where the request went, without its secrets', async () => {
    const lab = await openLab(answer(500, 'secret body', { 'x-secret': 'secret header' }));
    const { instance, events } = listened({ rules: [{ match: '/a/*', name: 'the a', maxRetries: 1 }] });
    const baseURL = lab.origin.replace('//', '//me:secret@');
    await settled(
      instance.put('/a/b?token=secret', 'secret', {
        baseURL,
        params: { key: 'secret' },
        headers: { authorization: 'secret' },
      }),
    );
    expect(events).toHaveLength(3);
    for (const event of events) {
      expect(event).toMatchObject({
        request: { method: 'PUT', url: `${lab.origin}/a/b` },
        rule: 'the a',
        scope: lab.origin,
      });
    }
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  test('the same on the diagnostics channel', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const { instance, events } = listened();
    const published: unknown[] = [];
    const listener = (message: unknown): void => {
      published.push(message);
    };
    subscribe('undaunted:decision', listener);
    onTestFinished(() => void unsubscribe('undaunted:decision', listener));
    await instance.get(lab.origin);
    expect(published).toHaveLength(3);
    expect(published).toEqual(events);
  });
});

test('a listener that throws is warned of, and changes nothing', async () => {
  const lab = await openLab([answer(503), answer(200)]);
  const broken = new Error('broken listener');
  const instance = retryingInstance({
    ...soon,
    observe: () => {
      throw broken;
    },
  });
  const warned = once(process, 'warning');
  expect((await instance.get(lab.origin)).status).toBe(200);
  const [warning] = (await warned) as [Error];
  expect(warning.cause).toBe(broken);
  expect(lab.requests).toHaveLength(2);
});

test('a listener that asks for another request in its event does not disturb this one', async () => {
  const lab = await openLab(({ path }) => (path === '/inner' ? answer(200) : answer(503)));
  const inner: Promise<{ readonly status: number }>[] = [];
  const instance: AxiosInstance = retryingInstance({
    ...soon,
    maxRetries: 1,
    observe: ({ request }) => {
      if (!request.url.endsWith('/inner')) inner.push(instance.get(`${lab.origin}/inner`));
    },
  });
  const { error } = await settled(instance.get(lab.origin));
  expect(error).toMatchObject({ response: { status: 503 } });
  expect((await Promise.all(inner)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('one override’s listener hears of its request alone', async () => {
  const lab = await openLab(answer(200));
  const { instance, events } = listened();
  const own: Event[] = [];
  await instance.get(`${lab.origin}/own`, { retry: { observe: (event) => void own.push(event) } });
  await instance.get(`${lab.origin}/other`);
  expect(own.map(({ request }) => request.url)).toEqual([`${lab.origin}/own`]);
  expect(events.map(({ request }) => request.url)).toEqual([`${lab.origin}/other`]);
});

test('hooks and listeners run in what the caller’s request runs in', async () => {
  const lab = await openLab(({ path }) => answer(path.includes('again') ? 200 : 503));
  const storage = new AsyncLocalStorage<string>();
  const seen: Record<string, string[]> = {};
  const note = (hook: string, request: { readonly path: string }): void => {
    const [, caller = ''] = new URL(request.path).pathname.split('/');
    seen[caller] = [...(seen[caller] ?? []), `${hook} of ${storage.getStore()}`];
  };
  const instance = retryingInstance({
    ...soon,
    attemptTimeoutMs: 10_000,
    retryIf: (_outcome, request) => {
      note('retryIf', request);
      return undefined;
    },
    beforeRetry: async (context) => {
      note('beforeRetry', context.request);
      context.url += '/again';
    },
    observe: ({ request: { url } }) => note('observe', { path: url }),
  });
  await Promise.all(
    ['one', 'two', 'three'].map((caller) =>
      storage.run(caller, () => instance.get(`${lab.origin}/${caller}`)),
    ),
  );
  for (const caller of ['one', 'two', 'three']) {
    expect(seen[caller]).toEqual(
      ['retryIf', 'observe', 'beforeRetry', 'retryIf', 'observe', 'observe'].map(
        (hook) => `${hook} of ${caller}`,
      ),
    );
  }
});
