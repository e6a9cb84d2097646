/** One play on one HTTP/2 stream. */

import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { contentOf } from './content.js';
import type { FramePort } from './frame-port.js';
import type { H2Step, LastStream } from './h2-plays.js';
import type { Peer } from './listener.js';
import { type Cues, ends, passes } from './pacing.js';
import type { HeaderFields } from './play.js';

export interface H2Wire {
  readonly peer: Peer;
  readonly port: FramePort;
  readonly cues: Cues;
}

export class H2Performance {
  readonly #stream: ServerHttp2Stream;
  readonly #wire: H2Wire;
  /** The stream whose end ends a wait; once that is over as planned, the connection. */
  #lifetime: Duplex;
  #trailers: HeaderFields | undefined;

  constructor(stream: ServerHttp2Stream, wire: H2Wire) {
    this.#stream = stream;
    this.#wire = wire;
    this.#lifetime = stream;
  }

  async run(steps: readonly H2Step[]): Promise<void> {
    // HTTP/2 must know at the head whether trailers will follow.
    for (const step of steps) if (step.do === 'end') this.#trailers = step.trailers;
    for (const step of steps) {
      if (this.#lifetime.destroyed || (this.#lifetime === this.#stream && this.#stream.closed)) return;
      const pending = this.#take(step);
      if (pending !== undefined) await pending;
    }
  }

  #take(step: H2Step): Promise<void> | undefined {
    switch (step.do) {
      case 'head':
        return this.#head(step.status, step.headers ?? {});
      case 'body':
        return step.text === '' ? undefined : this.#send(Buffer.from(step.text, 'latin1'));
      case 'drip':
        return this.#drip(step.text, step.everyMs);
      case 'fill':
        return this.#fill(step);
      case 'end':
        this.#lifetime = this.#wire.peer.socket;
        this.#stream.end();
        return undefined;
      case 'wait':
        return passes(this.#lifetime, step.ms);
      case 'cue':
        return this.#wire.cues.given(step.name, this.#lifetime);
      case 'stall':
        return ends(this.#lifetime);
      case 'rst-stream':
        return this.#reset(step.code);
      case 'goaway':
        return this.#goaway(step.code, step.last);
      case 'destroy-session':
        return this.#destroySession(step.how);
    }
  }

  #head(status: number, headers: HeaderFields): undefined {
    const fields = { ':status': status, ...fieldsOf(headers) };
    if (status < 200) {
      this.#stream.additionalHeaders(fields);
      return;
    }
    const trailers = Object.entries(this.#trailers ?? {}).length > 0 ? this.#trailers : undefined;
    this.#stream.respond(fields, { waitForTrailers: trailers !== undefined });
    if (trailers !== undefined) {
      this.#stream.on('wantTrailers', () => this.#stream.sendTrailers(fieldsOf(trailers)));
    }
  }

  async #drip(text: string, everyMs: number): Promise<void> {
    for (const byte of text) {
      await this.#send(Buffer.from(byte, 'latin1'));
      await passes(this.#stream, everyMs);
    }
  }

  async #fill(step: Extract<H2Step, { do: 'fill' }>): Promise<void> {
    const { mark = 'a', from = 0 } = step;
    const chunkBytes = Math.min(step.chunkBytes ?? frameBytes, frameBytes);
    const to = step.bytes === 'endless' ? Infinity : from + step.bytes;
    for (let at = from; at < to && this.#stream.writable; at += chunkBytes) {
      await this.#send(contentOf(mark, at, Math.min(to, at + chunkBytes)));
    }
  }

  /** Waits for flow control, or for the end of the stream. */
  #send(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      // Also after HEAD, 204 and 304, which end with the head.
      if (!this.#stream.writable) return resolve();
      const ended = (): void => resolve();
      this.#stream.once('close', ended);
      this.#stream.write(bytes, () => {
        this.#stream.off('close', ended);
        resolve();
      });
    });
  }

  #reset(code: number): undefined {
    // Node would first end the body regularly, and the client would take it for complete.
    this.#stream.end = () => this.#stream;
    this.#stream.close(code);
  }

  #goaway(code: number, last: LastStream): undefined {
    const id = this.#stream.id ?? 0;
    // Client streams have odd numbers.
    this.#wire.port.goaway(code, last === 'this' ? id : Math.max(0, id - 2));
  }

  /** Runs once everything written before is out. */
  async #destroySession(how: 'fin' | 'rst'): Promise<void> {
    const { session } = this.#stream;
    await new Promise<void>((resolve) => {
      if (session === undefined || session.destroyed || !session.ping(() => resolve())) resolve();
      session?.once('close', () => resolve());
    });
    if (how === 'rst') this.#wire.peer.reset();
    else this.#wire.peer.socket.end();
  }
}

/** The biggest frame that every client takes; a bigger piece would wait for its last byte's window. */
const frameBytes = 16_384;

const forbidden: readonly string[] = [
  constants.HTTP2_HEADER_CONNECTION,
  constants.HTTP2_HEADER_TRANSFER_ENCODING,
  constants.HTTP2_HEADER_UPGRADE,
];

/** The headers without those that HTTP/2 forbids. */
function fieldsOf(headers: HeaderFields): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!forbidden.includes(name.toLowerCase()))
      fields[name] = typeof value === 'string' ? value : [...value];
  }
  return fields;
}
