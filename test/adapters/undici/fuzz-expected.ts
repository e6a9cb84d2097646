/**
 * Calls in which nothing depends on chance or time must succeed: without this check, the fuzz could be satisfied by
 * failures.
 */

import type { Expected } from './fuzz-oracle.js';
import type { FuzzCall, FuzzPlay, FuzzScript, Refuse, Serve } from './fuzz-script.js';
import { isRefusal, isSafe } from './fuzz-script.js';

export function mustSucceed(call: FuzzCall, script: FuzzScript): Expected {
  if (!isCalm(script) || !isReplayable(call, script)) return undefined;
  let broken: Serve | undefined;
  let received: Received = { atLeast: 0, atMost: 0 };
  for (const [index, play] of call.plays.entries()) {
    if (index > (script.policy.maxRetries ?? 0)) return undefined;
    const isAwaited =
      script.policy.streamStart !== undefined && play.does === 'serve' && play.stream !== undefined;
    // Without any event, it fails, unless it takes too long.
    if (isAwaited && play.stream === 'events') return undefined;
    if (play.does === 'serve' && broken !== undefined && !continues(play, broken)) return undefined;
    if (play.does === 'serve' && isWhole(play, received.atLeast)) return { arrivals: index + 1 };
    if (play.does === 'serve' && isWhole(play, received.atMost)) return undefined;
    if (!isRetried(play, call, script)) return undefined;
    if (play.does !== 'serve') continue;
    broken = play;
    const { atLeast, atMost } = withBytesOf(play, received);
    // An answer that breaks off while it waits for its body is asked for anew, from its first byte on.
    const mayWait = (script.policy.wholeBodyBytes ?? 0) > 0 || isAwaited;
    received = { atLeast: mayWait ? 0 : atLeast, atMost };
  }
  return undefined;
}

/** Bytes of the body that the client has when a connection breaks. */
interface Received {
  readonly atLeast: number;
  readonly atMost: number;
}

/** A reset throws away what waits in the client's socket, so a caller who reads slowly may have got none of it. */
function withBytesOf({ cut }: Serve, { atLeast, atMost }: Received): Received {
  const sent = cut?.after ?? 0;
  return { atLeast: cut?.how === 'rst' ? atLeast : atLeast + sent, atMost: atMost + sent };
}

/** A script without time limits, in which no other call and no idle connection can affect this one. */
function isCalm(script: FuzzScript): boolean {
  const { agent, policy, connects, calls, retryIf, beforeRetry, tokens } = script;
  const isTimed =
    policy.attemptTimeoutMs !== undefined ||
    // A hedge arrives as soon as an answer is late, by whatever little.
    policy.hedge !== undefined ||
    policy.deadlineMs !== undefined ||
    agent.headersTimeout !== undefined;
  const isHooked =
    (retryIf !== undefined && !retryIf.startsWith('undecided')) ||
    beforeRetry === 'throws' ||
    beforeRetry === 'rejects';
  // A retry, too, may be pipelined behind an answer that is being discarded.
  return (
    !isTimed &&
    !isHooked &&
    tokens === undefined &&
    agent.pipelining === 1 &&
    connects.length === 0 &&
    calls.every((call) => call.plays.every((play) => leavesInPeace(play, call)))
  );
}

/** A cut after the last byte of an answer ends a connection that the client takes for idle. */
function leavesInPeace(play: FuzzPlay, { method }: FuzzCall): boolean {
  if (play.does === 'die' || play.does === 'hang' || play.does === 'send away') return true;
  const isCut = play.does === 'refuse' ? play.isCut : play.cut !== undefined && method === 'HEAD';
  return !isCut && (play.afterwards === 'nothing' || play.afterwards === 'close');
}

function isReplayable({ body, caller }: FuzzCall, { policy }: FuzzScript): boolean {
  if (body.breaksAt !== undefined) return false;
  const isOneShot = body.form === 'generator' || body.form === 'readable' || caller.through.endsWith('fetch');
  return !isOneShot || body.bytes <= (policy.bufferBodyBytes ?? 0);
}

function isWhole({ bytes, cut }: Serve, receivedBytes: number): boolean {
  return cut === undefined || cut.after >= bytes - receivedBytes;
}

function isRetried(play: FuzzPlay, call: FuzzCall, script: FuzzScript): boolean {
  const isRepeatable = isSafe(call) || call.isKeyed || script.policy.idempotencyKey === true;
  switch (play.does) {
    case 'die':
      return isRepeatable && play.after !== 'garbage';
    case 'refuse':
      return (
        isWorthIt(play) &&
        (isRepeatable || (isRefusal(play.status) && script.policy.unsafeMethods === 'refused'))
      );
    case 'serve':
      return isResumable(play, call, script);
    case 'hang':
    case 'send away':
      return false;
  }
}

function isWorthIt({ status, headers, isCut }: Refuse): boolean {
  const asksForTooMuch = headers['retry-after'] === '3600' || headers['x-should-retry'] === 'false';
  return !isCut && !asksForTooMuch && (isRefusal(status) || status >= 500);
}

function isResumable(play: Serve, call: FuzzCall, { policy }: FuzzScript): boolean {
  const isIdentified = play.tag === 'strong' && play.takesRanges && play.framing === 'length';
  return call.method === 'GET' && call.range === undefined && policy.resume === true && isIdentified;
}

/** Whether the next answer continues where the last one broke off. */
function continues(next: Serve, broken: Serve): boolean {
  const isSame = next.mark === broken.mark && next.bytes === broken.bytes && next.tag === broken.tag;
  return isSame && next.takesRanges && next.toRange === 'honest';
}
