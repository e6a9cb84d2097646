import { describe, expect, test } from 'vitest';
import type { History } from '../../src/core/types.js';
import { historyOf, remember } from '../../src/kernel/history.js';

const history: History = Object.freeze([]);
const other: History = Object.freeze([]);

function remembered(of: History = history): Error {
  const error = new Error('inner');
  remember(error, { history: of });
  return error;
}

function wrappedIn(depth: number, innermost: unknown): unknown {
  let error = innermost;
  for (let level = 0; level < depth; level += 1) error = new Error('outer', { cause: error });
  return error;
}

describe('historyOf follows', () => {
  test.each<[string, (inner: Error) => unknown]>([
    ['the cause', (inner) => new Error('outer', { cause: inner })],
    ['the cause of a cause', (inner) => wrappedIn(2, inner)],
    ['many causes', (inner) => wrappedIn(9, inner)],
    ['the response', (inner) => Object.assign(new Error('outer'), { response: inner })],
    ['the response of a cause', (inner) => wrappedIn(1, { response: inner })],
    ['the cause of a response', (inner) => ({ response: { cause: inner } })],
    ['a cause beside another response', (inner) => ({ response: new Response(), cause: inner })],
    ['a context in a cause', () => wrappedIn(1, { context: { undaunted: { attempts: history } } })],
  ])('%s', (_, wrap) => {
    expect(historyOf(wrap(remembered()))).toBe(history);
  });

  test('nothing if the object has a history of its own', () => {
    const own = new Error('outer', { cause: remembered(other) });
    remember(own, { history });
    expect(historyOf(own)).toBe(history);
  });

  test('nothing of an error that several requests share', () => {
    const shared = new Error('outer', { cause: remembered() });
    for (let request = 0; request < 2; request += 1) remember(shared, { history: other });
    expect(historyOf(shared)).toBeUndefined();
    expect(historyOf(wrappedIn(1, shared))).toBeUndefined();
  });

  test('the nearest first', () => {
    const near = { cause: remembered(), response: { cause: { cause: remembered(other) } } };
    expect(historyOf(near)).toBe(history);
  });

  test('a cycle, and an endless chain, to no end', () => {
    const cycle: { cause?: unknown; response?: unknown } = {};
    cycle.cause = cycle;
    cycle.response = { cause: cycle };
    expect(historyOf(cycle)).toBeUndefined();
    let reads = 0;
    class Endless {
      get cause(): Endless {
        reads += 1;
        return new Endless();
      }
      get response(): Endless {
        reads += 1;
        return new Endless();
      }
    }
    expect(historyOf(new Endless())).toBeUndefined();
    expect(reads).toBeLessThanOrEqual(40);
  });

  test('what cannot be read, to nothing', () => {
    const throwing = (): never => {
      throw new Error('no');
    };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const unreadable of [Object.defineProperty({}, 'cause', { get: throwing }), proxy]) {
      expect(historyOf(unreadable)).toBeUndefined();
      expect(historyOf({ response: unreadable, cause: remembered() })).toBe(history);
    }
    for (const nothing of [null, undefined, 'text', 1, wrappedIn(1, 'text'), { cause: null, response: 1 }]) {
      expect(historyOf(nothing)).toBeUndefined();
    }
  });
});
