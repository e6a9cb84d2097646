import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { RequestFacts } from '../../../src/core/types.js';
import {
  remarksOn,
  requestsOf,
  survivors,
  turnedAway,
  unmatchedRules,
} from '../../../src/tools/pages/remarks.js';
import { type Entry, runCandidate } from '../../../src/tools/pages/report.js';
import type { Scenario, ScenarioService } from '../../../src/tools/sim/scenarios.js';
import { reportOf, smallOutage } from './runs.js';

const [service] = smallOutage.world.services;

function inRow(...services: readonly [ScenarioService, ...ScenarioService[]]): Scenario {
  return { ...smallOutage, world: { durationMs: 3_000, services } };
}

function remarks(rules: NonNullable<PolicyOptions['rules']>, scenario = smallOutage): readonly string[] {
  return unmatchedRules([{ name: 'mine', policy: { rules } }], scenario);
}

describe('rules of which none matches', () => {
  const end = ': no other requests are sent here, so only the settings outside its rules count.';

  test.each<[string, NonNullable<PolicyOptions['rules']>, readonly string[]]>([
    ['one', [{ match: '/a' }], [`The only rule of mine does not match GET http://first.example/${end}`]],
    [
      'several',
      [{ match: 'POST /' }, { match: 'api.example.com' }],
      [`None of the 2 rules of mine matches GET http://first.example/${end}`],
    ],
    ['one that does', [{ match: '/a' }, { match: 'GET first.example/*' }], []],
    ['none at all', [], []],
  ])('%s', (_, rules, expected) => {
    expect(remarks(rules)).toEqual(expected);
  });

  test('are told of each policy, and never of a name', () => {
    const policy = { rules: [{ match: '/a' }] };
    const candidates = [
      { name: 'service' },
      { name: 'got' },
      { name: 'one', policy },
      { name: 'two', policy },
    ];
    const told = unmatchedRules(candidates, smallOutage);
    expect(told.map((remark) => /of (\w+) /.exec(remark)?.[1])).toEqual(['one', 'two']);
  });

  test('may match what a service asks of the next one', () => {
    const row = inRow(service, service);
    expect(remarks([{ match: 'next.example' }], row)).toEqual([]);
    expect(remarks([{ match: '/a' }], row)).toEqual([
      `The only rule of mine does not match GET http://first.example/ or GET http://next.example/${end}`,
    ]);
  });
});

describe('what is taken for sent', () => {
  test.each<[string, Scenario]>([
    ['by clients', inRow(service)],
    [
      'by clients that say how',
      {
        ...inRow(service),
        clients: { kind: 'closed', count: 10, thinkMs: 100, method: 'POST', keyed: true },
      },
    ],
    ['by services in a row', inRow(service, service)],
  ])('is what the simulator sends: %s', (_, scenario) => {
    const sent = new Map<string, RequestFacts>();
    const trace = (__: number, call: { readonly route: { readonly facts: RequestFacts } }): void => {
      sent.set(JSON.stringify(call.route.facts), call.route.facts);
    };
    runCandidate({ name: 'none' }, { scenario, seed: 1, trace });
    expect(requestsOf(scenario)).toEqual([...sent.values()]);
  });

  test('is not what goes by a policy that a service has itself', () => {
    const own = { ...service, policy: 'none' };
    expect(requestsOf(inRow(own, service))).toHaveLength(1);
    expect(requestsOf(inRow(service, own))).toHaveLength(2);
  });
});

describe('requests that are turned away', () => {
  const thinking: Scenario = { ...smallOutage, clients: { kind: 'closed', count: 200, thinkMs: 1_000 } };

  test('are more of them, where clients think in between', () => {
    const report = reportOf(thinking, [{ name: 'default' }, { name: 'service' }]);
    expect(report.entries.map(({ run }) => run.totals.refused > 0)).toEqual([false, true]);
    expect(turnedAway(report)).toEqual([expect.stringContaining('"Succeeded per second" compares better.')]);
  });

  test('are no more of them, where requests come by the clock', () => {
    const report = reportOf({ ...smallOutage, clients: { kind: 'open', count: 200, perSecond: 200 } }, [
      { name: 'service' },
    ]);
    expect(report.entries[0]?.run.totals.refused).toBeGreaterThan(0);
    expect(turnedAway(report)).toEqual([]);
  });

  test('are not spoken of, where there are none', () => {
    expect(turnedAway(reportOf(thinking, [{ name: 'default' }]))).toEqual([]);
  });

  test('are remarked on after rules', () => {
    const policy = { gate: true, rules: [{ match: '/a' }] };
    const report = reportOf(thinking, [{ name: 'mine', policy }]);
    expect(remarksOn(report)).toEqual([
      ...unmatchedRules(report.entries, thinking),
      ...turnedAway(report),
      ...survivors(report.entries),
    ]);
    expect(remarksOn(report)).toHaveLength(3);
  });
});

describe('the times of survivors', () => {
  const good = (name: string, share: number) => ({
    name,
    run: { totals: { good: 1_000 * share, offered: 1_000 } } as Entry['run'],
  });

  test('are remarked on where many requests fail, with the share of each', () => {
    expect(survivors([good('got', 0.5), good('service', 0.99), good('none', 0.8)])).toEqual([
      'Times are of requests that succeeded alone: 50.0 % with got, 80.0 % with no retry. The others waited longer, and in vain, so a short time there is no merit.',
    ]);
  });

  test('speak for all where nearly all succeed', () => {
    expect(survivors([good('service', 0.95), good('none', 1)])).toEqual([]);
  });

  test('of nothing are not remarked on', () => {
    expect(survivors([{ name: 'none', run: { totals: { good: 0, offered: 0 } } as Entry['run'] }])).toEqual(
      [],
    );
  });
});

test('a rule by host matches the origin that a route has', () => {
  const policy = { rules: [{ match: 'api.github.com' }] };
  const { clients } = smallOutage;
  const github: Scenario = {
    ...smallOutage,
    clients: {
      ...clients,
      routes: [{ path: '/', origin: 'https://api.github.com', weight: 1 }],
    } as Scenario['clients'],
  };
  expect(unmatchedRules([{ name: 'mine', policy }], smallOutage)).toHaveLength(1);
  expect(unmatchedRules([{ name: 'mine', policy }], github)).toEqual([]);
});
