import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { MatchObject } from '../../../../src/core/policy/options.js';
import type { Mismatch } from '../../../../src/core/policy/routes/mismatch.js';
import { mismatchOf } from '../../../../src/core/policy/routes/mismatch.js';
import { isPatternProblem, parsePattern } from '../../../../src/core/policy/routes/patterns.js';

interface Cases {
  readonly matching: readonly {
    readonly pattern: string | MatchObject;
    readonly yes: readonly string[];
    readonly no: readonly string[];
  }[];
}

const { matching } = JSON.parse(
  readFileSync(new URL('../../../../fixtures/patterns.json', import.meta.url), 'utf8'),
) as Cases;

/** Requests are written as `METHOD ORIGIN PATH`, an unknown origin as `-`. */
function mismatch(match: string | MatchObject, text: string): Mismatch | undefined {
  const pattern = parsePattern(match);
  if (isPatternProblem(pattern)) throw new Error(`${JSON.stringify(match)}: ${pattern.found}`);
  const [, method = '', origin = '', path = ''] = /^(\S*) (\S+) (.*)$/s.exec(text) ?? [];
  return mismatchOf(pattern, { method, origin: origin === '-' ? undefined : origin, path, keyed: false });
}

describe('there is a mismatch exactly where routes find no match', () => {
  const requests = matching.flatMap(({ pattern, yes, no }) => [
    ...yes.map((text) => ({ pattern, text, matches: true })),
    ...no.map((text) => ({ pattern, text, matches: false })),
  ]);
  test.each(requests)('$pattern and $text: $matches', ({ pattern, text, matches }) => {
    expect(mismatch(pattern, text) === undefined).toBe(matches);
  });
});

describe('the first part that differs is named', () => {
  test.each<[string | MatchObject, string, Mismatch]>([
    ['GET a.example/x', 'POST https://b.example /y', { part: 'method', wanted: 'GET', found: 'POST' }],
    ['get,head /x', 'post - /y', { part: 'method', wanted: 'GET or HEAD', found: 'POST' }],
    ['a.example/x', 'GET https://b.example /y', { part: 'host', wanted: 'a.example', found: 'b.example' }],
    ['a.example/x', 'GET - /x', { part: 'host', wanted: 'a.example', found: 'not known' }],
    [
      '*.example',
      'GET https://example /',
      { part: 'host', wanted: 'a subdomain of example', found: 'example' },
    ],
    ['a.example:80/x', 'GET https://a.example /y', { part: 'port', wanted: '80', found: '443' }],
    ['/a/b', 'GET - /a/c/d', { part: 'path', segment: 2, wanted: '"b"', found: '"c"' }],
    ['/a/:b', 'GET - /a', { part: 'path', segment: 2, wanted: 'any text', found: 'missing' }],
    ['/a/b/*', 'GET - /a', { part: 'path', segment: 2, wanted: '"b"', found: 'missing' }],
    ['/a', 'GET - /a/b', { part: 'path', segment: 2, wanted: 'the end', found: '"b"' }],
    ['/', 'GET - /a', { part: 'path', segment: 1, wanted: 'the end', found: '"a"' }],
    [
      { path: '/a', test: ({ keyed }) => keyed },
      'GET - /a',
      { part: 'test', wanted: 'true', found: 'false' },
    ],
  ])('%j and %s', (match, text, expected) => {
    expect(mismatch(match, text)).toEqual(expected);
  });
});
