import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearest } from '../../../../src/core/policy/check/nearest.js';

const keys = ['maxRetries', 'deadlineMs', 'attemptTimeoutMs', 'hints', 'hold', 'gate', 'scope'];

describe('the nearest name', () => {
  test.each([
    // One typo: a letter too many, missing, wrong or swapped, or the wrong case.
    ['hintss', 'hints'],
    ['hnts', 'hints'],
    ['bints', 'hints'],
    ['hitns', 'hints'],
    ['HINTS', 'hints'],
    ['ihnts', 'hints'],
    ['hinst', 'hints'],
    ['xgate', 'gate'],
    // A third of the letters may be wrong, not more.
    ['mxRetrys', 'maxRetries'],
    ['mxRtrys', undefined],
    ['gat', 'gate'],
    ['ga', undefined],
    ['bcale', undefined],
    // A part of a name, from four letters on.
    ['retries', 'maxRetries'],
    ['timeout', 'attemptTimeoutMs'],
    ['dead', 'deadlineMs'],
    ['tri', undefined],
    // Nothing in common.
    ['', undefined],
    ['colour', undefined],
  ])('to %j is %j', (written, expected) => {
    expect(nearest(written, keys)).toBe(expected);
  });

  test('is the nearest, wherever it stands', () => {
    expect(nearest('hold', ['hole', 'hold', 'bold'])).toBe('hold');
    expect(nearest('holds', ['bolds', 'hold', 'holds'])).toBe('holds');
  });

  test('a swap is one typo; two letters that only look like a swap are two', () => {
    expect(nearest('b', ['ab'])).toBe('ab');
    expect(nearest('abdc', ['abcd'])).toBe('abcd');
    expect(nearest('abxc', ['abcd'])).toBeUndefined();
    expect(nearest('abdc', ['abcd', 'abdc'])).toBe('abdc');
  });

  test('is the first of two that are as near', () => expect(nearest('hole', ['hold', 'home'])).toBe('hold'));

  test('is the shorter of two that contain it', () => {
    expect(nearest('deadline', ['deadlineCovers', 'deadlineMs'])).toBe('deadlineMs');
  });

  test('prefers a name that is a typo away to one of which it is a part', () => {
    expect(nearest('jitter', ['hintJitter', 'jiter'])).toBe('jiter');
  });

  test('of nothing is nothing', () => expect(nearest('x', [])).toBeUndefined());

  test('finds any name with one letter missing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.nat(100), (key, position) => {
        const at = position % key.length;
        expect(nearest(key.slice(0, at) + key.slice(at + 1), keys)).toBe(key);
      }),
    );
  });
});
