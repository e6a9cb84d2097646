/** The common part of the labs: a running script, a ledger, and waiters for events. */

import type { TlsKind } from './certificates.js';
import { type Arrival, Ledger, type Received, type RequestHead, Waiters } from './ledger.js';
import { Listener, type Peer } from './listener.js';
import { Cues } from './pacing.js';
import { type HangUp, nthOf, type Script } from './play.js';

export interface FaultLab<P> extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  /** By arrival. A request that falls into another one's play is here too, but gets no play of its own. */
  readonly requests: readonly Received[];
  /** Accepted so far. */
  readonly connections: number;
  /**
   * After an attempt was cut off, undici, and with it fetch, opens a connection that no request needs, and may keep it
   * for seconds: a test that asks whether connections were closed compares this with `connections`.
   */
  readonly openSockets: number;
  /** The bytes that the kernel took from the lab; a write still under way counts as nothing. */
  readonly bytesSent: number;
  /** How many complete requests carried the header `x-id` with this value. */
  applied(id: string): number;
  /** Resolves as soon as the condition holds; checked after every event of the lab. */
  until(condition: (lab: FaultLab<P>) => boolean): Promise<void>;
  /** Continues the plays that wait, or will wait, for this cue. */
  cue(name: string): void;
  /** Starts over with this script: no requests, nothing applied, no cues. Connections stay, and so does their count. */
  play(script: Script<P, Received>): void;
  /** Ends every open connection. */
  hangUp(how: HangUp): void;
  /** Destroys every socket; ends at once. */
  close(): Promise<void>;
}

/** One kind for all, or the n-th for the n-th connection; the last one repeats. Undefined: without TLS. */
export type TlsKinds = TlsKind | readonly TlsKind[] | undefined;

export abstract class FaultyServer<P extends object> implements FaultLab<P> {
  readonly #listener: Listener;
  readonly #scheme: string;
  readonly #waiters = new Waiters<FaultLab<P>>();
  #script: Script<P, Received>;
  #turn = 0;
  #ledger = new Ledger();
  cues: Cues = new Cues();

  constructor(script: Script<P, Received>, protocol: 'http/1.1' | 'h2', tls: TlsKinds) {
    this.#script = script;
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#listener = new Listener({
      tls,
      protocol,
      onPeer: (peer) => this.welcome(peer),
      onChange: () => this.changed(),
    });
  }

  /** Called for a new connection that is ready for use. */
  protected abstract welcome(peer: Peer): void;

  listen(): Promise<void> {
    return this.#listener.listen();
  }

  get origin(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return this.#listener.port;
  }

  get requests(): readonly Received[] {
    return this.#ledger.requests;
  }

  get connections(): number {
    return this.#listener.connections;
  }

  get openSockets(): number {
    return this.#listener.openSockets;
  }

  get bytesSent(): number {
    return this.#listener.bytesSent;
  }

  applied(id: string): number {
    return this.#ledger.applied(id);
  }

  until(condition: (lab: FaultLab<P>) => boolean): Promise<void> {
    return this.#waiters.until(condition, this);
  }

  cue(name: string): void {
    this.cues.call(name);
  }

  play(script: Script<P, Received>): void {
    this.#script = script;
    this.#turn = 0;
    this.#ledger = new Ledger();
    this.cues = new Cues();
  }

  hangUp(how: HangUp): void {
    this.#listener.hangUp(how);
  }

  close(): Promise<void> {
    this.#waiters.disappoint();
    return this.#listener.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  record(head: RequestHead, connection: number): Arrival {
    return this.#ledger.record(head, connection);
  }

  playFor(request: Received): P {
    this.#turn += 1;
    return typeof this.#script === 'function' ? this.#script(request) : nthOf(this.#script, this.#turn);
  }

  /** The next play, if it is one of these; it counts as played. */
  protected takePlayIf(condition: (play: P) => boolean): P | undefined {
    if (typeof this.#script === 'function') return undefined;
    const play = nthOf(this.#script, this.#turn + 1);
    if (!condition(play)) return undefined;
    this.#turn += 1;
    return play;
  }

  /** Something was read, written or ended. */
  changed(): void {
    this.#waiters.ask(this);
  }
}
