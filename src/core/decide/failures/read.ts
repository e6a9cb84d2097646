/** Looks an error, its causes and its parts up in the rows of failures. The error can be any value. */

import { isObject } from '../../is-object.js';
import type { Evidence } from '../../types.js';
import { answerInside, isUntold, statusCodes } from './axios.js';
import { rowFromPlatform } from './fetch.js';
import { rowFor, wrapperCodes } from './known.js';
import { wrapperText } from './page.js';
import type { AnswerInside, Failure, FailureRow } from './row.js';
import { unheardOf, untold } from './row.js';
import { textOf } from './thrown.js';
import { refusedTunnel } from './undici.js';

/** With all that is known of any client. */
export function readFailure(error: unknown, aborted: boolean | undefined): Failure {
  const chain = linksOf(error);
  const outermost = chain[0] ?? noError;
  if (aborted ?? chain.some(isAbort)) return failureOf(outermost, unheardOf, 'unknown', true);
  const link = tellingLink(chain) ?? outermost;
  const tunnelStatus = refusedTunnel(link.code, link.message);
  if (tunnelStatus !== undefined) return failureOf(link, unheardOf, 'unsent', false, undefined, tunnelStatus);
  const row = rowOf(error, chain, link);
  return failureOf(link, row, provenBy(row, syscallFrom(chain, link)), false, answerIn(error, link));
}

/** A wrapper whose cause says something that no row knows is as unknown as its cause. */
function rowOf(error: unknown, chain: readonly Link[], link: Link): FailureRow {
  const isWrapper = link.code !== undefined && wrapperCodes.has(link.code);
  if (isWrapper && chain.slice(chain.indexOf(link) + 1).some(({ message }) => message !== ''))
    return unheardOf;
  return link.row ?? (isUntold(error, link.code) ? untold : unheardOf);
}

/**
 * A response inside an error counts only if no row says that the transport failed. A successful one does not count if the
 * error has a code of its own: the response came, and something else went wrong.
 */
function answerIn(error: unknown, { code, row }: Link): AnswerInside | undefined {
  if (row !== undefined) return undefined;
  const response = answerInside(error);
  const isRefused = code === undefined || statusCodes.has(code) || (response?.status ?? 0) >= 400;
  return isRefused ? response : undefined;
}

function failureOf(
  { name, code }: Link,
  row: FailureRow,
  evidence: Evidence,
  aborted: boolean,
  response?: AnswerInside,
  tunnelStatus?: number,
): Failure {
  return { name, code, class: row.class, evidence, aborted, response, tunnelStatus };
}

/** The parts of an error that matter. */
interface Link {
  readonly name: string;
  readonly code: string | undefined;
  readonly message: string;
  readonly syscall: string | undefined;
  readonly row: FailureRow | undefined;
}

/** For a thrown value that is not an object. */
const noError: Link = { name: 'NonError', code: undefined, message: '', syscall: undefined, row: undefined };

/** The error and its causes, outermost first. At most ten, which also ends a cycle. */
function linksOf(error: unknown): Link[] {
  const links: Link[] = [];
  try {
    for (let at = error; isObject(at) && links.length < 10; at = at['cause']) links.push(linkWithParts(at));
  } catch {
    // A getter that throws: use what was read so far.
  }
  return links;
}

function linkOf(error: Record<string, unknown>): Link {
  const name = textOf(error['name']) ?? 'Error';
  const code = textOf(error['code']);
  const message = textOf(error['message']) ?? '';
  const row = rowFromPlatform(error) ?? rowFor(name, code, message);
  return { name, code, message, syscall: textOf(error['syscall']), row };
}

/** An AggregateError is classified by its parts. */
function linkWithParts(error: Record<string, unknown>): Link {
  const link = linkOf(error);
  const parts = Array.isArray(error['errors']) ? error['errors'].filter(isObject) : [];
  if (parts.length === 0) return link;
  const syscalls = new Set(parts.map((part) => textOf(part['syscall'])));
  // axios copies the code of an AggregateError, and looks for the system call in what it wraps.
  const syscall = syscalls.size === 1 ? [...syscalls][0] : link.syscall;
  return { ...link, syscall, row: rowOfAll(parts) };
}

/**
 * An AggregateError of one connection tried on several addresses (its own message is empty): worth
 * trying again if one part is, and unsent only if every part is.
 */
function rowOfAll(parts: readonly Record<string, unknown>[]): FailureRow {
  const rows = parts.map((part) => {
    const { row = unheardOf, syscall } = linkOf(part);
    return { class: row.class, evidence: provenBy(row, syscall) };
  });
  return {
    class: rows.some((row) => row.class === 'transient') ? 'transient' : 'final',
    evidence: rows.every((row) => row.evidence === 'unsent') ? 'unsent' : 'unknown',
  };
}

/**
 * The outermost link with a row, or else the outermost one with a code (which is unknown, so it is final). A wrapper counts
 * only if nothing inside it says more.
 */
function tellingLink(chain: readonly Link[]): Link | undefined {
  const inner = chain.filter(({ code, message }, at) =>
    code === undefined ? message !== wrapperText || at === chain.length - 1 : !wrapperCodes.has(code),
  );
  return (
    inner.find(({ row }) => row !== undefined) ?? inner.find(({ code }) => code !== undefined) ?? chain[0]
  );
}

/** axios copies the code of what it wraps, but not the system call. */
function syscallFrom(chain: readonly Link[], link: Link): string | undefined {
  for (let at = chain.indexOf(link); at >= 0 && at < chain.length; at += 1) {
    const syscall = chain[at]?.syscall;
    if (syscall !== undefined) return syscall;
  }
  return undefined;
}

function provenBy(row: FailureRow, syscall: string | undefined): Evidence {
  if (row.evidence !== 'if-connecting') return row.evidence;
  return syscall === 'connect' ? 'unsent' : 'unknown';
}

/** By name, since AbortError and TimeoutError have numbers for codes (20, 23). */
function isAbort({ name, code }: Link): boolean {
  return name === 'AbortError' || name === 'TimeoutError' || code === 'ERR_CANCELED' || code === 'ABORT_ERR';
}
