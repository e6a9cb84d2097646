/** A client without HTTP: sends bytes, and records the answer and how the connection ended. */

import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ca } from './certificates.js';

export class RawClient {
  readonly socket: Socket;
  /** Resolves when the server ends the connection: with `fin`, or the error's code. */
  readonly ended: Promise<string>;
  #pieces: Buffer[] = [];
  #waiting: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (piece: Buffer) => {
      this.#pieces.push(piece);
      this.#waiting?.();
    });
    this.ended = new Promise((resolve) => {
      socket.on('end', () => resolve('fin'));
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  get text(): string {
    return this.bytes.toString('latin1');
  }

  say(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Resolves when this text has arrived this many times. */
  async hears(text: string, times = 1): Promise<void> {
    await this.until(() => this.text.split(text).length > times);
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

export function rawClient(port: number): RawClient {
  return new RawClient(connect({ port, host: '127.0.0.1' }));
}

export function rawTlsClient(port: number): RawClient {
  return new RawClient(connectTls({ port, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] }));
}
