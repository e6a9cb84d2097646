/**
 * Many sessions of the real retrier in a world of data, on a virtual clock and with seeded dice.
 *
 * The same seed gives the same run on every machine: all that the simulator itself computes is made of integer
 * arithmetic, + - * / and square roots. A policy may use more: waits that grow call `**`, `normal` jitter and a hold
 * `Math.log` too, which one engine computes the same everywhere, and another perhaps not to the last digit.
 */

import { Agenda } from './agenda.js';
import { StreamingCrowd, ThinkingCrowd } from './crowd.js';
import { diceOf } from './dice.js';
import { scheduleFaults } from './faults.js';
import { Link } from './link.js';
import type { Strategy } from './pursuit.js';
import type { Run } from './run.js';
import { runOf } from './run.js';
import { buildServer } from './servers/build.js';
import { Station } from './station.js';
import { strategyOf } from './strategies.js';
import { Tally } from './tally.js';
import type { Trace } from './trace.js';
import { Traffic } from './traffic.js';
import { Visits } from './visits.js';
import type { Clients, Contender, Service, World } from './world.js';

export interface SimulateOptions {
  /** A whole number. */
  readonly seed: number;
  /** Called with every step of every request. */
  readonly trace?: Trace;
}

/** Node's own; a service may name another. */
const usualBacklog = 511;

/** Whose dice: nobody's draws change anybody else's. */
const streams = { arrivals: 1, servers: 1_000, policies: 1_000_000 } as const;

export function simulate(world: World, clients: Clients, policy: Contender, options: SimulateOptions): Run {
  const stage = stageOf(world, options);
  const { agenda, stations, seconds } = stage;
  const tally = new Tally(seconds, clients.count);
  const crowd = crowdOf(stage, clients, policy, tally);
  const links = linksOf(stage, world, policy);
  crowd.begin();
  for (let second = 0; second < seconds; second += 1) {
    agenda.run(second * 1_000);
    for (const station of stations) station.sample(second);
  }
  agenda.run(world.durationMs);
  return runOf(world, agenda.happened, tally, stations, links);
}

/** What all parts of one run share. */
interface Stage {
  readonly seed: number;
  readonly agenda: Agenda;
  readonly traffic: Traffic;
  readonly stations: readonly [Station, ...Station[]];
  readonly seconds: number;
  /** Retriers, each in a process of its own. */
  readonly strategiesOf: (contender: Contender, count: number) => Strategy[];
}

function stageOf({ services, durationMs }: World, { seed, trace }: SimulateOptions): Stage {
  const agenda = new Agenda();
  const traffic = new Traffic(agenda, trace);
  const visits = new Visits();
  const seconds = Math.floor(durationMs / 1_000) + 1;
  const stationOf = ({ server, faults = [], backlog = usualBacklog }: Service, index: number): Station => {
    const dice = diceOf(seed, streams.servers + index);
    const serverOf = buildServer.bind(undefined, server);
    const station = new Station({ agenda, traffic, visits, dice, backlog, seconds, serverOf });
    scheduleFaults(agenda, station, faults);
    return station;
  };
  const [first, ...others] = services;
  let processes = 0;
  return {
    seed,
    agenda,
    traffic,
    stations: [stationOf(first, 0), ...others.map((service, index) => stationOf(service, index + 1))],
    seconds,
    strategiesOf: (contender, count) =>
      Array.from({ length: count }, () => {
        processes += 1;
        const dice = diceOf(seed, streams.policies + processes);
        return strategyOf(contender, { now: () => agenda.now, dice });
      }),
  };
}

function crowdOf(
  { agenda, traffic, stations, seed, strategiesOf }: Stage,
  clients: Clients,
  policy: Contender,
  tally: Tally,
): ThinkingCrowd | StreamingCrowd {
  const strategies = strategiesOf(policy, clients.processes ?? 1);
  const [station] = stations;
  const parts = { agenda, traffic, strategies, station, tally, seed, dice: diceOf(seed, streams.arrivals) };
  return clients.kind === 'closed' ? new ThinkingCrowd(clients, parts) : new StreamingCrowd(clients, parts);
}

/** From each service to the next. */
function linksOf(
  { traffic, stations, seconds, strategiesOf }: Stage,
  world: World,
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
