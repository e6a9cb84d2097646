import { expect, test } from 'vitest';
import { defaults } from '../../../src/core/policy/defaults.js';

test('defaults are frozen, nested ones too', () => {
  expect(Object.isFrozen(defaults)).toBe(true);
  expect(Object.isFrozen(defaults.budget)).toBe(true);
});
