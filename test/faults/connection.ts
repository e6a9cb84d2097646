/** One HTTP/1.1 connection of a lab: requests in, plays out, one after another. */

import type { Arrival, RequestHead } from './ledger.js';
import type { Peer } from './listener.js';
import type { Cues } from './pacing.js';
import { Performance, type Wire } from './performance.js';
import type { Play } from './play.js';
import { RequestReader } from './request-reader.js';

/** The lab, as a connection sees it. */
export interface Stage {
  readonly cues: Cues;
  record(head: RequestHead, connection: number): Arrival;
  playFor(request: Arrival): Play;
  /** Something was read, written or ended. */
  changed(): void;
}

interface Turn {
  readonly request: Arrival | undefined;
  readonly play: Play;
}

export class Connection {
  readonly #peer: Peer;
  readonly #stage: Stage;
  readonly #reader: RequestReader;
  readonly #turns: Turn[] = [];
  #isPlaying = false;
  #reading: Arrival | undefined;
  /** A play waits for the next request, or is going to. */
  #expectsNext = false;
  #nextCame: (() => void) | undefined;
  #released: ((bytes: Buffer) => void) | undefined;
  readonly #wire: Wire;

  constructor(peer: Peer, stage: Stage) {
    this.#peer = peer;
    this.#stage = stage;
    this.#reader = new RequestReader({
      head: (head) => this.#begin(head),
      body: (piece) => this.#reading?.add(piece),
      end: () => this.#finishReading(),
      garbled: () => peer.socket.destroy(),
    });
    this.#wire = this.#wireOf(peer);
    const { socket } = peer;
    socket.on('data', (bytes) => this.#take(bytes));
    socket.on('close', () => {
      this.#reading?.settle();
      this.#nextCame?.();
    });
  }

  /** A play that begins with the connection. */
  open(play: Play): void {
    this.#queue({ request: undefined, play });
  }

  #take(bytes: Buffer): void {
    // A server that has closed its side reads no more.
    if (!this.#peer.socket.writable) return;
    if (this.#released === undefined) this.#reader.push(bytes);
    else this.#released(bytes);
    this.#stage.changed();
  }

  #begin(head: RequestHead): void {
    const request = this.#stage.record(head, this.#peer.number);
    this.#reading = request;
    if (this.#expectsNext) {
      this.#reader.stop();
      this.#nextCame?.();
      this.#expectsNext = false;
    } else {
      this.#queue({ request, play: this.#stage.playFor(request) });
    }
  }

  #finishReading(): void {
    this.#reading?.finish();
    this.#reading = undefined;
  }

  #queue(turn: Turn): void {
    this.#turns.push(turn);
    this.#expectsNext = turn.play.steps.some((step) => step.do === 'next');
    if (!this.#isPlaying) void this.#playOn();
  }

  async #playOn(): Promise<void> {
    this.#isPlaying = true;
    for (let turn = this.#turns.shift(); turn !== undefined; turn = this.#turns.shift()) {
      await this.#play(turn);
      this.#stage.changed();
    }
    this.#isPlaying = false;
  }

  async #play({ request, play }: Turn): Promise<void> {
    const isEarly = play.at === 'head' || play.at === 'connect';
    const awaitsContinue = request?.headers['expect']?.toLowerCase() === '100-continue' && !request.complete;
    if (request !== undefined && !isEarly && !request.complete) {
      if (awaitsContinue) this.#peer.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      await request.settled();
    }
    const addressee = request && {
      method: request.method,
      path: request.path,
      awaitsContinue: awaitsContinue && isEarly,
    };
    await new Performance(this.#wire, addressee).run(play.steps);
  }

  #wireOf({ socket, reset }: Peer): Wire {
    const stage = this.#stage;
    return {
      socket,
      // A new script has its own cues.
      get cues() {
        return stage.cues;
      },
      // Data that arrived together with the cause of the end is not read, either.
      fin: () => {
        this.#reader.stop();
        socket.end();
      },
      reset: () => {
        this.#reader.stop();
        reset();
      },
      changed: () => this.#stage.changed(),
      release: (listener) => {
        this.#released = listener;
        const rest = this.#reader.stop();
        if (rest.length > 0) listener(rest);
      },
      next: () => this.#next(),
      skipBody: () => this.#reader.skipBody(),
      deafen: () => socket.pause(),
    };
  }

  async #next(): Promise<void> {
    if (!this.#expectsNext || this.#peer.socket.destroyed) return;
    const came = new Promise<void>((resolve) => {
      this.#nextCame = resolve;
    });
    await came;
  }
}
