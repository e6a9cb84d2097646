import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MatchObject } from '../../src/core/policy/options.js';
import { isPatternProblem, type Pattern, parsePattern } from '../../src/core/policy/routes/patterns.js';
import { compileRoutes, covers, firstCovering } from '../../src/core/policy/routes/routes.js';
import { originOf, pathOf, targetOf } from '../../src/core/policy/routes/target.js';
import { toldRequest } from '../../src/core/told.js';
import type { RequestFacts } from '../../src/core/types.js';

// ---------------------------------------------------------------- few words, so that matches happen

const segment = fc.constantFrom('a', 'b', '%2F');

const patternPath = fc
  .tuple(fc.array(fc.oneof(segment, fc.constant(':')), { maxLength: 3 }), fc.boolean())
  .map(([segments, rest]) => {
    const named = segments.map((text, index) => (text === ':' ? `:p${index}` : text));
    return `/${[...named, ...(rest ? ['*'] : [])].join('/')}`;
  });

const matchObject: fc.Arbitrary<MatchObject> = fc.record(
  {
    methods: fc.subarray(['GET', 'PUT', 'POST'], { minLength: 1 }),
    host: fc.constantFrom('test', 'a.test', 'b.a.test', '*.test', '*.a.test', 'a.test:80', '*.test:8080'),
    path: patternPath,
  },
  { requiredKeys: ['path'] },
);

const plainPattern: fc.Arbitrary<Pattern> = matchObject.map(patternOf);

const anyPattern: fc.Arbitrary<Pattern> = fc
  .tuple(
    matchObject,
    fc.option(
      fc.constantFrom(isKeyed, () => false),
      { nil: undefined },
    ),
  )
  .map(([match, check]) => patternOf(check === undefined ? match : { ...match, test: check }));

const methods = ['GET', 'put', 'POST', 'PURGE'];

const origins = [
  undefined,
  'http://test',
  'http://a.test',
  'https://A.test:80',
  'https://b.a.test',
  'http://c.b.a.test:8080',
  'junk',
];

const request: fc.Arbitrary<RequestFacts> = fc.record({
  method: fc.constantFrom(...methods),
  origin: fc.constantFrom(...origins),
  path: fc
    .tuple(
      fc.constantFrom('', '', 'http://a.test'),
      fc.array(fc.oneof(segment, fc.constantFrom('.', '..', '', 'c')), { maxLength: 5 }),
    )
    .map(([prefix, segments]) => `${prefix}/${segments.join('/')}`),
  keyed: fc.boolean(),
});

/** All targets with paths of up to three segments. */
const requests: readonly RequestFacts[] = pathsOf(3).flatMap((path) =>
  origins.flatMap((origin) => methods.map((method) => ({ method, origin, path, keyed: true }))),
);

function pathsOf(depth: number): readonly string[] {
  if (depth === 0) return [''];
  const shorter = pathsOf(depth - 1);
  return ['', ...shorter.flatMap((path) => ['a', 'b', '%2F'].map((text) => `${path}/${text}`))];
}

function isKeyed({ keyed }: RequestFacts): boolean {
  return keyed;
}

function isPattern(parsed: ReturnType<typeof parsePattern>): parsed is Pattern {
  return !isPatternProblem(parsed);
}

function patternOf(match: string | MatchObject): Pattern {
  const parsed = parsePattern(match);
  if (isPatternProblem(parsed)) throw new Error(`${JSON.stringify(match)}: ${parsed.found}`);
  return parsed;
}

// ---------------------------------------------------------------- the same, one pattern after the other

function matchesAlone({ methods, host, path, test: check }: Pattern, asked: RequestFacts): boolean {
  const target = targetOf(asked.origin, asked.path);
  const origin = target.origin === undefined ? undefined : originOf(target.origin);
  const segments = target.path.split('/').slice(1);
  const hostFits =
    host === undefined ||
    (origin !== undefined &&
      (host.subdomains ? origin.host.endsWith(`.${host.name}`) : origin.host === host.name) &&
      (host.port ?? origin.port) === origin.port);
  const lengthFits = path.rest
    ? segments.length >= path.segments.length
    : segments.length === path.segments.length;
  return (
    hostFits &&
    lengthFits &&
    (methods === undefined || methods.has(asked.method.toUpperCase())) &&
    path.segments.every((expected, index) => expected === undefined || expected === segments[index]) &&
    (check === undefined || check(toldRequest(asked)))
  );
}

/** Matches part by part, as the grammar is defined. */
function coversByDefinition(earlier: Pattern, later: Pattern): boolean {
  if (earlier.test !== undefined) return false;
  const methods =
    earlier.methods === undefined ||
    [...(later.methods ?? [''])].every((method) => earlier.methods?.has(method));
  return methods && coversHost(earlier.host, later.host) && coversPath(earlier.path, later.path);
}

function coversHost(earlier: Pattern['host'], later: Pattern['host']): boolean {
  if (earlier === undefined) return true;
  if (later === undefined || (earlier.port !== undefined && earlier.port !== later.port)) return false;
  if (!earlier.subdomains) return !later.subdomains && earlier.name === later.name;
  return later.name.endsWith(`.${earlier.name}`) || (later.subdomains && later.name === earlier.name);
}

function coversPath(earlier: Pattern['path'], later: Pattern['path']): boolean {
  const length = earlier.rest
    ? earlier.segments.length <= later.segments.length
    : !later.rest && earlier.segments.length === later.segments.length;
  return (
    length && earlier.segments.every((text, index) => text === undefined || text === later.segments[index])
  );
}

// ---------------------------------------------------------------- properties

describe('matching', () => {
  test('is total, for patterns and for requests', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'aG/\\.:*%2eF?#@[] \t\ud800ä') }),
      fc.webUrl({ withQueryParameters: true }),
    );
    fc.assert(
      fc.property(
        fc.array(text),
        text,
        fc.option(text, { nil: undefined }),
        text,
        (texts, method, origin, path) => {
          const patterns = texts.map((match) => parsePattern(match)).filter(isPattern);
          const index = compileRoutes(patterns).match({ method, origin, path, keyed: false });
          expect(index).toBeGreaterThanOrEqual(-1);
          expect(index).toBeLessThan(patterns.length);
        },
      ),
    );
  });

  test('finds the same as trying one pattern after the other', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(anyPattern, { maxLength: 12 }), fc.array(request), (patterns, requests) => {
        const routes = compileRoutes(patterns);
        for (const asked of requests) {
          const index = routes.match(asked);
          expect(index).toBe(patterns.findIndex((pattern) => matchesAlone(pattern, asked)));
          if (index > 0) found += 1;
        }
      }),
      { numRuns: 500 },
    );
    expect(found).toBeGreaterThan(100);
  });
});

describe('the copy of a path', () => {
  test('of a copy is the copy', () => {
    const path = fc.string({
      unit: fc.oneof(fc.constantFrom(...'a/\\.%25EeF:?# \n'), fc.string({ unit: 'binary' })),
    });
    fc.assert(
      fc.property(path, (text) => {
        expect(pathOf(pathOf(text))).toBe(pathOf(text));
      }),
      { numRuns: 1_000 },
    );
  });

  test('does not depend on harmless spellings', () => {
    const characters = [...'azAZ09-._~:@!$&()*+,;=', 'ä', '😀', ' ', '"'];
    const name = fc
      .string({ unit: fc.constantFrom(...characters), minLength: 1 })
      .filter((text) => !/^\.\.?$/.test(text));
    const spelling = fc.infiniteStream(fc.nat(3));
    const detour = fc.constantFrom(
      '',
      '/',
      '/.',
      '/%2e',
      '/x/..',
      '/x/%2E.',
      '/x/.%2e',
      '/%20/y/../..',
      '\\.',
    );
    const tail = fc.constantFrom('', '/', '//', '/.', '?a/b', '#a', '/?', '/x/..');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, detour)), tail, spelling, (names, end, choices) => {
        const spelt = (text: string) =>
          [...text].map((character) => spell(character, choices.next().value)).join('');
        const plain = names.map(([text]) => `/${spell(text, 0)}`).join('');
        const written = names.map(([text, before]) => `${before}/${spelt(text)}`).join('') + end;
        expect(pathOf(written)).toBe(pathOf(plain));
      }),
      { numRuns: 500 },
    );
  });

  test('says everything that the path says', () => {
    const name = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((text) => !/\p{Surrogate}/u.test(text) && !/^\.\.?$/.test(text));
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const copy = pathOf(`/${names.map((text) => encodeURIComponent(text)).join('/')}`);
        expect(copy.split('/').slice(1).map(decodeURIComponent)).toEqual(names);
      }),
    );
  });
});

/**
 * Writes a character as it is (0; a space could not stand at an end), or as octets in upper (1), lower (2) or mixed
 * case (3).
 */
function spell(text: string, how: number): string {
  if (how === 0) return text.replaceAll(' ', '%20');
  const octets = [...new TextEncoder().encode(text)].map(
    (octet) => `%${octet.toString(16).padStart(2, '0')}`,
  );
  const upper = octets.join('').toUpperCase();
  if (how === 1) return upper;
  return how === 2 ? upper.toLowerCase() : upper.replace(/[A-F]/, (digit) => digit.toLowerCase());
}

describe('covering', () => {
  test('is what the grammar says', () => {
    let covered = 0;
    fc.assert(
      fc.property(plainPattern, anyPattern, (earlier, later) => {
        const expected = coversByDefinition(earlier, later);
        expect(covers(earlier, later)).toBe(expected);
        if (expected) covered += 1;
      }),
      { numRuns: 3_000 },
    );
    expect(covered).toBeGreaterThan(50);
  });

  test('means that no request is left', () => {
    let taken = 0;
    fc.assert(
      fc.property(anyPattern, anyPattern, (earlier, later) => {
        if (!covers(earlier, later)) return;
        const asked = requests.filter((each) => matchesAlone(later, each));
        expect(asked.filter((each) => !matchesAlone(earlier, each))).toEqual([]);
        taken += asked.length;
      }),
      { numRuns: 5_000 },
    );
    expect(taken).toBeGreaterThan(20);
  });

  test('gives the same for all patterns at once as for each pair', () => {
    fc.assert(
      fc.property(fc.array(anyPattern, { maxLength: 12 }), (patterns) => {
        const expected = patterns.map((later, index) => {
          const first = patterns.slice(0, index).findIndex((earlier) => coversByDefinition(earlier, later));
          return first === -1 ? undefined : first;
        });
        expect(firstCovering(patterns)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('work', () => {
  const routes = compileRoutes(
    ['GET *.a.test/a/:x/b', '/:x/:y/:z', '/a/a/a/*', '/a/:x/a', 'a.test/%2e/b/*', '/:a/b/:c/d'].map(
      patternOf,
    ),
  );

  /** Milliseconds of CPU, at best: what else runs here only adds to it. */
  function workFor(origin: string | undefined, path: string): number {
    const times = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      routes.match({ method: 'GET', origin, path, keyed: false });
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    });
    return Math.min(...times);
  }

  const hostile: Readonly<Record<string, (n: number) => readonly [string | undefined, string]>> = {
    'one long segment': (n) => [undefined, `/${'a'.repeat(n)}`],
    'many segments': (n) => [undefined, '/a'.repeat(n)],
    'many dot segments': (n) => [undefined, '/a/..'.repeat(n)],
    'dots up only': (n) => [undefined, '/%2e%2e'.repeat(n)],
    slashes: (n) => [undefined, '/'.repeat(n)],
    backslashes: (n) => [undefined, '\\'.repeat(n)],
    'percent signs': (n) => [undefined, `/${'%'.repeat(n)}`],
    'encoded slashes': (n) => [undefined, `/${'%2f'.repeat(n)}`],
    'spaces around and within': (n) => [undefined, `${' '.repeat(n)}/a${' '.repeat(n)}a${' '.repeat(n)}`],
    'line ends': (n) => [undefined, `/${'\n'.repeat(n)}`],
    'lone surrogates': (n) => [undefined, `/${'\ud800'.repeat(n)}`],
    'a long query': (n) => [undefined, `/?${'/../?#'.repeat(n)}`],
    'a long scheme': (n) => [undefined, 'http'.repeat(n)],
    'slashes after a scheme': (n) => [undefined, `http:${'/'.repeat(n)}`],
    'a long user name': (n) => [undefined, `http://${'u@'.repeat(n)}a.test/a`],
    'a long host': (n) => [`http://${'a.'.repeat(n)}test`, '/a'],
    'a host of strange letters': (n) => [`http://${'ä.'.repeat(n)}test`, '/a'],
    'a host of dots': (n) => [`http://a${'.'.repeat(n)}`, '/a'],
  };

  test.each(Object.entries(hostile))('grows with the length of the URL and no faster: %s', (_, urlOf) => {
    const [less, more] = [workFor(...urlOf(5_000)), workFor(...urlOf(80_000))];
    // In line with the length it is 16 times as much, and 256 times with its square.
    expect(more).toBeLessThan(64 * less + 1);
  });

  test('the copy of a path is at most nine times as long', () => {
    const path = fc.string({ unit: 'binary', size: 'large' });
    fc.assert(
      fc.property(path, (text) => {
        expect(pathOf(text).length).toBeLessThanOrEqual(1 + 9 * text.length);
      }),
    );
  });
});
