/**
 * The target of a request, normalised: a copy to compare with patterns. What is sent stays untouched.
 *
 * All spellings that a client or a server treats as the same host and path must lead to the same copy, or they would be
 * ways around a rule.
 */

import { parsedUrl } from '../../url.js';

/** Where a request goes. */
export interface Origin {
  /** Lower case, punycode, no trailing dot; IPv6 in brackets. */
  readonly host: string;
  /** Filled in from the scheme where it is not written. */
  readonly port: string;
}

/** The target of a request, in parts. */
export interface Target {
  /** As it is written: `originOf` reads it. */
  readonly origin: string | undefined;
  /** As `pathOf` has it. */
  readonly path: string;
}

/** Splits what clients have as origin and path; a path that is an absolute URL has its own origin. */
export function targetOf(origin: string | undefined, path: string): Target {
  // Stryker disable next-line ConditionalExpression: the fast path gives what the slow one gives.
  if (path.startsWith('/')) return { origin, path: pathOf(path) };
  const url = stripped(path);
  const own = absolute.exec(url)?.[0];
  return own === undefined
    ? { origin, path: pathOf(url) }
    : { origin: own, path: pathOf(url.slice(own.length)) };
}

// ---------------------------------------------------------------- origins

/** Scheme and authority as the WHATWG URL standard finds them: any number of slashes of either kind. */
const absolute = /^(?:https?|wss?):[/\\]+[^/\\?#]*/i;

/** DNS names cannot be longer (RFC 1035 2.3.4). */
const longestHost = 253;

/** Enough for the longest name with every octet as `%XX`: it bounds the cost of IDNA, which is not linear. */
const longestSpelling = 1_024;

/** Parses `scheme://host[:port]`; undefined: no client could connect to it. */
export function originOf(text: string): Origin | undefined {
  // Stryker disable next-line StringLiteral: no text that is no URL has a host.
  const own = absolute.exec(stripped(text))?.[0] ?? '';
  if (own.length - own.lastIndexOf('@') > longestSpelling) return undefined;
  const url = parsedUrl(own);
  // Stryker disable next-line StringLiteral: unused where there is no URL.
  const host = url?.hostname.replace(/\.+$/, '') ?? '';
  // Stryker disable next-line ConditionalExpression: an empty host has no tree either.
  if (url === undefined || host === '' || host.length > longestHost) return undefined;
  const secure = url.protocol === 'https:' || url.protocol === 'wss:';
  return { host, port: url.port || (secure ? '443' : '80') };
}

// ---------------------------------------------------------------- paths

/** RFC 3986 3.3: what a segment may hold as it is. */
const plain = "\\w.~!$&'()*+,;=:@-";

/** What has to be normalised: other characters, `%XX`, empty and dot segments, a trailing slash. */
const unusual = /* @__PURE__ */ (() => new RegExp(`[^/${plain}]|/\\.{0,2}(?:/|$)`))();

const rewritten = /* @__PURE__ */ (() => new RegExp(`%[\\dA-Fa-f]{2}|[^/${plain}]`, 'gu'))();

/** Half of a surrogate pair, which UTF-8 cannot encode: sent as U+FFFD. */
const surrogate = /\p{Surrogate}/u;

/** Characters that are decoded. A slash is not one of them, because an encoded slash is not a separator. */
const own = /* @__PURE__ */ (() => new RegExp(`^[${plain}]$`))();

/**
 * `/segment/segment`, empty for the root: no query, no dot segments, no empty segments, no trailing slash,
 * and one spelling for every character.
 */
export function pathOf(path: string): string {
  const usual = cut(path);
  // Stryker disable next-line ConditionalExpression,MethodExpression: the fast path gives what the slow one gives.
  if (usual.startsWith('/') && !unusual.test(usual)) return usual;
  const segments = canonical(cut(stripped(path)).replaceAll('\\', '/')).split('/');
  return fold(segments)
    .map((segment) => `/${segment}`)
    .join('');
}

/** Without query, fragment and one trailing slash: after that, nearly all paths are normalised already. */
function cut(path: string): string {
  const query = path.indexOf('?');
  const asked = query === -1 ? path : path.slice(0, query);
  const fragment = asked.indexOf('#');
  const kept = fragment === -1 ? asked : asked.slice(0, fragment);
  // Stryker disable next-line MethodExpression: a trailing slash left here is folded away later, only slower.
  return kept.endsWith('/') ? kept.slice(0, -1) : kept;
}

/**
 * One spelling per character. RFC 3986 6.2.2 decodes the unreserved ones; those that a segment may hold as
 * they are follow, since servers read `%3A` as `:`.
 */
export function canonical(text: string): string {
  return text.replace(rewritten, (found) => {
    if (found.length === 3) return decoded(found);
    return surrogate.test(found) ? '%EF%BF%BD' : encodeURIComponent(found);
  });
}

/** `%41` is "A", and `%2f` is `%2F`. */
function decoded(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return own.test(character) ? character : escaped.toUpperCase();
}

/** Removes empty and dot segments; `..` removes an empty one first (RFC 3986 5.2.4). */
export function fold<Segment extends string | undefined>(segments: readonly Segment[]): Segment[] {
  const kept: Segment[] = [];
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  return kept.filter((segment) => segment !== '');
}

/** The WHATWG URL standard drops tabs and line ends anywhere, and controls and spaces around. */
function stripped(text: string): string {
  let start = 0;
  let end = text.length;
  // Past either end, charCodeAt is NaN.
  while (text.charCodeAt(start) <= 0x20) start += 1;
  while (text.charCodeAt(end - 1) <= 0x20) end -= 1;
  return text.slice(start, end).replace(/[\t\n\r]/g, '');
}
