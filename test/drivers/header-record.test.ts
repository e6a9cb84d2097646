/** Headers as hooks and callers see them. */

import { expect, test } from 'vitest';
import { recordOf } from '../../src/drivers/header-record.js';

test('a repeated header is a list, in its order', () => {
  const record = recordOf([
    ['X-A', '1'],
    ['x-a', ['2', '3']],
    ['X-a', '4'],
  ]);
  expect(record).toEqual({ 'x-a': ['1', '2', '3', '4'] });
});

test.each(['constructor', '__proto__', 'x-inherited'])(
  'a header that is called %s is one like any other',
  (name) => {
    Object.defineProperty(Object.prototype, 'x-inherited', { value: 'polluted', configurable: true });
    try {
      expect(Object.entries(recordOf([[name, 'once']]))).toEqual([[name, 'once']]);
      const twice = recordOf([
        [name, 'once'],
        [name, 'more'],
      ]);
      expect(Object.entries(twice)).toEqual([[name, ['once', 'more']]]);
      expect(Object.getPrototypeOf(twice)).toBe(Object.prototype);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'x-inherited');
    }
  },
);
