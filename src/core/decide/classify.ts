/** Outcome -> is it retryable, and what does it prove? Reads names, codes and messages; never throws. */

import { isObject } from '../is-object.js';
import type { Settings } from '../policy/settings.js';
import type { Class, ErrorOutcome, Finding, HeadersLike, Hint, Outcome, ResponseOutcome } from '../types.js';

/** A finding is returned unchanged, so that a decision can be replayed from a recorded one. */
export function classify(settings: Settings, outcome: Outcome | Finding, date: number): Finding {
  if ('class' in outcome) return outcome;
  return outcome.kind === 'response'
    ? classifyResponse(settings, outcome, date)
    : classifyError(settings, outcome, date);
}

/** The headers of the answer that a finding was found in. A finding itself has none. */
export function headersOf(
  { failures }: Pick<Settings, 'failures'>,
  source: Outcome | Finding,
): HeadersLike | undefined {
  if ('class' in source) return undefined;
  return source.kind === 'response'
    ? source.headers
    : failures(source.error, source.aborted).response?.headers;
}

// ---------------------------------------------------------------- responses

type ResponseHead = Omit<ResponseOutcome, 'kind'>;

function classifyResponse(settings: Settings, response: ResponseHead, date: number): Finding {
  const { status } = response;
  const hint = response.began ?? readHintFor(settings, response, date);
  return {
    kind: 'response',
    class: classOfResponse(settings, status, hint),
    evidence: response.evidence ?? hint?.evidence ?? (isRefusal(settings, status) ? 'refused' : 'unknown'),
    hint,
    aborted: false,
    status,
  };
}

function readHintFor(
  settings: Settings,
  { status, headers, content }: ResponseHead,
  date: number,
): Hint | undefined {
  // A 3xx hint delays the redirect (RFC 9110 10.2.3), which is another request.
  if (status >= 300 && status < 400) return undefined;
  return settings.hints?.(status, headers, content, date);
}

export function classOfResponse(
  { statuses: { retried, never }, hints }: Pick<Settings, 'statuses' | 'hints'>,
  status: number,
  hint: Hint | undefined,
): Class {
  if (hint?.means !== undefined && !never.has(status)) return hint.means;
  const worthIt =
    retried.has(status) ||
    (!never.has(status) && (asksForRetry(hint) || (status === 413 && isPositive(hint))));
  if (!worthIt) return 'final';
  return status === 429 || (hint !== undefined && hints?.throttles(hint.reason) === true)
    ? 'throttled'
    : 'transient';
}

/** Explicitly. That a 408 may be repeated (RFC 9110 15.5.9) is up to `statuses`. */
export function asksForRetry(hint: Hint | undefined): boolean {
  return hint?.retry === true && hint.reason !== 'request-timeout';
}

/** RFC 9110 15.5.14: a 413 is temporary only if the server says for how long. */
function isPositive(hint: Hint | undefined): boolean {
  return (hint?.delayMs ?? 0) > 0;
}

/** Whether the status says that the server did not take the request. Of credentials, the settings say so. */
export function isRefusal({ credentials }: Settings, status: number): boolean {
  return saysNotTaken(status) || (credentials !== false && credentials.statuses.includes(status));
}

/** RFC 9110 15.5.9, RFC 8470 5.2, RFC 6585 4: the server says that it did not process the request. */
function saysNotTaken(status: number): boolean {
  return status === 408 || status === 425 || status === 429;
}

// ---------------------------------------------------------------- errors

function classifyError(settings: Settings, outcome: ErrorOutcome, date: number): Finding {
  const {
    name,
    code,
    class: cls,
    evidence,
    aborted,
    response,
    tunnelStatus,
  } = settings.failures(outcome.error, outcome.aborted);
  if (response !== undefined) return classifyResponse(settings, response, date);
  const finding: Finding = {
    kind: 'error',
    class: tunnelStatus === undefined ? cls : classOfResponse(settings, tunnelStatus, undefined),
    evidence: outcome.evidence ?? evidence,
    hint: undefined,
    aborted,
    name,
    code,
  };
  const isStalled = hasStalled(outcome.error, code);
  if (!outcome.unasked && !isStalled) return finding;
  return { ...finding, ...(outcome.unasked && { unasked: true }), ...(isStalled && { stalled: true }) };
}

function hasStalled(error: unknown, code: string | undefined): boolean {
  return code?.startsWith('ERR_UNDAUNTED_') === true && isObject(error) && Number(error['stalledMs']) > 0;
}
