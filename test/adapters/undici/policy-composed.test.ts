/** retry() more than once in a chain: only the outermost acts, and nothing multiplies. */

import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier } from '../../../src/index.js';
import { answer, cutBody } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { isFirst7, undici } from './client.js';
import { openAgent } from './kit.js';

const of = (maxRetries: number, more: PolicyOptions = {}) => retry({ ...soon, maxRetries, ...more });

const { interceptors } = undici;
/** The interceptors that this undici has: each may pass another context, or none, to the layer outside. */
const between = Object.fromEntries(
  Object.entries({
    redirect: interceptors.redirect?.({ maxRedirections: 1 }),
    dump: interceptors.dump?.({ maxSize: 1_000 }),
    // undici 7.0's own fails by itself.
    responseError: isFirst7 ? undefined : interceptors.responseError?.(),
    dns: interceptors.dns?.(),
    cache: interceptors.cache?.(),
    decompress: interceptors.decompress?.(),
    deduplicate: (interceptors as { deduplicate?: typeof interceptors.dns }).deduplicate?.(),
    'one that hands on what it got': (dispatch: Dispatcher['dispatch']) =>
      function handOn(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
        return dispatch({ ...options }, handler);
      },
    'one that starts what is outside without a context': withoutContext,
  }).filter(([, interceptor]) => interceptor !== undefined),
) as Record<string, Dispatcher.DispatcherComposeInterceptor>;

describe('composed twice', () => {
  test.each([
    ['one after the other', () => openAgent().compose(of(4)).compose(of(1))],
    ['in one list', () => openAgent().compose(of(4), of(1))],
    ['as a list', () => openAgent().compose([of(4), of(1)])],
  ])('%s', async (_how, open) => {
    const lab = await openLab(answer(503, 'the last answer'));
    const { statusCode, body } = await undici.request(lab.origin, { dispatcher: open() });
    expect([statusCode, await body.text()]).toEqual([503, 'the last answer']);
    expect(lab.requests).toHaveLength(2);
  });

  test.each(Object.entries(between))('around %s', async (_name, interceptor) => {
    const lab = await openLab(answer(503));
    const dispatcher = openAgent().compose(of(4), interceptor, of(1));
    await settled(undici.request(lab.origin, { dispatcher }));
    expect(lab.requests).toHaveLength(2);
  });

  test.each(Object.entries(between))('around %s, through fetch', async (_name, interceptor) => {
    const lab = await openLab(answer(503));
    const dispatcher = openAgent().compose(of(4), interceptor, of(1));
    await settled(undici.fetch(lab.origin, { dispatcher }));
    expect(lab.requests).toHaveLength(2);
  });

  test('the inner one makes no attempts, costs no tokens, reports no events, and leaves no timer', async () => {
    const lab = await openLab(answer(503));
    const told: unknown[] = [];
    let timers = 0;
    const sleep = (delayMs: number, wake: () => void) => {
      timers += 1;
      const timer = setTimeout(wake, delayMs);
      return () => {
        timers -= 1;
        clearTimeout(timer);
      };
    };
    const policy: PolicyOptions = {
      ...soon,
      maxRetries: 4,
      deadlineMs: 60_000,
      attemptTimeoutMs: 50_000,
      gate: { failures: 1, deadForMs: 0 },
      hold: true,
      observe: (event) => void told.push(event),
    };
    const inner = createRetrier(policy, { sleep });
    const dispatcher = openAgent().compose(retry(inner), of(1));
    await (await undici.request(lab.origin, { dispatcher })).body.dump();
    const { scopes } = inner.snapshot();
    expect(scopes.flatMap(({ budgets, holds }) => [...budgets, ...holds])).toEqual([]);
    expect(scopes.map(({ gates, waiting }) => [gates, waiting])).not.toContainEqual([[{ state: 'shut' }], 0]);
    expect(told).toEqual([]);
    expect(timers).toBe(0);
    expect(lab.requests).toHaveLength(2);
  });

  test('an override, a key and an attempt header are of the outermost', async () => {
    const lab = await openLab(answer(503));
    const dispatcher = openAgent().compose(
      of(4, { attemptHeader: 'inner', idempotencyKey: { generate: () => 'inner' } }),
      of(1, { attemptHeader: 'outer', idempotencyKey: { generate: () => 'outer' } }),
    );
    const { body } = await undici.request(lab.origin, {
      dispatcher,
      method: 'POST',
      retry: { maxRetries: 2 },
    });
    await body.dump();
    expect(
      lab.requests.map(({ headers }) => [headers['idempotency-key'], headers['outer'], headers['inner']]),
    ).toEqual([
      ['outer', undefined, undefined],
      ['outer', '1', undefined],
      ['outer', '2', undefined],
    ]);
  });

  test('retries that are off outside are not on inside', async () => {
    const lab = await openLab(answer(503));
    const dispatcher = openAgent().compose(of(4), of(0));
    await (await undici.request(lab.origin, { dispatcher })).body.dump();
    const { body } = await undici.request(lab.origin, {
      dispatcher: openAgent().compose(of(4), of(4)),
      retry: false,
    });
    await body.dump();
    expect(lab.requests).toHaveLength(2);
  });

  test('a download is resumed once for each break', async () => {
    const headers = { etag: '"a"', 'accept-ranges': 'bytes' };
    const lab = await openLab(cutBody(1_000, 500, 'rst', headers));
    const dispatcher = openAgent().compose(of(4), of(1));
    const { body } = await undici.request(lab.origin, { dispatcher });
    expect((await settled(body.text())).error).toBeInstanceOf(Error);
    expect(lab.requests).toHaveLength(2);
  });

  test('the options that a caller uses again are as they were', async () => {
    const lab = await openLab(answer(503));
    const dispatcher = openAgent().compose(of(4), of(1));
    const options = Object.freeze({
      origin: lab.origin,
      path: '/',
      method: 'GET',
      headers: Object.freeze({ a: '1' }),
    });
    for (let request = 0; request < 2; request += 1) {
      await (await dispatcher.request(options as never)).body.dump();
    }
    expect(Reflect.ownKeys(options)).toEqual(['origin', 'path', 'method', 'headers']);
    expect(lab.requests).toHaveLength(4);
  });
});

test('two dispatchers, each with its own, are two', async () => {
  const lab = await openLab(answer(503));
  for (const maxRetries of [1, 2]) {
    await (await undici.request(lab.origin, { dispatcher: openAgent().compose(of(maxRetries)) })).body.dump();
  }
  expect(lab.requests).toHaveLength(5);
});

/** Like undici 6's own interceptors: passes on only what an abort needs. */
function withoutContext(dispatch: Dispatcher['dispatch']) {
  return (options: Dispatcher.DispatchOptions, outer: Dispatcher.DispatchHandler): boolean => {
    const inner = Object.create(outer, {
      onConnect: { value: (abort: () => void) => outer.onConnect?.(abort) },
      onRequestStart: {
        value: (controller: Dispatcher.DispatchController) => outer.onRequestStart?.(controller, undefined),
      },
    });
    return dispatch(options, inner);
  };
}
