/** Bodies that callers send, in every form; checks that everything opened for them is closed again. */

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { contentOf } from '../../faults/lab.js';
import type { FuzzBody, FuzzCall } from './fuzz-script.js';

/** The bytes that a server must get: printable, so that they are the same as text and as bytes. */
export function sentBytes({ bytes }: FuzzBody): Buffer {
  return Buffer.from(contentOf('sent', 0, bytes).toString('base64').slice(0, bytes), 'latin1');
}

/** The caller's own source failed. */
export class BrokenSource extends Error {}

/** The body sources of one call. */
export class Sources {
  readonly #whose: string;
  #open = 0;

  constructor({ method, body, caller }: FuzzCall) {
    this.#whose = `${method} with a ${body.form} by ${caller.through}`;
  }

  /** Generators that began and never ended, whatever their form. */
  get open(): number {
    return this.#open;
  }

  bodyFor(body: FuzzBody): unknown {
    const bytes = sentBytes(body);
    switch (body.form) {
      case 'none':
        return undefined;
      case 'text':
        return bytes.toString('latin1');
      case 'bytes':
        return bytes;
      case 'blob':
        return new Blob([Uint8Array.from(bytes)]);
      case 'generator':
        return this.#chunks(body, bytes);
      case 'readable':
        return Readable.from(this.#chunks(body, bytes), { objectMode: false });
      case 'factory of text':
        return () => bytes.toString('latin1');
      case 'factory of generators':
        return async () => this.#chunks(body, bytes);
    }
  }

  async *#chunks({ chunkBytes, isSlow, breaksAt }: FuzzBody, bytes: Buffer): AsyncGenerator<Buffer> {
    this.#open += 1;
    try {
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        if (isSlow) await setImmediate();
        if (breaksAt !== undefined && at + chunkBytes > breaksAt)
          throw new BrokenSource(`the source of a ${this.#whose} broke`);
        yield bytes.subarray(at, at + chunkBytes);
      }
    } finally {
      this.#open -= 1;
    }
  }
}
