/** Invariants that hold for every call, whatever was done to it; and what bare fetch does where no retry is due. */

import { AttemptTimeoutError, DeadlineError, GateShutError, type PolicyOptions } from '../../../src/index.js';
import { contentOf } from '../../faults/lab.js';
import { complaintsAboutFreshAttempts, freshAttemptsIn } from '../fuzz/credentials.js';
import { complaintsAboutHedges, hedgesIn } from '../fuzz/hedges.js';
import {
  type FuzzPlay,
  isRefusal,
  ledThere,
  mayWait,
  playHeader,
  saysUnauthorized,
  sentBytes,
  servedMark,
} from '../fuzz/plays.js';
import type { Platform } from './fuzz-platform.js';
import { type FuzzCall, type FuzzScript, isReadOnce, maxRetriesOf } from './fuzz-script.js';
import type { Trial } from './fuzz-trial.js';

export function* complaintsAbout(trial: Trial, script: FuzzScript, platform: Platform): Generator<string> {
  yield* aboutTheEnd(trial, script, platform);
  yield* aboutTheAnswer(trial);
  yield* aboutAttempts(trial, script);
  yield* aboutWrites(trial, script);
  yield* complaintsAboutFreshAttempts(trial);
  yield* complaintsAboutHedges(trial, trial.seen.response ?? trial.seen.error);
  if (hedgesIn(trial) > 0) return;
  // Whether a cut is known before the answer is handed over depends on timing.
  const expected = mayBeWhole(trial.call, script) ? undefined : mustSucceed(trial.call, script);
  if (expected === undefined) return;
  const { response, error } = trial.seen;
  if (response?.status !== 200) yield `should have succeeded: ${String(error ?? response?.status)}`;
  if (trial.arrivals.length !== expected) yield `${trial.arrivals.length} arrivals, not ${expected}`;
}

function* aboutTheEnd(
  trial: Trial,
  { policy, wrapper, tokens, ...hooks }: FuzzScript,
  { Response }: Platform,
): Generator<string> {
  const { call, seen, readError, given, reason, atAbort, events, usage, changes } = trial;
  const ends = events.filter(({ type }) => type === 'settled').length;
  const isBeforeAll = call.abort?.on === 'before';
  if (ends !== 1 && !isBeforeAll) yield `settled ${ends} times`;
  const last = events.filter(({ type }) => type !== 'renewal').at(-1);
  if (ends === 1 && last?.type !== 'settled') yield `${last?.type} after the end`;
  for (const change of changes) yield `the caller's ${change} has changed`;
  if (seen.response !== undefined) {
    if (!(seen.response instanceof Response)) yield 'no Response of the platform';
    if (wrapper !== 'none' && !given.includes(seen.response)) yield "not the platform's own Response";
    if (usage[1] !== false) yield 'its body is used';
  }
  const error = seen.response === undefined ? seen.error : readError;
  const hasAborted = atAbort !== undefined && (seen.response === undefined || readError !== undefined);
  const isOfTheCut = seen.response !== undefined && mayBeWhole(trial.call, { policy });
  // Node 20 says so of a body that had all arrived, if it is aborted before it is read; it does alone, too.
  const isAsRead =
    seen.response instanceof globalThis.Response &&
    isWaiting(policy) &&
    /Body has already been read/.test(String(error));
  if (hasAborted && !isOfTheCut && !isAsRead && !isEndOf(error, trial, hooks.retryIf !== undefined))
    yield `aborted, and got ${String(error)}`;
  if (atAbort === undefined && error === reason) yield 'the reason of an abort, but the caller did not abort';
  const isOfFetch = wrapper === 'none' ? error instanceof TypeError : given.includes(error);
  if (seen.response !== undefined || error === reason || isOfFetch) return;
  const isOwn =
    (error instanceof DeadlineError && policy.deadlineMs !== undefined) ||
    (error instanceof AttemptTimeoutError && policy.attemptTimeoutMs !== undefined) ||
    (error instanceof GateShutError && policy.gate !== undefined);
  // A retryIf that reads a body that is cut off fails with that error.
  const isOfHook = /^(Error: (retryIf|beforeRetry) rejected|TypeError: terminated)$/.test(String(error));
  const hasHook = hooks.retryIf !== undefined || hooks.beforeRetry === 'rejects';
  if (tokens !== undefined && /^Error: credentials\.headers /.test(String(error))) return;
  if (!isOwn && !(isOfHook && hasHook)) yield `an error from nowhere: ${String(error)}`;
}

/** The platform's error for a broken body: Node 20 has its own texts, and another one for a clone. */
function isEndOf(error: unknown, { reason, seen }: Trial, isCloned: boolean): boolean {
  if (error === reason || seen.response === undefined) return error === reason;
  return Object(error).name === 'AbortError' || (isCloned && error instanceof TypeError);
}

function* aboutTheAnswer({ call, seen, bytes, isWhole }: Trial): Generator<string> {
  const { response } = seen;
  if (response === undefined || response.status !== 200) return;
  // Under load, requests arrive in another order than they were sent in.
  // An answer from abroad is of none.
  const play = call.plays[Number(response.headers.get(playHeader) ?? Number.NaN)];
  const served = play?.does === 'serve' && call.method !== 'HEAD' ? play.bytes : 0;
  const isPart = bytes.equals(contentOf(servedMark, 0, bytes.length)) && bytes.length <= served;
  if (!isPart) yield `${bytes.length} bytes that are not of its play`;
  if (isWhole && bytes.length !== served)
    yield `${bytes.length} bytes as if they were the ${served} of its play`;
}

function* aboutAttempts({ asked, sent, attempts, atAbort, events, call }: Trial, script: FuzzScript) {
  const { policy, wrapper } = script;
  const most = 1 + maxRetriesOf(call, policy) + hedgesIn({ events }) + freshAttemptsIn(events);
  if (attempts > most) yield `${attempts} attempts, and ${most} are allowed`;
  if (wrapper !== 'none' && asked.length > sent) yield `${asked.length} arrivals of ${sent}`;
  // What was sent before the abort may arrive after it.
  const isLate = wrapper !== 'none' && atAbort !== undefined && sent > Math.max(atAbort.attempts, 1);
  if (isLate) yield 'sent after the abort';
  const told = events.find((event) => event.type === 'settled')?.attempts ?? 0;
  if (told > most) yield `${told} attempts are told of, and ${most} are allowed`;
  for (const { request } of asked) {
    if (request.complete && !isSent(call, request.body)) {
      yield `a wrong body of ${request.body.length} bytes, not ${call.body.bytes}`;
    }
  }
}

function isSent({ body: { form, bytes } }: FuzzCall, body: Buffer): boolean {
  const sent = sentBytes(bytes);
  if (form === 'params') return body.equals(Buffer.concat([Buffer.from('a='), sent]));
  if (form === 'form')
    return body.includes(Buffer.concat([Buffer.from('\r\n\r\n'), sent, Buffer.from('\r\n--')]));
  return body.equals(sent);
}

/** A write that is not marked as repeatable is sent again only if the server said that it did not take it. */
function* aboutWrites(
  { call, arrivals, asked }: Trial,
  { policy, retryIf, tokens }: FuzzScript,
): Generator<string> {
  const keys = new Set(asked.map(({ request }) => request.headers['idempotency-key']));
  if (keys.size > 1) yield `different idempotency keys: ${[...keys].join(', ')}`;
  if (isRepeatable(call, policy) || retryIf === 'again after 500, later') return;
  const isAgain = ({ request }: Trial['arrivals'][number]): boolean => !request.path.includes(ledThere);
  for (const [index, { play }] of arrivals.entries()) {
    if (!arrivals.slice(index + 1).some(isAgain)) return;
    const isTold = isRefusal(play) || (tokens !== undefined && saysUnauthorized(play));
    const isTaken = !(policy.unsafeMethods === 'refused' && isTold);
    if (isTaken) yield `sent again after ${play.does}`;
  }
}

// ---------------------------------------------------------------- where nothing is left to chance

function mustSucceed(call: FuzzCall, script: FuzzScript) {
  const { policy, retryIf, beforeRetry, calls, wrapper, tokens } = script;
  // Behind a wrapper, nothing that a server says is known to be about the request.
  const isProof = wrapper === 'none' && policy.unsafeMethods === 'refused';
  const isTimed = policy.attemptTimeoutMs !== undefined || policy.deadlineMs !== undefined;
  const isHooked = retryIf === 'rejects' || beforeRetry === 'rejects';
  const isCut = ({ plays }: FuzzCall): boolean =>
    plays.some((play) => play.does === 'serve' && play.cut !== undefined);
  const isChance = isTimed || isHooked || policy.gate !== undefined || tokens !== undefined;
  if (isChance || calls.some(mayDisturb)) return undefined;
  if (retryIf !== undefined && calls.some(isCut)) return undefined;
  for (const [index, play] of call.plays.entries()) {
    if (index > maxRetriesOf(call, policy)) return undefined;
    // Without any event, it fails, unless it takes too long.
    if (mayWait(play, policy)) return undefined;
    if (play.does === 'serve') return index + 1;
    if (!isRetried(play, call, policy, isProof)) return undefined;
  }
  return undefined;
}

/** An answer to HEAD has no body to cut off: the connection dies later, while it is taken for idle. */
function mayDisturb({ method, plays, abort, body }: FuzzCall): boolean {
  const isCut = (play: FuzzPlay): boolean => play.does === 'serve' && play.cut !== undefined;
  const isEarly = (play: FuzzPlay): boolean => play.at === 'head';
  return (
    abort !== undefined ||
    (method === 'HEAD' && plays.some(isCut)) ||
    (body.form !== 'none' && plays.some(isEarly))
  );
}

function isRetried(play: FuzzPlay, call: FuzzCall, policy: PolicyOptions, isProof: boolean): boolean {
  if (isReadOnce(call) && call.body.bytes > (policy.bufferBodyBytes ?? 0)) return false;
  // A form or parameters in a Request take a few bytes more.
  if (isReadOnce(call) && /form|params/.test(call.body.form)) return false;
  switch (play.does) {
    case 'die':
      return isRepeatable(call, policy);
    case 'refuse':
      return (
        play.status !== 404 &&
        !('retry-after' in play.headers) &&
        (isRepeatable(call, policy) || (isRefusal(play) && isProof))
      );
    case 'serve':
    case 'send away':
      return false;
  }
}

/** Whether an answer waits for its body, and breaks off: that may come before the abort, and before a retry. */
function mayBeWhole({ plays }: FuzzCall, { policy }: Pick<FuzzScript, 'policy'>): boolean {
  const isCut = plays.some((play) => play.does === 'serve' && play.cut !== undefined);
  return isWaiting(policy) && isCut;
}

function isWaiting({ wholeBodyBytes = 0, streamStart }: PolicyOptions): boolean {
  return wholeBodyBytes > 0 || streamStart !== undefined;
}

function isRepeatable({ method, isKeyed }: FuzzCall, { idempotencyKey }: PolicyOptions): boolean {
  return method !== 'POST' || isKeyed || idempotencyKey === true;
}

// ---------------------------------------------------------------- as the bare fetch has it

/** True if we could make no difference, and nothing depends on timing. */
export function isBareDue(call: FuzzCall, { policy, retryIf, tokens }: FuzzScript): boolean {
  const [first] = call.plays;
  const isOff = maxRetriesOf(call, policy) === 0;
  // What the server cuts may be fetched again, and is known to be cut before its first byte is read.
  const isCut = isWaiting(policy) && first?.does === 'serve' && first.cut !== undefined;
  const isAwaited = first !== undefined && mayWait(first, policy);
  const isFinal =
    !isCut && !isAwaited && (first?.does === 'serve' || (first?.does === 'refuse' && first.status === 404));
  // It may be handed over as one that has broken off already, which a caller who does not read it on never hears alone.
  const isAlike = isOff && (!isCut || call.reads === 'all');
  return (
    (isAlike || isFinal) &&
    retryIf === undefined &&
    tokens === undefined &&
    policy.idempotencyKey !== true &&
    policy.attemptTimeoutMs === undefined &&
    policy.deadlineMs === undefined &&
    policy.gate === undefined &&
    !call.body.form.startsWith('factory') &&
    (call.abort === undefined || call.abort.on === 'before') &&
    !call.plays.some((play) => play.at === 'head' && call.body.form !== 'none')
  );
}

export function differences(trial: Trial, bare: Trial): string[] {
  const [ours, theirs] = [shown(trial), shown(bare)];
  return Object.keys(theirs)
    .filter((key) => JSON.stringify(ours[key]) !== JSON.stringify(theirs[key]))
    .map((key) => `${key}: ${JSON.stringify(ours[key])}, and bare ${JSON.stringify(theirs[key])}`);
}

function shown({ call, seen, readError, bytes, usage, arrivals }: Trial): Record<string, unknown> {
  const { response, error } = seen;
  return {
    response: response && [
      response.status,
      response.type,
      response.redirected,
      [...response.headers].filter(isSteady),
    ],
    error: wordsOf(error),
    readError: wordsOf(readError),
    // The length of a part depends on chance.
    bytes: call.reads === 'all' && readError === undefined && bytes.toString('latin1'),
    usage,
    arrivals: arrivals.map(({ request }) => [
      request.method,
      Object.entries(request.headers).filter(isSteady),
      request.complete,
      request.complete && !/form/.test(call.body.form) && request.body.toString('latin1'),
    ]),
  };
}

function isSteady([name]: readonly unknown[]): boolean {
  return !/^(date|location|content-type|connection|referer)$/.test(String(name));
}

function wordsOf(error: unknown): unknown {
  return error instanceof Error ? [error.name, error.message] : error;
}
