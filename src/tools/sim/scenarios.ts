/** Outages, limits and ordinary days by name: the servers and their faults, the clients, and the policies to compare. */

import type { PolicyOptions } from '../../index.js';
import { presets } from '../../index.js';
import * as known from './known.js';
import * as days from './ordinary.js';
import * as tails from './tail.js';
import type { Crowds, Day, Service, SimulatedWorld } from './world.js';
import * as worlds from './worlds.js';

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly world: ScenarioWorld;
  readonly clients: Crowds;
  /** The policies to compare by default. */
  readonly policies: readonly NamedPolicy[];
}

/** A world that is plain JSON: a service has its own policy by name or as data. */
interface ScenarioWorld extends Omit<SimulatedWorld, 'services'> {
  readonly services: readonly [ScenarioService, ...ScenarioService[]];
}

export interface ScenarioService extends Omit<Service, 'policy'> {
  readonly policy?: string | PolicyOptions;
}

/** A known name (see `policies.ts`), or a policy with a name. */
export type NamedPolicy = string | { readonly name: string; readonly policy: PolicyOptions };

/** The policies to compare in a scenario that does not name any. */
export const usualPolicies: readonly string[] = ['none', 'three-retries', 'default', 'service'];

/** Scenarios of one kind, for lists that people choose from. */
export interface ScenarioGroup {
  readonly title: string;
  readonly scenarios: readonly Scenario[];
}

const outages: readonly Scenario[] = [
  {
    name: 'seed-outage',
    title: 'A server is stopped for ten seconds',
    world: plain(worlds.stoppedServer(511, 10_000, 60_000)),
    clients: worlds.articleClients,
    policies: ['none', 'got', 'three-retries', 'default', 'service'],
  },
  {
    name: 'deep-backlog',
    title: 'A server with a deep backlog is stopped for ten seconds',
    world: plain(worlds.stoppedServer(4_096, 10_000, 60_000)),
    clients: worlds.articleClients,
    policies: ['none', 'axios-retry', 'default', 'service'],
  },
  {
    name: 'surge',
    title: 'More than twice the load for five seconds',
    world: plain(worlds.surgingServer),
    clients: worlds.surgeTo(90),
    policies: ['none', 'got', 'three-retries', 'default', 'service'],
  },
  {
    name: 'layers',
    title: 'The last of three services is down for a minute',
    // Long enough to see which policies recover.
    world: { ...plain(worlds.layers(3)), durationMs: 120_000 },
    clients: worlds.steadyStream,
    policies: ['none', 'axios-retry', 'default', 'service'],
  },
];

/** A policy with the name that it has in the scenario. */
function named(name: string, policy: PolicyOptions): NamedPolicy {
  return { name, policy };
}

const firstWord: PolicyOptions = {
  ...presets.policies.service,
  hold: { refusedShare: 0, maxQueueMs: 2_000 },
};

const knownOutages: readonly Scenario[] = [
  {
    name: 'metastable',
    title: 'A database near its limit is cut off for ten seconds (HotOS ’21)',
    ...plainDay(known.metastable),
    policies: ['none', named('one-retry', known.oneRetry), 'default', 'service'],
  },
  {
    name: 'five-layers',
    title: 'The last of five services is down, and each makes three attempts (Amazon Builders’ Library)',
    ...plainDay(known.fiveLayers),
    policies: ['none', named('three-attempts', known.threeAttempts), 'default', 'service'],
  },
  {
    name: 'shared-quota',
    title: 'A hundred clients share a quota (arXiv 2510.04516)',
    ...plainDay(known.sharedQuota),
    policies: [
      'none',
      named('back-off', known.exponentialBackOff),
      'service',
      named('first-word', firstWord),
    ],
  },
  {
    name: 'fan-out',
    title: 'A page needs a hundred answers, and one in a hundred is slow (The Tail at Scale)',
    ...plainDay(known.fanOut),
    policies: ['none', 'three-retries', 'service', 'service-hedge'],
  },
  {
    name: 'dashboards',
    title: 'Dashboards ask again every second, all at the same time (Cloudflare, 12 September 2025)',
    ...plainDay(known.dashboards),
    policies: ['none', named('every-second', known.everySecond), 'default', 'service'],
  },
];

const limits: readonly Scenario[] = [
  {
    name: 'rate-limit',
    title: 'Clients want four times what a limit allows',
    world: plain(worlds.limitedServer({ perSecond: 50, burst: 50 }, 5, 90_000)),
    clients: worlds.greedyClients,
    policies: ['none', 'axios-retry', 'default', 'service'],
  },
  {
    name: 'noisy-tenant',
    title: 'One tenant is over its limit',
    ...plainDay(days.oddRoute(0.05, days.always(429, 60), 100, 90_000)),
    policies: usualPolicies,
  },
  {
    name: 'new-limit',
    title: 'A limit is raised to ten times as much',
    ...plainDay(days.changedLimit({ perSecond: 20, burst: 20 }, { perSecond: 200, burst: 20 }, 400)),
    policies: usualPolicies,
  },
];

const ordinaryDays: readonly Scenario[] = [
  {
    name: 'brown-out',
    title: 'A tenth of the answers are failures',
    world: plain(worlds.brownOut(0.1)),
    clients: worlds.hundredProcesses,
    policies: ['none', 'axios-retry', 'default'],
  },
  {
    name: 'deploy',
    title: 'Everything in flight is cut off once',
    ...plainDay(days.resetWave(1_000)),
    policies: usualPolicies,
  },
  {
    name: 'pause',
    title: 'Nothing runs for three seconds',
    ...plainDay(days.pause(3_000, 100)),
    policies: usualPolicies,
  },
  {
    name: 'flapping',
    title: 'A server is down for two seconds, up for two seconds, and so on',
    ...plainDay(days.flapping(2_000, 2_000, 100)),
    policies: usualPolicies,
  },
  {
    name: 'broken-route',
    title: 'Most of the requests are for a route that is broken',
    ...plainDay(days.oddRoute(0.9, days.always(503), 100, 60_000)),
    policies: usualPolicies,
  },
  {
    name: 'bad-backend',
    title: 'One of ten servers behind the origin never answers',
    ...plainDay(days.swallowingBackend(10, 100)),
    policies: ['none', 'aws-standard', 'default', 'service'],
  },
];

const tailPolicies = ['none', 'default', 'service', 'service-hedge'];

const slowAnswers: readonly Scenario[] = [
  {
    name: 'slow-tail',
    title: 'One answer in a hundred takes a hundred times as long',
    ...plainDay(tails.slowTail(tails.oneInAHundred, 100)),
    policies: tailPolicies,
  },
  {
    name: 'slow-backend',
    title: 'One of ten servers behind the origin is fifty times as slow',
    ...plainDay(tails.slowBackend(10, 50, 100)),
    policies: tailPolicies,
  },
  {
    name: 'slow-by-nature',
    title: 'One request in a hundred takes a hundred times as long on every server',
    ...plainDay(tails.slowByNature(tails.oneInAHundred, 100)),
    policies: tailPolicies,
  },
];

export const scenarioGroups: readonly ScenarioGroup[] = [
  { title: 'Outages', scenarios: outages },
  { title: 'Known outages', scenarios: knownOutages },
  { title: 'Limits', scenarios: limits },
  { title: 'Ordinary days', scenarios: ordinaryDays },
  { title: 'Slow answers', scenarios: slowAnswers },
];

export const scenarios: readonly Scenario[] = scenarioGroups.flatMap((group) => group.scenarios);

function plainDay({ world, clients }: Day): Pick<Scenario, 'world' | 'clients'> {
  return { world: plain(world), clients };
}

/** The named worlds have no policies of their own. */
function plain({ services, ...world }: SimulatedWorld): ScenarioWorld {
  const [first, ...others] = services.map(({ policy, ...service }) => service);
  if (first === undefined) throw new TypeError('A world has at least one service');
  return { ...world, services: [first, ...others] };
}
