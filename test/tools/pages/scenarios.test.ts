import { describe, expect, test } from 'vitest';
import { definePolicy } from '../../../src/parts/all.js';
import { checkScenario } from '../../../src/tools/cli/scenarios-file.js';
import { describeScenario } from '../../../src/tools/pages/describe.js';
import type { Clients, Crowds, Fault, ServerModel } from '../../../src/tools/sim/index.js';
import { peers } from '../../../src/tools/sim/index.js';
import {
  contenderNamed,
  dataPolicyNames,
  isOurs,
  policyNamed,
  policyNames,
} from '../../../src/tools/sim/policies.js';
import type { Scenario } from '../../../src/tools/sim/scenarios.js';
import { scenarios } from '../../../src/tools/sim/scenarios.js';
import { reportOf, smallOutage } from './runs.js';

describe.each(scenarios)('$name', (scenario) => {
  test('could stand in a file as it is', () => {
    const { name: _, ...written } = scenario;
    expect(JSON.parse(JSON.stringify(written))).toEqual(written);
    expect(checkScenario(written)).toEqual([]);
  });

  test('compares with no retry first', () => {
    expect(scenario.policies[0]).toBe('none');
  });

  test('compares policies that are known or written out, one of ours among them', () => {
    const names = scenario.policies.filter((policy) => typeof policy === 'string');
    expect(names.filter((name) => contenderNamed(name) === undefined)).toEqual([]);
    expect(names.some(isOurs)).toBe(true);
    const written = scenario.policies.filter((policy) => typeof policy !== 'string');
    for (const { name, policy } of written) {
      expect(contenderNamed(name)).toBeUndefined();
      expect(() => definePolicy(policy)).not.toThrow();
    }
  });
});

describe('policies by name', () => {
  test('are ours and those of all peers', () => {
    const known = policyNames.map(contenderNamed);
    expect(Object.values(peers).filter((peer) => !known.includes(peer))).toEqual([]);
    expect(policyNames.filter(isOurs)).toEqual(['default', 'service', 'service-hedge', 'llm']);
  });

  test('are JSON only where a policy can say it', () => {
    expect(policyNamed('three-retries')).toEqual({ maxRetries: 3, budget: false });
    expect(policyNamed('axios-retry')).toBeUndefined();
    expect(policyNamed('toString')).toBeUndefined();
    expect(dataPolicyNames).toContain('three-retries');
    expect(dataPolicyNames).not.toContain('axios-retry');
    expect(contenderNamed('constructor')).toBeUndefined();
  });
});

describe('a report', () => {
  test('has a number for each whole second, and survives JSON', () => {
    const scenario = { ...smallOutage, world: { ...smallOutage.world, durationMs: 15_500 } };
    const report = reportOf(scenario, [{ name: 'default' }, { name: 'mine', policy: { maxRetries: 1 } }]);
    const lengths = report.entries.flatMap(({ run }) => [
      ...Object.values(run.series).map(({ length }) => length),
      ...run.services.flatMap((service) => Object.values(service).map(({ length }: number[]) => length)),
    ]);
    expect(new Set(lengths)).toEqual(new Set([15]));
    const read = JSON.parse(JSON.stringify(report)) as typeof report;
    expect(read.entries.map(({ run }) => run.series)).toEqual(report.entries.map(({ run }) => run.series));
  });

  test('lets a service have a policy of its own, by name or as data', () => {
    const [service] = smallOutage.world.services;
    const two = (policy: 'none' | { maxRetries: number }): Scenario => ({
      ...smallOutage,
      world: { ...smallOutage.world, services: [{ server: service.server, policy }, service] },
    });
    const [first] = reportOf(two('none'), [{ name: 'fixed-for-ever' }]).entries;
    const [second] = reportOf(two({ maxRetries: 0 }), [{ name: 'fixed-for-ever' }]).entries;
    expect(first?.run.services[1]?.arrived).toEqual(second?.run.services[1]?.arrived);
    const [own] = reportOf(two({ maxRetries: 5 }), [{ name: 'fixed-for-ever' }]).entries;
    expect(own?.run.services[1]?.arrived).not.toEqual(first?.run.services[1]?.arrived);
  });

  test('refuses an unknown policy', () => {
    expect(() => reportOf(smallOutage, [{ name: 'nobody' }])).toThrow('No policy is called "nobody"');
  });
});

describe('a scenario in sentences', () => {
  const lasting = { fromMs: 5_000, forMs: 2_500 };

  function sentences(
    server: ServerModel,
    faults: readonly Fault[] = [],
    clients: Crowds = smallOutage.clients,
  ) {
    return describeScenario({
      ...smallOutage,
      clients,
      world: { durationMs: 30_000, services: [{ server, faults }] },
    }).join('\n');
  }

  const quick = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 } as const;
  const silent = { kind: 'scripted', answers: [{ answer: 'silence' }] } as const;

  test.each<[ServerModel, string]>([
    [
      { kind: 'crowded', baseMs: 100, limit: 30, factor: 2, step: 15, checkMs: 50 },
      'more than 30 requests are in progress',
    ],
    [
      { kind: 'queue', workers: 4, places: 20, serviceMs: 50 },
      'handles 4 requests at a time in 50 ms each, queues up to 20 more',
    ],
    [
      {
        kind: 'queue',
        workers: 4,
        places: 20,
        serviceMs: { medianMs: 20, spread: 0.5, tail: { share: 0.01, times: 100 } },
      },
      'at a time in about 20 ms (100 times that for 1.0 % of the attempts) each, queues up to 20 more',
    ],
    [
      {
        kind: 'flaky',
        latencyMs: { medianMs: 20, spread: 0, tail: { share: 0.01, times: 100, of: 'request' } },
        share: 0,
        status: 503,
      },
      'answers after about 20 ms (100 times that for 1.0 % of the requests, however often they are sent).',
    ],
    [{ kind: 'slowing', baseMs: 1_000, eachMs: 10 }, 'after 1 s plus 10 ms for each'],
    [
      { kind: 'limited', latencyMs: 20, limit: { permits: 50, windowMs: 1_000 }, retryAfter: false },
      'allows 50 requests per 1 s and answers 429 to the rest, without a Retry-After',
    ],
    [
      { kind: 'limited', latencyMs: 20, limit: { perSecond: 20, burst: 5 }, retryAfter: 'exact' },
      'allows 20 requests a second, in bursts of up to 5, and answers 429 to the rest, with the exact Retry-After',
    ],
    [{ kind: 'flaky', latencyMs: 50, share: 0.25, status: 503 }, 'answers 503 to 25.0 % of the requests'],
    [{ kind: 'flaky', latencyMs: 50, share: 0, status: 503 }, 'answers after 50 ms.'],
    [{ kind: 'scripted', answers: [{ answer: 'reset' }] }, 'gives 1 answers in turn'],
    [
      { kind: 'flaky', latencyMs: { medianMs: 300, spread: 0.5 }, share: 1, status: 429, retryAfter: 60 },
      'answers 429 to all requests, with Retry-After: 60, after about 300 ms.',
    ],
    [
      {
        kind: 'changing',
        phases: [
          { fromMs: 0, server: quick },
          { fromMs: 2_000, server: silent },
        ],
        everyMs: 4_000,
      },
      'answers after 50 ms; from 2 s on it never answers; repeated every 4 s.',
    ],
    [
      { kind: 'balanced', backends: [{ server: quick }, { server: quick }, { weight: 2, server: silent }] },
      'is 3 servers behind one origin: for 50.0 % of the requests it answers after 50 ms; for 50.0 % of the requests it never answers.',
    ],
    [
      { kind: 'routed', routes: [{ path: '/search', server: silent }], otherwise: quick },
      'The server answers by path: for /search it never answers; for everything else it answers after 50 ms.',
    ],
  ])('says of a server that it %o', (server, words) => {
    expect(sentences(server)).toContain(words);
  });

  test.each<[Fault, string]>([
    [{ ...lasting, kind: 'stop' }, 'From 5 s to 7.5 s, the server is stopped'],
    [
      { ...lasting, kind: 'stop', pauses: { everyMs: 500, pauseMs: 20 } },
      'From 5 s to 7.5 s, the server pauses for 20 ms every 500 ms',
    ],
    [{ ...lasting, kind: 'crash' }, 'is down and refuses connections'],
    [{ ...lasting, kind: 'reset' }, 'cuts off all requests in progress, once'],
    [{ ...lasting, kind: 'reset', everyMs: 500 }, 'cuts off all requests in progress every 500 ms'],
    [{ ...lasting, kind: 'slow', times: 3 }, 'takes 3 times as long'],
    [{ ...lasting, kind: 'flap', downMs: 500, upMs: 1_000 }, 'is down for 500 ms, up for 1 s'],
    [{ ...lasting, kind: 'lose', share: 0.1 }, 'loses 10.0 % of its answers'],
  ])('says of a fault that it %o', (fault, words) => {
    expect(sentences({ kind: 'slowing', baseMs: 1, eachMs: 1 }, [fault])).toContain(words);
  });

  test('says which clients send requests, and how', () => {
    const server = smallOutage.world.services[0].server;
    const posting: Clients = {
      kind: 'closed',
      count: 1_000,
      processes: 4,
      thinkMs: 10_000,
      timeoutMs: 2_000,
      method: 'POST',
      keyed: true,
    };
    expect(sentences(server, [], posting)).toContain(
      '1,000 clients in 4 processes think for 10 s on average, then send POST requests with an idempotency key, and wait 2 s for an answer.',
    );
    const rates = [
      { fromMs: 0, perSecond: 40 },
      { fromMs: 20_000, perSecond: 80 },
    ];
    expect(sentences(server, [], { kind: 'open', count: 5, perSecond: rates })).toContain(
      '40, then 80 (from 20 s)',
    );
    const tenants: Crowds = [
      {
        kind: 'open',
        count: 1,
        perSecond: 10,
        routes: [
          { path: '/a', weight: 1, guilty: true },
          { path: '/b', weight: 3 },
        ],
      },
      { kind: 'burst', count: 140, atMs: 5_000, everyMs: 60_000, deadlineMs: 2_000 },
      { kind: 'open', count: 2, perSecond: 5, leaving: { share: 0.5, afterMs: 100 } },
    ];
    const text = sentences(server, [], tenants);
    expect(text).toContain('send 10 GET requests a second, 25.0 % for /a (the guilty ones), 75.0 % for /b.');
    expect(text).toContain(
      '140 clients in one process send GET requests, each with a deadline of 2 s; all at once after 5 s, and again every 60 s.',
    );
    expect(text).toContain('send 5 GET requests a second; 50.0 % of the callers abort after 100 ms.');
  });
});
