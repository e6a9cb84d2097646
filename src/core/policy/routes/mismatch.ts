/** Why a pattern does not match a request: its first part that differs. */

import { toldRequest } from '../../told.js';
import type { RequestFacts } from '../../types.js';
import type { HostPattern, PathPattern, Pattern } from './patterns.js';
import type { Origin } from './target.js';
import { originOf, targetOf } from './target.js';

/** For people: "`part` must be `wanted`, but is `found`". */
export interface Mismatch {
  readonly part: 'method' | 'host' | 'port' | 'path' | 'test';
  /** In a path, the number of the segment, from 1. */
  readonly segment?: number;
  readonly wanted: string;
  readonly found: string;
}

/** The first part that differs; undefined if the pattern matches. */
export function mismatchOf(pattern: Pattern, request: RequestFacts): Mismatch | undefined {
  const { origin, path } = targetOf(request.origin, request.path);
  return (
    methodMismatch(pattern, request) ??
    hostMismatch(pattern.host, origin === undefined ? undefined : originOf(origin)) ??
    pathMismatch(pattern.path, path.split('/').slice(1)) ??
    testMismatch(pattern, request)
  );
}

function methodMismatch({ methods }: Pattern, { method }: RequestFacts): Mismatch | undefined {
  const found = method.toUpperCase();
  if (methods === undefined || methods.has(found)) return undefined;
  return { part: 'method', wanted: [...methods].join(' or '), found };
}

function hostMismatch(pattern: HostPattern | undefined, origin: Origin | undefined): Mismatch | undefined {
  if (pattern === undefined) return undefined;
  const { name, subdomains, port } = pattern;
  const isRight = subdomains ? origin?.host.endsWith(`.${name}`) : origin?.host === name;
  if (isRight !== true) {
    const wanted = subdomains ? `a subdomain of ${name}` : name;
    return { part: 'host', wanted, found: origin?.host ?? 'not known' };
  }
  if (port === undefined || port === origin?.port) return undefined;
  return { part: 'port', wanted: port, found: origin?.port ?? 'not known' };
}

function pathMismatch({ segments, rest }: PathPattern, found: readonly string[]): Mismatch | undefined {
  const length = rest ? segments.length : Math.max(segments.length, found.length);
  for (let index = 0; index < length; index += 1) {
    const [wanted, text] = [segments[index], found[index]];
    const isRight = index < segments.length && text !== undefined && (wanted ?? text) === text;
    if (isRight) continue;
    return {
      part: 'path',
      segment: index + 1,
      wanted: index < segments.length ? (wanted === undefined ? 'any text' : quoted(wanted)) : 'the end',
      found: text === undefined ? 'missing' : quoted(text),
    };
  }
  return undefined;
}

function testMismatch({ test }: Pattern, request: RequestFacts): Mismatch | undefined {
  if (test === undefined || test(toldRequest(request))) return undefined;
  return { part: 'test', wanted: 'true', found: 'false' };
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
