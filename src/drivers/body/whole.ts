/**
 * Waits until the body of an answer is whole. The answer itself stays untouched: a copy of it is read aside, which is
 * cancelled in the turn in which the answer is handed over.
 */

import { bytesToAwait, isOfOtherLength, msToAwait } from '../../core/decide/whole.js';
import type { HeadersLike } from '../../core/types.js';
import type { Session } from '../../kernel/session.js';
import { type Cancel, judging, type Sleep } from '../../kernel/sleep.js';
import { warnOnce } from '../../kernel/warning.js';
import type { Caller } from '../loop/exchange.js';
import { isStatus } from '../loop/status.js';
import { isWebStream } from './stream-like.js';
import { isStillReadable } from './unread.js';
import { weak } from './web-stream.js';

/** As much of an answer of fetch as is looked at here. */
interface AnswerShape {
  readonly status: number;
  readonly headers: HeadersLike;
  readonly body?: object | null;
  clone(): AnswerShape;
}

/** A request whose answers wait for their bodies. */
interface WholeSending<Answer> extends Pick<Caller, 'onAbort'> {
  readonly session: Session;
  /** Of the caller. */
  readonly signal: AbortSignal | undefined;
  /** Sends an attempt with this signal, which follows the caller's already if it says so. */
  sendOnce(signal: AbortSignal | undefined, isFollowing: boolean): Promise<Answer>;
  /** Calls `done` when the answer is no longer read. */
  whenRead(answer: Answer, sent: undefined, done: Cancel): void;
}

/** How the body of an answer was when the answer was handed over; `cut`: it has broken off, with this error. */
export type BodySeen = 'whole' | 'undecided' | { readonly cut: unknown };

const bodies: WeakMap<object, BodySeen> = /* @__PURE__ */ new WeakMap();

/** How the body of an answer was that has waited for it. */
export function seenOf(answer: object): BodySeen | undefined {
  return bodies.get(answer);
}

const none: readonly WholeAttempt[] = [];

/** The attempts of one request whose answers may wait for their bodies. */
export class WholeAnswers<Answer extends AnswerShape> {
  private readonly sending: WholeSending<Answer>;
  private readonly sleep: Sleep;
  private waiting: readonly WholeAttempt[] = none;

  constructor(sending: WholeSending<Answer>, sleep: Sleep) {
    this.sending = sending;
    this.sleep = sleep;
  }

  /** The caller's signal is followed only while there is something to end, and so is the attempt's own. */
  async send(given: AbortSignal | undefined): Promise<Answer> {
    const { sending } = this;
    const whole = new WholeAttempt(sending.session, this.sleep, given, this.followed(given));
    this.waiting = [...this.waiting, whole];
    try {
      const answer = await sending.sendOnce(whole.signal ?? given, whole.signal !== undefined);
      const seen = await whole.waitFor(answer);
      if (seen !== undefined) bodies.set(answer, seen);
      if (seen === undefined || seen === 'undecided')
        sending.whenRead(answer, undefined, () => whole.stopFollowing());
      else whole.stopFollowing();
      return answer;
    } catch (error) {
      whole.stopFollowing();
      throw error;
    } finally {
      this.waiting = this.waiting.length === 1 ? none : this.waiting.filter((one) => one !== whole);
    }
  }

  /** Undefined if nothing can abort the attempt, or if the signal is one that the fetch itself rejects. */
  private followed(given: AbortSignal | undefined): Follow | undefined {
    const { sending } = this;
    const { signal } = sending;
    if (signal !== undefined && typeof signal.addEventListener !== 'function') return undefined;
    if (given === undefined) return signal && ((listener) => sending.onAbort(listener));
    return (listener) => {
      const onSignal = (): void => listener(given.reason);
      given.addEventListener('abort', onSignal);
      return () => given.removeEventListener('abort', onSignal);
    };
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
class WholeAttempt {
  /** The signal of the attempt, if it has one of its own. */
  readonly sent: AbortSignal | undefined;
  private readonly session: Session;
  private readonly sleep: Sleep;
  private readonly ours: AbortController | undefined;
  private readonly unfollow: Cancel;
  /** Undefined unless the body is waited for. */
  private end: ((seen: BodySeen) => void) | undefined = undefined;
  private copied: Copied | undefined = undefined;

  /** `follow` is undefined if nothing can abort the attempt. */
  constructor(session: Session, sleep: Sleep, sent: AbortSignal | undefined, follow: Follow | undefined) {
    this.sent = sent;
    this.session = session;
    this.sleep = sleep;
    this.ours = follow === undefined ? undefined : new AbortController();
    this.unfollow = follow?.((reason) => this.abort(reason)) ?? (() => undefined);
  }

  /** Undefined if nothing can abort the attempt. */
  get signal(): AbortSignal | undefined {
    return this.ours?.signal;
  }

  /**
   * Node 20 cancels the body of an aborted answer that was copied, so that its caller would hear that it was read
   * already, and nothing of the abort. It leaves a body alone that is being read; but if all of it has arrived, its rest
   * then never comes, nor an error.
   */
  private abort(reason: unknown): void {
    const { copied } = this;
    const body = copied?.body.deref();
    const reader = body === undefined || body.locked ? undefined : body.getReader();
    this.ours?.abort(reason);
    this.end?.({ cut: reason });
    if (isStillReadable(copied?.source.deref())) void reader?.cancel(reason).catch(() => undefined);
    reader?.releaseLock();
  }

  /** An abort has nothing left to end. */
  stopFollowing(): void {
    this.unfollow();
  }

  /** Resolves when the answer can be handed over. Undefined: at once. */
  waitFor(answer: AnswerShape | undefined): Promise<BodySeen> | undefined {
    const { request, settings, isEnclosed } = this.session;
    if (isEnclosed || answer === undefined || !isStatus(answer.status)) return undefined;
    const { body, headers, status } = answer;
    if (typeof body !== 'object' || body === null) return undefined;
    const mostBytes = bytesToAwait(settings, request, status, headers);
    if (mostBytes === 0) return undefined;
    const reader = isPlatforms(answer, body) ? readerOfCopy(answer) : undefined;
    if (reader === undefined) return undefined;
    if (this.ours !== undefined) this.copied = { source: weak(body), body: weak(answer.body as ByteStream) };
    return this.read(reader, answer, mostBytes);
  }

  private read(reader: Reader, answer: AnswerShape, mostBytes: number): Promise<BodySeen> {
    return new Promise((resolve) => {
      const cancel = this.sleep(msToAwait(this.session.settings), () => this.letGo(), judging('awake', true));
      const end = (seen: BodySeen): void => {
        if (this.end !== end) return;
        this.end = undefined;
        cancel();
        if (seen === 'undecided') void reader.cancel().catch(() => undefined);
        resolve(seen);
      };
      this.end = end;
      let bytes = 0;
      const cut = (error: unknown): void => end({ cut: error });
      const next = ({ done, value }: ReadableStreamReadResult<Uint8Array>): void => {
        if (done)
          end(
            isComparable(answer) && isOfOtherLength(answer.headers, bytes) ? { cut: otherLength() } : 'whole',
          );
        else {
          bytes += value.byteLength;
          if (bytes > mostBytes) end('undecided');
          else reader.read().then(next, cut);
        }
      };
      reader.read().then(next, cut);
    });
  }

  /** The answer is handed over as it is. False if there is none that waits. */
  letGo(): boolean {
    const { end } = this;
    end?.('undecided');
    return end !== undefined;
  }
}

type ByteStream = ReadableStream<Uint8Array>;
type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** An answer that was copied has another body than before: the new one gets what comes from the `source`. */
interface Copied {
  readonly source: { deref(): object | undefined };
  readonly body: { deref(): ByteStream | undefined };
}

/** Undefined if the answer cannot be copied, for example since something reads it already. */
function readerOfCopy(answer: AnswerShape): Reader | undefined {
  try {
    const { body } = answer.clone();
    return (body as ReadableStream<Uint8Array>).getReader();
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
  "undaunted: wholeBodyBytes has no effect on a fetch whose answers are neither the platform's Response nor undici's: they are handed over at once, and one that breaks off is not retried";

/** A page is not shown how the answer of another origin was encoded. */
function isComparable(answer: AnswerShape): boolean {
  return (answer as { readonly type?: unknown }).type !== 'cors';
}

function otherLength(): Error {
  return Object.assign(new Error('The body of the response is shorter or longer than its content-length'), {
    code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  });
}
