/** Invariants that hold for every call, whatever was done to it. */

import {
  complaintsAboutFreshAttempts,
  freshAttemptsIn,
  isStale,
  staleNumber,
  stalePlays,
} from '../fuzz/credentials.js';
import { sentBytes } from './fuzz-body.js';
import { isAsPromised, playHeader, promisedBy } from './fuzz-plays.js';
import { type FuzzScript, isPatient, isRefusal, isSafe } from './fuzz-script.js';
import type { Arrived } from './fuzz-stage.js';
import type { Trial } from './fuzz-trial.js';

/** How many arrivals a call takes to succeed, where that is certain. */
export type Expected = { readonly arrivals: number } | undefined;

export function complaintsAbout(trial: Trial, script: FuzzScript, expected: Expected): string[] {
  return [
    ...trial.witness.complaints,
    ...trial.complaints,
    ...aboutLeaks(trial),
    ...aboutTheEnd(trial),
    ...aboutTheBody(trial, script),
    ...aboutAttempts(trial, script),
    ...complaintsAboutFreshAttempts(trial),
    ...aboutWrites(trial, script),
    ...aboutBodiesSent(trial),
    ...aboutSuccess(trial, expected),
  ];
}

function* aboutLeaks({ leftListeners, leftSources }: Trial): Generator<string> {
  if (leftListeners > 0) yield `${leftListeners} listeners on the signal`;
  if (leftSources > 0) yield `${leftSources} sources are open`;
}

function* aboutTheEnd({ witness, got, events }: Trial): Generator<string> {
  const { dispatches, end } = witness;
  // A decision may follow, about the rest of a body.
  const ends = events.filter(({ type }) => type === 'settled').length;
  if (ends > 1) yield `settled ${ends} times`;
  if (dispatches > 1) yield `the client dispatched ${dispatches} times`;
  if (dispatches === 1 && end === undefined) yield 'the handler was never told of the end';
  if (got.isWhole && !got.isHeadOnly && end !== 'end')
    yield `the caller has it whole, and the handler was told ${end}`;
}

/** A body is never spliced from two contents, never too long, and shorter only with an error. */
function* aboutTheBody({ call, witness, got }: Trial, { tokens }: FuzzScript): Generator<string> {
  const { head, bytes, end } = witness;
  if (head === undefined) {
    if (bytes.length + got.bytes.length > 0) yield 'bytes without a head';
    return;
  }
  const number = Number(head.header(playHeader));
  const play = number === staleNumber ? stalePlays.body : call.plays[number];
  if (play === undefined) {
    // The server answers the connection, not a request; or it is another server.
    const isForeign = head.status === 408 || head.status === tokens?.abroad;
    if (!isForeign || bytes.length > 0) yield `an answer of no play: ${head.status}`;
    return;
  }
  const promised = promisedBy(play, call.method, head.status, head.header);
  if (!isAsPromised(bytes, promised, end === 'end')) {
    yield `${end} with ${bytes.length} bytes that are not those of ${JSON.stringify(promised)}`;
  }
  if (!isAsPromised(got.bytes, promised, got.isWhole)) {
    yield `the caller read ${got.bytes.length} bytes that are not those of ${JSON.stringify(promised)}`;
  }
}

function* aboutAttempts(
  { witness, asked, attemptsAtAbort, events }: Trial,
  { policy }: FuzzScript,
): Generator<string> {
  const { attempts, starts } = witness;
  // Each attempt may have a hedge.
  const most =
    (1 + (policy.maxRetries ?? 0) + freshAttemptsIn(events)) * (policy.hedge === undefined ? 1 : 2);
  if (attempts > most) yield `${attempts} attempts, and ${most} are allowed`;
  // undici started each arrival; in a pipeline it may start an attempt more than once.
  if (asked.length > starts) yield `${asked.length} arrivals of ${starts} starts`;
  if (attemptsAtAbort !== undefined && attempts > attemptsAtAbort) {
    yield `${attempts} attempts, ${attemptsAtAbort} of them before the abort`;
  }
}

/** A write that is not marked as repeatable is sent again only if the server said that it did not take it. */
function* aboutWrites({ call, arrivals, asked }: Trial, { policy, retryIf }: FuzzScript): Generator<string> {
  const keys = new Set(asked.map(({ request }) => request.headers['idempotency-key']));
  if (keys.size > 1) yield `different idempotency keys: ${[...keys].join(', ')}`;
  const isOnCallersWord =
    call.isKeyed || policy.idempotencyKey === true || retryIf === 'again after 503, later';
  if (isSafe(call) || isOnCallersWord) return;
  for (const [index, arrived] of arrivals.entries()) {
    if (!arrivals.slice(index + 1).some((later) => asked.includes(later))) return;
    const mayFollow = policy.unsafeMethods === 'refused' && isRefused(arrived);
    if (!mayFollow) yield `sent again after it had arrived (${arrived.play.does})`;
  }
}

function isRefused({ play, mayGetStray408 }: Arrived): boolean {
  return mayGetStray408 || (play.does === 'refuse' && (isRefusal(play.status) || isStale(play)));
}

/** A body that the server took for complete is the one that was sent. */
function* aboutBodiesSent({ call, asked }: Trial): Generator<string> {
  const sent = sentBytes(call.body);
  for (const { request } of asked) {
    if (!request.complete) continue;
    if (call.body.breaksAt !== undefined) yield 'a body whose source broke was taken for whole';
    else if (!request.body.equals(sent))
      yield `a wrong body of ${request.body.length} bytes, not ${sent.length}`;
  }
}

function* aboutSuccess({ call, witness, got, arrivals }: Trial, expected: Expected): Generator<string> {
  if (expected === undefined || !isPatient(call)) return;
  if (!got.isWhole) yield `should have succeeded: ${String(got.error)}`;
  else if (witness.head === undefined || witness.head.status >= 300)
    yield `should not be ${witness.head?.status}`;
  if (arrivals.length !== expected.arrivals) yield `${arrivals.length} arrivals, not ${expected.arrivals}`;
}
