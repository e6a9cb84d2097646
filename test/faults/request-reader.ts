/** Reads HTTP/1.1 requests from a connection, one after another. Supports only what the lab's clients send. */

import type { RequestHead } from './ledger.js';

export interface RequestListener {
  head(head: RequestHead): void;
  body(piece: Buffer): void;
  end(): void;
  /** Called for data that is not HTTP. */
  garbled(): void;
}

type Expected = 'head' | 'body' | 'chunk-size' | 'chunk-end' | 'trailers' | 'nothing';

const nothing = Buffer.alloc(0);

export class RequestReader {
  readonly #listener: RequestListener;
  #rest: Buffer = nothing;
  #expected: Expected = 'head';
  #isChunked = false;
  /** The bytes still to come of the body or the chunk. */
  #left = 0;

  constructor(listener: RequestListener) {
    this.#listener = listener;
  }

  push(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#advance());
  }

  /** The client was told not to send the current request's body. */
  skipBody(): void {
    if (this.#expected !== 'nothing') this.#expected = 'head';
  }

  /** Stops reading requests, and returns the data that is unread. */
  stop(): Buffer {
    const rest = this.#rest;
    this.#rest = nothing;
    this.#expected = 'nothing';
    return rest;
  }

  #advance(): boolean {
    switch (this.#expected) {
      case 'head':
        return this.#readHead();
      case 'body':
        return this.#readBody();
      case 'chunk-size':
        return this.#readChunkSize();
      case 'chunk-end':
        return this.#readChunkEnd();
      case 'trailers':
        return this.#readTrailers();
      case 'nothing':
        this.#rest = nothing;
        return false;
    }
  }

  #readHead(): boolean {
    const text = this.#takeUntil('\r\n\r\n');
    if (text === undefined) return false;
    const [start = '', ...lines] = text.split('\r\n');
    const [, method, path] = /^([!-~]+) (\S+) HTTP\/1\.[01]$/.exec(start) ?? [];
    if (method === undefined || path === undefined) return this.#giveUp();
    const rawHeaders: string[] = [];
    let length: string | undefined;
    this.#isChunked = false;
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon);
      const value = line.slice(colon + 1).trim();
      rawHeaders.push(name, value);
      if (/^content-length$/i.test(name)) length = value;
      if (/^transfer-encoding$/i.test(name)) this.#isChunked = /chunked$/i.test(value);
    }
    this.#left = Number(length ?? 0);
    // The listener may stop the reader, so the state is set first.
    this.#expected = this.#isChunked ? 'chunk-size' : 'body';
    this.#listener.head({ method, path, rawHeaders });
    return true;
  }

  #readBody(): boolean {
    if (this.#left > 0) {
      if (this.#rest.length === 0) return false;
      const piece = this.#take(Math.min(this.#left, this.#rest.length));
      this.#left -= piece.length;
      this.#listener.body(piece);
    }
    if (this.#left > 0 || this.#expected !== 'body') return true;
    if (this.#isChunked) this.#expected = 'chunk-end';
    else this.#finish();
    return true;
  }

  #readChunkSize(): boolean {
    const line = this.#takeUntil('\r\n');
    if (line === undefined) return false;
    this.#left = Number.parseInt(line, 16);
    if (Number.isNaN(this.#left)) return this.#giveUp();
    this.#expected = this.#left === 0 ? 'trailers' : 'body';
    return true;
  }

  #readChunkEnd(): boolean {
    if (this.#takeUntil('\r\n') === undefined) return false;
    this.#expected = 'chunk-size';
    return true;
  }

  #readTrailers(): boolean {
    const line = this.#takeUntil('\r\n');
    if (line === '') this.#finish();
    return line !== undefined;
  }

  #finish(): void {
    this.#expected = 'head';
    this.#listener.end();
  }

  #giveUp(): false {
    this.stop();
    this.#listener.garbled();
    return false;
  }

  #takeUntil(mark: string): string | undefined {
    const at = this.#rest.indexOf(mark, 0, 'latin1');
    if (at < 0) return undefined;
    const text = this.#rest.toString('latin1', 0, at);
    this.#rest = this.#rest.subarray(at + mark.length);
    return text;
  }

  #take(bytes: number): Buffer {
    const piece = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return piece;
  }
}
