import { expect, test } from 'vitest';
import { timeText } from '../../../src/internal.js';
import { parseDuration } from '../../../src/tools/cli/duration.js';

test.each<[string, number | undefined]>([
  ['250ms', 250],
  ['2s', 2_000],
  ['2', 2_000],
  ['0.3', 300],
  ['.5s', 500],
  ['1.5m', 90_000],
  ['1 h', 3_600_000],
  ['2.5 min', 150_000],
  ['0', 0],
  ['', undefined],
  ['-1s', undefined],
  ['1d', undefined],
  ['1e3', undefined],
  ['1s2', undefined],
])('"%s" is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([0, 100, 1_500, 2_000, 60_000, 150_000, 7_200_000])('%s ms is read as it is printed', (ms) => {
  expect(parseDuration(timeText(ms))).toBe(ms);
});
