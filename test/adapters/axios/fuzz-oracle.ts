/** Invariants that hold for every call, whatever was done to it. */

import type { AxiosResponse } from 'axios';
import type { PolicyOptions } from '../../../src/index.js';
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
import { axios, callsTruncatedTooLong } from './client.js';
import type { FuzzCall, FuzzScript } from './fuzz-script.js';
import type { Trial } from './fuzz-trial.js';

export function* complaintsAbout(trial: Trial, script: FuzzScript): Generator<string> {
  yield* aboutTheEnd(trial, script);
  yield* aboutAttempts(trial, script);
  yield* aboutWrites(trial, script);
  yield* complaintsAboutFreshAttempts(trial);
  yield* aboutConfig(trial, script);
  yield* complaintsAboutHedges(trial, trial.error ?? trial.response);
  if (hedgesIn(trial) > 0) return;
  const expected = mustSucceed(trial.call, script);
  if (expected === undefined) return;
  if (!trial.isWhole || trial.response?.status !== 200) yield `should have succeeded: ${String(trial.error)}`;
  if (trial.arrivals.length !== expected) yield `${trial.arrivals.length} arrivals, not ${expected}`;
}

function* aboutTheEnd(trial: Trial, { responseType }: FuzzScript): Generator<string> {
  const { call, bytes, response, error, atAbort, events } = trial;
  const ends = events.filter(({ type }) => type === 'settled').length;
  const isBeforeAll = call.abort?.on === 'before' && events.length === 0;
  if (ends !== 1 && !isBeforeAll) yield `settled ${ends} times`;
  const last = events.filter(({ type }) => type !== 'renewal').at(-1);
  if (ends === 1 && last?.type !== 'settled') yield `${last?.type} after the end`;
  const wasAborted = atAbort !== undefined;
  if (wasAborted && !axios.isCancel(error)) yield `aborted, and got ${String(error ?? response?.status)}`;
  if (!wasAborted && axios.isCancel(error)) yield 'cancelled, but the caller did not abort';
  if (!trial.isWhole || response === undefined || response.status >= 300) return;
  // Under load, requests arrive in another order than they were sent in.
  const play = call.plays[Number(response.headers[playHeader])];
  const served = play?.does === 'serve' ? play.bytes : 0;
  if (call.method === 'HEAD') {
    if (bytes.length > 0) yield 'a body for HEAD';
  } else if (!bytes.equals(contentOf(servedMark, 0, served))) {
    yield `${bytes.length} bytes (${responseType}) that are not the ${served} of its play`;
  }
}

function* aboutAttempts({ asked, attempts, atAbort, events, call }: Trial, script: FuzzScript) {
  const most = 1 + (script.policy.maxRetries ?? 0) + hedgesIn({ events }) + freshAttemptsIn(events);
  if (asked.length > most) yield `${asked.length} arrivals, and ${most} are allowed`;
  if (!script.isNamed && asked.length > attempts) yield `${asked.length} arrivals of ${attempts}`;
  if (atAbort !== undefined && attempts > atAbort.attempts) yield 'sent after the abort';
  const told = events.find((event) => event.type === 'settled')?.attempts ?? 0;
  if (told > most) yield `${told} attempts are told of, and ${most} are allowed`;
  for (const { request } of asked) {
    if (request.complete && !request.body.equals(sentBytes(call.body.bytes))) {
      yield `a wrong body of ${request.body.length} bytes, not ${call.body.bytes}`;
    }
  }
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
    if (!(policy.unsafeMethods === 'refused' && isTold)) yield `sent again after ${play.does}`;
  }
}

/** The configuration is as the caller gave it; only the key is left in it. */
function* aboutConfig(trial: Trial, { adapter, isNamed, policy }: FuzzScript): Generator<string> {
  const { error, response, call, config, caller, asked } = trial;
  const left = response?.config ?? (Object(error) as { config?: AxiosResponse['config'] }).config;
  if (left === undefined) return;
  if (left.url !== config.url) yield `the URL is ${left.url}`;
  // A request that was never sent still has it.
  const wasSent = trial.events.length > 0;
  if (wasSent && (isNamed ? left.adapter !== adapter : typeof left.adapter !== 'function'))
    yield 'another adapter';
  if (left.signal !== caller.config.signal) yield 'another signal';
  if (call.body.form !== 'bytes' && left.data !== config.data) yield 'other data';
  for (const { request } of call.isKeyed || policy.idempotencyKey !== true ? [] : asked) {
    const sent = request.headers['idempotency-key'];
    if (sent !== (left.headers.get('idempotency-key') ?? undefined)) yield `the key ${sent} is lost`;
  }
  if (left.headers.has('x-again')) yield 'a header of the hook';
  if (left.headers.has('authorization')) yield 'a token';
}

// ---------------------------------------------------------------- where nothing is left to chance

function mustSucceed(call: FuzzCall, script: FuzzScript) {
  const { policy, retryIf, beforeRetry, calls, tokens } = script;
  const isTimed = policy.attemptTimeoutMs !== undefined || policy.deadlineMs !== undefined;
  const isHooked = retryIf === 'rejects' || beforeRetry === 'rejects';
  if (isTimed || isHooked || tokens !== undefined || calls.some(mayDisturb)) return undefined;
  for (const [index, play] of call.plays.entries()) {
    if (index > (policy.maxRetries ?? 0)) return undefined;
    // Without any event, it fails, unless it takes too long.
    if (mayWait(play, policy)) return undefined;
    if (play.does === 'serve' && play.cut === undefined) return index + 1;
    if (!isRetried(play, call, script)) return undefined;
  }
  return undefined;
}

/** An answer to HEAD has no body to cut off: the connection dies later, while it is taken for idle. */
function mayDisturb({ method, plays, abort }: FuzzCall): boolean {
  const isCut = (play: FuzzPlay): boolean => play.does === 'serve' && play.cut !== undefined;
  return abort !== undefined || (method === 'HEAD' && plays.some(isCut));
}

function isRetried(play: FuzzPlay, call: FuzzCall, script: FuzzScript): boolean {
  const { policy, responseType, isNamed } = script;
  // An adapter of the caller's may send anything, so nothing that a server says is known to be about the request.
  const isProof = isNamed && policy.unsafeMethods === 'refused';
  const { form, bytes } = call.body;
  if (form === 'readable' && bytes > (policy.bufferBodyBytes ?? 0)) return false;
  switch (play.does) {
    case 'send away':
      return false;
    case 'die':
      return isRepeatable(call, policy);
    case 'serve':
      // A stream belongs to the caller from its head on.
      return responseType !== 'stream' && !callsTruncatedTooLong && isRepeatable(call, policy);
    case 'refuse':
      return (
        play.status !== 404 &&
        !('retry-after' in play.headers) &&
        (isRepeatable(call, policy) || (isRefusal(play) && isProof))
      );
  }
}

function isRepeatable({ method, isKeyed }: FuzzCall, { idempotencyKey }: PolicyOptions): boolean {
  return method !== 'POST' || isKeyed || idempotencyKey === true;
}
