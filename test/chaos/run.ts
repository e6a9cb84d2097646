/** Requests in many lanes, and the server's outages meanwhile. */

import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import {
  createRetrier,
  type PolicyOptions,
  type RequestEvent,
  type RetrierSnapshot,
} from '../../src/index.js';
import { Waiters } from '../faults/ledger.js';
import type { Client, ClientKind } from './clients.js';
import { CountedSleep } from './counted-sleep.js';
import type { Line } from './file-ledger.js';
import type { Scenario } from './scenarios.js';
import { openServer, type ServerProcess } from './server-process.js';
import { idOf, Trial } from './trial.js';

export interface RunOptions {
  readonly kind: ClientKind;
  readonly scenario: Scenario;
  readonly policy: PolicyOptions;
  readonly requests: number;
  readonly seed: number;
  /** The run goes on until a hedge has been sent. Default: false. */
  readonly wantsHedges?: boolean;
  /** Each outage goes on until the gate has turned a request away. Default: false. */
  readonly wantsTurnedAway?: boolean;
  /** The server asks for tokens, each of which expires after so many attempts, or up to twice as many. Default: none. */
  readonly tokenUses?: number;
}

/** A caller that the gate refused comes again, but not at once. */
const afterRefusalMs = 20;
/** The most requests, one after the other, until one succeeds, and one is hedged. */
const mostRevivals = 300;

/** How many requests are under way at a time. */
export function lanesFor(requests: number): number {
  return Math.min(64, Math.ceil(requests / 8));
}

export class Run {
  readonly trials: Trial[] = [];
  readonly caller = new AbortController();
  readonly timers = new CountedSleep();
  lines: readonly Line[] = [];
  snapshot: () => RetrierSnapshot = () => ({ scopes: [] });
  readonly #options: RunOptions;
  readonly #lanes: number;
  readonly #waiters = new Waiters<Run>();
  #settled = 0;
  /** Failed attempts, and requests that were refused. */
  #setbacks = 0;
  #turnedAway = 0;
  #isOver = false;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#lanes = lanesFor(options.requests);
    // One listener for each request under way, and a few for requests that are about to end.
    setMaxListeners(2 * this.#lanes, this.caller.signal);
  }

  get hedges(): number {
    return this.trials.reduce((sum, { hedges }) => sum + hedges, 0);
  }

  toString(): string {
    const { kind, scenario } = this.#options;
    const done = this.trials.filter(({ isDone }) => isDone);
    const mended = done.filter(({ retries }) => retries > 0);
    const counts = `${this.trials.length} requests, ${done.length} done, ${mended.length} of them after retries`;
    return `${kind.name}, the server ${scenario.name}: ${counts}, ${this.hedges} hedges`;
  }

  async play(): Promise<void> {
    const { kind, scenario, policy, seed, tokenUses } = this.#options;
    const server = await openServer(seed, scenario.misbehaviour, tokenUses);
    const observe = (event: RequestEvent): void => this.#hear(event);
    const retrier = createRetrier({ ...policy, observe }, { sleep: this.timers.sleep });
    this.snapshot = () => retrier.snapshot();
    const client = kind.open(server.origin, retrier);
    await Promise.all([this.#load(client), this.#befall(server)]);
    await this.#revive(client);
    await client.close();
    this.lines = await server.finish();
  }

  async #load(client: Client): Promise<void> {
    const ids = Array.from({ length: this.#options.requests }, (_, id) => id).values();
    const lane = async (): Promise<void> => {
      for (const id of ids) {
        const trial = await this.#try(id, client);
        if (trial.isTurnedAway) await setTimeout(afterRefusalMs);
      }
    };
    await Promise.all(Array.from({ length: this.#lanes }, lane));
    this.#isOver = true;
    this.#waiters.ask(this);
  }

  async #try(id: number, client: Client): Promise<Trial> {
    const trial = new Trial(id);
    this.trials[id] = trial;
    await trial.run(client, this.caller.signal);
    this.#settled += 1;
    if (trial.isTurnedAway) {
      this.#setbacks += 1;
      this.#turnedAway += 1;
    }
    this.#waiters.ask(this);
    return trial;
  }

  #hear(event: RequestEvent): void {
    const trial = this.trials[idOf(event)];
    if (trial !== undefined && event.type === 'hedge') trial.hedges += 1;
    if (trial !== undefined && event.type === 'settled') trial.ends += 1;
    if (event.type !== 'decision') return;
    trial?.decisions.push(event.decision);
    if (event.decision.reason !== 'success') this.#setbacks += 1;
    this.#waiters.ask(this);
  }

  /**
   * An outage ends when half of the lanes have met it: as many on a slow machine as on a fast one. All of these may have
   * passed a shut gate, as probes or as requests of a kind that was not seen to fail.
   */
  async #befall(server: ServerProcess): Promise<void> {
    const { requests, scenario, wantsTurnedAway = false } = this.#options;
    const { outage } = scenario;
    if (outage === undefined) return;
    const times = Math.ceil((requests * outage.timesPerThousand) / 1_000);
    for (let time = 1; time <= times; time += 1) {
      const due = (requests * time) / (times + 1);
      await this.#until((run) => run.#settled >= due);
      await outage.begin(server);
      const enough = this.#setbacks + this.#lanes / 2;
      const turnedAway = this.#turnedAway + (wantsTurnedAway ? 1 : 0);
      await this.#until((run) => run.#setbacks >= enough && run.#turnedAway >= turnedAway);
      await outage.end(server);
    }
  }

  #until(condition: (run: Run) => boolean): Promise<void> {
    return this.#waiters.until((run) => run.#isOver || condition(run), this);
  }

  /** Sends requests until the recovered server is found to be up, and there has been a hedge if the run wants one. */
  async #revive(client: Client): Promise<void> {
    const first = this.trials.length;
    const { wantsHedges = false } = this.#options;
    let isUp = false;
    for (let id = first; id < first + mostRevivals; id += 1) {
      if ((await this.#try(id, client)).isDone) isUp = true;
      if (isUp && (this.hedges > 0 || !wantsHedges)) return;
      await setTimeout(afterRefusalMs);
    }
    const lack = isUp ? 'no hedge was sent' : 'no request succeeded';
    throw new Error(`${lack} after all was well again: ${mostRevivals} requests were tried`);
  }
}
