/** What can be wrong with a pattern, and what to write instead: one row each, of which the first that applies is reported. */

import type { Problem } from '../../errors.js';
import { originOf } from './target.js';

/** Why a pattern is invalid. */
export interface PatternProblem extends Omit<Problem, 'path'> {
  /** Where it is; absent: in the pattern as a whole. */
  readonly part?: PatternPart;
}

export type PatternPart = 'methods' | 'host' | 'path';

interface Fault {
  readonly applies: (text: string) => boolean;
  /** Stands before the text in the message. */
  readonly found: string;
  readonly advice: string;
}

function fault(sign: RegExp | ((text: string) => boolean), found: string, advice: string): Fault {
  return { applies: sign instanceof RegExp ? (text) => sign.test(text) : sign, found, advice };
}

/** Longer paths are not sure to be accepted by servers (RFC 9110 4.1 asks for 8,000 octets), and unreadable. */
const longestPattern = 2_000;

const tooLong = /* @__PURE__ */ (() =>
  fault(
    (text) => text.length > longestPattern,
    `more than ${longestPattern} characters,`,
    'Match a shorter beginning that ends with "/*".',
  ))();

const schemeAdvice = 'Leave the scheme out; where it matters, a port says it: "api.example.com:443".';

const inHostOrPath: readonly Fault[] = /* @__PURE__ */ (() => [
  fault(/\s/, 'a space in', 'Write "%20" for a space in a path.'),
  fault(/\?/, 'a query in', 'Leave the query out: it is not looked at.'),
  fault(/#/, 'a fragment in', 'Leave the fragment out: it is never sent.'),
  fault(/\\/, 'a backslash in', 'Write "/" between segments, or "%5C" for a backslash.'),
])();

const faults: Readonly<Record<'text' | PatternPart, readonly Fault[]>> = /* @__PURE__ */ (() => ({
  text: [
    fault(/^$/, 'an empty pattern', 'Write "/*" for every request.'),
    tooLong,
    fault(
      /^\s|\s$|\s.*\s|\/.*\s|[^\S ]/,
      'a space out of place in',
      'Write one space after the methods and no other: "GET,HEAD /path"; in a path write "%20".',
    ),
    fault(/^(?:\S* )?[a-z][a-z\d+.-]*:\/\//i, 'a scheme in', schemeAdvice),
    fault(
      /^[A-Z]+(?:[,|][A-Z]+)*$/,
      'methods without a path,',
      'Write "GET /*" for every path; write the name of a host in lower case.',
    ),
  ],
  methods: [
    fault(/^(?:\*|any|all)$/i, 'a word for any method,', 'Leave the methods out: then any method matches.'),
    fault(
      /^(?![a-z]+(?:-[a-z]+)*(?:,[a-z]+(?:-[a-z]+)*)*$)/i,
      'no methods in',
      'Write letters only, and a comma between two methods: "GET,HEAD".',
    ),
  ],
  host: [
    fault(/^$/, 'an empty host', 'Leave the host out: then any host matches.'),
    ...inHostOrPath,
    fault(/^[a-z][a-z\d+.-]*:\/\//i, 'a scheme in', schemeAdvice),
    fault(/\//, 'a path in the host', 'Write the path under "path".'),
    fault(/@/, 'a user name in', 'Leave user name and password out: they are not looked at.'),
    fault(/^\*$/, 'a "*" for any host,', 'Leave the host out: then any host matches.'),
    fault(
      /^.+\*|^\*(?!\.)/,
      'a "*" out of place in the host',
      'A "*" stands only for all subdomains, at the front and before a dot: "*.example.com".',
    ),
    fault(
      /^[^[]*:.*:|^\[[^\]]*$/,
      'an address without its brackets in the host',
      'Write an IPv6 address in brackets: "[::1]:8080".',
    ),
    fault(
      hasBadPort,
      'no port after the colon in',
      'Write a number from 1 to 65535, or nothing for any port.',
    ),
    fault(/^(?:\*\.)?(?:\.|$|:)|\.\./, 'an empty label in the host', 'Write a name between two dots.'),
    fault(
      /^\*\.(?:\[|(?:.*\.)?\d+(?::\d+)?$)/,
      'subdomains of an address in',
      'Addresses have no subdomains: leave the "*." out.',
    ),
    fault(hasNoName, 'no valid name in the host', 'Write it as it stands in a URL.'),
  ],
  path: [
    fault(/^(?!\/)/, 'no "/" at the start of', 'Write a "/" before the first segment.'),
    tooLong,
    ...inHostOrPath,
    fault(
      /^\/\//,
      'two slashes at the start of',
      'Write a host without slashes before it, and a path with one.',
    ),
    fault(/%(?![\dA-Fa-f]{2})/, 'a "%" without two hexadecimal digits in', 'Write "%25" for a percent sign.'),
    fault(/[{}]/, 'a brace in', 'Write ":name" for one segment of any text.'),
    fault(/\*\*/, 'a "**" in', 'One "*" at the end stands for any number of segments: "/files/*".'),
    fault(
      /[^/]\*|\*[^/]/,
      'a "*" within a segment of',
      'Write ":name" for a whole segment of any text, or "%2A" for a star that is meant.',
    ),
    fault(/\*\/+[^/]/, 'a "*" before the end of', 'Write ":name" for one segment of any text.'),
    fault(/\/:(?:\/|$)/, 'a ":" without a name in', 'Write a name after it: "/:id".'),
    fault(
      /\/:(?!\w+(?:\/|$))/,
      'a ":name" that is not a whole segment in',
      'A name has letters, digits and "_"; write "%3A" for a colon that is meant, and "test" to look closer.',
    ),
    fault(repeatsName, 'the same ":name" twice in', 'Give each segment a name of its own.'),
  ],
}))();

const allowed: Readonly<Record<'text' | PatternPart, string>> = {
  text: '"[METHODS ]host/path", "[METHODS ]/path" or "host"',
  methods: 'methods like "GET" or "GET,HEAD"',
  host: 'a host like "api.example.com", "*.example.com" or "localhost:8080"',
  path: 'a path like "/users/:id" or "/files/*"',
};

/** The first thing that is wrong with a text. */
export function faultIn(text: string, part: 'text' | PatternPart): PatternProblem | undefined {
  const first = faults[part].find(({ applies }) => applies(text));
  if (first === undefined) return undefined;
  return { found: `${first.found} ${quoted(text)}`, allowed: allowed[part], advice: first.advice };
}

/** An object without any part would match everything, which is hardly what its author means. */
export const emptyMatch: PatternProblem = {
  found: 'an object without any part',
  allowed: 'at least one of "methods", "host", "path" and "test"',
  advice: 'Write { "path": "/*" } for every request.',
};

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}...` : text);
}

function hasBadPort(host: string): boolean {
  const port = /:([^\]]*)$/.exec(host)?.[1];
  return port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536);
}

/** A host that the clients' parser rejects cannot be in a request; a subdomain needs room for a letter and a dot. */
function hasNoName(host: string): boolean {
  // Stryker disable next-line Regex: a star elsewhere is another fault, found before.
  return originOf(`http://${host.replace(/^\*/, 'a')}`) === undefined;
}

function repeatsName(path: string): boolean {
  // Stryker disable next-line ArrayDeclaration: one name is as unrepeated as none.
  const names = path.match(/(?<=\/:)\w+/g) ?? [];
  return new Set(names).size < names.length;
}
