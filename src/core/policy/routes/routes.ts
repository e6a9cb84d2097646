/**
 * Finds the first pattern that matches a request: by host to a few trees of segments, and down these. No step looks at
 * more patterns than lie on the request's own path, so a thousand patterns cost about as much as one.
 */

import { truthReturned } from '../../returned.js';
import { toldRequest } from '../../told.js';
import type { RequestFacts } from '../../types.js';
import type { MatchObject } from '../options.js';
import type { Pattern } from './patterns.js';
import { originOf, targetOf } from './target.js';
import { insert, none, type Search, search, type Trees, treesFor } from './trees.js';

export interface Routes {
  /** The index of the first pattern that matches; -1 if none does. */
  match(request: RequestFacts): number;
}

/** Prepares patterns for matching; the first one wins. */
export function compileRoutes(patterns: readonly Pattern[]): Routes {
  const trees: Trees = new Map();
  patterns.forEach((pattern, index) => {
    insert(trees, pattern, index);
  });
  const methodsOf = remembered((method: string) => [method.toUpperCase()]);
  const treesOf = remembered((origin: string) => treesFor(trees, originOf(origin)));
  const hostless = treesFor(trees, undefined);
  return {
    match(request) {
      const { origin, path } = targetOf(request.origin, request.path);
      const candidates = origin === undefined ? hostless : treesOf(origin);
      return settled(search(candidates, methodsOf(request.method), path, false), request);
    },
  };
}

/** A `test` is called only if no earlier pattern matches, as if the patterns were tried in order. */
function settled({ best, tested }: Search, request: RequestFacts): number {
  const certain = best === none ? -1 : best;
  if (tested === undefined) return certain;
  // Stryker disable next-line EqualityOperator: the best one has no test.
  const earlier = tested.filter(({ index }) => index < best).sort((a, b) => a.index - b.index);
  const told = toldRequest(request);
  // Stryker disable next-line OptionalChaining: all of these have a test; the compiler cannot know.
  const passed = earlier.find(({ test }) => truthReturned('match.test', test?.(told)));
  return passed?.index ?? certain;
}

/** Programs use few methods and origins, so each is parsed once; too many of them only clear the memory. */
function remembered<Value>(read: (text: string) => Value): (text: string) => Value {
  const values = new Map<string, Value>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) return known;
    const value = read(text);
    if (values.size === 1_000) values.clear();
    // Long ones are hostile, and must not occupy memory.
    if (text.length < 1_000) values.set(text, value);
    return value;
  };
}

// ---------------------------------------------------------------- covering

/** For each pattern, the index of the first earlier pattern that covers it. */
export function firstCovering(patterns: readonly Pattern[]): readonly (number | undefined)[] {
  const trees: Trees = new Map();
  return patterns.map((pattern, index) => {
    // `best` leaves patterns with a `test` out, since what a function returns is unknown.
    const { best } = coveringSearch(trees, pattern);
    insert(trees, pattern, index);
    return best === none ? undefined : best;
  });
}

/** Every request that the later pattern matches is matched by the earlier one. */
export function covers(earlier: Pattern, later: Pattern): boolean {
  return firstCovering([earlier, later])[1] === 0;
}

/** Occurs in no host, path or method: only a part that matches everything matches it. */
const stranger = '?';

/** A pattern is covered by the patterns that match a request made of this pattern and otherwise of strangers. */
function coveringSearch(trees: Trees, { methods, host, path }: Pattern): Search {
  const origin = host && {
    host: host.subdomains ? `${stranger}.${host.name}` : host.name,
    port: host.port ?? stranger,
  };
  const below = path.segments.map((segment = stranger) => `/${segment}`).join('');
  return search(treesFor(trees, origin), [...(methods ?? [stranger])], below, path.rest);
}

/** The label of a rule for events: its pattern. */
export function nameOf(match: string | MatchObject): string {
  if (typeof match === 'string') return match;
  const { methods = [], host = '', path = '' } = match;
  return [[methods].flat().join(','), `${host}${path}`].filter((part) => part !== '').join(' ') || '(test)';
}
