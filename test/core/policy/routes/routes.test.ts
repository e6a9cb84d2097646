import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import type { MatchObject } from '../../../../src/core/policy/options.js';
import { isPatternProblem, type Pattern, parsePattern } from '../../../../src/core/policy/routes/patterns.js';
import { compileRoutes, covers, firstCovering } from '../../../../src/core/policy/routes/routes.js';
import { toldRequest } from '../../../../src/core/told.js';
import type { RequestFacts, ToldRequest } from '../../../../src/core/types.js';

interface Cases {
  /** Requests are written as `METHOD ORIGIN PATH`, an unknown origin as `-`. */
  readonly matching: readonly {
    pattern: string | MatchObject;
    yes: readonly string[];
    no: readonly string[];
  }[];
  readonly covering: readonly { earlier: string; covers: readonly string[]; leaves: readonly string[] }[];
}

const cases = JSON.parse(
  readFileSync(new URL('../../../../fixtures/patterns.json', import.meta.url), 'utf8'),
) as Cases;

function pattern(match: string | MatchObject): Pattern {
  const parsed = parsePattern(match);
  if (isPatternProblem(parsed)) throw new Error(`${JSON.stringify(match)}: ${parsed.found}`);
  return parsed;
}

function request(text: string): RequestFacts {
  const [, method = '', origin = '', path = ''] = /^(\S*) (\S+) (.*)$/s.exec(text) ?? [];
  return { method, origin: origin === '-' ? undefined : origin, path, keyed: false };
}

function firstOf(matches: readonly (string | MatchObject)[], text: string): number {
  return compileRoutes(matches.map(pattern)).match(request(text));
}

describe('what a pattern matches', () => {
  for (const { pattern: match, yes, no } of cases.matching) {
    describe(JSON.stringify(match), () => {
      test.each(yes)('matches %j', (text) => expect(firstOf([match], text)).toBe(0));
      if (no.length > 0) {
        test.each(no)('leaves %j', (text) => expect(firstOf([match], text)).toBe(-1));
      }
    });
  }
});

describe('the first match wins', () => {
  test.each([
    [['/a', '/a'], 'GET - /a', 0],
    [['/a', '/:x'], 'GET - /a', 0],
    [['/:x', '/a'], 'GET - /a', 0],
    [['/:x', '/a'], 'GET - /b', 0],
    [['/a', '/*'], 'GET - /a', 0],
    [['/*', '/a'], 'GET - /a', 0],
    [['/a', '/*'], 'GET - /a/b', 1],
    [['/b', '/a/*', '/a/b'], 'GET - /a/b', 1],
    [['POST /a', 'GET /a', '/a'], 'GET - /a', 1],
    [['POST /a', 'GET /a', '/a'], 'PUT - /a', 2],
    [['a.example', '/x', '*.example'], 'GET https://a.example /x', 0],
    [['b.example', '/x', '*.example'], 'GET https://a.example /x', 1],
    [['b.example', '/x', '*.example'], 'GET https://a.example /y', 2],
    [['*.example', 'a.example'], 'GET https://a.example /', 0],
    [['*.b.example', '*.example'], 'GET https://a.b.example /', 0],
    [['a.example:80', 'a.example'], 'GET https://a.example /', 1],
    [['a.example:443', 'a.example'], 'GET https://a.example /', 0],
    [['/a/:x/c', '/a/b/:y'], 'GET - /a/b/c', 0],
    [['/a/:x/d', '/a/b/:y'], 'GET - /a/b/c', 1],
    [['/a/b/d', '/:x/b/c'], 'GET - /a/b/c', 1],
    [[], 'GET - /', -1],
  ] as const)('%j: %s is of %i', (matches, text, expected) => {
    expect(firstOf(matches, text)).toBe(expected);
  });

  test('the same routes answer for one origin after the other', () => {
    const routes = compileRoutes(['a.example', 'b.example', '/*'].map(pattern));
    const origins = ['https://a.example', 'https://b.example', undefined, 'https://c.example', 'junk'];
    const answers = [...origins, ...origins].map((origin) => routes.match({ ...request('GET - /'), origin }));
    expect(answers).toEqual([0, 1, 2, 2, 2, 0, 1, 2, 2, 2]);
  });

  test('origins in great numbers change no answer', () => {
    const routes = compileRoutes(['*.example', '/*'].map(pattern));
    for (let number = 0; number < 2_500; number += 1) {
      const name = `https://n${number}`;
      expect(routes.match({ ...request('GET - /'), origin: `${name}.example` })).toBe(0);
      expect(routes.match({ ...request('GET - /'), origin: `${name}.test` })).toBe(1);
    }
  });
});

describe('what is parsed once', () => {
  /** How often an origin is parsed while requests go to these origins, one after the other. */
  function readings(origins: readonly string[]): number {
    const routes = compileRoutes([pattern('a.example')]);
    let count = 0;
    class CountedURL extends URL {
      constructor(url: string) {
        super(url);
        count += 1;
      }
    }
    vi.stubGlobal('URL', CountedURL);
    for (const origin of origins) routes.match({ ...request('GET - /'), origin });
    vi.unstubAllGlobals();
    return count;
  }

  const [a, b] = ['http://a.example', 'http://b.example'];
  const others = (count: number) => Array.from({ length: count }, (_, index) => `http://n${index}`);

  test('an origin, until there are a thousand others', () => {
    expect(readings([a, b, a, b, a])).toBe(2);
    expect(readings([a, ...others(999), a])).toBe(1_000);
    expect(readings([a, ...others(1_000), a])).toBe(1_002);
  });

  test('not an origin that is too long to keep', () => {
    const long = (length: number) => `http://${'u'.repeat(length - 17)}@a.example`;
    expect(long(999)).toHaveLength(999);
    expect(readings([long(999), long(999)])).toBe(1);
    expect(readings([long(1_000), long(1_000)])).toBe(2);
  });
});

describe('test', () => {
  test('decides where the other parts match', () => {
    const matches = [{ path: '/a', test: ({ keyed }: RequestFacts) => keyed }, '/a'];
    const routes = compileRoutes(matches.map(pattern));
    expect(routes.match({ ...request('GET - /a'), keyed: true })).toBe(0);
    expect(routes.match(request('GET - /a'))).toBe(1);
    expect(routes.match(request('GET - /b'))).toBe(-1);
  });

  test('alone gets every request, as it is sent', () => {
    const seen = vi.fn((_: ToldRequest) => true);
    const asked = request('get http://A.example http://B.example/%61?q');
    expect(compileRoutes([pattern({ test: seen })]).match(asked)).toBe(0);
    expect(seen.mock.calls).toEqual([[{ ...toldRequest(asked), header: expect.any(Function) }]]);
    expect(seen.mock.calls[0]?.[0]).toMatchObject({
      method: 'GET',
      origin: 'http://b.example',
      path: '/%61?q',
    });
  });

  test('gets only requests that the other parts match', () => {
    const seen = vi.fn(() => true);
    const routes = compileRoutes([
      pattern({ methods: 'GET', host: 'a.example', path: '/a', test: seen }),
      pattern('/*'),
    ]);
    for (const text of ['PUT https://a.example /a', 'GET https://b.example /a', 'GET https://a.example /b']) {
      expect(routes.match(request(text))).toBe(1);
    }
    expect(seen).not.toHaveBeenCalled();
  });

  test('is asked in the order of the patterns, and not after the first match', () => {
    const asked: string[] = [];
    const says = (name: string, answer: boolean) => () => {
      asked.push(name);
      return answer;
    };
    const matches: (string | MatchObject)[] = [
      { path: '/a/*', test: says('first', false) },
      { path: '/:x', test: says('second', false) },
      { path: '/a', test: says('third', true) },
      { path: '/*', test: says('fourth', true) },
      '/a',
      { host: 'a.example', test: says('sixth', true) },
    ];
    expect(firstOf(matches, 'GET https://a.example /a')).toBe(2);
    expect(asked).toEqual(['first', 'second', 'third']);
    expect(firstOf(matches.toSpliced(2, 2), 'GET https://a.example /a')).toBe(2);
    expect(asked).toEqual(['first', 'second', 'third', 'first', 'second']);
  });

  test('that throws fails the request', () => {
    const failing = () => {
      throw new Error('broken');
    };
    expect(() => firstOf([{ test: failing }], 'GET - /')).toThrow('broken');
    expect(firstOf(['/*', { test: failing }], 'GET - /')).toBe(0);
    expect(firstOf(['/a', { test: failing }], 'GET - /a')).toBe(0);
  });
});

describe('covers', () => {
  for (const { earlier, covers: taken, leaves } of cases.covering) {
    test.each(taken)(`${earlier} leaves nothing for %s`, (later) => {
      expect(covers(pattern(earlier), pattern(later))).toBe(true);
    });
    if (leaves.length > 0) {
      test.each(leaves)(`${earlier} leaves something for %s`, (later) => {
        expect(covers(pattern(earlier), pattern(later))).toBe(false);
      });
    }
  }

  test('a pattern with a function covers nothing, and can itself be covered', () => {
    const tested = pattern({ path: '/a', test: () => true });
    expect(covers(tested, pattern('/a'))).toBe(false);
    expect(covers(tested, tested)).toBe(false);
    expect(covers(pattern('/a'), tested)).toBe(true);
  });
});

describe('firstCovering', () => {
  test('names the first that covers, for each', () => {
    const matches = [
      'GET /a',
      { path: '/b', test: () => true },
      '/b',
      '/:x',
      'GET /a',
      '/b',
      'a.example/b',
      '/c/d',
      '/c/*',
      'HEAD,GET /c/d',
    ];
    const none = undefined;
    expect(firstCovering(matches.map(pattern))).toEqual([none, none, none, none, 0, 2, 2, none, none, 7]);
  });
});
