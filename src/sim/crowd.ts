/** The clients: who asks when. Neither depends on what became of anybody else's requests. */

import type { RequestFacts } from '../core/types.js';
import type { Agenda, Kind } from './agenda.js';
import type { Call, Caller } from './call.js';
import type { Dice } from './dice.js';
import { drawOf, exponential } from './dice.js';
import type { Strategy } from './pursuit.js';
import type { Station } from './station.js';
import type { Tally } from './tally.js';
import type { Traffic } from './traffic.js';
import type { ClosedLoop, OpenLoop } from './world.js';

export interface CrowdParts {
  readonly agenda: Agenda;
  readonly traffic: Traffic;
  readonly strategies: readonly Strategy[];
  readonly station: Station;
  readonly tally: Tally;
  readonly seed: number;
  readonly dice: Dice;
}

/** What they send. */
export function requestOf({ method = 'GET', keyed = false }: ClosedLoop | OpenLoop): RequestFacts {
  return { method, origin: 'http://first.example', path: '/', keyed };
}

abstract class Crowd implements Caller {
  readonly facts: RequestFacts;
  readonly strategies: readonly Strategy[];
  readonly forbiddenUntil: Float64Array;
  readonly timeoutMs: number | undefined;
  readonly station: Station;
  readonly tally: Tally;

  constructor(clients: ClosedLoop | OpenLoop, parts: CrowdParts) {
    this.facts = requestOf(clients);
    this.timeoutMs = clients.timeoutMs;
    this.strategies = parts.strategies;
    this.forbiddenUntil = new Float64Array(parts.strategies.length);
    this.station = parts.station;
    this.tally = parts.tally;
  }

  abstract begin(): void;
  abstract ended(call: Call): void;
}

export class ThinkingCrowd extends Crowd {
  private readonly parts: CrowdParts;
  private readonly clients: ClosedLoop;
  private readonly asking: Kind;
  /** How often each has thought. */
  private readonly thoughts: Int32Array;

  constructor(clients: ClosedLoop, parts: CrowdParts) {
    super(clients, parts);
    this.parts = parts;
    this.clients = clients;
    this.thoughts = new Int32Array(clients.count);
    const { agenda, traffic } = parts;
    this.asking = agenda.kind((client) => traffic.start(this, client, this.thoughtOf(client)));
  }

  override begin(): void {
    for (let client = 0; client < this.clients.count; client += 1) this.think(client);
  }

  override ended({ by }: Call): void {
    this.think(by);
  }

  private think(client: number): void {
    const { agenda } = this.parts;
    this.thoughts[client] = (this.thoughts[client] as number) + 1;
    agenda.at(agenda.now + this.thoughtOf(client), this.asking, client, 0);
  }

  /** Of the client's own dice: under another policy, it thinks the same thoughts. */
  private thoughtOf(client: number): number {
    const draw = drawOf(this.parts.seed, client, this.thoughts[client] as number);
    return exponential(draw, this.clients.thinkMs);
  }
}

export class StreamingCrowd extends Crowd {
  private readonly parts: CrowdParts;
  private readonly clients: OpenLoop;
  private readonly coming: Kind;

  constructor(clients: OpenLoop, parts: CrowdParts) {
    super(clients, parts);
    this.parts = parts;
    this.clients = clients;
    this.coming = parts.agenda.kind(() => {
      const client = Math.floor(parts.dice() * clients.count);
      this.expectNext();
      parts.traffic.start(this, client, 0);
    });
  }

  override begin(): void {
    this.expectNext();
  }

  override ended(): void {
    // Who comes next does not wait for it.
  }

  private expectNext(): void {
    const { agenda, dice } = this.parts;
    const at = nextArrival(this.clients.perSecond, agenda.now, exponential(dice(), 1));
    if (at < Number.POSITIVE_INFINITY) agenda.at(at, this.coming, 0, 0);
  }
}

/** The time by which so many arrivals are expected, through all changes of the rate. */
function nextArrival(perSecond: OpenLoop['perSecond'], now: number, arrivals: number): number {
  if (typeof perSecond === 'number') return now + (arrivals / perSecond) * 1_000;
  let left = arrivals;
  for (const [index, rate] of perSecond.entries()) {
    const until = perSecond[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    if (until <= now) continue;
    const from = Math.max(now, rate.fromMs);
    const atThisRate = from + (left / rate.perSecond) * 1_000;
    if (atThisRate < until) return atThisRate;
    left -= ((until - from) * rate.perSecond) / 1_000;
  }
  return Number.POSITIVE_INFINITY;
}
