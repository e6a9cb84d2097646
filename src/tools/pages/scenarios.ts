/** Outages and limits by name: what befalls a server, who asks it, and whose policies are worth a look there. */

import type { PolicyOptions } from '../../index.js';
import type { Crowds, Day, Service, World } from '../sim/index.js';
import * as sim from '../sim/index.js';

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly world: ScenarioWorld;
  readonly clients: Crowds;
  /** What is compared if nobody says otherwise. */
  readonly policies: readonly NamedPolicy[];
}

/** A world that is plain JSON: a service that has a policy of its own names it, or has it as data. */
export interface ScenarioWorld extends Omit<World, 'services'> {
  readonly services: readonly [ScenarioService, ...ScenarioService[]];
}

export interface ScenarioService extends Omit<Service, 'policy'> {
  readonly policy?: string | PolicyOptions;
}

/** A name that everybody knows (see `policies.ts`), or a policy that is called so. */
export type NamedPolicy = string | { readonly name: string; readonly policy: PolicyOptions };

/** What is compared in a scenario that does not say. */
export const usualPolicies: readonly string[] = ['none', 'three-retries', 'default', 'service'];

export const scenarios: readonly Scenario[] = [
  {
    name: 'seed-outage',
    title: 'A server is stopped for ten seconds',
    world: plain(sim.stoppedServer(511, 10_000, 60_000)),
    clients: sim.articleClients,
    policies: ['fixed-for-ever', 'axios-retry', 'default', 'service'],
  },
  {
    name: 'brown-out',
    title: 'A tenth of the answers are failures',
    world: plain(sim.brownOut(0.1)),
    clients: sim.hundredProcesses,
    policies: ['none', 'axios-retry', 'default'],
  },
  {
    name: 'rate-limit',
    title: 'Clients want four times what a limit allows',
    world: plain(sim.limitedServer({ perSecond: 50, burst: 50 }, 5, 90_000)),
    clients: sim.greedyClients,
    policies: ['axios-retry', 'default', 'service'],
  },
  {
    name: 'layers',
    title: 'The last of three services is down for a minute',
    // Long enough to see who comes back.
    world: { ...plain(sim.layers(3)), durationMs: 120_000 },
    clients: sim.steadyStream,
    policies: ['none', 'axios-retry', 'default', 'service'],
  },
  {
    name: 'surge',
    title: 'Twice the load for five seconds',
    world: plain(sim.surgingServer),
    clients: sim.surge,
    policies: ['got', 'three-retries', 'default', 'service'],
  },
  {
    name: 'deploy',
    title: 'Everything in flight is cut off once',
    ...plainDay(sim.ordinaryDays.resetWave(1_000)),
    policies: usualPolicies,
  },
  {
    name: 'noisy-tenant',
    title: 'One tenant is over its limit',
    ...plainDay(sim.ordinaryDays.oddRoute(0.05, sim.ordinaryDays.always(429, 60), 100, 90_000)),
    policies: usualPolicies,
  },
  {
    name: 'broken-route',
    title: 'Most of the requests are for a route that is broken',
    ...plainDay(sim.ordinaryDays.oddRoute(0.9, sim.ordinaryDays.always(503), 100, 60_000)),
    policies: usualPolicies,
  },
  {
    name: 'bad-backend',
    title: 'One of ten servers behind the origin never answers',
    ...plainDay(sim.ordinaryDays.swallowingBackend(10, 100)),
    policies: ['none', 'aws-standard', 'default', 'service'],
  },
  {
    name: 'new-limit',
    title: 'A limit is raised to ten times as much',
    ...plainDay(
      sim.ordinaryDays.changedLimit({ perSecond: 20, burst: 20 }, { perSecond: 200, burst: 20 }, 400),
    ),
    policies: usualPolicies,
  },
];

function plainDay({ world, clients }: Day): Pick<Scenario, 'world' | 'clients'> {
  return { world: plain(world), clients };
}

/** The named worlds have no policies of their own. */
function plain({ durationMs, services }: World): ScenarioWorld {
  const [first, ...others] = services.map(({ policy, ...service }) => service);
  if (first === undefined) throw new TypeError('A world has at least one service');
  return { durationMs, services: [first, ...others] };
}
