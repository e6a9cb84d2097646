/**
 * A body that the caller is receiving, where there is more to it than bytes that come: what further bytes, an end or a
 * break mean, and what request would continue a body that broke off. It does nothing by itself.
 */

import type { Head, ResponseHeaders } from './handlers.js';
import type { Rest } from './resume.js';
import { restOf } from './resume.js';
import type { Sending } from './sending.js';

/** Undefined: nothing is to be watched, as in most bodies, unless this one breaks off. */
export function watchedDownload(
  sending: Sending,
  status: number,
  statusText: string | undefined,
  isJudged: boolean,
): Download | undefined {
  // undici compares the length itself over HTTP/1.1, but not over HTTP/2, which has no reason phrases. An HTTP/1.1
  // response without one is compared twice, which does no harm.
  const length = (statusText ?? '') === '' ? sending.headers['content-length'] : undefined;
  if (length === undefined && !isJudged) return undefined;
  return new Download(sending, status, isJudged, length === undefined ? undefined : Number(length));
}

export class Download {
  /** The session knows already that the body breaks off, and what follows from that. */
  readonly isJudged: boolean;
  /** The attempt that delivers it. */
  sending: Sending;
  readonly status: number;
  /** Content-Length, where comparing it is up to us. */
  private readonly announcedBytes: number | undefined;
  private broken: Break | undefined = undefined;

  constructor(sending: Sending, status: number, isJudged = false, announcedBytes?: number) {
    this.sending = sending;
    this.status = status;
    this.isJudged = isJudged;
    this.announcedBytes = announcedBytes;
  }

  get kind(): 'watched' {
    return 'watched';
  }

  get headers(): ResponseHeaders {
    return this.sending.headers;
  }

  /** More bytes came than the resumed body has. */
  get isTooLong(): boolean {
    const wholeBytes = this.broken?.wholeBytes;
    return wholeBytes !== undefined && this.sending.receivedBytes > wholeBytes;
  }

  /** `short`: the body broke off, and undici reported a regular end; `wrong`: the resumed body has the wrong size. */
  end(): 'whole' | 'short' | 'wrong' {
    const { sending, announcedBytes } = this;
    const { receivedBytes } = sending;
    const wholeBytes = this.broken?.wholeBytes;
    // undici compares each response with its own Content-Length; the sum over several responses is compared here.
    if (wholeBytes !== undefined) return receivedBytes === wholeBytes ? 'whole' : 'wrong';
    // Responses to HEAD, 304 and those that undici's dump() cuts bring no bytes at all, whatever the length says.
    return announcedBytes !== undefined && receivedBytes > 0 && receivedBytes < announcedBytes
      ? 'short'
      : 'whole';
  }

  /** Notes that the body broke off with this error, and works out how to ask for the rest, if that is possible. */
  broke(error: unknown, method: string, mayResume: boolean): void {
    const { path, receivedBytes } = this.sending;
    const rest = mayResume && path !== undefined ? restOf(method, this, receivedBytes, path) : undefined;
    this.broken = { error, rest };
  }

  /** The error that the caller gets if the body cannot be resumed. */
  get error(): unknown {
    return this.broken?.error;
  }

  get isResumable(): boolean {
    return this.broken?.rest !== undefined;
  }

  /** Headers that the request for the rest adds. */
  get requestHeaders(): Rest['requestHeaders'] | undefined {
    return this.broken?.rest?.requestHeaders;
  }

  /** Why this answer does not continue the body; undefined if it does. After a mismatch, the body cannot be resumed. */
  mismatch(answer: Head, path: string | undefined): string | undefined {
    const mismatch = this.broken?.rest?.mismatch(answer, path);
    if (mismatch !== undefined) this.broken = { error: this.error };
    return mismatch;
  }

  /** Another attempt begins to deliver the rest. Returns the one that delivered it so far. */
  goOn(sending: Sending): Sending {
    const { error, rest } = this.broken ?? {};
    const before = this.sending;
    this.sending = sending;
    this.broken = { error, wholeBytes: before.receivedBytes + (rest?.bytes ?? 0) };
    return before;
  }
}

interface Break {
  readonly error: unknown;
  /** The rest, if another attempt can ask for it. */
  readonly rest?: Rest | undefined;
  /** Once the rest arrives: the size that the body must have in the end. */
  readonly wholeBytes?: number;
}
