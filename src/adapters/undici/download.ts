/**
 * What the caller has got of a response: its head, and so many bytes of its body. It is asked what the next bytes, an end
 * or a break mean, and what would continue a body that broke off; it answers, and does nothing by itself.
 */

import type { Head, ResponseHeaders } from './handlers.js';
import type { Rest } from './resume.js';
import { restOf } from './resume.js';
import type { Sending } from './sending.js';

export class Download {
  readonly kind = 'delivering';
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Brings it. */
  sending: Sending;
  private receivedBytes = 0;
  /** As the head announced it, where it is ours to compare. */
  private readonly announcedBytes: number | undefined;
  private broken: Break | undefined = undefined;

  constructor(sending: Sending, status: number, headers: ResponseHeaders, statusText: string | undefined) {
    this.sending = sending;
    this.status = status;
    this.headers = headers;
    // HTTP/2 has no reason phrases; where HTTP/1.1 has none either, undici has compared it before.
    this.announcedBytes = (statusText ?? '') === '' ? announcedIn(headers) : undefined;
  }

  /** False: there are more bytes than the body that broke off has. */
  take(chunk: Buffer): boolean {
    // Node 20 calls the getter of `byteLength`, ten times as long as all else here; `length` it compiles away.
    this.receivedBytes += chunk.length;
    const wholeBytes = this.broken?.wholeBytes;
    return wholeBytes === undefined || this.receivedBytes <= wholeBytes;
  }

  /** `short`: it broke off, and undici took that for its end; `wrong`: these are not the bytes of the body that broke off. */
  end(): 'whole' | 'short' | 'wrong' {
    const { receivedBytes, announcedBytes } = this;
    const wholeBytes = this.broken?.wholeBytes;
    // undici compares a body with its own Content-Length; the sum of several is ours.
    if (wholeBytes !== undefined) return receivedBytes === wholeBytes ? 'whole' : 'wrong';
    // Nothing at all is what HEAD, 304 and a dump bring.
    return announcedBytes !== undefined && receivedBytes > 0 && receivedBytes < announcedBytes
      ? 'short'
      : 'whole';
  }

  /** It broke off, with this error; what is still missing is asked for, if it can be. */
  broke(error: unknown, method: string, mayResume: boolean): void {
    const rest = mayResume ? restOf(method, this, this.receivedBytes) : undefined;
    this.broken = { error, rest };
  }

  /** What the caller is told if it stays broken. */
  get error(): unknown {
    return this.broken?.error;
  }

  get isResumable(): boolean {
    return this.broken?.rest !== undefined;
  }

  /** What a request for the rest of it says more. */
  get requestHeaders(): Rest['requestHeaders'] | undefined {
    return this.broken?.rest?.requestHeaders;
  }

  /** Why this answer does not continue it, after which nothing can; undefined: it does. */
  mismatch(answer: Head): string | undefined {
    const mismatch = this.broken?.rest?.mismatch(answer);
    if (mismatch !== undefined) this.broken = { error: this.error };
    return mismatch;
  }

  /** The rest of it begins to come, from another attempt. */
  goOn(sending: Sending): void {
    const { error, rest } = this.broken ?? {};
    this.sending = sending;
    this.broken = { error, wholeBytes: this.receivedBytes + (rest?.bytes ?? 0) };
  }
}

interface Break {
  readonly error: unknown;
  /** What another attempt is asked for. */
  readonly rest?: Rest | undefined;
  /** Once that comes: all that it has to be in the end. */
  readonly wholeBytes?: number;
}

function announcedIn(headers: ResponseHeaders): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
