/**
 * What the loop asks of a client whose attempts are promises. The loop knows no client's configuration, classes or way
 * to send: one axios request is such an exchange, and so is one call of any function that works like `fetch`.
 */

import type { ClientOutcome } from '../../core/events.js';
import type { KernelParts } from '../../kernel/parts.js';
import type { Session } from '../../kernel/session.js';
import type { Cancel, Judges } from '../../kernel/timers.js';
import type { HeaderRecord } from '../header-record.js';

/** An attempt with a signal of its own. */
export interface Abortable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** How an attempt ended, and perhaps the request with it. It holds what the client gave, untouched. */
export type Ending<Answer> =
  | { readonly kind: 'response'; readonly response: Answer }
  | {
      readonly kind: 'error';
      readonly error: unknown;
      /** The attempt's time was over before anything was sent. */
      readonly unasked?: true;
    };

/** The caller, who may abort the request at any time. */
export interface Caller {
  readonly isAborted: boolean;
  /** Calls the listener at most once, and not for an abort that came before. */
  onAbort(listener: (reason: unknown) => void): Cancel;
  /** The error that a request ends with if its caller aborts it. */
  abortError(): unknown;
}

export interface PromiseExchange<Answer> extends Caller {
  readonly session: Session;
  /** Those of its policy. */
  readonly parts: KernelParts;
  /** Undefined: there is no body, or the client itself can send it again. */
  readonly body: RequestBody | undefined;
  /** True if two attempts can send the request at the same time: without a body, or with one that both can send. */
  readonly isSendableTwice: boolean;

  /** The request as the attempts send it. The loop asks for it once. */
  outgoing(): Outgoing<Answer>;
  /** Sends one attempt. If a signal is given, it replaces the caller's. */
  send(signal?: AbortSignal): Promise<Answer>;
  /** An attempt that had a signal of its own is over, or was given up. Undefined: there is nothing to undo. */
  attemptEnded?(): void;
  /** The attempt's time is up, or the caller has aborted. Calls `abort`, after whatever has to end before. */
  breakOff(abort: () => void): void;
  /** Calls `done` when the answer is no longer read, so that an abort has nothing left to end. */
  whenRead(answer: Answer, sent: Abortable, done: () => void): void;

  /**
   * If the answer of the attempt is there and only waits for its body, it is handed over as it is; without an attempt,
   * that of any attempt. False if there is none. Undefined if answers of this client do not wait.
   */
  letGo?(sent: Abortable | undefined): boolean;
  /**
   * Calls `abort`, which ends the attempt, and does what its answer needs before and after that. False: it needs nothing,
   * and `abort` is not called.
   */
  aborts?(sent: Abortable, reason: unknown, abort: () => void): boolean;

  /** Whether an answer goes to the caller at once. As far as the status decides, `acceptsStatus` says so. */
  accepts(answer: Answer): boolean;
  /** Undefined or 0: the answer cannot be judged, so the caller gets it as it is. */
  statusOf(answer: Answer): number | undefined;
  /** What the policy judges. It has `body` if the answer has a body that `retryIf` may read. */
  outcomeOf(ending: Ending<Answer>): ClientOutcome | PromiseLike<ClientOutcome>;
  /** A form of the error that may be kept: it does not hold on to the connection and the body. */
  lightened(error: unknown): unknown;
  /** The ending goes unread; its connection should become free. Undefined: there is nothing to wait for. */
  release(ending: Ending<Answer>): Rest | undefined;
  /** The body of the ending that is still to be read, which keeps its connection from other attempts. */
  unread(ending: Ending<Answer>): object | undefined;
  /**
   * Calls `done` once, when the body of what the caller gets is over; at once if there is none, or if nothing tells of
   * its end. Called only if a limit wants to know.
   */
  whenBodyEnds(ending: Ending<Answer>, done: () => void): void;
  /** Applies `deadlineCovers: 'body'` to a body that the caller reads. */
  coverBody(ending: Ending<Answer>, deadline: BodyDeadline): void;

  /** Gives an error of ours the shape that this client's callers expect. */
  ownError<E extends Error>(error: E): E;
}

export interface RequestBody {
  /** Whether the body can be sent again, as things stand now. */
  readonly isReplayable: boolean;
  /** The body for the next attempt. */
  next(): unknown;
  /** True if each attempt gets a new body from the caller. */
  readonly isMade?: boolean;
  /** The attempt that reads the body is over. */
  leave?(): void;
  /** Calls the listener if the body fails while no attempt reads it. */
  onFailure?(listener: () => void): Cancel;
}

/** The rest of an answer that is read only so that its connection becomes free. */
export interface Rest {
  readonly isOver: boolean;
}

/** The request as it goes out. Objects of the caller are left alone, or restored. */
export interface Outgoing<Answer> {
  /**
   * Prepares the next attempt with the body that `body.next()` gave and with our headers. `extra` is undefined for the
   * first attempt.
   */
  prepare(body: unknown, extra: Readonly<Record<string, string>> | undefined): void;
  /** What `beforeRetry` may change; undefined without the part for it. */
  readonly changes: Changes | undefined;
  /**
   * Sends an attempt while another one of the request may be out: neither notices the other. `extra`: the headers of the
   * hedge; undefined for the attempt that was prepared.
   */
  sendApart(signal: AbortSignal, extra: Readonly<Record<string, string>> | undefined): Promise<Answer>;
  /** The request is over; `ending` is what the caller gets. */
  close(ending: Ending<Answer>): void;
}

export interface Target {
  readonly url: string;
  readonly headers: Iterable<readonly [name: string, value: unknown]>;
}

/** What `beforeRetry` changes for the next attempt. */
export interface Changes {
  /** Its URL and headers as they are. The first URL is shown as it is sent, which `asSent` knows. */
  target(asSent: (address: string) => string): Target;
  /** … and what `beforeRetry` has made of them. `url` is undefined if it has not changed. */
  change(headers: HeaderRecord, url: string | undefined): void;
}

/** A time limit, and the error that the request fails with when the time is up. */
export interface Limit {
  readonly ms: number;
  readonly judges: Judges;
  /** `stalledMs`: for how long this process has stood still meanwhile. */
  readonly error: (stalledMs?: number) => Error;
  /** Asked when the time is up: a limit that applies from then on instead, if there is one. */
  readonly next?: () => Limit | undefined;
}

export interface BodyDeadline extends Limit {
  /** Aborts what is left of the attempt. */
  readonly abort: (reason: unknown) => void;
}
