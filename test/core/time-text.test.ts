import { expect, test } from 'vitest';
import { timeText, timeTexts } from '../../src/core/time-text.js';

test.each([
  [0, '0 ms'],
  [0.0512, '0.0512 ms'],
  [0.1024, '0.102 ms'],
  [9.876, '9.88 ms'],
  [53.7, '54 ms'],
  [999, '999 ms'],
  [999.4, '999 ms'],
  [999.7, '1 s'],
  [1_000, '1 s'],
  [1_234, '1.23 s'],
  [10_500, '10.5 s'],
  [90_000, '90 s'],
  [119_999, '120 s'],
  [120_000, '2 min'],
  [150_000, '2.5 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 days'],
  [315_360_000_000, '9.99 years'],
  [1e15, 'over 1,000 years'],
  [Infinity, 'over 1,000 years'],
])('%d ms reads %s', (ms, text) => {
  expect(timeText(ms)).toBe(text);
});

test.each<[number, number, string, string]>([
  [10_000, 9_999, '10 s', '9.999 s'],
  [3_601_000, 3_600_000, '60.02 min', '60 min'],
  [5_000, 2_000, '5 s', '2 s'],
  [1_000, 1_000, '1 s', '1 s'],
  [999, 1_000, '999 ms', '1 s'],
  [11.2, 11.4, '11 ms', '11 ms'],
])('%d ms and %d ms can be told apart: %s, %s', (one, other, ...texts) => {
  expect(timeTexts(one, other)).toEqual(texts);
});
