/**
 * Runs many sessions of the real retrier in a world that is data, on a virtual clock and with seeded dice.
 *
 * The same seed gives the same run on every machine: the simulator itself uses only integer arithmetic, + - * / and
 * square roots. A policy may use more: growing waits use `**`, and `normal` jitter and a hold use `Math.log`. One engine
 * computes these the same everywhere, but two engines may differ in the last digit.
 */

import { Agenda } from './agenda.js';
import type { Crowd } from './crowd.js';
import { crowdOf, listOf } from './crowd.js';
import { diceOf } from './dice.js';
import { scheduleFaults } from './faults.js';
import { Link } from './link.js';
import type { Strategy } from './pursuit.js';
import type { Run } from './run.js';
import { runOf } from './run.js';
import { buildServer } from './servers/build.js';
import type { SharedStore } from './shared-store.js';
import { storeIn } from './shared-store.js';
import { Station } from './station.js';
import { strategyOf } from './strategies.js';
import { Tally } from './tally.js';
import type { Trace } from './trace.js';
import { Traffic } from './traffic.js';
import { Visits } from './visits.js';
import type { Clients, Contender, Crowds, Service, SimulatedWorld } from './world.js';

export interface SimulateOptions {
  /** A whole number. */
  readonly seed: number;
  /** Called with every step of every request. */
  readonly trace?: Trace;
  /** All processes of the clients share their scopes through this store. Default: each has its own. */
  readonly store?: SharedStore;
}

/** Node's default; a service may have another one. */
const usualBacklog = 511;

/** Numbers of random streams: no part of a run changes the draws of another. Each crowd has one for arrivals. */
const streams = { arrivals: 1, store: 900_000, policies: 1_000_000 } as const;

export function simulate(
  world: SimulatedWorld,
  clients: Crowds,
  policy: Contender,
  options: SimulateOptions,
): Run {
  const run = simulateBySecond(world, clients, policy, options);
  for (let step = run.next(); ; step = run.next()) if (step.done === true) return step.value;
}

/**
 * The same in steps, each of which yields the virtual time in ms: between two of them a program can show how far it
 * is, or stop.
 */
export function* simulateBySecond(
  world: SimulatedWorld,
  clients: Crowds,
  policy: Contender,
  options: SimulateOptions,
): Generator<number, Run> {
  const stage = stageOf(world, options);
  const { agenda, stations, seconds } = stage;
  const crowds = crowdsOf(stage, listOf(clients), policy, world.warmUpMs);
  const links = linksOf(stage, world, policy);
  for (const crowd of crowds) crowd.begin();
  for (let second = 0; second < seconds; second += 1) {
    agenda.run(second * 1_000);
    for (const station of stations) station.sample(second);
    yield agenda.now;
  }
  agenda.run(world.durationMs);
  const [first, ...others] = crowds.flatMap((crowd) => crowd.routes.all);
  if (first === undefined) throw new TypeError('A crowd has at least one route');
  return runOf(world, { events: agenda.happened, routes: [first, ...others], stations, links });
}

/** The parts that one run shares. */
interface Stage {
  readonly seed: number;
  readonly agenda: Agenda;
  readonly traffic: Traffic;
  readonly stations: readonly [Station, ...Station[]];
  readonly seconds: number;
  /** Makes retriers, each in a process of its own. */
  readonly strategiesOf: (contender: Contender, count: number) => Strategy[];
}

function stageOf({ services, durationMs }: SimulatedWorld, { seed, trace, store }: SimulateOptions): Stage {
  const agenda = new Agenda();
  const fleetOf = store && storeIn(agenda, store, diceOf(seed, streams.store));
  const traffic = new Traffic(agenda, trace);
  const visits = new Visits();
  const seconds = Math.floor(durationMs / 1_000) + 1;
  const stationOf = ({ server, faults = [], backlog = usualBacklog, onward }: Service): Station => {
    const serverOf = buildServer.bind(undefined, server);
    const station = new Station({ agenda, traffic, visits, backlog, onward, seconds, serverOf });
    scheduleFaults(agenda, station, faults);
    return station;
  };
  const [first, ...others] = services;
  let processes = 0;
  return {
    seed,
    agenda,
    traffic,
    stations: [stationOf(first), ...others.map(stationOf)],
    seconds,
    strategiesOf: (contender, count) =>
      Array.from({ length: count }, () => {
        processes += 1;
        const dice = diceOf(seed, streams.policies + processes);
        return strategyOf(contender, { now: () => agenda.now, dice, fleet: fleetOf?.(processes) });
      }),
  };
}

/** Crowds in one process share its retrier. */
function crowdsOf(
  stage: Stage,
  all: readonly Clients[],
  policy: Contender,
  warmUpMs: number | undefined,
): readonly Crowd[] {
  const { agenda, traffic, stations, seconds, seed, strategiesOf } = stage;
  const most = Math.max(...all.map(({ processes = 1 }) => processes));
  const shared = strategiesOf(policy, most);
  const [station] = stations;
  const clientCount = all.reduce((sum, { count }) => sum + count, 0);
  const tallyOf = (): Tally => new Tally(seconds, clientCount, warmUpMs);
  let firstClient = 0;
  return all.map((clients, index) => {
    const strategies = shared.slice(0, clients.processes ?? 1);
    const dice = diceOf(seed, streams.arrivals + index);
    const parts = { agenda, traffic, strategies, station, tallyOf, seed, index, firstClient, dice };
    firstClient += clients.count;
    return crowdOf(clients, parts);
  });
}

/** The links from each service to the next. */
function linksOf(
  { traffic, stations, seconds, strategiesOf }: Stage,
  world: SimulatedWorld,
  policy: Contender,
): Link[] {
  return stations.slice(1).map((to, index) => {
    const from = stations[index] as Station;
    const { policy: own = policy, timeoutMs } = world.services[index] as Service;
    return new Link({
      traffic,
      strategies: strategiesOf(own, 1),
      from,
      to,
      tally: new Tally(seconds, 0),
      timeoutMs,
    });
  });
}
