/** Plays scripts one after another: one lab, and a new agent for each script. */

import { connect, type Socket } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import { type Lab, type Play, type Received, startLab } from '../../faults/lab.js';
import { rst } from '../../faults/plays.js';
import { isStale, type Login, staleNumber, stalePlays } from '../fuzz/credentials.js';
import { undici } from './client.js';
import { playOf } from './fuzz-plays.js';
import type { ConnectFault, FuzzPlay, FuzzScript } from './fuzz-script.js';

/** A request that reached the server, and its answer. */
export interface Arrived {
  readonly request: Received;
  readonly play: FuzzPlay;
  /** An earlier play on its connection may answer it with a 408 in place of its own play. */
  readonly mayGetStray408: boolean;
}

const endOfQueue = '/end-of-queue';

export class Stage {
  readonly lab: Lab;
  readonly #faults: { next: readonly ConnectFault[] };

  private constructor(lab: Lab, faults: { next: readonly ConnectFault[] }) {
    this.lab = lab;
    this.#faults = faults;
  }

  static async open(): Promise<Stage> {
    const faults: { next: readonly ConnectFault[] } = { next: [] };
    const onAccept = (): Play | undefined => {
      const [fault = 'none', ...next] = faults.next;
      faults.next = next;
      return connectPlays[fault];
    };
    return new Stage(await startLab([], { onAccept }), faults);
  }

  /**
   * Ends the script, so that no request of it arrives in the next one. A client that closes its socket may leave a
   * request in the accept queue, which is taken in order: a connection of our own queues last and waits for its turn.
   */
  async clear(): Promise<void> {
    this.#faults.next = [];
    const last = connect(this.lab.port, '127.0.0.1');
    last.on('error', () => undefined);
    last.end(`GET ${endOfQueue} HTTP/1.1\r\nhost: me\r\n\r\n`);
    await isClosed(last);
    await this.lab.until(({ openSockets }) => openSockets === 0);
  }

  /** Begins the script. Requests that arrive are added to their call's arrivals. */
  set(
    { calls, connects, tokens }: FuzzScript,
    login: Login | undefined,
    abroad: string | undefined,
  ): readonly (readonly Arrived[])[] {
    this.#faults.next = connects;
    const with408 = new Set<number>();
    const arrivals = calls.map((): Arrived[] => []);
    this.lab.play((request) => {
      if (request.path === endOfQueue) return rst();
      const call = numberOf(request);
      const plays = calls[call]?.plays ?? [];
      const answered = arrivals[call]?.filter(({ play }) => !isStale(play)) ?? [];
      const index = Math.min(answered.length, plays.length - 1);
      const isRefused = tokens !== undefined && login?.refuses(request) === true;
      const play = isRefused ? stalePlays[tokens.at] : plays[index];
      if (play === undefined) throw new Error(`who is this? ${request.method} ${request.path}`);
      const { connection } = request;
      arrivals[call]?.push({ request, play, mayGetStray408: with408.has(connection) });
      if ('afterwards' in play && play.afterwards === '408 later') with408.add(connection);
      return playOf(play, isRefused ? staleNumber : index, request, abroad);
    });
    return arrivals;
  }
}

const connectPlays: Readonly<Record<ConnectFault, Play | undefined>> = {
  none: undefined,
  fin: { at: 'connect', steps: [{ do: 'fin' }] },
  rst: { at: 'connect', steps: [{ do: 'rst' }] },
  silence: { at: 'connect', steps: [{ do: 'stall' }] },
};

export function pathOf(call: number): string {
  return `/${call}`;
}

export function numberOf({ path }: Received): number {
  return Number(path.slice(1).split('?')[0]);
}

/** An agent, and its side of every connection. */
export class Client {
  readonly #sockets: Socket[] = [];
  readonly agent: Agent;

  constructor(options: FuzzScript['agent']) {
    const connect = undici.buildConnector({});
    const watched: buildConnector.connector = (to, done) => {
      connect(to, (...[error, socket]: Parameters<buildConnector.Callback>) => {
        if (error !== null) return done(error, null);
        this.#sockets.push(socket);
        done(null, socket);
      });
    };
    this.agent = new undici.Agent({ ...options, connect: watched });
  }

  async closed(): Promise<void> {
    await Promise.all(this.#sockets.map(isClosed));
  }
}

function isClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', resolve);
  });
}
