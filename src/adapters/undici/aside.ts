/** A response that the caller does not get: not yet, because it is still being judged, or not at all. */

import { isOfOtherLength } from '../../core/decide/whole.js';
import type { Hint } from '../../core/types.js';
import { drainBytes } from '../../drivers/body/drain.js';
import { TimeLimit } from '../../kernel/time-limits.js';
import { type Cancel, judging, type Sleep } from '../../kernel/timers.js';
import { ShortResponseError } from './errors.js';
import type { Head, ResponseHeaders } from './handlers.js';

/** The most that is kept in memory while the response is judged; beyond it the connection is paused. */
const asideBytes = 65_536;

/** Events that arrived for the caller in the meantime. They come even after a pause: not every dispatcher can pause. */
export type KeptEvent =
  | { readonly kind: 'data'; readonly chunk: Buffer }
  | { readonly kind: 'end'; readonly trailers: ResponseHeaders }
  | { readonly kind: 'error'; readonly error: unknown };

/**
 * An attempt has ended with an answer that was held until its body was whole or its stream had begun, or would not wait
 * any longer.
 */
export interface HeldEnding {
  readonly kind: 'head';
  readonly head: Head;
  readonly isHeld: true;
  /** The error with which the body has broken off: that is how the attempt ended. */
  readonly cut: unknown;
  /** The failure that came before the stream's content: that is how the attempt ended. */
  readonly began?: Hint | undefined;
}

export class Aside {
  readonly kept: KeptEvent[] = [];
  /** True while kept events are handed over: the caller may call resume() from within its callbacks. */
  isHandingOver = false;
  private leftBytes = asideBytes;
  private keptBytes = 0;
  private endsAtEnd = false;
  private onEnough: (() => void) | undefined = undefined;
  private onLeave: (() => void) | undefined = undefined;
  /** Sees what arrives; true: that is enough. */
  private look: ((chunk: Buffer) => boolean) | undefined = undefined;
  private cancel: Cancel | undefined = undefined;

  /**
   * Calls `tooMuch` once, when more has arrived than should be kept in memory. Pausing at once would not do: if the
   * connection ends while it is paused, undici 7 throws where nothing can catch it.
   */
  fillUp(tooMuch: () => void): void {
    this.leftBytes = asideBytes;
    this.endsAtEnd = false;
    this.onEnough = () => {
      this.onEnough = undefined;
      tooMuch();
    };
  }

  /** Calls `done` once: after `mostBytes`, at the end of the body, or after `ms`. */
  gather(sleep: Sleep, mostBytes: number, ms: number, done: (bytes: Uint8Array) => void): void {
    const finish = (): void => done(this.bytes.subarray(0, mostBytes));
    if (this.hasEnded || this.keptBytes >= mostBytes) finish();
    else this.waitFor(sleep, ms, mostBytes - 1, finish);
  }

  /** Calls `done` once: at the end of the body, beyond `mostBytes`, or after `ms`. */
  waitFor(sleep: Sleep, ms: number, mostBytes: number, done: () => void): void {
    this.endsAtEnd = true;
    this.limit(sleep, ms, mostBytes - this.keptBytes, done);
  }

  /** Calls `done` once: when `look` has seen enough, at the end of the body, beyond `mostBytes`, or after `ms`. */
  watchFor(
    sleep: Sleep,
    ms: number,
    mostBytes: number,
    look: (chunk: Buffer) => boolean,
    done: () => void,
  ): void {
    this.look = look;
    this.waitFor(sleep, ms, mostBytes, done);
  }

  /** Ends what is waited for now, as if its time were over. */
  waitNoLonger(): void {
    this.onEnough?.();
  }

  /** Calls `done` once: with the whole body, or with undefined if it is longer, breaks off, or is left before its end. */
  gatherWhole(mostBytes: number, done: (bytes: Uint8Array | undefined) => void): void {
    const finish = (isLeft: boolean): void => {
      this.onEnough = undefined;
      this.onLeave = undefined;
      const isWhole = !isLeft && this.kept.at(-1)?.kind === 'end' && this.keptBytes <= mostBytes;
      done(isWhole ? this.bytes : undefined);
    };
    this.endsAtEnd = true;
    this.leftBytes = mostBytes - this.keptBytes;
    this.onEnough = () => finish(false);
    this.onLeave = () => finish(true);
    if (this.hasEnded || this.leftBytes < 0) this.onEnough();
  }

  private get bytes(): Uint8Array {
    return Buffer.concat(this.kept.flatMap((event) => (event.kind === 'data' ? [event.chunk] : [])));
  }

  private limit(sleep: Sleep, ms: number, bytes: number, done: () => void): void {
    this.leftBytes = bytes;
    this.onEnough = () => {
      this.stop();
      done();
    };
    this.cancel = sleep(ms, this.onEnough, judging('awake', true));
  }

  keep(event: KeptEvent): void {
    this.kept.push(event);
    if (event.kind === 'data') {
      this.keptBytes += event.chunk.byteLength;
      if (this.look?.(event.chunk) === true) this.onEnough?.();
      else this.count(event.chunk);
    } else if (this.endsAtEnd) this.onEnough?.();
  }

  private count(chunk: Buffer): void {
    this.leftBytes -= chunk.byteLength;
    if (this.leftBytes < 0) this.onEnough?.();
  }

  get hasEnded(): boolean {
    return this.end !== undefined;
  }

  /** How the body has ended, if it has. */
  get end(): Exclude<KeptEvent, { readonly kind: 'data' }> | undefined {
    const last = this.kept.at(-1);
    return last === undefined || last.kind === 'data' ? undefined : last;
  }

  get receivedBytes(): number {
    return this.keptBytes;
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.onEnough = undefined;
    this.look = undefined;
    this.onLeave?.();
  }
}

/** A body that is only read to save the connection, for as long and as far as that costs less than a new one. */
export class Draining extends TimeLimit {
  readonly lastsMs: number;
  private readonly sending: { cut(): void };
  private leftBytes = drainBytes;

  constructor(sending: { cut(): void }, ms: number) {
    super();
    this.sending = sending;
    this.lastsMs = ms;
  }

  get kind(): 'draining' {
    return 'draining';
  }

  count(chunk: Buffer): void {
    this.leftBytes -= chunk.length;
    if (this.leftBytes < 0) this.sending.cut();
  }

  over(): void {
    this.sending.cut();
  }
}

/** The error with which a body has broken off. */
export function cutIn({ end, receivedBytes }: Aside, head: Head): unknown {
  if (end?.kind === 'error') return end.error;
  return end !== undefined && isShort(head, receivedBytes) ? new ShortResponseError() : undefined;
}

/** undici compares lengths itself, but not over HTTP/2, which has no reason phrases. */
export function isShort({ headers, statusText = '' }: Head, receivedBytes: number): boolean {
  return statusText === '' && isOfOtherLength(headers, receivedBytes);
}
