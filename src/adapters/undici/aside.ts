/** A response that is not the caller's: not yet, while it is judged, or never. */

import { gatherMs } from '../../core/hints/worth-reading.js';
import { drainBytes } from '../../runtime/drain.js';
import type { Cancel, Sleep } from '../../runtime/sleep.js';
import type { ResponseHeaders } from './handlers.js';

/** So much is kept while it is judged; beyond it the connection is paused. */
const asideBytes = 65_536;

/** What came for the caller in the meantime. Not every dispatcher can pause. */
export type Late =
  | { readonly kind: 'data'; readonly chunk: Buffer }
  | { readonly kind: 'end'; readonly trailers: ResponseHeaders }
  | { readonly kind: 'error'; readonly error: unknown };

export class Aside {
  readonly late: Late[] = [];
  /** The caller may resume while it is being served. */
  isHandingOver = false;
  private leftBytes = asideBytes;
  private endsAtEnd = false;
  private onEnough: (() => void) | undefined = undefined;
  private cancel: Cancel | undefined = undefined;

  /**
   * Calls once: when it is more than should be kept in memory. Not at once: a connection that ends while it is
   * paused makes undici 7 throw where it cannot be caught.
   */
  fillUp(tooMuch: () => void): void {
    this.leftBytes = asideBytes;
    this.onEnough = () => {
      this.onEnough = undefined;
      tooMuch();
    };
  }

  /** Calls once: after so many bytes, at the end of the body, or when it takes too long. */
  gather(sleep: Sleep, mostBytes: number, done: (bytes: Uint8Array) => void): void {
    const bytes = (): Uint8Array => {
      const chunks = this.late.flatMap((event) => (event.kind === 'data' ? [event.chunk] : []));
      return Buffer.concat(chunks).subarray(0, mostBytes);
    };
    this.endsAtEnd = true;
    this.limit(sleep, gatherMs, mostBytes - 1, () => done(bytes()));
  }

  /** Calls once: after more bytes than it is worth, or when it takes too long. */
  drain(sleep: Sleep, ms: number, cutOff: () => void): void {
    this.limit(sleep, ms, drainBytes, cutOff);
  }

  private limit(sleep: Sleep, ms: number, bytes: number, done: () => void): void {
    this.leftBytes = bytes;
    this.onEnough = () => {
      this.stop();
      done();
    };
    this.cancel = sleep(ms, this.onEnough, { unref: true });
  }

  keep(event: Late): void {
    this.late.push(event);
    if (event.kind === 'data') this.count(event.chunk);
    else if (this.endsAtEnd) this.onEnough?.();
  }

  count(chunk: Buffer): void {
    this.leftBytes -= chunk.byteLength;
    if (this.leftBytes < 0) this.onEnough?.();
  }

  get hasEnded(): boolean {
    return this.late.some(({ kind }) => kind !== 'data');
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.onEnough = undefined;
  }
}
