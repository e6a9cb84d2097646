/** The grammar of patterns: `[METHODS ]host/path`, `[METHODS ]/path`, `host`, or the same in parts. */

import type { MatchObject } from '../options.js';
import { emptyMatch, faultIn, type PatternPart, type PatternProblem } from './pattern-faults.js';
import { canonical, fold, originOf } from './target.js';

export type { PatternProblem } from './pattern-faults.js';

/** A pattern, normalised like targets. */
export interface Pattern {
  /** In upper case; undefined matches any method. */
  readonly methods: ReadonlySet<string> | undefined;
  /** undefined matches any host, also an unknown one. */
  readonly host: HostPattern | undefined;
  readonly path: PathPattern;
  readonly test: MatchObject['test'];
}

export interface HostPattern {
  readonly name: string;
  /** Matches the subdomains of `name`, at any depth, but not `name` itself. */
  readonly subdomains: boolean;
  /** undefined matches any port. */
  readonly port: string | undefined;
}

export interface PathPattern {
  /** undefined matches one segment with any text. */
  readonly segments: readonly (string | undefined)[];
  /** Any number of segments may follow, none included. */
  readonly rest: boolean;
}

export type Parts = { readonly [part in PatternPart]: string | undefined };

/** Parses a pattern, or returns the first thing that is wrong with it. */
export function parsePattern(match: string | MatchObject): Pattern | PatternProblem {
  const isText = typeof match === 'string';
  if (!isText && (match.methods ?? match.host ?? match.path ?? match.test) === undefined) return emptyMatch;
  return (isText ? faultIn(match, 'text') : undefined) ?? problemIn(partsIn(match)) ?? readPattern(match);
}

/** Parses a pattern that the check has accepted. */
export function readPattern(match: string | MatchObject): Pattern {
  return patternOf(partsIn(match), typeof match === 'string' ? undefined : match.test);
}

function partsIn(match: string | MatchObject): Parts {
  if (typeof match === 'string') return partsOf(match);
  const { methods, host, path } = match;
  return { methods: methods === undefined ? undefined : [methods].flat().join(','), host, path };
}

export function isPatternProblem(parsed: Pattern | PatternProblem): parsed is PatternProblem {
  return 'allowed' in parsed;
}

/** A text without a slash is a host; what comes before a space is methods. */
export function partsOf(text: string): Parts {
  // Stryker disable next-line Regex,ArrayDeclaration: it matches every text, from end to end by itself.
  const [, methods, host, path] = /^(?:(\S*)\s)?([^/]*)(.*)$/s.exec(text) ?? [];
  return { methods, host: host || undefined, path: path || undefined };
}

function problemIn(parts: Parts): PatternProblem | undefined {
  for (const part of ['methods', 'host', 'path'] as const) {
    const text = parts[part];
    const problem = text === undefined ? undefined : faultIn(text, part);
    if (problem !== undefined) return { ...problem, part };
  }
  return undefined;
}

// ---------------------------------------------------------------- reading what has no fault

function patternOf({ methods, host, path }: Parts, test: MatchObject['test']): Pattern {
  return {
    methods: methods === undefined ? undefined : new Set(methods.toUpperCase().split(',')),
    host: host === undefined ? undefined : hostOf(host),
    path: path === undefined ? { segments: [], rest: true } : pathPatternOf(path),
    test,
  };
}

/** A pattern without a port matches every port, so that none can be used to get past it. */
function hostOf(text: string): HostPattern {
  // Stryker disable next-line Regex,ArrayDeclaration: it matches every text; faults were refused before.
  const [, wildcard, name, port] = /^(\*\.)?(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return {
    // Stryker disable next-line OptionalChaining,StringLiteral: a host that cannot be read was refused before.
    name: originOf(`http://${name}`)?.host ?? '',
    subdomains: wildcard !== undefined,
    port: port === undefined ? undefined : String(Number(port)),
  };
}

/** Read segment by segment before any decoding, so that `%2A` and `%3A` stand for a star and a colon. */
function pathPatternOf(text: string): PathPattern {
  // Stryker disable next-line Regex: a star elsewhere was refused before.
  const fixed = text.replace(/\/\*\/*$/, '');
  const segments = fixed.split('/').map((raw) => (raw.startsWith(':') ? undefined : canonical(raw)));
  return { segments: fold(segments), rest: fixed !== text };
}
