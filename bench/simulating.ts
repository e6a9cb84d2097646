/** How fast the simulator is, and how much memory its clients take. */

import { presets } from '../src/index.js';
import type { Clients, Contender, SimulatedWorld } from '../src/tools/sim/index.js';
import { articleClients, articleServer, simulate } from '../src/tools/sim/index.js';
import { amountOf, cpuSince } from './measure.js';
import type { Row } from './row.js';

const minutes = amountOf(10);

/** A server that is stopped for half a minute, and that can bear its clients otherwise. */
const outage: SimulatedWorld = {
  durationMs: minutes * 60_000,
  services: [
    { server: articleServer, faults: [{ kind: 'stop', fromMs: minutes * 6_000, forMs: minutes * 3_000 }] },
  ],
};

/** Ten thousand requests a second. */
const manyClients: Clients = { ...articleClients, count: amountOf(100_000) };
const quickServer: SimulatedWorld = {
  durationMs: minutes * 60_000,
  services: [{ server: { kind: 'flaky', latencyMs: 100, share: 0.01, status: 503 } }],
};

/** Three backends, one of which fails now and then, behind an origin with a route that has a limit. */
const ordinaryDay: SimulatedWorld = {
  durationMs: minutes * 60_000,
  services: [
    {
      server: {
        kind: 'routed',
        routes: [
          {
            path: '/search',
            server: {
              kind: 'limited',
              latencyMs: 20,
              limit: { perSecond: 500, burst: 50 },
              retryAfter: 'exact',
            },
          },
        ],
        otherwise: {
          kind: 'balanced',
          backends: [
            {
              weight: 2,
              server: { kind: 'flaky', latencyMs: { medianMs: 50, spread: 0.5 }, share: 0, status: 503 },
            },
            { server: { kind: 'flaky', latencyMs: 50, share: 0.1, status: 503 } },
          ],
        },
      },
    },
  ],
};

const tenThousandASecond: Clients = {
  kind: 'open',
  count: 1_000,
  perSecond: 10_000,
  timeoutMs: 2_000,
  routes: [
    { path: '/', weight: 9 },
    { path: '/search', weight: 1, guilty: true },
  ],
};

export function benchSimulating(): Row[] {
  for (let seed = 1; seed <= 4; seed += 1) {
    simulate(outage, articleClients, presets.policies.service, { seed });
  }
  return [
    row('the article’s outage, no retry', outage, articleClients, { retry: false }, 20),
    row('the article’s outage, defaults', outage, articleClients, {}, 20),
    row('the article’s outage, `service`', outage, articleClients, presets.policies.service, 20),
    row('100,000 clients, defaults', quickServer, manyClients, {}),
    row('100,000 clients, `service`', quickServer, manyClients, presets.policies.service),
    row('routes and backends, defaults', ordinaryDay, tenThousandASecond, {}),
  ];
}

function row(name: string, world: SimulatedWorld, clients: Clients, policy: Contender, seeds = 1): Row {
  globalThis.gc?.();
  const started = process.cpuUsage();
  let events = 0;
  for (let seed = 1; seed <= seeds; seed += 1) events += simulate(world, clients, policy, { seed }).events;
  const seconds = cpuSince(started) / 1e9;
  const { rss } = process.memoryUsage();
  return {
    name,
    value: events / seconds / 1e6,
    unit: 'million/s',
    note: `${seeds} x ${minutes} min in ${seconds.toFixed(1)} s of CPU; the process takes ${Math.round(rss / 2 ** 20)} MiB`,
  };
}
