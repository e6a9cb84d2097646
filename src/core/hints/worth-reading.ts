/**
 * Decides which bodies are read before the answer is handed over: those of failures that may hold a hint, and of a few
 * successes.
 */

import type { HeadersLike, Hint, RequestFacts } from '../types.js';
import { Answer } from './answer.js';
import { common, standard } from './bases.js';
import { contentOf, listAt, textAt } from './content.js';
import type { BaseSet, HintedSuccess } from './hint-set.js';
import type { HintSetOption } from './own.js';
import { readItems, readRateLimit } from './ratelimit.js';
import type { HintReader } from './read-hint.js';
import { isWait } from './reading.js';
import { type HintSets, rowOf, unique } from './rows.js';
import { forbidden, requestTimeout } from './rulings.js';
import { isHintStatus } from './statuses.js';
import { linesOf } from './values.js';

/** How long to wait for the body of a failure that may hold a hint. A success waits for as long as whole answers do. */
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
  if (status >= 400) return hints.readsBodyOf?.(status) ? bodyHintBytes : 0;
  const isAsked = hintedSuccesses.some(
    (success) =>
      success.status === status &&
      (success.pathEnd !== undefined || success.readsBody === true) &&
      isOf(success, request),
  );
  if (!isAsked) return 0;
  const answer = new Answer(status, headers);
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

/** The successes that the sets look into. Every other success is accepted as it is. */
export function successesOf(names: readonly HintSetOption[], sets: HintSets): readonly HintedSuccess[] {
  return unique(names.flatMap((name) => rowOf(name, sets).successes ?? []));
}

/** Error bodies are short: a longer body is not waited for, since it has no hint in it. */
const namedBodyBytes = 16_384;

/** How much of a body the sets read, unless the policy says so. */
export function bodyBytesOf(names: readonly HintSetOption[], sets: HintSets): number {
  const rows = names.map((name) => rowOf(name, sets));
  return rows.some(({ readsBody }) => readsBody) ? namedBodyBytes : 0;
}

/** What looks into bodies, and into successes. */
export interface BodyReading {
  readonly isHintedSuccess: typeof isHintedSuccess;
  readonly bytesToRead: typeof bytesToRead;
}

// ---------------------------------------------------------------- what the base sets read in bodies: problem documents (RFC 9457)

/** Those of draft-ietf-httpapi-idempotency-key-header; its rules look only at the body. */
const keyProblemStatuses = [400, 409, 422];

export const wholeBases: Readonly<Record<'standard' | 'common', BaseSet>> = /* @__PURE__ */ (() => ({
  standard: { ...standard, statuses: keyProblemStatuses, signals: [requestTimeout, idempotencyKeyProblem] },
  common: {
    ...common,
    statuses: keyProblemStatuses,
    signals: [requestTimeout, idempotencyKeyProblem, abnormalUsage],
    sources: common.sources.map((source) =>
      source.headers.includes('ratelimit') ? { ...source, read: readViolated } : source,
    ),
  },
}))();

const keyProblems: Readonly<Record<number, Hint>> = {
  // The first request with this key is still running: the same request may be sent later.
  409: { delayMs: null, retry: true, reason: 'idempotency-key-in-flight' },
  422: { delayMs: null, retry: false, reason: 'idempotency-key-reuse' },
  400: { delayMs: null, retry: false, reason: 'idempotency-key-missing' },
};

/** The problem documents of draft-ietf-httpapi-idempotency-key-header, 2.7. */
function idempotencyKeyProblem(answer: Answer): Hint | undefined {
  const hint = keyProblems[answer.status];
  if (hint === undefined) return undefined;
  const problem = contentOf(answer);
  const title = textAt(problem, 'title').toLowerCase();
  const type = textAt(problem, 'type').toLowerCase();
  return title.includes('idempotency-key') || type.includes('idempotency') ? hint : undefined;
}

/** The problem type of the RateLimit draft, section 5.3: waiting does not help. */
function abnormalUsage(answer: Answer): Hint | undefined {
  if (answer.body === undefined || !isHintStatus(answer.status)) return undefined;
  return textAt(contentOf(answer), 'type').endsWith('#abnormal-usage-detected') ? forbidden : undefined;
}

/** The policies that a problem document names come before all others. */
function readViolated(answer: Answer): Hint | undefined {
  const violated = listAt(contentOf(answer), 'violated-policies');
  return readRateLimit(answer, (items) => {
    const chosen = items.filter(([name]) => typeof name === 'string' && violated.includes(name));
    const hint = readItems(chosen.length > 0 ? chosen : items);
    return chosen.length > 0 && isWait(hint) ? { ...hint, reason: 'ratelimit-t-violated' } : hint;
  });
}
