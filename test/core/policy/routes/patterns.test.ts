import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { MatchObject } from '../../../../src/core/policy/options.js';
import { isPatternProblem, parsePattern } from '../../../../src/core/policy/routes/patterns.js';

interface Malformed {
  readonly pattern: string | MatchObject;
  readonly part?: 'methods' | 'host' | 'path';
  readonly found: string;
  /** How the advice begins; the first case of each kind has all of it. */
  readonly advice: string;
}

const { malformed } = JSON.parse(
  readFileSync(new URL('../../../../fixtures/patterns.json', import.meta.url), 'utf8'),
) as { malformed: readonly Malformed[] };

const allowed = {
  text: '"[METHODS ]host/path", "[METHODS ]/path" or "host"',
  methods: 'methods like "GET" or "GET,HEAD"',
  host: 'a host like "api.example.com", "*.example.com" or "localhost:8080"',
  path: 'a path like "/users/:id" or "/files/*"',
};

describe('a malformed pattern', () => {
  test.each(malformed)('$pattern', ({ pattern, part, found, advice }) => {
    const problem = parsePattern(pattern);
    expect(problem).toEqual({
      found,
      allowed: allowed[part ?? 'text'],
      advice: expect.stringMatching(beginning(advice)),
      ...(part && { part }),
    });
    expect(isPatternProblem(problem)).toBe(true);
  });

  test('every advice is written out in full once', () => {
    const advices = new Set(
      malformed.map(({ pattern }) => {
        const problem = parsePattern(pattern);
        return isPatternProblem(problem) ? problem.advice : '';
      }),
    );
    const spelt = malformed.map(({ advice }) => advice);
    expect([...advices].filter((advice) => !spelt.includes(advice ?? ''))).toEqual([]);
  });

  test('an object without parts', () => {
    expect(parsePattern({})).toEqual({
      found: 'an object without any part',
      allowed: 'at least one of "methods", "host", "path" and "test"',
      advice: 'Write { "path": "/*" } for every request.',
    });
  });

  test('a very long text', () => {
    expect(parsePattern(`/${'a'.repeat(2_000)}`)).toEqual({
      found: `more than 2000 characters, "/${'a'.repeat(76)}..."`,
      allowed: allowed.text,
      advice: 'Match a shorter beginning that ends with "/*".',
    });
    expect(parsePattern({ path: `/${'a'.repeat(2_000)}` })).toMatchObject({ allowed: allowed.path });
    expect(isPatternProblem(parsePattern(`/${'a'.repeat(1_999)}`))).toBe(false);
  });

  test('a text is quoted whole up to 80 characters', () => {
    expect(parsePattern(`/${'a'.repeat(78)}?`)).toMatchObject({
      found: `a query in "/${'a'.repeat(78)}?"`,
    });
    expect(parsePattern(`/${'a'.repeat(79)}?`)).toMatchObject({
      found: `a query in "/${'a'.repeat(76)}..."`,
    });
  });

  test('a host that is too long for DNS', () => {
    const longest = `${'a'.repeat(61)}.`.repeat(4) + 'a'.repeat(5);
    expect(longest).toHaveLength(253);
    expect(isPatternProblem(parsePattern(longest))).toBe(false);
    expect(isPatternProblem(parsePattern(`a${longest}`))).toBe(true);
    expect(isPatternProblem(parsePattern(`*.${longest.slice(2)}`))).toBe(false);
    expect(isPatternProblem(parsePattern(`*.${longest.slice(1)}`))).toBe(true);
  });
});

function beginning(text: string): RegExp {
  return new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`);
}

describe('a pattern', () => {
  const every = { methods: undefined, host: undefined, path: { segments: [], rest: true }, test: undefined };
  const always = () => true;
  const host = { name: 'a.example', subdomains: false, port: undefined };

  test.each([
    ['/*', {}],
    ['GET,post /*', { methods: new Set(['GET', 'POST']) }],
    ['a.example', { host }],
    ['a.example/*', { host }],
    ['GET a.example', { methods: new Set(['GET']), host }],
    ['*.A.example.:0080', { host: { ...host, subdomains: true, port: '80' } }],
    ['a.example:65535', { host: { ...host, port: '65535' } }],
    ['a.example:1/', { host: { ...host, port: '1' }, path: { segments: [], rest: false } }],
    ['[::1]', { host: { ...host, name: '[::1]' } }],
    ['[0::1]:8080', { host: { ...host, name: '[::1]', port: '8080' } }],
    ['localhost', { host: { ...host, name: 'localhost' } }],
    ['GETTING', undefined],
    ['ANYHOW,BALL /*', { methods: new Set(['ANYHOW', 'BALL']) }],
    ['M-SEARCH,VERSION-CONTROL /*', { methods: new Set(['M-SEARCH', 'VERSION-CONTROL']) }],
    ['VERSION-CONTROL /*', { methods: new Set(['VERSION-CONTROL']) }],
    ['a.example/http://b', { host, path: { segments: ['http:', 'b'], rest: false } }],
    ['*.4chan.example', { host: { ...host, name: '4chan.example', subdomains: true } }],
    ['/a/:b/%63', { path: { segments: ['a', undefined, 'c'], rest: false } }],
    ['/a/:b_2/*', { path: { segments: ['a', undefined], rest: true } }],
    ['/a/*//', { path: { segments: ['a'], rest: true } }],
    ['/a:b/%3Ac/%2A', { path: { segments: ['a:b', ':c', '*'], rest: false } }],
    ['/:ab/b:ab/:a', { path: { segments: [undefined, 'b:ab', undefined], rest: false } }],
    [{ methods: ['get', 'head'] }, { methods: new Set(['GET', 'HEAD']) }],
    [
      { methods: 'GET', host: 'a.example', path: '/' },
      { methods: new Set(['GET']), host, path: { segments: [], rest: false } },
    ],
    [{ test: always }, { test: always }],
  ] as [string | MatchObject, object | undefined][])('%j', (match, expected) => {
    const parsed = parsePattern(match);
    if (expected === undefined) expect(isPatternProblem(parsed)).toBe(true);
    else expect(parsed).toEqual({ ...every, ...expected });
  });
});
