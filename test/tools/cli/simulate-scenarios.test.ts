import { describe, expect, test } from 'vitest';
import type { Problem } from '../../../src/core/errors.js';
import { checkScenario } from '../../../src/tools/cli/scenarios-file.js';
import { scenarios } from '../../../src/tools/sim/scenarios.js';
import { smallOutage } from '../pages/runs.js';
import { undaunted } from './kit.js';

const { name: _, ...sound } = smallOutage;
const [service] = sound.world.services;
const flaky = { kind: 'flaky', latencyMs: 50, share: 0.1, status: 503 };

function lines(problems: readonly Problem[]): string[] {
  return problems.map(({ path, found, allowed, advice }) =>
    [path, found, allowed, advice].filter(Boolean).join(' | '),
  );
}

function withServer(server: unknown): unknown {
  return { ...sound, world: { ...sound.world, services: [{ server }] } };
}

function withFaults(...faults: readonly unknown[]): unknown {
  return { ...sound, world: { ...sound.world, services: [{ ...service, faults }] } };
}

describe('a scenario is sound', () => {
  test.each<[string, unknown]>([
    ['with all that it needs', { world: sound.world, clients: sound.clients }],
    [
      'with policies by name and as data',
      { ...sound, policies: ['got', { name: 'mine', policy: { maxRetries: 1 } }] },
    ],
    [
      'with a service that has a policy of its own',
      {
        ...sound,
        world: {
          durationMs: 30_000,
          services: [
            { ...service, policy: 'none' },
            { ...service, policy: { retry: false } },
          ],
        },
      },
    ],
    [
      'with a slow tail',
      withServer({
        kind: 'queue',
        workers: 4,
        places: 20,
        serviceMs: { medianMs: 20, spread: 0.5, tail: { share: 0.01, times: 100, of: 'request' } },
      }),
    ],
    ['with a warm-up', { ...sound, world: { ...sound.world, warmUpMs: 1_000 } }],
    [
      'with pauses',
      withFaults({ kind: 'stop', fromMs: 0, forMs: 5_000, pauses: { everyMs: 500, pauseMs: 20 } }),
    ],
    [
      'with a server that answers by a script',
      withServer({
        kind: 'scripted',
        answers: [
          { answer: 'silence' },
          { afterMs: 10, answer: { status: 503, headers: { 'retry-after': '1' } } },
        ],
      }),
    ],
    [
      'with permits in a window',
      withServer({ kind: 'limited', latencyMs: 1, limit: { permits: 1, windowMs: 10 }, retryAfter: 5 }),
    ],
    [
      'with a server that is several, behind routes and backends and over time',
      withServer({
        kind: 'routed',
        routes: [
          {
            path: '/tenants/7',
            server: {
              kind: 'balanced',
              backends: [
                {
                  server: {
                    kind: 'scripted',
                    answers: [{ answer: { status: 429, headers: { 'retry-after': '60' } } }],
                  },
                },
                {
                  weight: 9,
                  server: {
                    kind: 'changing',
                    phases: [
                      { fromMs: 0, server: flaky },
                      {
                        fromMs: 10,
                        server: { ...flaky, latencyMs: { medianMs: 30, spread: 0.5 }, retryAfter: 5 },
                      },
                    ],
                    everyMs: 1_000,
                  },
                },
              ],
            },
          },
        ],
        otherwise: {
          kind: 'limited',
          latencyMs: 1,
          limit: { perSecond: 20, burst: 1 },
          retryAfter: 'exact',
          refusalMs: 5,
          status: 503,
        },
      }),
    ],
    [
      'with several crowds, of which one sends everything at once',
      {
        ...sound,
        clients: [
          {
            kind: 'open',
            count: 1,
            perSecond: 10,
            routes: [
              { path: '/', weight: 19 },
              { path: '/tenants/7', weight: 1, guilty: true },
            ],
            leaving: { afterMs: 100, share: 0.1 },
          },
          { kind: 'burst', count: 140, atMs: 1_000, everyMs: 5_000, deadlineMs: 3_000 },
        ],
      },
    ],
    ['with a wave of resets', withFaults({ kind: 'reset', fromMs: 1_000, forMs: 2_000, everyMs: 500 })],
    [
      'with a rate that changes',
      {
        ...sound,
        clients: {
          kind: 'open',
          count: 1,
          perSecond: [
            { fromMs: 0, perSecond: 1 },
            { fromMs: 9, perSecond: 2 },
          ],
        },
      },
    ],
    [
      'with every kind of fault',
      withFaults(
        { kind: 'stop', fromMs: 0, forMs: 1 },
        { kind: 'slow', fromMs: 0, forMs: 1, times: 2 },
        { kind: 'flap', fromMs: 0, forMs: 1, downMs: 1, upMs: 1 },
        { kind: 'lose', fromMs: 0, forMs: 1, share: 0.5 },
      ),
    ],
  ])('%s', (__, scenario) => {
    expect(checkScenario(scenario)).toEqual([]);
  });
});

test.each(scenarios.map((scenario) => [scenario.name, scenario]))(
  'the scenario %s is sound as JSON, too, so that a file may start from it',
  (__, scenario) => {
    expect(checkScenario(JSON.parse(JSON.stringify(scenario)))).toEqual([]);
  },
);

describe('each problem is reported with its place', () => {
  test.each<[string, unknown, string[]]>([
    ['no object', [], ['an empty list | an object']],
    [
      'nothing in it',
      {},
      ['world | nothing | an object', 'clients | nothing | an object or a list that is not empty'],
    ],
    [
      'a key that is misspelt',
      { ...sound, wrold: 1 },
      [
        'wrold | an unknown key | one of the keys "world", "clients", "name", "title", "policies" | Did you mean "world"?',
      ],
    ],
    [
      'a key of a policy',
      { ...sound, retryIf: 1 },
      ['retryIf | an unknown key | one of the keys "world", "clients", "name", "title", "policies"'],
    ],
    [
      'a server of no kind',
      withServer({ kind: 'crowed', baseMs: 1 }),
      [
        'world.services[0].server.kind | a string "crowed" | one of "crowded", "queue", "slowing", "limited", "flaky", "scripted", "changing", "balanced", "routed" | Did you mean "crowded"?',
      ],
    ],
    [
      'a share above all',
      withServer({ kind: 'flaky', latencyMs: 1, share: 2, status: 503 }),
      ['world.services[0].server.share | the number 2 | a number from 0 to 1'],
    ],
    [
      'half a limit',
      withServer({ kind: 'limited', latencyMs: 1, limit: { permits: 1, burst: 1 }, retryAfter: false }),
      [
        'world.services[0].server.limit | an object with burst permits | perSecond and burst, or permits and windowMs',
      ],
    ],
    [
      'a header that is not a string',
      withServer({ kind: 'scripted', answers: [{ answer: { status: 503, headers: { 'retry-after': 1 } } }] }),
      ['world.services[0].server.answers[0].answer.headers.retry-after | the number 1 | a text'],
    ],
    [
      'a fault after the end',
      withFaults({ kind: 'stop', fromMs: 29_000, forMs: 2_000 }),
      ['world.services[0].faults[0] | an end at 31000 ms | at most durationMs, which is 30000'],
    ],
    [
      'rates out of order',
      {
        ...sound,
        clients: {
          kind: 'open',
          count: 1,
          perSecond: [
            { fromMs: 5, perSecond: 1 },
            { fromMs: 5, perSecond: 2 },
          ],
        },
      },
      ['clients.perSecond[1].fromMs | the number 5 | more than the one before, which is 5'],
    ],
    [
      'rates out of order, of one of several crowds',
      {
        ...sound,
        clients: [
          { kind: 'burst', count: 1, atMs: 0 },
          {
            kind: 'open',
            count: 1,
            perSecond: [
              { fromMs: 5, perSecond: 1 },
              { fromMs: 4, perSecond: 2 },
            ],
          },
        ],
      },
      ['clients[1].perSecond[1].fromMs | the number 4 | more than the one before, which is 5'],
    ],
    [
      'half a limit, deep inside',
      withServer({
        kind: 'routed',
        routes: [
          {
            path: '/a',
            server: {
              kind: 'balanced',
              backends: [
                { server: { kind: 'limited', latencyMs: 1, limit: { burst: 1 }, retryAfter: false } },
              ],
            },
          },
        ],
        otherwise: flaky,
      }),
      [
        'world.services[0].server.routes[0].server.backends[0].server.limit | an object with burst | perSecond and burst, or permits and windowMs',
      ],
    ],
    [
      'a first phase that is late',
      withServer({ kind: 'changing', phases: [{ fromMs: 5, server: flaky }] }),
      ['world.services[0].server.phases[0].fromMs | the number 5 | 0'],
    ],
    [
      'weights that leave nothing to pick',
      { ...sound, clients: { kind: 'burst', count: 1, atMs: 0, routes: [{ path: '/a', weight: 0 }] } },
      ['clients.routes | only weights of 0 | at least one weight above 0'],
    ],
    [
      'a route that is not a path',
      { ...sound, clients: { kind: 'burst', count: 1, atMs: 0, routes: [{ path: 'a', weight: 1 }] } },
      ['clients.routes[0].path | a string "a" | a path, like "/search"'],
    ],
    [
      'a server of several backends inside another one',
      withServer({ kind: 'changing', phases: [{ fromMs: 0, server: { kind: 'changing', phases: [] } }] }),
      [
        'world.services[0].server.phases[0].server.kind | a string "changing" | one of "crowded", "queue", "slowing", "limited", "flaky", "scripted"',
      ],
    ],
    [
      'a policy with a problem',
      { ...sound, policies: [{ name: 'mine', policy: { maxRetry: 1 } }] },
      ['policies[0].policy.maxRetry | unknown setting | the name of a setting | Did you mean "maxRetries"?'],
    ],
    [
      'a policy of a service that is misspelt',
      { ...sound, world: { ...sound.world, services: [{ ...service, polcy: 'none' }] } },
      [
        'world.services[0].polcy | an unknown key | one of the keys "server", "faults", "backlog", "timeoutMs", "policy", "onward" | Did you mean "policy"?',
      ],
    ],
    [
      'headers that are misspelt',
      withServer({ kind: 'scripted', answers: [{ answer: { status: 503, header: {} } }] }),
      [
        'world.services[0].server.answers[0].answer.header | an unknown key | one of the keys "status", "headers", "body" | Did you mean "headers"?',
      ],
    ],
    [
      'a key beside a policy',
      { ...sound, policies: [{ name: 'mine', policy: {}, seed: 1 }] },
      ['policies[0].seed | an unknown key | one of the keys "name", "policy"'],
    ],
    [
      'a policy that has a name only',
      { ...sound, policies: [{ name: 'mine' }] },
      ['policies[0].policy | nothing | an object'],
    ],
    [
      'a known policy under another name',
      { ...sound, policies: [{ name: 'mine', policy: 'service' }] },
      ['policies[0].policy | a string "service" | an object'],
    ],
    [
      'two policies of one name',
      {
        ...sound,
        policies: ['got', { name: 'mine', policy: {} }, 'got', { name: 'mine', policy: { retry: false } }],
      },
      [
        'policies[2] | "got" again | a name that policies[0] has not',
        'policies[3] | "mine" again | a name that policies[1] has not',
      ],
    ],
    [
      'a policy where there is none',
      { ...sound, world: { ...sound.world, policy: {} } },
      ['world.policy | an unknown key | one of the keys "durationMs", "services", "warmUpMs"'],
    ],
    [
      'too long a run',
      { ...sound, world: { ...sound.world, durationMs: 1e9 } },
      ['world.durationMs | the number 1000000000 | a number from 2,000 to 3,600,000'],
    ],
  ])('%s', (__, scenario, expected) => {
    expect(lines(checkScenario(scenario))).toEqual(expected);
  });

  test('an unknown policy, with the nearest one', () => {
    const [problem] = checkScenario({ ...sound, policies: ['serivce'] });
    expect(problem).toMatchObject({ path: 'policies[0]', advice: 'Did you mean service?' });
  });
});

test.each([
  ['lists', '['],
  ['objects', '{"a":'],
  ['servers', '{"world":{"services":[{"server":{"kind":"changing","server":'],
])('a file of %s that never end is reported, and is no crash', async (_, piece) => {
  const { exitCode, stdout, stderr } = await undaunted(['simulate', '-'], { stdin: piece.repeat(50_000) });
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    /^undaunted: stdin:1:\d+ is not JSON: it is nested deeper than 100 levels here\.\n$/,
  );
});
