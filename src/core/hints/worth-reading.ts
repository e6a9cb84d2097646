/** Which answers are looked into before they are handed over: failures whose body may say something, and few successes. */

import type { HeadersLike, RequestFacts } from '../types.js';
import { Answer } from './answer.js';
import type { HintedSuccess } from './hint-set.js';
import type { HintReader } from './read-hint.js';
import { linesOf } from './values.js';

/** A body with a hint in it is waited for so long. */
export const gatherMs = 1_000;

type Asked = Pick<RequestFacts, 'method' | 'path'>;

/** Of a rule's settings. */
interface Reading {
  readonly hints: HintReader | undefined;
  readonly bodyHintBytes: number;
  readonly hintedSuccesses: readonly HintedSuccess[];
}

/** Whether a success may be none. Asked of every success where a set has such at all. */
export function isHintedSuccess(
  successes: readonly HintedSuccess[],
  request: Asked,
  status: number,
): boolean {
  return successes.some((success) => success.status === status && isOf(success, request));
}

/** How much of this answer's body may be read for a hint; 0 is nothing. */
export function bytesToRead(
  { hints, bodyHintBytes, hintedSuccesses }: Reading,
  request: Asked,
  status: number,
  headers: HeadersLike | undefined,
): number {
  if (bodyHintBytes === 0 || hints === undefined) return 0;
  if (status >= 400) return hints.readsBodyOf(status) ? bodyHintBytes : 0;
  const isAsked = hintedSuccesses.some(
    (success) => success.status === status && success.pathEnd !== undefined && isOf(success, request),
  );
  if (!isAsked) return 0;
  const answer = new Answer(status, headers, undefined, 0);
  const isLonger = Number(answer.field('content-length') ?? 0) > bodyHintBytes;
  return isJson(answer) && !isLonger ? bodyHintBytes : 0;
}

function isOf({ method, pathEnd }: HintedSuccess, request: Asked): boolean {
  if (method !== undefined && request.method.toUpperCase() !== method) return false;
  return pathEnd === undefined || (request.path.split(/[?#]/, 1)[0] ?? '').endsWith(pathEnd);
}

function isJson(answer: Answer): boolean {
  return linesOf(answer.field('content-type') ?? []).some((line) => /^[^;]*[/+]json\b/i.test(line));
}
