/** Decisions as English sentences, for logs and for people who ask "why was it not retried?". */

import { labelOfFinding } from './label.js';
import { type LimitStop, limitStops } from './limits/settings.js';
import { timeText, timeTexts } from './time-text.js';
import type { Decision, Evidence, Finding, Retry, RetryReason, Stop, StopReason } from './types.js';

/** Turns a decision into one English sentence: when the retry comes and why, or why there is none. */
export function explain(decision: Decision): string {
  const { attempt, finding } = decision;
  if (decision.action === 'stop') {
    if (decision.reason === 'success') return `Succeeded on attempt ${attempt} (${labelOfFinding(finding)}).`;
    return `No retry after attempt ${attempt}: ${whyNot(decision, decision.reason)}.`;
  }
  const { retry = attempt, delayMs, waitFrom } = decision;
  const why = whyRetry[decision.reason](decision);
  if (decision.reason === 'fresh-credentials') return `Sent again at once after attempt ${attempt}: ${why}.`;
  if (waitFrom === 'none') return `Retry ${retry} at once: ${why}.`;
  const wait = waitFrom === 'hint' ? `, as the server asked (${hintIn(finding)})` : ` (${waitFrom})`;
  return `Retry ${retry} in ${timeText(Math.round(delayMs))}${wait}: ${why}.`;
}

// One entry for every reason: a missing one does not compile.

const whyRetry: { readonly [R in RetryReason]: (decision: Retry) => string } = {
  'transient-status': ({ finding }) => `${whatEnded(finding)} (transient)`,
  throttled: ({ finding }) => `${whatEnded(finding)} (rate limited)`,
  'transport-error': ({ finding }) => `${whatEnded(finding)} (transient)`,
  'attempt-timeout': () => 'the attempt timed out (attemptTimeoutMs)',
  'server-asks': ({ finding }) => `${whatEnded(finding)} and asked for a retry (${hintIn(finding)})`,
  'caller-asks': ({ finding }) => `${whatEnded(finding)}, and retryIf returned true`,
  'fresh-credentials': ({ finding }) => `${whatEnded(finding)}, and there are fresh credentials`,
};

const whyStop: { readonly [R in Exclude<StopReason, 'success' | LimitStop>]: (decision: Stop) => string } = {
  'final-status': ({ finding }) => `${whatEnded(finding)} (not retryable)`,
  'final-error': ({ finding }) => `${whatEnded(finding)} (not retryable)`,
  aborted: () => 'the caller aborted the request',
  'server-forbids': ({ finding }) => `${whatEnded(finding)} and asked for no retry (${hintIn(finding)})`,
  'caller-forbids': ({ finding }) => `${whatEnded(finding)}, and retryIf returned false`,
  'unsafe-method': ({ finding }) =>
    `${whatEnded(finding)}, but the request is not safe to repeat: ` +
    `its method is not idempotent, it has no idempotency key, and ${proofs[finding.evidence]}`,
  'body-spent': () =>
    'the body cannot be sent again; pass a function that makes it, or raise bufferBodyBytes',
  'not-resumable': ({ finding }) =>
    `${whatEnded(finding)} after the caller got the response head, and the rest of the body cannot be requested safely`,
  'retries-off': ({ finding }) => `${whatEnded(finding)}, and retries are off`,
  'retries-suppressed': ({ finding }) =>
    `${whatEnded(finding)}, and retries are suppressed: another layer retries, or suppressRetries is in effect`,
  'retries-spent': ({ finding, limit }) => `${whatEnded(finding)}, and maxRetries is ${limit}`,
  'hint-too-long': ({ finding, delayMs = 0, limit = 0 }) => {
    const [wait, most] = timeTexts(delayMs, limit);
    return `the server asked for a wait of ${wait} (${hintIn(finding)}), and maxHintMs is ${most}`;
  },
  'hint-past-deadline': ({ finding, delayMs, limit }) =>
    `the server asked for a wait of ${timeText(delayMs)} (${hintIn(finding)}), ` +
    `which would end after the deadline of ${timeText(limit)}`,
  'wait-past-deadline': ({ delayMs, limit }) =>
    delayMs === undefined
      ? `the deadline of ${timeText(limit)} ended the attempt, and the caller gets a DeadlineError`
      : `the wait of ${timeText(delayMs)} would end after the deadline of ${timeText(limit)}`,
  cut: () => 'it was cut, because the request ended with its other attempt',
  'other-pending': ({ finding }) => `${whatEnded(finding)} while the other attempt was still out`,
};

function whyNot(decision: Stop, reason: Exclude<StopReason, 'success'>): string {
  const { finding, delayMs } = decision;
  return isLimitStop(reason) ? whyLimit[reason](whatEnded(finding), delayMs) : whyStop[reason](decision);
}

const whyLimit: { readonly [R in LimitStop]: (ended: string, waitMs: number | undefined) => string } =
  /* @__PURE__ */ (() => Object.assign({}, ...Object.values(limitStops)))();

function isLimitStop(reason: StopReason): reason is LimitStop {
  return Object.hasOwn(whyLimit, reason);
}

const proofs: { readonly [E in Evidence]: string } = {
  unsent: 'unsafeMethods does not allow it even though it was never sent',
  refused: 'unsafeMethods does not allow it even though the server did not process it',
  unknown: 'the server may have processed it',
};

function whatEnded(finding: Finding): string {
  if (finding.kind === 'error') return `the attempt failed with ${labelOfFinding(finding)}`;
  const { status, hint } = finding;
  // That it asked for a retry, or for none, is said elsewhere.
  const isInBody = status < 400 && hint?.means !== undefined && hint.retry === undefined;
  return `the server answered ${status}${isInBody ? ` with a failure in its body (${hint.reason})` : ''}`;
}

function hintIn(finding: Finding): string {
  return finding.hint?.reason ?? 'a hint';
}
