/**
 * Waits until the body of an answer is whole, or until a stream has begun. The answer itself stays untouched: a copy of it
 * is read aside, which is cancelled in the turn in which the answer is handed over.
 */

import { msToBegin, streamStartOf } from '../../core/decide/stream-start.js';
import { bytesToAwait, isOfOtherLength, msToAwait } from '../../core/decide/whole.js';
import { isObject } from '../../core/is-object.js';
import type { HeadersLike, Hint } from '../../core/types.js';
import type { Session } from '../../kernel/session.js';
import { type Cancel, judging, type Sleep } from '../../kernel/timers.js';
import { warnOnce } from '../../kernel/warning.js';
import type { Caller } from '../loop/exchange.js';
import { isStatus } from '../loop/status.js';
import type { SharesTimers } from '../node.js';
import { isWebStream } from './stream-like.js';
import { isStillReadable } from './unread.js';
import { stop, weak } from './web-stream.js';

/** As much of an answer of fetch as is looked at here. */
interface AnswerShape {
  readonly status: number;
  readonly headers: HeadersLike;
  readonly body?: object | null;
  clone(): AnswerShape;
}

/** A request whose answers wait for their bodies. */
interface Sending<Answer> extends Pick<Caller, 'onAbort' | 'isAborted'> {
  readonly session: Session;
  /** Of the caller. */
  readonly signal: AbortSignal | undefined;
  /** Sends an attempt with this signal, which follows the caller's already if it says so. */
  sendOnce(signal: AbortSignal | undefined, isFollowing: boolean): Promise<Answer>;
  /** Calls `done` when the answer is no longer read. */
  whenRead(answer: Answer, sent: undefined, done: Cancel): void;
}

/**
 * How the body of an answer was when the answer was handed over; `cut`: it has broken off, with this error; `failed`: what
 * the first events of a stream have said.
 */
type BodySeen = 'whole' | 'undecided' | { readonly cut: unknown } | { readonly failed: Hint };

/** What an answer waits for, and for how long. */
interface Awaited {
  readonly ms: number;
  /** What the body has shown with this chunk; undefined: nothing yet. */
  push(chunk: Uint8Array): BodySeen | undefined;
  /** What the body was that has ended. */
  end(): BodySeen;
}

/** Undefined: the answer is handed over at once. */
export type Awaiting = (session: Session, answer: AnswerShape) => Awaited | undefined;

interface Waited {
  /** It lives as long as the original, for the reason that `copyOf` names. */
  readonly copy: unknown;
  /** Undefined: the body is still waited for. */
  seen: BodySeen | undefined;
}

const bodies: WeakMap<object, Waited> = /* @__PURE__ */ new WeakMap();

/** How the body of an answer was that has waited for it. */
export function seenOf(answer: object | undefined): BodySeen | undefined {
  return answer && bodies.get(answer)?.seen;
}

function note(answer: object, seen: BodySeen): void {
  const waited = bodies.get(answer);
  if (waited !== undefined) waited.seen = seen;
}

/** Until its body is whole. */
export function awaitWhole({ request, settings }: Session, answer: AnswerShape): Awaited | undefined {
  const { status, headers } = answer;
  const mostBytes = bytesToAwait(settings, request, status, headers);
  if (mostBytes === 0) return undefined;
  let bytes = 0;
  return {
    ms: msToAwait(settings),
    push: ({ byteLength }) => {
      bytes += byteLength;
      return bytes > mostBytes ? 'undecided' : undefined;
    },
    end: () => (isComparable(answer) && isOfOtherLength(headers, bytes) ? { cut: otherLength() } : 'whole'),
  };
}

/** Until the stream has begun. */
export function awaitStart({ request, settings, scope }: Session, answer: AnswerShape): Awaited | undefined {
  const start = streamStartOf(settings, request.method, answer.status, answer.headers, scope.ports.date());
  return (
    start && {
      ms: msToBegin(settings),
      push: (chunk) => {
        const said = start.push(chunk);
        if (said === 'pending') return undefined;
        return typeof said === 'object' ? said : 'undecided';
      },
      end: () => {
        const said = start.end();
        return typeof said === 'object' ? said : 'whole';
      },
    }
  );
}

interface Waits {
  readonly awaiting: Awaiting;
}

/** Undefined: its answers do not wait. */
export function waitingFor<Answer extends AnswerShape>(
  sending: Sending<Answer>,
  sleep: Sleep,
  parts: { readonly wholeAnswers?: Waits; readonly streamStart?: Waits; readonly node?: SharesTimers },
): WaitingAnswers<Answer> | undefined {
  const { keepsUntilWhole, streamStart } = sending.session.settings;
  const whole = keepsUntilWhole ? parts.wholeAnswers : undefined;
  const start = streamStart === false ? undefined : parts.streamStart;
  if (whole === undefined && start === undefined) return undefined;
  const shared = parts.node?.sharing(sleep) ?? sleep;
  return new WaitingAnswers(sending, shared, whole?.awaiting, start?.awaiting);
}

const none: readonly WaitingAttempt[] = [];

/** The attempts of one request whose answers may wait for their bodies. */
export class WaitingAnswers<Answer extends AnswerShape> {
  private readonly sending: Sending<Answer>;
  private readonly sleep: Sleep;
  private readonly awaiting: readonly (Awaiting | undefined)[];
  private waiting: readonly WaitingAttempt[] = none;

  constructor(sending: Sending<Answer>, sleep: Sleep, ...awaiting: readonly (Awaiting | undefined)[]) {
    this.sending = sending;
    this.sleep = sleep;
    this.awaiting = awaiting;
  }

  /** An attempt without a signal follows the caller's, but only while there is something to end. */
  async send(given: AbortSignal | undefined): Promise<Answer> {
    const { sending, isFollowable } = this;
    // The fetch itself rejects a request that is aborted already.
    if (sending.isAborted || given?.aborted === true) return sending.sendOnce(given, false);
    const follow: Follow | undefined =
      given === undefined && isFollowable && sending.signal !== undefined
        ? (listener) => sending.onAbort(listener)
        : undefined;
    const whole = new WaitingAttempt(sending.session, this.sleep, given, follow);
    this.waiting = [...this.waiting, whole];
    try {
      const answer = await sending.sendOnce(whole.signal, isFollowable);
      const seen = await whole.waitFor(answer, this.awaiting);
      if (seen !== undefined) note(answer, seen);
      if (seen === undefined || seen === 'undecided' || isFailed(seen)) {
        whole.handsOver();
        if (given === undefined) sending.whenRead(answer, undefined, () => whole.stopFollowing());
      } else whole.stopFollowing();
      return answer;
    } catch (error) {
      whole.stopFollowing();
      throw error;
    } finally {
      if (!whole.isDropped)
        this.waiting = this.waiting.length === 1 ? none : this.waiting.filter((one) => one !== whole);
    }
  }

  /** The caller may have given a signal that the fetch itself rejects. */
  private get isFollowable(): boolean {
    const { signal } = this.sending;
    return signal === undefined || typeof signal.addEventListener === 'function';
  }

  /** Ends the attempt with `abort`, and its answer with it. False if there is none that waits, or has waited. */
  abort(sent: { readonly signal: AbortSignal }, reason: unknown, abort: () => void): boolean {
    const whole = this.waiting.find((one) => one.sent === sent.signal);
    whole?.abort(reason, abort);
    return whole !== undefined;
  }

  /** The answers are handed over as they are, or that of one attempt. False if there is none that waits. */
  letGo(sent: { readonly signal: AbortSignal } | undefined): boolean {
    let isAny = false;
    for (const whole of this.waiting)
      if ((sent === undefined || whole.sent === sent.signal) && whole.letGo()) isAny = true;
    return isAny;
  }
}

/** Calls the listener with the reason of an abort, whoever aborts. */
type Follow = (listener: (reason: unknown) => void) => Cancel;

/** One attempt whose answer waits for its body. */
class WaitingAttempt {
  /** The signal of the attempt, if it has one of its own. */
  readonly sent: AbortSignal | undefined;
  private readonly session: Session;
  private readonly sleep: Sleep;
  private readonly ours: AbortController | undefined;
  private readonly unfollow: Cancel;
  /** Undefined unless the body is waited for. */
  private end: ((seen: BodySeen) => void) | undefined = undefined;
  /** While the answer waits. */
  private copied: Copied | undefined = undefined;
  /** Once it is handed over: the caller may drop it. */
  private dropped: Refs | undefined = undefined;

  /** `follow` is undefined if the attempt has a signal, or if nothing can abort it. */
  constructor(session: Session, sleep: Sleep, sent: AbortSignal | undefined, follow: Follow | undefined) {
    this.sent = sent;
    this.session = session;
    this.sleep = sleep;
    this.ours = follow === undefined ? undefined : new AbortController();
    this.unfollow =
      follow?.((reason) => this.abort(reason, () => this.ours?.abort(reason))) ?? (() => undefined);
  }

  /** Undefined if nothing can abort the attempt. */
  get signal(): AbortSignal | undefined {
    return this.sent ?? this.ours?.signal;
  }

  /** The caller has the answer, and it may be aborted. */
  get isDropped(): boolean {
    return this.dropped !== undefined;
  }

  /**
   * Node 20 cancels the body of an aborted answer that was copied, so that its caller would hear that it was read
   * already, and nothing of the abort. It leaves a body alone that is being read; but if all of it has arrived, its rest
   * then never comes, nor an error.
   */
  abort(reason: unknown, abort: () => void): void {
    const { copied, dropped } = this;
    const body = copied?.body ?? dropped?.body.deref();
    const reader = body === undefined || body.locked ? undefined : body.getReader();
    abort();
    this.end?.({ cut: reason });
    if (isStillReadable(copied?.source ?? dropped?.source.deref()))
      void reader?.cancel(reason).catch(() => undefined);
    reader?.releaseLock();
  }

  /** An abort has nothing left to end. */
  stopFollowing(): void {
    this.unfollow();
    this.copied = undefined;
  }

  /** The signals that it follows must not lead to the body from now on. */
  handsOver(): void {
    const { copied } = this;
    this.dropped = copied && { source: weak(copied.source), body: weak(copied.body) };
    this.copied = undefined;
  }

  /** Resolves when the answer can be handed over. Undefined: at once. */
  waitFor(
    answer: AnswerShape | undefined,
    awaiting: readonly (Awaiting | undefined)[],
  ): Promise<BodySeen> | undefined {
    const { session } = this;
    if (session.isEnclosed || answer === undefined || !isStatus(answer.status)) return undefined;
    const { body } = answer;
    if (!isObject(body)) return undefined;
    let awaited: Awaited | undefined;
    for (const one of awaiting) awaited ??= one?.(session, answer);
    if (awaited === undefined) return undefined;
    const reader = isPlatforms(answer, body) ? readerOfCopy(answer) : undefined;
    if (reader === undefined) return undefined;
    if (this.signal !== undefined) this.copied = { source: body, body: answer.body as ByteStream };
    return this.read(reader, awaited);
  }

  private read(reader: Reader, awaited: Awaited): Promise<BodySeen> {
    return new Promise((resolve) => {
      const cancel = this.sleep(awaited.ms, () => this.letGo(), judging('awake', true));
      const end = (seen: BodySeen): void => {
        if (this.end !== end) return;
        this.end = undefined;
        cancel();
        if (seen === 'undecided' || isFailed(seen)) stop(reader);
        resolve(seen);
      };
      this.end = end;
      const cut = (error: unknown): void => end({ cut: error });
      const next = ({ done, value }: ReadableStreamReadResult<unknown>): void => {
        const seen = done ? awaited.end() : pushed(awaited, value);
        if (seen === undefined) reader.read().then(next, cut);
        else end(seen);
      };
      reader.read().then(next, cut);
    });
  }

  /**
   * The answer is handed over as it is. False if there is none that waits. Nothing of the caller's hears of it: a timer that
   * others share may call this.
   */
  letGo(): boolean {
    const { end } = this;
    end?.('undecided');
    return end !== undefined;
  }
}

/** A stream of the caller's, as in a mock, may give what is no bytes, and what the platform refuses to read as a body. */
function pushed(awaited: Awaited, chunk: unknown): BodySeen | undefined {
  return chunk instanceof Uint8Array ? awaited.push(chunk) : 'undecided';
}

/** The rest of its body is the caller's to read, or to give up. */
function isFailed(seen: BodySeen): boolean {
  return typeof seen === 'object' && 'failed' in seen;
}

type ByteStream = ReadableStream<Uint8Array>;
type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** An answer that was copied has another body than before: the new one gets what comes from the `source`. */
interface Copied {
  readonly source: object;
  readonly body: ByteStream;
}

interface Refs {
  readonly source: { deref(): object | undefined };
  readonly body: { deref(): ByteStream | undefined };
}

/** Undefined if the answer cannot be copied, for example since something reads it already. */
function readerOfCopy(answer: AnswerShape): Reader | undefined {
  try {
    const copy = answer.clone();
    bodies.set(answer, { copy, seen: undefined });
    return (copy.body as ReadableStream<Uint8Array>).getReader();
  } catch {
    return undefined;
  }
}

/**
 * Whether the answer is of the platform's own class, or of undici's. Of others it is not known what becomes of the
 * original while its copy is read: node-fetch's waits for ever.
 */
function isPlatforms(answer: AnswerShape, body: object): boolean {
  const { Response: Own, ReadableStream: OwnStream } = globalThis as Partial<typeof globalThis>;
  if (typeof Own === 'function' && answer instanceof Own) return isWebStream(body);
  const isUndicis =
    answer.constructor?.name === 'Response' &&
    Symbol.for('nodejs.util.inspect.custom') in answer &&
    typeof OwnStream === 'function' &&
    body instanceof OwnStream;
  if (!isUndicis) warnOnce(notHeld);
  return isUndicis;
}

const notHeld =
  "wholeBodyBytes and streamStart have no effect on a fetch whose answers are neither the platform's Response nor undici's: one that breaks off is not retried";

/** A page is not shown how the answer of another origin was encoded. */
function isComparable(answer: AnswerShape): boolean {
  return (answer as { readonly type?: unknown }).type !== 'cors';
}

function otherLength(): Error {
  return Object.assign(new Error('The body of the response is shorter or longer than its content-length'), {
    code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  });
}
