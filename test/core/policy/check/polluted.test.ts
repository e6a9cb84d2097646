/** With Object.prototype polluted by an iterator, a policy is read as it is written, and so is what is wrong with it. */

import { expect, onTestFinished, test } from 'vitest';
import { definePolicy } from '../../../../src/index.js';

function whilePolluted<T>(work: () => T): T {
  Object.defineProperty(Object.prototype, Symbol.iterator, { configurable: true, *value() {} });
  const clean = (): boolean => Reflect.deleteProperty(Object.prototype, Symbol.iterator);
  onTestFinished(() => void clean());
  try {
    return work();
  } finally {
    clean();
  }
}

test('lists are not empty', () => {
  const options = {
    statuses: [500, '!501'],
    methods: ['GET'],
    rules: [{ match: '/a', hints: ['github'] }],
  } as const;
  const policy = whilePolluted(() => definePolicy(options));
  expect(JSON.parse(JSON.stringify(policy))).toEqual(options);
  expect(policy.rules.map(({ settings }) => [...settings.statuses.retried])).toEqual([[500]]);
});

test('a name that is misspelt is told', () => {
  expect(() => whilePolluted(() => definePolicy({ maxRetrys: 1 } as object))).toThrow(
    'Did you mean "maxRetries"',
  );
});
