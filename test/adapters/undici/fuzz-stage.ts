/** Where scripts are played, one after another: a lab of its own, and for each script an agent of its own. */

import type { Socket } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import { type Lab, type Play, type Received, startLab } from '../../faults/lab.js';
import { undici } from './client.js';
import { playOf } from './fuzz-plays.js';
import type { ConnectFault, FuzzPlay, FuzzScript } from './fuzz-script.js';

/** A request that reached the server, and what it got. */
export interface Arrived {
  readonly request: Received;
  readonly play: FuzzPlay;
}

export class Stage {
  readonly lab: Lab;
  #connectFault: () => ConnectFault = () => 'none';

  private constructor(lab: Lab, stage: { connect: () => ConnectFault }) {
    this.lab = lab;
    stage.connect = () => this.#connectFault();
  }

  static async open(): Promise<Stage> {
    const now = { connect: (): ConnectFault => 'none' };
    const lab = await startLab([], { onAccept: () => connectPlays[now.connect()] });
    return new Stage(lab, now);
  }

  /** Begins the script; every arrival is added to its call's. */
  set({ calls, connects }: FuzzScript): { readonly arrivals: readonly Arrived[][] } {
    const faults = connects.values();
    this.#connectFault = () => faults.next().value ?? 'none';
    const arrivals = calls.map((): Arrived[] => []);
    this.lab.play((request) => {
      const call = numberOf(request);
      const plays = calls[call]?.plays ?? [];
      const index = Math.min(arrivals[call]?.length ?? 0, plays.length - 1);
      const play = plays[index];
      if (play === undefined) throw new Error(`who is this? ${request.method} ${request.path}`);
      arrivals[call]?.push({ request, play });
      return playOf(play, index, request);
    });
    return { arrivals };
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
  return Number(path.slice(1));
}

/** The client's side of every connection of one script. */
export class Sockets {
  readonly #all: Socket[] = [];
  readonly agent: Agent;

  constructor(options: FuzzScript['agent']) {
    const connect = undici.buildConnector({});
    const watched: buildConnector.connector = (to, done) => {
      connect(to, (...[error, socket]: Parameters<buildConnector.Callback>) => {
        if (error !== null) return done(error, null);
        this.#all.push(socket);
        done(null, socket);
      });
    };
    this.agent = new undici.Agent({ ...options, connect: watched });
  }

  async closed(): Promise<void> {
    await Promise.all(this.#all.map(isClosed));
  }
}

function isClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', resolve);
  });
}
