/** Parses requests, headers and errors as people type them. */

import type { ErrorOutcome, RequestFacts, ResponseOutcome } from '../../../index.js';
import { AttemptTimeoutError } from '../../../index.js';
import { failuresByCode, nearest } from '../../../internal.js';
import { Failure } from '../failure.js';

const requestAdvice =
  'Write it like "POST https://api.example.com/payments/7", or "GET /users" for any host.';

/** `[METHOD ]URL`, or a path where the host does not matter. */
export function readRequest(text: string, keyed: boolean): RequestFacts {
  const [, method = 'GET', url = ''] = /^(?:([A-Za-z-]+)\s+)?(\S+)$/.exec(text.trim()) ?? [];
  // The request is not quoted: its URL may hold a password or a token.
  if (url === '') throw new Failure(`the request cannot be read. ${requestAdvice}`);
  const facts = { method: method.toUpperCase(), keyed };
  if (url.startsWith('/')) return { ...facts, origin: undefined, path: url };
  const { origin, pathname, search } = parsed(url);
  return { ...facts, origin, path: `${pathname}${search}` };
}

function parsed(text: string): URL {
  try {
    const url = new URL(text);
    if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  } catch {
    // Reported below, like URLs of other schemes.
  }
  throw new Failure(`the request has no http or https URL. ${requestAdvice}`);
}

export function readResponse(status: number, lines: readonly string[], body?: string): ResponseOutcome {
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^\s:]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === '')
      throw new Failure('--header must be like "retry-after: 3", with a colon after the name.');
    const key = name.toLowerCase();
    headers[key] = [...(headers[key] ?? []), value];
  }
  return { kind: 'response', status, headers, ...(body !== undefined && { content: body }) };
}

/** The name here for the rule's attemptTimeoutMs. */
export const attemptTimeout = 'timeout';

/** A code, as Node's messages have it also with the system call: `connect ETIMEDOUT`; or a name, or any message. */
export function readError(text: string): ErrorOutcome {
  if (text === attemptTimeout) return { kind: 'error', error: new AttemptTimeoutError(0) };
  const [, syscall, code] = /^(?:([a-z]+) )?([A-Z][A-Z\d]*(?:_[A-Z\d]+)*)(?:$|[ :])/.exec(text) ?? [];
  const error = new Error(text);
  if (code !== undefined) Object.assign(error, { code, ...(syscall === undefined ? {} : { syscall }) });
  else if (/^\w+Error$/.test(text)) error.name = text;
  return { kind: 'error', error };
}

/** A typo would be taken for an unknown error, which is not retryable. */
export function suspicionOf(text: string): string | undefined {
  const codes = [...failuresByCode.keys()];
  const [written] = /[A-Z_\d]{4,}/.exec(text) ?? [];
  if (written === undefined || codes.includes(written)) return undefined;
  const meant = nearest(written, codes);
  return meant === undefined ? undefined : `${written} is not a known error code. Did you mean ${meant}?`;
}
