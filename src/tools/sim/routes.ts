/** The routes that requests are for. Each route of a crowd gets its share of the requests and is counted separately. */

import type { RequestFacts } from '../../index.js';
import type { Tally } from './tally.js';
import type { Crowd, RouteShare } from './world.js';

export interface Route {
  readonly facts: RequestFacts;
  /** Its requests cause the trouble; the requests of the other routes are the innocent ones. */
  readonly guilty: boolean;
  readonly tally: Tally;
}

/** For requests that name no other: rules by host see it. */
const firstOrigin = 'http://first.example';

/** The default: all requests are for this route. */
const everything: readonly [RouteShare] = [{ path: '/', weight: 1 }];

/** The requests that a crowd sends: one for each of its routes. */
export function requestsOf(crowd: Crowd): readonly RequestFacts[] {
  const { method = 'GET', keyed = false, routes = everything } = crowd;
  return routes.map(({ path, origin = firstOrigin }) => ({ method, origin, path, keyed }));
}

/** The routes of one crowd, drawn by weight. */
export class Routes {
  readonly all: readonly Route[];
  private readonly first: Route;
  /** For each route: the draw up to which a request is for it or for one before it. */
  private readonly upTo: readonly number[];

  constructor(crowd: Crowd, tallyOf: () => Tally) {
    const shares = crowd.routes ?? everything;
    this.all = requestsOf(crowd).map((facts, index) => {
      return { facts, guilty: shares[index]?.guilty === true, tally: tallyOf() };
    });
    this.first = this.all[0] as Route;
    this.upTo = cumulated(shares.map(({ weight }) => weight));
  }

  get isSingle(): boolean {
    return this.all.length === 1;
  }

  pick(draw: number): Route {
    return this.all[indexFor(this.upTo, draw)] ?? this.first;
  }
}

/** Turns weights into the ends of their shares of 1. */
export function cumulated(weights: readonly number[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  return weights.map((weight) => {
    sum += weight;
    return sum / total;
  });
}

/** The share that a draw falls into. */
export function indexFor(upTo: readonly number[], draw: number): number {
  for (let index = 0; index < upTo.length - 1; index += 1) {
    if (draw < (upTo[index] as number)) return index;
  }
  return upTo.length - 1;
}
