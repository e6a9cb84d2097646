/** The bytes that were read of a body. */

import type { Chunk } from './body-source.js';

/** Keeps copies of the chunks, one after the other, since a source may fill the same buffer again. */
export class KeptBytes {
  private room: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  private length = 0;

  get bytes(): Uint8Array {
    return this.room.subarray(0, this.length);
  }

  /** False: the limit would be exceeded, or the chunk is neither bytes nor text, which the client will refuse. */
  add(chunk: Chunk, limitBytes: number): boolean {
    const bytes = bytesOf(chunk);
    if (bytes === undefined) return false;
    const length = this.length + bytes.byteLength;
    if (length > limitBytes) return false;
    if (length > this.room.byteLength) this.grow(Math.min(Math.max(2 * length, 1_024), limitBytes));
    this.room.set(bytes, this.length);
    this.length = length;
    return true;
  }

  addAll(chunks: readonly Chunk[]): void {
    const parts = chunks.flatMap((chunk) => bytesOf(chunk) ?? []);
    const length = parts.reduce((sum, part) => sum + part.byteLength, this.length);
    this.grow(length);
    for (const part of parts) this.add(part, length);
  }

  private grow(toBytes: number): void {
    const before = this.bytes;
    this.room = new Uint8Array(toBytes);
    this.room.set(before);
  }
}

/** Made when it is first used: not every platform that loads this file has the class (jsdom). */
let encoder: TextEncoder | undefined;

/** Undefined if it is neither bytes nor text. */
export function bytesOf(chunk: unknown): Uint8Array | undefined {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === 'string') {
    encoder ??= new TextEncoder();
    return encoder.encode(chunk);
  }
  if (isArrayBuffer(chunk)) return new Uint8Array(chunk);
  if (!ArrayBuffer.isView(chunk)) return undefined;
  const { buffer, byteOffset, byteLength } = chunk;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Of any realm. */
function isArrayBuffer(chunk: unknown): chunk is ArrayBuffer {
  return Object.prototype.toString.call(chunk) === '[object ArrayBuffer]';
}
