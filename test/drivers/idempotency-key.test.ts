/** Idempotency keys: what counts as one, and what happens if `generate` does not return one. */

import { expect, test } from 'vitest';
import { isKey, newKey } from '../../src/drivers/idempotency-key.js';

test.each([
  ['order 7', true],
  ['"order 7"', true],
  [7, true],
  [['mine'], true],
  [['', 'mine'], true],
  ['', false],
  [' \t', false],
  ['""', false],
  ['" "', false],
  [[], false],
  [['', ' '], false],
  [undefined, false],
  [null, false],
  [false, false],
])('%j in the header: %s', (value, expected) => {
  expect(isKey(value)).toBe(expected);
});

test.each([
  ['', 'a string ""'],
  ['  ', 'a string "  "'],
  [undefined, 'nothing'],
  [null, 'null'],
  [{}, 'an object'],
  [Promise.resolve('late'), 'a promise'],
])('a function that makes %j of a key is told so: every request would carry the same', (made, found) => {
  const setting = { header: 'idempotency-key', quoted: false, generate: () => made as string };
  expect(() => newKey(setting)).toThrow(
    `undaunted: idempotencyKey.generate returned ${found}; it must return a new string for each request`,
  );
});

test('a number is written as text', () => {
  const generate = () => 7 as unknown as string;
  expect(newKey({ header: 'x-key', quoted: true, generate })).toEqual({ 'x-key': '"7"' });
});

test.each([
  ['abc', '"abc"'],
  ['say "hi"', String.raw`"say \"hi\""`],
  [String.raw`a\b`, String.raw`"a\\b"`],
])('%s is quoted as a string of RFC 9651', (key, written) => {
  const setting = { header: 'x-key', generate: () => key };
  expect(newKey({ ...setting, quoted: true })).toEqual({ 'x-key': written });
  expect(newKey({ ...setting, quoted: false })).toEqual({ 'x-key': key });
});
