import { describe, expect, test } from 'vitest';
import { isPromise, truthReturned, wrongReturn } from '../../src/core/returned.js';

describe('yes, no, or no opinion', () => {
  test.each([
    [true, true],
    [false, false],
    [undefined, undefined],
    [null, undefined],
  ])('%s', (value, truth) => {
    expect(truthReturned('retryIf', value)).toBe(truth);
  });

  test.each([
    [1, 'the number 1'],
    [0, 'the number 0'],
    [Number.NaN, 'NaN'],
    ['', 'a string ""'],
    [{}, 'an object'],
    [[], 'an empty list'],
    [() => true, 'a function'],
    [Object(true), 'an instance of a class'],
  ])('%o is refused', (value, found) => {
    expect(() => truthReturned('retryIf', value)).toThrow(
      new TypeError(`undaunted: retryIf returned ${found}; it must return true, false or undefined`),
    );
  });
});

describe('a promise', () => {
  test('is named in the error, and its rejection is handled', async () => {
    let isHeard = false;
    const promise = {
      // biome-ignore lint/suspicious/noThenProperty: a promise of another implementation.
      then: (_resolved: unknown, rejected: unknown) => {
        isHeard = typeof rejected === 'function';
      },
    };
    expect(wrongReturn('scope', promise, 'a name')).toEqual(
      new TypeError('undaunted: scope returned a promise; it must return a name, and cannot be async'),
    );
    // Before any platform reports it.
    await Promise.resolve();
    expect(isHeard).toBe(true);
    expect(() => truthReturned('match.test', Promise.reject(new Error('late')))).toThrow(
      'returned a promise',
    );
    await new Promise(setImmediate);
  });

  test.each([
    [Promise.resolve(), true],
    // biome-ignore lint/suspicious/noThenProperty: that is what this is about.
    [Object.assign(() => undefined, { then: () => undefined }), true],
    [() => undefined, false],
    [JSON.parse('{"then":1}'), false],
    [{}, false],
    [null, false],
    [undefined, false],
    ['then', false],
  ])('%o: %s', (value, expected) => {
    expect(isPromise(value)).toBe(expected);
  });
});
