/**
 * The part of a response that the caller has received: the head, and the bytes of the body so far. It says what further
 * bytes, an end or a break mean, and what request would continue a broken body; it does nothing by itself.
 */

import type { Head, ResponseHeaders } from './handlers.js';
import type { Rest } from './resume.js';
import { restOf } from './resume.js';
import type { Sending } from './sending.js';

export class Download {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The attempt that delivers it. */
  sending: Sending;
  /** The session knows already that the body breaks off, and what follows from that. */
  readonly isJudged: boolean;
  private receivedBytes = 0;
  /** Content-Length, where comparing it is up to us. */
  private readonly announcedBytes: number | undefined;
  private broken: Break | undefined = undefined;

  constructor(
    sending: Sending,
    status: number,
    headers: ResponseHeaders,
    statusText: string | undefined,
    isJudged: boolean,
  ) {
    this.sending = sending;
    this.isJudged = isJudged;
    this.status = status;
    this.headers = headers;
    // undici compares the length itself over HTTP/1.1, but not over HTTP/2, which has no reason phrases. An HTTP/1.1
    // response without one is compared twice, which does no harm.
    this.announcedBytes = (statusText ?? '') === '' ? announcedIn(headers) : undefined;
  }

  get kind(): 'delivering' {
    return 'delivering';
  }

  /** False if more bytes came than the resumed body has. */
  take(chunk: Buffer): boolean {
    // `length`, since Node 20 calls the getter of `byteLength`, which takes ten times as long as all else here.
    this.receivedBytes += chunk.length;
    const wholeBytes = this.broken?.wholeBytes;
    return wholeBytes === undefined || this.receivedBytes <= wholeBytes;
  }

  /** `short`: the body broke off, and undici reported a regular end; `wrong`: the resumed body has the wrong size. */
  end(): 'whole' | 'short' | 'wrong' {
    const { receivedBytes, announcedBytes } = this;
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
    const { path } = this.sending;
    const rest = mayResume && path !== undefined ? restOf(method, this, this.receivedBytes, path) : undefined;
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
  mismatch(answer: Head, { path }: Sending): string | undefined {
    const mismatch = this.broken?.rest?.mismatch(answer, path);
    if (mismatch !== undefined) this.broken = { error: this.error };
    return mismatch;
  }

  /** Another attempt begins to deliver the rest. */
  goOn(sending: Sending): void {
    const { error, rest } = this.broken ?? {};
    this.sending = sending;
    this.broken = { error, wholeBytes: this.receivedBytes + (rest?.bytes ?? 0) };
  }
}

interface Break {
  readonly error: unknown;
  /** The rest, if another attempt can ask for it. */
  readonly rest?: Rest | undefined;
  /** Once the rest arrives: the size that the body must have in the end. */
  readonly wholeBytes?: number;
}

function announcedIn(headers: ResponseHeaders): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
