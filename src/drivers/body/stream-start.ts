/**
 * Watches a stream until its content begins, while its answer is kept aside. Some clients hand bodies over as they came,
 * so one that is packed is unpacked here, to be looked at.
 */

import type { Beginning, StreamStart } from '../../core/decide/stream-start.js';
import type { Hint } from '../../core/types.js';
import { unpackedBytes } from './unpack.js';

/** What is packed is unpacked from its beginning at each look, so a server that sends single bytes gets no more looks. */
const mostLooks = 256;

export class StartWatch {
  private readonly start: StreamStart;
  private readonly coding: string | readonly string[] | undefined;
  private readonly mostBytes: number;
  private said: Beginning = 'pending';
  /** All that has come of a stream that is packed, and how much of what is in it was seen. */
  private packed: Uint8Array = new Uint8Array();
  private seenBytes = 0;
  private looks = 0;

  constructor(start: StreamStart, coding: string | readonly string[] | undefined, mostBytes: number) {
    this.start = start;
    this.coding = coding === 'identity' ? undefined : coding;
    this.mostBytes = mostBytes;
  }

  /** Nothing is known yet. */
  get isOpen(): boolean {
    return this.said === 'pending';
  }

  /** Whether it is known, with this chunk, how the stream begins. */
  sees(chunk: Uint8Array): boolean {
    const bytes = this.coding === undefined ? chunk : this.unpacked(chunk);
    this.said = bytes === undefined ? 'undecided' : this.start.push(bytes);
    return !this.isOpen;
  }

  /** What is new in it; undefined if it cannot be read. */
  private unpacked(chunk: Uint8Array): Uint8Array | undefined {
    this.looks += 1;
    if (this.looks > mostLooks) return undefined;
    this.packed = Buffer.concat([this.packed, chunk]);
    const bytes = unpackedBytes(this.packed, this.coding, this.mostBytes, true)?.subarray(this.seenBytes);
    this.seenBytes += bytes?.length ?? 0;
    return bytes;
  }

  /** The failure that came before any content, if there is one. */
  failure(hasEnded: boolean): Hint | undefined {
    if (this.isOpen && hasEnded) this.said = this.start.end();
    return typeof this.said === 'object' ? this.said.failed : undefined;
  }
}
