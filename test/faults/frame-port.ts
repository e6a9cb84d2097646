/** A connection under an HTTP/2 session, into which other frames can be inserted between those of the session. */

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const goawayType = 7;

export class FramePort extends Duplex {
  readonly #socket: Socket;
  readonly #onSent: () => void;

  constructor(socket: Socket, onSent: () => void) {
    super();
    this.#socket = socket;
    this.#onSent = onSent;
    socket.on('data', (bytes) => {
      if (!this.push(bytes)) socket.pause();
    });
    socket.on('close', () => this.destroy());
  }

  /** Node's own `goaway()` takes a last id of 0 for "all streams so far". */
  goaway(code: number, lastStreamId: number): void {
    const frame = Buffer.alloc(17);
    frame.writeUIntBE(8, 0, 3);
    frame.writeUInt8(goawayType, 3);
    frame.writeUInt32BE(lastStreamId, 9);
    frame.writeUInt32BE(code, 13);
    this.#socket.write(frame, this.#onSent);
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, (error) => {
      done(error);
      this.#onSent();
    });
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
