import { expect, test } from 'vitest';
import { countText, percentText, timesText, valueText } from '../../../src/tools/pages/numbers.js';

test('numbers have no more digits than readers compare', () => {
  expect(valueText(0.123456)).toBe('0.123');
  expect(valueText(9_876)).toBe('9,880');
  expect(valueText(27_531)).toBe('27.5K');
  expect(countText(32_090.4)).toBe('32,090');
  expect(percentText(0.9999)).toBe('100.0 %');
  expect(timesText(1.005)).toBe('1.00x');
});
