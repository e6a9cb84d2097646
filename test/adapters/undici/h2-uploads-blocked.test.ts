/**
 * An upload that the server does not let go on, because the window of the connection is used up, and that is given up
 * then. The server must hear of it: Node would look for the rest of it for ever as soon as the window opens.
 */

import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { Waiters } from '../../faults/ledger.js';
import { Listener } from '../../faults/listener.js';
import { HandTime } from '../hand-time.js';
import { settled, soon } from '../kit.js';
import { openH2AgentForResets, type Wire, wires } from './h2-client.js';

const [DATA, HEADERS, RST_STREAM, SETTINGS, WINDOW_UPDATE] = [0, 1, 3, 4, 8];
const INITIAL_WINDOW_SIZE = 4;
const [ACK, END] = [1, 5];
const CANCEL = 8;
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** A server of frames. Each stream may send much, the connection no more than 65,535 bytes until the test opens it. */
class ClosedWindow {
  readonly resets: string[] = [];
  bytes = 0;
  readonly #tell = new Waiters<ClosedWindow>();
  readonly #listener: Listener;
  readonly #scheme: string;
  #unread: Buffer = Buffer.alloc(0);
  #write: (frame: Buffer) => void = () => undefined;

  constructor({ tls }: Wire) {
    this.#scheme = tls ? 'https' : 'http';
    this.#listener = new Listener({
      tls: tls ? 'trusted' : undefined,
      protocol: 'h2',
      onPeer: ({ socket }) => {
        socket.on('error', () => undefined);
        socket.on('data', (bytes: Buffer) => this.#read(bytes));
        this.#unread = Buffer.alloc(0);
        this.#write = (frame) => void socket.write(frame);
        const window = Buffer.alloc(6);
        window.writeUInt16BE(INITIAL_WINDOW_SIZE);
        window.writeUInt32BE(10_000_000, 2);
        this.#write(frameOf(SETTINGS, 0, 0, window));
      },
      onChange: () => undefined,
    });
    onTestFinished(() => this.#listener.close());
  }

  async open(): Promise<this> {
    await this.#listener.listen();
    return this;
  }

  get origin(): string {
    return `${this.#scheme}://localhost:${this.#listener.port}`;
  }

  until(condition: (server: ClosedWindow) => boolean): Promise<void> {
    return this.#tell.until(condition, this);
  }

  openWindow(): void {
    this.#write(frameOf(WINDOW_UPDATE, 0, 0, numberOf(1_000_000)));
  }

  #read(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    if (this.#unread.subarray(0, preface.length).toString('latin1') === preface) {
      this.#unread = this.#unread.subarray(preface.length);
    }
    while (this.#unread.length >= 9 && this.#unread.length >= 9 + this.#unread.readUIntBE(0, 3)) {
      const length = this.#unread.readUIntBE(0, 3);
      this.#hear(this.#unread.subarray(0, 9), this.#unread.subarray(9, 9 + length));
      this.#unread = this.#unread.subarray(9 + length);
    }
    this.#tell.ask(this);
  }

  #hear(head: Buffer, payload: Buffer): void {
    const [type, flags, id] = [head.readUInt8(3), head.readUInt8(4), head.readUInt32BE(5)];
    if (type === DATA) this.bytes += payload.length;
    if (type === RST_STREAM) this.resets.push(`${id}: ${payload.readUInt32BE()}`);
    if (type === SETTINGS && flags !== ACK) this.#write(frameOf(SETTINGS, ACK, 0));
    // The request ends with its head: it is answered with ":status: 200".
    if (type === HEADERS && (flags & 1) === 1) this.#write(frameOf(HEADERS, END, id, Buffer.from([0x88])));
  }
}

function frameOf(type: number, flags: number, id: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, payload]);
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** One byte more than fits. */
async function* ended(): AsyncGenerator<Buffer> {
  for (let count = 0; count < 4; count += 1) yield Buffer.alloc(16_384);
}

async function* endless(): AsyncGenerator<Buffer> {
  for (;;) yield Buffer.alloc(16_384);
}

function webStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(16_384)) });
}

const kinds: [name: string, make: () => unknown][] = [
  ['an async generator', endless],
  ['a Readable', () => Readable.from(endless(), { objectMode: false })],
  ['a web stream', webStream],
  ['a factory', () => endless],
  ['a factory whose body has been read to its end', () => ended],
];

const ways: [name: string, policy: PolicyOptions, end: (time: HandTime, giveUp: () => void) => unknown][] = [
  ['its attempt takes too long', { attemptTimeoutMs: 500, maxRetries: 0 }, (time) => time.fire(500)],
  ['its deadline passes', { deadlineMs: 700 }, (time) => time.fire(700)],
  ['its caller gives it up', {}, (_, giveUp) => giveUp()],
];

describe.each(wires)('over $name', (wire) => {
  async function blocked(policy: PolicyOptions, body: unknown, signal?: AbortSignal) {
    const server = await new ClosedWindow(wire).open();
    const time = new HandTime();
    const retrier = createRetrier({ ...soon, ...policy }, time.ports);
    const agent = openH2AgentForResets(wire).compose(retry(retrier));
    const { origin } = server;
    const asked = agent.request({ origin, path: '/', method: 'PUT', body: body as Readable, signal });
    const outcome = settled(asked);
    await server.until(({ bytes }) => bytes === 65_535);
    /** Opens the window once the server has heard of the end, and returns what it heard. */
    const heard = async (): Promise<readonly string[]> => {
      expect((await outcome).error).toBeDefined();
      await server.until(({ resets }) => resets.length > 0);
      server.openWindow();
      const later = await agent.request({ origin, path: '/later', method: 'GET' });
      expect(later.statusCode).toBe(200);
      await later.body.dump();
      return server.resets;
    };
    return { time, heard };
  }

  describe.each(ways)('%s', (_way, policy, end) => {
    test.each(kinds)('%s', async (_kind, make) => {
      const giveUp = new AbortController();
      const { time, heard } = await blocked(policy, make(), giveUp.signal);
      await end(time, () => giveUp.abort());
      expect(await heard()).toEqual([`1: ${CANCEL}`]);
    });
  });

  test('its source fails', async () => {
    const body = Readable.from(endless(), { objectMode: false });
    const { heard } = await blocked({}, body);
    body.destroy(new Error('the disk is gone'));
    expect(await heard()).toEqual([`1: ${CANCEL}`]);
  });
});
