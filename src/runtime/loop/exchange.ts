/**
 * What the loop asks of a client whose attempts are promises. It knows no client's configuration, classes or way to send:
 * one request of axios is such an exchange, and so is one of anything that is called as `fetch` is.
 */

import type { LiveOutcome, RetryContext } from '../../core/events.js';
import type { HeaderRecord } from '../header-record.js';
import type { Session } from '../session.js';
import type { Cancel } from '../sleep.js';

/** How an attempt ended, and perhaps the request with it: with what the client gave, untouched. */
export type Ending<Answer> =
  | { readonly kind: 'response'; readonly response: Answer }
  | {
      readonly kind: 'error';
      readonly error: unknown;
      /** Its time was over before anything was sent. */
      readonly unasked?: true;
    };

/** Who made the request, and may abort it at any time. */
export interface Caller {
  readonly isAborted: boolean;
  /** Calls once; not for an abort that was before. */
  onAbort(listener: (reason: unknown) => void): Cancel;
  /** What a request ends with that its caller has aborted. */
  abortError(): unknown;
}

export interface PromiseExchange<Answer> extends Caller {
  readonly session: Session;
  /** Undefined: there is none, or the client can send it again itself. */
  readonly body: RequestBody | undefined;

  /** What the attempts send; asked for once, by the loop. */
  outgoing(): Outgoing<Answer>;
  /** One attempt. With a signal, that one ends it in place of the caller's. */
  send(signal?: AbortSignal): Promise<Answer>;
  /** Its time is up, or its caller is gone: calls `abort`, after what has to end before. */
  breakOff(abort: () => void): void;
  /** Calls when the answer is not read any more, so that an abort has nothing left to end. */
  whenRead(answer: Answer, signal: AbortSignal, done: () => void): void;

  /** Whether an answer is the caller's at once: `acceptsStatus` says so, as far as it is a matter of its status. */
  accepts(answer: Answer): boolean;
  /** What the policy judges; `body`, where the answer has one that `retryIf` may read. */
  outcomeOf(ending: Ending<Answer>): LiveOutcome | PromiseLike<LiveOutcome>;
  /** An error as it may be kept: without the connection and the body that it leads to. */
  lightened(error: unknown): unknown;
  /** It will not be read, and its connection is wanted. */
  release(ending: Ending<Answer>): void;
  /** `deadlineCovers: 'body'`, for one that the caller reads. */
  coverBody(ending: Ending<Answer>, deadline: BodyDeadline): void;

  /** An error of ours, as this client's callers know errors. */
  ownError<E extends Error>(error: E): E;
}

export interface RequestBody {
  /** As things stand now. */
  readonly isReplayable: boolean;
  /** What the next attempt sends. */
  next(): unknown;
  /** The attempt that reads it is over. */
  leave?(): void;
  /** Calls when it breaks while no attempt reads it. */
  onFailure?(listener: () => void): Cancel;
}

/** The request as it goes out: nothing of the caller's own is changed, or not for good. */
export interface Outgoing<Answer> {
  /** For the next attempt: what `body.next()` gave, and our headers on top. `extra` is undefined for the first. */
  prepare(body: unknown, extra: Readonly<Record<string, string>> | undefined): void;
  /** Where the next attempt goes and with what headers, for `beforeRetry` to change … */
  target(): Pick<RetryContext, 'url' | 'headers'>;
  /** … and how it left them. `url` is undefined where it is the same. */
  change(headers: HeaderRecord, url: string | undefined): void;
  /** An attempt that had a signal of its own is over, or was given up. */
  ended(): void;
  /** The request is over, with what the caller gets. */
  close(ending: Ending<Answer>): void;
}

/** A time, and what the request fails with when it is up. */
export interface Limit {
  readonly ms: number;
  readonly error: () => Error;
}

export interface BodyDeadline extends Limit {
  /** Ends what is left of the attempt. */
  readonly abort: (reason: unknown) => void;
}
