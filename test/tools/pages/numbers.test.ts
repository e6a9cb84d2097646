import { expect, test } from 'vitest';
import { countText, percentText, timesText, valueText, waitText } from '../../../src/tools/pages/numbers.js';

test.each([
  [0, '0 ms'],
  [0.1024, '0.102 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [90_000, '90 s'],
  [150_000, '2.5 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 days'],
  [1e15, '31.7K years'],
])('a wait of %d ms reads %s', (ms, text) => {
  expect(waitText(ms)).toBe(text);
});

test('numbers have no more digits than anybody compares', () => {
  expect(valueText(0.123456)).toBe('0.123');
  expect(valueText(9_876)).toBe('9,880');
  expect(valueText(27_531)).toBe('27.5K');
  expect(countText(32_090.4)).toBe('32,090');
  expect(percentText(0.9999)).toBe('100.0 %');
  expect(timesText(1.005)).toBe('1.00x');
});
