import { describe, expect, test } from 'vitest';
import { defaults } from '../../src/core/defaults.js';
import { newKey } from '../../src/runtime/idempotency-key.js';

describe('a key that `generate` returns', () => {
  test.each([
    ['abc', '"abc"'],
    ['say "hi"', String.raw`"say \"hi\""`],
    [String.raw`a\b`, String.raw`"a\\b"`],
  ])('%s is quoted as a string of RFC 9651', (key, header) => {
    const generate = () => key;
    expect(newKey({ ...defaults.idempotencyKey, quoted: true, generate })['idempotency-key']).toBe(header);
    expect(newKey({ ...defaults.idempotencyKey, generate })['idempotency-key']).toBe(key);
  });

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['  ', 'an empty text'],
    [{}, 'an object'],
    [Promise.resolve('x'), 'a promise'],
    [true, 'true'],
    [Symbol('x'), 'Symbol(x)'],
  ])('is a text: %o', (key, found) => {
    const generate = () => key as string;
    expect(() => newKey({ ...defaults.idempotencyKey, generate })).toThrow(
      `undaunted: idempotencyKey.generate returned ${found}; it has to return a text`,
    );
  });
});
