/** The connection from a service to the next one: the service answers when the next one has answered. */

import type { ErrorOutcome, RequestFacts, ResponseOutcome } from '../../index.js';
import type { Caller, Exchange } from './exchange.js';
import type { Strategy } from './pursuit.js';
import type { Route } from './routes.js';
import { done } from './servers/server.js';
import type { Station } from './station.js';
import type { Ending, Tally } from './tally.js';
import type { Traffic } from './traffic.js';

const badGateway: ResponseOutcome | ErrorOutcome = { kind: 'response', status: 502 };

/** The request that services send to each other. */
export const requestOnward: RequestFacts = {
  method: 'GET',
  origin: 'http://next.example',
  path: '/',
  keyed: false,
};

interface LinkParts {
  readonly traffic: Traffic;
  readonly strategies: readonly Strategy[];
  readonly from: Station;
  readonly to: Station;
  readonly tally: Tally;
  readonly timeoutMs: number | undefined;
}

export class Link implements Caller {
  readonly strategies: readonly Strategy[];
  readonly forbiddenUntil: Float64Array;
  readonly timeoutMs: number | undefined;
  readonly station: Station;
  readonly override = undefined;
  readonly tally: Tally;
  private readonly from: Station;
  private readonly route: Route;

  constructor({ traffic, strategies, from, to, tally, timeoutMs }: LinkParts) {
    this.strategies = strategies;
    this.forbiddenUntil = new Float64Array(strategies.length);
    this.timeoutMs = timeoutMs;
    this.station = to;
    this.tally = tally;
    this.from = from;
    this.route = { facts: requestOnward, guilty: false, tally };
    from.forward = (visit) => traffic.start(this, visit, 0, from.luckOf(visit));
  }

  routeFor(): Route {
    return this.route;
  }

  patienceFor(): number {
    return Infinity;
  }

  ended({ by }: Exchange, ending: Ending): void {
    this.from.continue(by, ending === 'good' ? done : badGateway);
  }
}
