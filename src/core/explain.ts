/** A decision as one English sentence, for logs and for people who ask "why was it not retried?". */

import type { Decision, Evidence, Finding, Retry, RetryReason, Stop, StopReason } from './types.js';

export function explain(decision: Decision): string {
  if (decision.action === 'stop') {
    return `No retry after attempt ${decision.attempt}: ${whyStop[decision.reason](decision)}.`;
  }
  const { attempt, delayMs, waitFrom, finding } = decision;
  const wait = waitFrom === 'hint' ? `as the server asks (${hintIn(finding)})` : `by our own ${waitFrom}`;
  return `Retry ${attempt} in ${ms(delayMs)}, ${wait}: ${whyRetry[decision.reason](decision)}.`;
}

// One entry for every reason: a missing one does not compile.

const whyRetry: { readonly [R in RetryReason]: (decision: Retry) => string } = {
  'transient-status': ({ finding }) => `${whatEnded(finding)}, which may pass`,
  throttled: ({ finding }) => `${whatEnded(finding)}, which says that it was too much`,
  'transport-error': ({ finding }) => `${whatEnded(finding)}, which may pass`,
  'attempt-timeout': () => 'the attempt took longer than its attemptTimeoutMs',
  'server-asks': ({ finding }) => `${whatEnded(finding)} and asks for a retry (${hintIn(finding)})`,
  'caller-asks': ({ finding }) => `${whatEnded(finding)}, and retryIf answered true`,
};

const whyStop: { readonly [R in StopReason]: (decision: Stop) => string } = {
  success: ({ finding }) => whatEnded(finding),
  'final-status': ({ finding }) => `${whatEnded(finding)}, which is not among the statuses to retry`,
  'final-error': ({ finding }) => `${whatEnded(finding)}, which trying again does not change`,
  aborted: () => 'the caller aborted it',
  'server-forbids': ({ finding }) => `${whatEnded(finding)} and forbids a retry (${hintIn(finding)})`,
  'caller-forbids': ({ finding }) => `${whatEnded(finding)}, and retryIf answered false`,
  'unsafe-method': ({ finding }) =>
    `${whatEnded(finding)}, the method is not idempotent, the request carries no idempotency key, ` +
    `and ${proofs[finding.evidence]}`,
  'body-spent': () => 'its body cannot be sent a second time; give a factory, or allow bufferBodyBytes',
  'not-resumable': ({ finding }) =>
    `${whatEnded(finding)} after its head was handed over, and the rest cannot be asked for safely`,
  'retries-off': ({ finding }) => `${whatEnded(finding)}, and retries are off here`,
  'retries-suppressed': ({ finding }) =>
    `${whatEnded(finding)}, and the request was sent within suppressRetries, or by another layer that retries: layers must not multiply`,
  'retries-spent': ({ finding, limit }) => `${whatEnded(finding)}, and maxRetries is ${limit}`,
  'hint-too-long': ({ finding, delayMs, limit }) =>
    `the server asks for ${ms(delayMs)} (${hintIn(finding)}), and maxHintMs is ${ms(limit)}`,
  'hint-past-deadline': ({ finding, delayMs, limit }) =>
    `the server asks for ${ms(delayMs)} (${hintIn(finding)}), which ends after the deadline of ${ms(limit)}`,
  'wait-past-deadline': ({ delayMs, limit }) =>
    delayMs === undefined
      ? `the deadline of ${ms(limit)} cut it off, and the caller gets a DeadlineError`
      : `the wait of ${ms(delayMs)} would end after the deadline of ${ms(limit)}`,
  'budget-spent': ({ finding }) => `${whatEnded(finding)}, and the retry budget of its scope is spent`,
  'gate-shut': ({ finding }) => `${whatEnded(finding)}, and the gate of its scope is shut`,
  held: ({ finding, delayMs }) =>
    `${whatEnded(finding)}, and the queue behind what its servers asked for is ${ms(delayMs)} long`,
};

const proofs: { readonly [E in Evidence]: string } = {
  unsent: 'unsafeMethods forbids it although it was never sent',
  refused: 'unsafeMethods forbids it although the server did not take it',
  unknown: 'nothing proves that it was not processed',
};

function whatEnded(finding: Finding): string {
  if (finding.kind === 'response') return `the server answered ${finding.status}`;
  return `it failed with ${finding.code ?? finding.name}`;
}

function hintIn(finding: Finding): string {
  return finding.hint?.reason ?? 'a hint';
}

/** Whole milliseconds with separators, the same in every locale. */
function ms(value = 0): string {
  return `${Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',')} ms`;
}
