/**
 * Decides which bodies are read before the answer is handed over: those of failures that may hold a hint, and of a few
 * successes.
 */

import type { HeadersLike, RequestFacts } from '../types.js';
import { Answer } from './answer.js';
import type { HintedSuccess } from './hint-set.js';
import type { HintReader } from './read-hint.js';
import { linesOf } from './values.js';

/** How long to wait for a body that may hold a hint. */
export const gatherMs = 1_000;

type Asked = Pick<RequestFacts, 'method' | 'path'>;

/** The settings of a rule that matter here. */
interface Reading {
  readonly hints: HintReader | undefined;
  readonly bodyHintBytes: number;
  readonly hintedSuccesses: readonly HintedSuccess[];
}

/** Whether a success may really mean "later". Only policies whose hint sets list such successes ask this. */
export function isHintedSuccess(
  successes: readonly HintedSuccess[],
  request: Asked,
  status: number,
): boolean {
  return successes.some((success) => success.status === status && isOf(success, request));
}

/** How many bytes of the answer's body may be read for a hint; 0 means none. */
export function bytesToRead(
  { hints, bodyHintBytes, hintedSuccesses }: Reading,
  request: Asked,
  status: number,
  headers: HeadersLike | undefined,
): number {
  if (bodyHintBytes === 0 || hints === undefined) return 0;
  if (status >= 400) return hints.readsBodyOf(status) ? bodyHintBytes : 0;
  const isAsked = hintedSuccesses.some(
    (success) =>
      success.status === status &&
      (success.pathEnd !== undefined || success.readsBody === true) &&
      isOf(success, request),
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
