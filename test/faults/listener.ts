/** Accepts connections on loopback, with or without TLS, and tracks each, for every kind of lab. */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { type CertificateKind, keyAndCertificateOf, type TlsKind } from './certificates.js';

/** One accepted connection. */
export interface Peer {
  /** Counted from 1. */
  readonly number: number;
  /** The stream for the protocol: the connection itself, or TLS on it. */
  readonly socket: Socket;
  /** Ends it with an RST. Data that the kernel has not taken yet is lost. */
  reset(): void;
}

export interface ListenerOptions {
  /** The n-th connection gets the n-th kind, the last one repeats. */
  readonly tls: TlsKind | readonly TlsKind[] | undefined;
  readonly protocol: 'http/1.1' | 'h2';
  /** Called once the connection is ready: with TLS, after the handshake. */
  onPeer(peer: Peer): void;
  /** A connection came or went, or the kernel took bytes. */
  onChange(): void;
}

/**
 * The ports of the last listeners. A client may not know yet that its connection to one of them has ended, and would use
 * it for a request to the next listener on that port.
 */
const lastPorts: number[] = [];

export class Listener {
  readonly #options: ListenerOptions;
  readonly #server = createServer({ noDelay: true }, (raw) => this.#accept(raw));
  /** The protocol's stream, by the connection under it. */
  readonly #open = new Map<Socket, Socket>();
  readonly #tlsServers = new Map<CertificateKind, TlsServer>();
  /** By the client's port. */
  readonly #inHandshake = new Map<number | undefined, Peer>();
  #bytesOfClosed = 0;
  connections = 0;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  async listen(): Promise<void> {
    await this.#listenSomewhere();
    while (lastPorts.includes(this.port)) {
      await once(this.#server.close(), 'close');
      await this.#listenSomewhere();
    }
    lastPorts.push(this.port);
    if (lastPorts.length > 100) lastPorts.shift();
  }

  async #listenSomewhere(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1', 4096), 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get openSockets(): number {
    return this.#open.size;
  }

  get bytesSent(): number {
    let bytes = this.#bytesOfClosed;
    for (const socket of this.#open.values()) bytes += takenFrom(socket);
    return bytes;
  }

  /** Ends every connection. */
  hangUp(how: 'fin' | 'rst'): void {
    for (const [raw, socket] of this.#open) {
      if (how === 'rst') raw.resetAndDestroy();
      else socket.end();
    }
  }

  async close(): Promise<void> {
    const closed = [...this.#open.keys()].map((raw) => once(raw.destroy(), 'close'));
    closed.push(once(this.#server.close(), 'close'));
    await Promise.all(closed);
  }

  #accept(raw: Socket): void {
    this.connections += 1;
    const peer = { number: this.connections, socket: raw, reset: () => void raw.resetAndDestroy() };
    const kind = this.#kindOf(peer.number);
    this.#watch(raw);
    raw.once('close', () => {
      this.#bytesOfClosed += takenFrom(this.#open.get(raw) ?? raw);
      this.#open.delete(raw);
      this.#options.onChange();
    });
    this.#open.set(raw, raw);
    if (kind === undefined) this.#options.onPeer(peer);
    else if (isHandshakeFault(kind)) spoil(raw, kind);
    else this.#secure(peer, kind);
    this.#options.onChange();
  }

  #secure(peer: Peer, kind: CertificateKind): void {
    const raw = peer.socket;
    const { remotePort } = raw;
    this.#inHandshake.set(remotePort, peer);
    raw.once('close', () => this.#inHandshake.delete(remotePort));
    const server = this.#tlsServers.get(kind) ?? this.#tlsServerOf(kind);
    server.emit('connection', raw);
  }

  /** A server that never listens: connections are handed to it. */
  #tlsServerOf(kind: CertificateKind): TlsServer {
    const server = createTlsServer({ ...keyAndCertificateOf(kind), ALPNProtocols: [this.#options.protocol] });
    server.on('secureConnection', (socket) => {
      const peer = this.#inHandshake.get(socket.remotePort);
      if (peer === undefined) return;
      this.#watch(socket);
      this.#open.set(peer.socket, socket);
      this.#options.onPeer({ ...peer, socket });
    });
    this.#tlsServers.set(kind, server);
    return server;
  }

  #kindOf(connection: number): TlsKind | undefined {
    const { tls } = this.#options;
    return typeof tls === 'object' ? tls[Math.min(connection, tls.length) - 1] : tls;
  }

  /**
   * Connections that break off are normal in a lab, and a client that closes its side is gone: half-closed connections
   * do not occur.
   */
  #watch(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
  }
}

type HandshakeFault = Extract<TlsKind, `handshake-${string}` | 'plain-http-on-tls-port'>;

function isHandshakeFault(kind: TlsKind): kind is HandshakeFault {
  return kind.startsWith('handshake-') || kind === 'plain-http-on-tls-port';
}

function spoil(raw: Socket, kind: HandshakeFault): void {
  raw.once('data', () => {
    if (kind === 'handshake-fin') raw.end();
    if (kind === 'handshake-rst') raw.resetAndDestroy();
    if (kind === 'plain-http-on-tls-port') {
      raw.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n', 'latin1');
    }
  });
}

/** Bytes that the kernel took; a write still under way counts as nothing. */
function takenFrom(socket: Socket): number {
  return Math.max(0, (socket.bytesWritten ?? 0) - socket.writableLength);
}
