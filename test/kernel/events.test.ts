/** Listeners cannot change a request, and hear no secrets. */

import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { RequestFacts } from '../../src/core/types.js';
import { createRetrier } from '../../src/index.js';
import { answered, requestOf } from '../kit.js';

test('an async observe that rejects causes a warning, like one that throws', async () => {
  const broken = new Error('broken observer');
  const warned = once(process, 'warning');
  const retrier = createRetrier({ observe: async () => Promise.reject(broken) });
  expect(retrier.open(requestOf()).acceptAtOnce(200)).toBe(true);
  const [warning] = (await warned) as [Error];
  // Node prints nothing of a warning but its message.
  expect(warning.message).toBe('undaunted: observe threw an error (broken observer); the request goes on');
  expect(warning.cause).toBe(broken);
});

test('a listener that changes the event does not affect this request or the next', () => {
  const unreadable = { 'retry-after': 'soon' };
  const seen: unknown[] = [];
  const retrier = createRetrier({
    budget: { capacity: 5, perSuccess: 0, perSecond: 0, refund: false },
    observe: (event) => {
      if (event.type === 'decision') seen.push(structuredClone(event.decision.finding));
      overwrite(event);
    },
  });
  const decisions = [1, 2].flatMap(() => {
    const session = retrier.open(requestOf());
    return [
      session.next(answered(503, unreadable), { replayable: true }),
      session.next(answered(200), { replayable: true }),
    ];
  });
  const expected = [
    { action: 'retry', attempt: 1, reason: 'transient-status' },
    { action: 'stop', attempt: 2, reason: 'success' },
  ];
  expect(decisions).toMatchObject([...expected, ...expected]);
  expect(seen.slice(2)).toEqual(seen.slice(0, 2));
  expect(retrier.snapshot().scopes[0]?.budgets).toEqual([{ tokens: 3 }]);
});

/** Changes everything that can be reached from the event and is not frozen. */
function overwrite(target: object): void {
  for (const [key, value] of Object.entries(target)) {
    if (typeof value === 'object' && value !== null) overwrite(value);
    Reflect.set(target, key, undefined);
  }
}

describe('the URL in an event', () => {
  function shown(facts: Partial<RequestFacts>): string {
    const urls: string[] = [];
    const retrier = createRetrier({ observe: ({ request }) => void urls.push(request.url) });
    retrier.open(requestOf(facts)).acceptAtOnce(200);
    return urls.join();
  }

  test.each<[string, string]>([
    ['http://me:p@ss@api.example/things', 'http://api.example/things'],
    ['http://me:p/ss@api.example/things', 'http://api.example/things'],
    ['http://me:p?ss@api.example/things?page=2', 'http://api.example/things'],
    ['http://me:p#ss@api.example/things', 'http://api.example/things'],
    ['//me:p@ss@api.example/things', '//api.example/things'],
    ['me:p@ss@api.example/things', 'me:'],
    ['data:text/plain,p@ss', 'data:'],
    ['http://api.example/@scope/name', 'http://api.example/@scope/name'],
    ['/@scope/name?page=2', '/@scope/name'],
  ])('of %s is %s, also if such a URL cannot be sent', (path, url) => {
    expect(shown({ origin: undefined, path })).toBe(url);
  });

  test.each<[string, string]>([
    ['target.example:443', 'http://proxy.example/target.example:443'],
    ['*', 'http://proxy.example/*'],
  ])('begins with the origin as it is, also where the path is %s', (path, url) => {
    expect(shown({ origin: 'http://proxy.example', path })).toBe(url);
  });
});
