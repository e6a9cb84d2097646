/**
 * Waits until a stream has begun that the caller is to read. The answer stays as it is meanwhile; one that has failed
 * before its content is a failed attempt.
 */

import { msToBegin, streamStartOf } from '../core/decide/stream-start.js';
import { fieldOf } from '../core/decide/whole.js';
import { isObject } from '../core/is-object.js';
import type { HeadersLike, Hint } from '../core/types.js';
import type { Session } from '../kernel/session.js';
import { judging } from '../kernel/timers.js';
import { bytesOf } from './body/kept-bytes.js';
import {
  isPeekable,
  type Look,
  Peek,
  type Peeked,
  ReadingLook,
  type Readings,
  readAhead,
  readingsOfCopy,
} from './body/peek.js';
import { isStream, isWebStream } from './body/stream-like.js';
import { StartWatch } from './body/stream-start.js';
import { copyOf } from './body/web-stream.js';
import type { Caller } from './loop/exchange.js';

/** An answer whose `data` is its body: as it was read, as a stream, or as another answer that has one. */
interface StartedAnswer {
  readonly status: number;
  data: unknown;
  readonly headers: unknown;
}

/** How an answer has failed before its content: by what its events say, or with this error. */
export type StartFailure = { readonly began: Hint } | { readonly cut: unknown };

interface Failed {
  readonly failure: StartFailure;
  readonly look: Look | undefined;
}

const failed: WeakMap<object, Failed> = new WeakMap();

/** Undefined: it has begun, or goes to the caller as it is. */
export function startFailureOf(answer: object | undefined): StartFailure | undefined {
  return answer && failed.get(answer)?.failure;
}

/** The answer goes to the caller, or is discarded: a stream that has broken off does so for the one who has it. */
export function releaseStart(answer: object | undefined): void {
  if (answer !== undefined) failed.get(answer)?.look?.release();
}

// ---------------------------------------------------------------- while it is waited for

interface Waiting {
  /** The signal of the attempt. */
  readonly sent: unknown;
  readonly look: Look;
}

const waiting: WeakMap<Session, readonly Waiting[]> = new WeakMap();

/** The answers of the request that wait are handed over as they are: all, or that of one attempt. False: there is none. */
export function letStart(session: Session, sent: unknown): boolean {
  const all = (waiting.get(session) ?? []).filter((one) => sent === undefined || one.sent === sent);
  for (const { look } of all) look.stop();
  return all.length > 0;
}

/** Resolves with the answer once it can be handed over, or judged. `sent`: the signal of the attempt. */
export async function begun<Answer extends StartedAnswer>(
  answered: Promise<Answer>,
  session: Session,
  caller: Caller,
  sent: unknown,
): Promise<Answer> {
  const answer = await answered;
  await hasBegun(answer, session, caller, sent);
  return answer;
}

function hasBegun(
  answer: StartedAnswer | undefined,
  session: Session,
  caller: Caller,
  sent: unknown,
): Promise<void> | undefined {
  const { request, scope, settings, isEnclosed } = session;
  const { streamStart } = settings;
  if (isEnclosed || streamStart === false || typeof answer?.status !== 'number') return undefined;
  const { data, status } = answer;
  const headers = answer.headers as HeadersLike | undefined;
  const start = streamStartOf(settings, request.method, status, headers, scope.ports.date());
  if (start === undefined) return undefined;
  const { maxBytes } = streamStart;
  const whole = bytesOf(typeof data === 'string' ? data.slice(0, maxBytes) : data);
  if (whole !== undefined) {
    const watch = new StartWatch(start, undefined, maxBytes);
    note(answer, failureIn(watch.sees(whole) ? 'enough' : 'ended', watch), undefined);
    return undefined;
  }
  if (!isObject(data)) return undefined;
  // A platform leaves the content-encoding on a web stream that it has unpacked.
  const coding = isStream(data) ? fieldOf(headers, 'content-encoding') : undefined;
  const watch = new StartWatch(start, coding, maxBytes);
  const look = lookAt(answer, data, watch);
  return look && watchStart(answer, look, watch, session, caller, sent);
}

function watchStart(
  answer: StartedAnswer,
  look: Look,
  watch: StartWatch,
  session: Session,
  caller: Caller,
  sent: unknown,
): Promise<void> {
  const one: Waiting = { sent, look };
  waiting.set(session, [...(waiting.get(session) ?? []), one]);
  return new Promise((resolve, reject) => {
    const stop = (): void => look.stop();
    const cancel = session.scope.ports.sleep(msToBegin(session.settings), stop, judging('awake', true));
    const unfollow = caller.onAbort(stop);
    look.start((peeked) => {
      cancel();
      unfollow();
      waiting.set(
        session,
        (waiting.get(session) ?? []).filter((other) => other !== one),
      );
      note(answer, failureIn(peeked, watch), look);
      if (caller.isAborted) reject(caller.abortError());
      else resolve();
    });
  });
}

function note(answer: StartedAnswer, failure: StartFailure | undefined, look: Look | undefined): void {
  if (failure === undefined) look?.release();
  else failed.set(answer, { failure, look });
}

function failureIn(peeked: Peeked, watch: StartWatch): StartFailure | undefined {
  if (typeof peeked === 'object') return peeked;
  const began = watch.failure(peeked === 'ended');
  return began && { began };
}

/** Undefined: it cannot be looked at. */
function lookAt(answer: StartedAnswer, data: object, watch: StartWatch): Look | undefined {
  const sees = (bytes: Uint8Array): boolean => watch.sees(bytes);
  if (isStream(data)) return isPeekable(data) ? new Peek(data, sees) : undefined;
  const readings = readingsOf(answer, data);
  return readings && new ReadingLook(readings, sees);
}

function readingsOf(answer: StartedAnswer, data: object): Readings | undefined {
  try {
    if (!isWebStream(data)) {
      const { body } = 'clone' in data ? copyOf(data as Response) : { body: undefined };
      return body ? readingsOfCopy(body) : undefined;
    }
    const [readings, theirs] = readAhead(data);
    answer.data = theirs;
    return readings;
  } catch {
    // Something reads it already.
    return undefined;
  }
}
