/** One play on one HTTP/1.1 connection: takes its steps, in order, until the end of either. */

import { STATUS_CODES } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { contentOf } from './content.js';
import { type Cues, ends, happens, isOut, passes } from './pacing.js';
import type { HeaderFields, Step } from './play.js';

/** The play's access to its connection, besides writing. */
export interface Wire {
  readonly socket: Socket;
  readonly cues: Cues;
  fin(): void;
  reset(): void;
  /** The kernel took bytes. */
  changed(): void;
  /** No more requests are read: the client's data goes to the listener. */
  release(listener: (bytes: Buffer) => void): void;
  /** Waits for the head of the next request on this connection. */
  next(): Promise<void>;
  /** The client will not send the body that it announced. */
  skipBody(): void;
  deafen(): void;
}

/** The facts that a play needs about its request; undefined if it began with the connection. */
export interface Addressee {
  readonly method: string;
  readonly path: string;
  readonly awaitsContinue: boolean;
}

type Framing = 'none' | 'plain' | 'chunked' | 'bodiless';

export class Performance {
  readonly #wire: Wire;
  readonly #socket: Socket;
  readonly #request: Addressee | undefined;
  #framing: Framing = 'none';
  /** Buffered and written together with what follows, so that a plain answer is one segment. */
  #text = '';
  #hasWritten = false;

  constructor(wire: Wire, request: Addressee | undefined) {
    this.#wire = wire;
    this.#socket = wire.socket;
    this.#request = request;
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (!this.#socket.writable) return;
      const pending = this.#take(step);
      if (pending !== undefined) await pending;
    }
    this.#flush();
  }

  #take(step: Step): Promise<void> | undefined {
    switch (step.do) {
      case 'head':
        return this.#head(step.status, step.headers ?? {});
      case 'body':
        return this.#body(step.text);
      case 'end':
        return this.#end(step.trailers ?? {});
      case 'write':
        this.#text += step.text;
        return undefined;
      case 'drip':
        return this.#drip(step.text, step.everyMs);
      case 'fill':
        return this.#fill(step);
      default:
        this.#flush();
        return this.#after(step);
    }
  }

  /** Steps before which everything buffered must be written. */
  #after(step: Exclude<Step, { do: 'head' | 'body' | 'end' | 'write' | 'drip' | 'fill' }>) {
    switch (step.do) {
      case 'wait':
        return passes(this.#socket, step.ms);
      case 'cue':
        return this.#wire.cues.given(step.name, this.#socket);
      case 'stall':
        return ends(this.#socket);
      case 'next':
        return this.#wire.next();
      case 'deaf':
        this.#wire.deafen();
        return undefined;
      case 'fin':
        this.#wire.fin();
        return undefined;
      case 'rst':
        return this.#reset();
      case 'echo':
        this.#wire.release((bytes) => this.#socket.write(bytes));
        return ends(this.#socket);
      case 'tunnel':
        return this.#tunnel();
    }
  }

  #head(status: number, headers: HeaderFields): undefined {
    this.#text += `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Whatever'}\r\n${lines(headers)}\r\n`;
    if (status < 200) return;
    if (this.#request?.awaitsContinue === true) this.#wire.skipBody();
    if (this.#request?.method === 'HEAD' || status === 204 || status === 304) this.#framing = 'bodiless';
    else this.#framing = headers['transfer-encoding'] === 'chunked' ? 'chunked' : 'plain';
  }

  #body(text: string): undefined {
    if (this.#framing === 'bodiless' || text === '') return;
    this.#text += this.#framing === 'chunked' ? `${text.length.toString(16)}\r\n${text}\r\n` : text;
  }

  #end(trailers: HeaderFields): undefined {
    if (this.#framing === 'chunked') this.#text += `0\r\n${lines(trailers)}\r\n`;
  }

  async #drip(text: string, everyMs: number): Promise<void> {
    for (const byte of text) {
      this.#body(byte);
      this.#flush();
      await passes(this.#socket, everyMs);
      if (!this.#socket.writable) return;
    }
  }

  async #fill(step: Extract<Step, { do: 'fill' }>): Promise<void> {
    if (this.#framing === 'bodiless') return;
    const { mark = 'a', from = 0, chunkBytes = 65_536 } = step;
    const to = step.bytes === 'endless' ? Infinity : from + step.bytes;
    for (let at = from; at < to && this.#socket.writable; at += chunkBytes) {
      const content = contentOf(mark, at, Math.min(to, at + chunkBytes));
      if (this.#framing === 'chunked') this.#text += `${content.length.toString(16)}\r\n`;
      this.#flush();
      const isTaken = this.#socket.write(content, this.#wire.changed);
      if (this.#framing === 'chunked') this.#text += '\r\n';
      // The kernel's buffers are big: without a turn of the event loop, the client could not apply back-pressure in
      // between.
      if (!isTaken) await happens(this.#socket, 'drain');
      else if (at + chunkBytes < to) await setImmediate();
    }
  }

  #reset(): Promise<void> | undefined {
    if (this.#hasWritten) return this.#isRead().then(() => this.#wire.reset());
    this.#wire.reset();
    return undefined;
  }

  /**
   * Gives a client in this process the chance to read everything. (If it finds bytes and an RST together, Node treats
   * them like bytes and a FIN.)
   */
  async #isRead(): Promise<void> {
    await isOut(this.#socket);
    // The first turn of the event loop may have handled its sockets already.
    await setImmediate();
    await setImmediate();
  }

  async #tunnel(): Promise<void> {
    const [, host, port] = /^\[?(.+?)\]?:(\d{1,5})$/.exec(this.#request?.path ?? '') ?? [];
    if (host === undefined) return this.#wire.fin();
    const target = connect({ host, port: Number(port), noDelay: true });
    target.on('error', () => this.#socket.destroy());
    target.on('data', (bytes) => this.#socket.write(bytes));
    target.on('close', () => this.#socket.end());
    this.#wire.release((bytes) => target.write(bytes));
    await ends(this.#socket);
    target.destroy();
  }

  #flush(): void {
    if (this.#text === '') return;
    this.#hasWritten = true;
    this.#socket.write(this.#text, 'latin1', this.#wire.changed);
    this.#text = '';
  }
}

function lines(headers: HeaderFields): string {
  let text = '';
  for (const [name, value] of Object.entries(headers)) {
    for (const each of typeof value === 'string' ? [value] : value) text += `${name}: ${each}\r\n`;
  }
  return text;
}
