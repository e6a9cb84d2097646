import { expect, test } from 'vitest';
import { parseDuration, printDuration } from '../../../src/tools/cli/duration.js';

test.each<[string, number | undefined]>([
  ['250ms', 250],
  ['2s', 2_000],
  ['2', 2_000],
  ['0.3', 300],
  ['.5s', 500],
  ['1.5m', 90_000],
  ['1 h', 3_600_000],
  ['0', 0],
  ['', undefined],
  ['-1s', undefined],
  ['1d', undefined],
  ['1e3', undefined],
  ['1s2', undefined],
])('"%s" is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  [0, '0ms'],
  [100, '100ms'],
  [1_500, '1500ms'],
  [2_000, '2s'],
  [60_000, '1m'],
  [7_200_000, '2h'],
])('%s ms is written %s, and read again', (ms, text) => {
  expect(printDuration(ms)).toBe(text);
  expect(parseDuration(text)).toBe(ms);
});
