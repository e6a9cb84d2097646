/** The clients, and when each of them sends a request. Neither depends on how the requests of other clients end. */

import type { Agenda } from './agenda.js';
import type { Dice } from './dice.js';
import { drawOf, exponential, scatter } from './dice.js';
import type { Caller, Exchange } from './exchange.js';
import type { Luck } from './luck.js';
import { drawFor, luckOf, purposes } from './luck.js';
import type { Strategy } from './pursuit.js';
import type { Route } from './routes.js';
import { Routes } from './routes.js';
import type { Station } from './station.js';
import type { Tally } from './tally.js';
import type { Traffic } from './traffic.js';
import type { Burst, Clients, ClosedLoop, Crowds, OpenLoop } from './world.js';

interface CrowdParts {
  readonly agenda: Agenda;
  readonly traffic: Traffic;
  readonly strategies: readonly Strategy[];
  readonly station: Station;
  readonly tallyOf: () => Tally;
  readonly seed: number;
  /** The number of the crowd. */
  readonly index: number;
  /** The number of its first client among the clients of all crowds. */
  readonly firstClient: number;
  readonly dice: Dice;
}

export function crowdOf(clients: Clients, parts: CrowdParts): Crowd {
  switch (clients.kind) {
    case 'closed':
      return new ThinkingCrowd(clients, parts);
    case 'open':
      return new StreamingCrowd(clients, parts);
    case 'burst':
      return new BurstingCrowd(clients, parts);
  }
}

export function listOf(clients: Crowds): readonly Clients[] {
  return 'kind' in clients ? [clients] : clients;
}

export abstract class Crowd implements Caller {
  readonly routes: Routes;
  readonly strategies: readonly Strategy[];
  readonly forbiddenUntil: Float64Array;
  readonly timeoutMs: number | undefined;
  readonly override: Caller['override'];
  readonly station: Station;
  protected readonly luck: Luck;
  protected readonly firstClient: number;
  private readonly leavingShare: number;
  private readonly leavingAfterMs: number;

  constructor(clients: Clients, parts: CrowdParts) {
    const { timeoutMs, deadlineMs, leaving } = clients;
    this.routes = new Routes(clients, parts.tallyOf);
    this.timeoutMs = timeoutMs;
    this.override = deadlineMs === undefined ? undefined : { deadlineMs };
    this.leavingAfterMs = leaving?.afterMs ?? Infinity;
    this.leavingShare = leaving?.share ?? 1;
    this.strategies = parts.strategies;
    this.forbiddenUntil = new Float64Array(parts.strategies.length);
    this.station = parts.station;
    this.luck = luckOf(scatter(parts.seed), parts.index);
    this.firstClient = parts.firstClient;
  }

  abstract begin(): void;
  abstract ended(exchange: Exchange): void;

  routeFor(luck: Luck): Route {
    const { routes } = this;
    return routes.pick(routes.isSingle ? 0 : drawFor(luck, purposes.route));
  }

  patienceFor(luck: Luck): number {
    if (this.leavingAfterMs === Infinity) return this.leavingAfterMs;
    const isLeaving = drawFor(luck, purposes.leaving) < this.leavingShare;
    return isLeaving ? this.leavingAfterMs : Infinity;
  }
}

class ThinkingCrowd extends Crowd {
  private readonly parts: CrowdParts;
  private readonly clients: ClosedLoop;
  /** How often each client has thought. */
  private readonly thoughts: Int32Array;
  /** How many more requests they will send. */
  private left: number;

  constructor(clients: ClosedLoop, parts: CrowdParts) {
    super(clients, parts);
    this.parts = parts;
    this.clients = clients;
    this.thoughts = new Int32Array(clients.count);
    this.left = clients.requests ?? Infinity;
  }

  override begin(): void {
    for (let client = 0; client < this.clients.count; client += 1) this.think(client);
  }

  override ended({ by }: Exchange): void {
    this.think(by - this.firstClient);
  }

  private think(client: number): void {
    if (this.left === 0) return;
    this.left -= 1;
    const { agenda } = this.parts;
    this.thoughts[client] = (this.thoughts[client] as number) + 1;
    agenda.at(agenda.now + this.thoughtOf(client), this.ask, client, 0);
  }

  private readonly ask = (client: number): void => {
    const luck = luckOf(luckOf(this.luck, client), this.thoughts[client] as number);
    this.parts.traffic.start(this, this.firstClient + client, this.thoughtOf(client), luck);
  };

  /** From the client's own dice: it thinks for the same times under every policy. */
  private thoughtOf(client: number): number {
    const { seed } = this.parts;
    const draw = drawOf(seed, this.firstClient + client, this.thoughts[client] as number);
    return exponential(draw, this.clients.thinkMs);
  }
}

class StreamingCrowd extends Crowd {
  private readonly parts: CrowdParts;
  private readonly clients: OpenLoop;
  private came = 0;

  constructor(clients: OpenLoop, parts: CrowdParts) {
    super(clients, parts);
    this.parts = parts;
    this.clients = clients;
  }

  override begin(): void {
    this.expectNext();
  }

  override ended(): void {
    // The next request does not wait for it.
  }

  private expectNext(): void {
    const { agenda, dice } = this.parts;
    const at = nextArrival(this.clients.perSecond, agenda.now, exponential(dice(), 1));
    if (at < Infinity) agenda.at(at, this.come, 0, 0);
  }

  private readonly come = (): void => {
    const { dice, traffic } = this.parts;
    const client = this.firstClient + Math.floor(dice() * this.clients.count);
    this.expectNext();
    this.came += 1;
    traffic.start(this, client, 0, luckOf(this.luck, this.came));
  };
}

class BurstingCrowd extends Crowd {
  private readonly parts: CrowdParts;
  private readonly clients: Burst;
  private came = 0;

  constructor(clients: Burst, parts: CrowdParts) {
    super(clients, parts);
    this.parts = parts;
    this.clients = clients;
  }

  override begin(): void {
    this.parts.agenda.at(this.clients.atMs, this.come, 0, 0);
  }

  private readonly come = (): void => {
    const { agenda, traffic } = this.parts;
    const { count, everyMs } = this.clients;
    for (let client = 0; client < count; client += 1) {
      this.came += 1;
      traffic.start(this, this.firstClient + client, 0, luckOf(this.luck, this.came));
    }
    if (everyMs !== undefined) agenda.at(agenda.now + everyMs, this.come, 0, 0);
  };

  override ended(): void {
    // The next burst does not wait for it.
  }
}

/** When that many arrivals are expected, through all changes of the rate. */
function nextArrival(perSecond: OpenLoop['perSecond'], now: number, arrivals: number): number {
  if (typeof perSecond === 'number') return now + (arrivals / perSecond) * 1_000;
  let left = arrivals;
  for (const [index, rate] of perSecond.entries()) {
    const until = perSecond[index + 1]?.fromMs ?? Infinity;
    if (until <= now) continue;
    const from = Math.max(now, rate.fromMs);
    const atThisRate = from + (left / rate.perSecond) * 1_000;
    if (atThisRate < until) return atThisRate;
    left -= ((until - from) * rate.perSecond) / 1_000;
  }
  return Infinity;
}
