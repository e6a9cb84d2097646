import { describe, expect, test } from 'vitest';
import { presets } from '../../../src/core/policy/presets.js';
import { definePolicy } from '../../../src/parts/all.js';
import type { Clients, Contender } from '../../../src/tools/sim/index.js';
import * as sim from '../../../src/tools/sim/index.js';
import { chronicle, story, worldOf } from './stories.js';

const { peers, simulate } = sim;

const contenders: readonly [string, Contender][] = [
  ['defaults', {}],
  ['a finished policy', definePolicy(presets.policies.service)],
  [
    'a gate at which requests wait',
    { gate: { whenShut: 'wait' }, deadlineMs: 20_000, attemptTimeoutMs: 500 },
  ],
  ...Object.entries(peers),
];

const outage = sim.stoppedServer(511, 5_000, 25_000);
const limited = sim.limitedServer({ perSecond: 20, burst: 5 }, 'exact', 30_000);

function sum(series: Float64Array): number {
  return series.reduce((total, count) => total + count, 0);
}

describe('a run', () => {
  test.each(contenders)('is the same with the same seed, and another with another: %s', (_, contender) => {
    const clients: Clients = { ...sim.articleClients, count: 200 };
    const text = (seed: number): string => chronicle(outage, clients, contender, seed).text;
    const first = text(1);
    expect(first.length).toBeGreaterThan(10_000);
    expect(text(1)).toBe(first);
    expect(text(2)).not.toBe(first);
  });

  // Whatever changes this changes the runs that people have looked at.
  test('is the one that it always was', () => {
    const { events, totals } = simulate(outage, sim.articleClients, presets.policies.service, { seed: 1 });
    const { offered, sent, good, failed, refused, timedOut } = totals;
    expect({ events, offered, sent, good, failed, refused, timedOut }).toMatchInlineSnapshot(`
      {
        "events": 24880,
        "failed": 202,
        "good": 5434,
        "offered": 5880,
        "refused": 237,
        "sent": 5662,
        "timedOut": 221,
      }
    `);
  });

  test.each(contenders)('adds up: %s', (_, contender) => {
    for (const world of [outage, limited]) {
      const { series, totals } = simulate(world, sim.articleClients, contender, { seed: 3 });
      const { goodOfOffered, ...others } = series;
      for (const name of Object.keys(others) as (keyof typeof others)[])
        expect(totals[name]).toBe(sum(others[name]));
      expect(sum(goodOfOffered)).toBe(totals.good);
      for (const [second, count] of goodOfOffered.entries())
        expect(count).toBeLessThanOrEqual(series.offered[second] as number);
      expect(totals.sent).toBe(totals.firstTries + totals.retries);
      const underWay = totals.offered - totals.good - totals.failed - totals.refused;
      expect(underWay).toBeGreaterThanOrEqual(0);
      expect(underWay).toBeLessThanOrEqual(sim.articleClients.count);
      expect(totals.firstTries + totals.refused).toBeGreaterThanOrEqual(totals.good + totals.failed);
      expect(totals.timedOut).toBeLessThanOrEqual(totals.sent);
    }
  });

  test('meets the same users, whatever the policy', () => {
    const stream: Clients = { kind: 'open', count: 10, perSecond: 50, timeoutMs: 1_000 };
    const offered = (contender: Contender): number[] =>
      Array.from(simulate(outage, stream, contender, { seed: 4 }).series.offered);
    expect(offered({})).toEqual(offered(peers.noRetry));
    const untilTheStop = (contender: Contender): number[] =>
      Array.from(simulate(outage, sim.articleClients, contender, { seed: 4 }).series.offered.subarray(0, 30));
    expect(untilTheStop(presets.policies.service)).toEqual(untilTheStop(peers.fixedForEver));
  });

  test('never retries before the time that an answer asked for', () => {
    for (const contender of [{}, { hold: true }, presets.policies.service] satisfies Contender[]) {
      const { totals } = simulate(limited, sim.eagerClients, contender, { seed: 5 });
      expect(totals.earlyRetries).toBe(0);
      expect(totals.sent).toBeGreaterThan(totals.good);
    }
    const impatient = simulate(limited, sim.eagerClients, peers.fixedForEver, { seed: 5 });
    expect(impatient.totals.earlyRetries).toBe(0);
    const deaf = simulate(limited, sim.eagerClients, { ...peers.fixedForEver, hints: false }, { seed: 5 });
    expect(deaf.totals.earlyRetries).toBeGreaterThan(100);
  });

  test('tells when it has recovered', () => {
    const recovered = (contender: Contender, backlog: number): number | undefined =>
      simulate(sim.stoppedServer(backlog, 10_000, 70_000), sim.articleClients, contender, { seed: 1 }).totals
        .recoveredAfterMs;
    expect(recovered(presets.policies.service, 4_096)).toBeLessThanOrEqual(2_000);
    expect(recovered(peers.articleProgram, 511)).toBeGreaterThan(20_000);
    expect(recovered(peers.fixedForEver, 511)).toBeUndefined();
    const { totals } = simulate(sim.brownOut(0.1), sim.hundredProcesses, {}, { seed: 1 });
    expect(totals).toHaveProperty('recoveredAfterMs', undefined);
  });
});

describe('a request', () => {
  const silence: sim.ServerModel = { kind: 'scripted', answers: [{ answer: 'silence' }] };

  test('ends at its deadline, also in the middle of an attempt', () => {
    const policy = { deadlineMs: 1_700, schedule: { kind: 'fixed', waitMs: 200, jitter: 'none' } } as const;
    expect(story(worldOf(silence), policy)).toEqual([
      '0 sent',
      '1000 ERR_UNDAUNTED_ATTEMPT_TIMEOUT',
      '1200 sent',
      '1700 ERR_UNDAUNTED_DEADLINE',
      '1700 failed',
    ]);
  });

  test("takes the policy's attempt timeout, not that of the client", () => {
    expect(story(worldOf(silence), { retry: false, attemptTimeoutMs: 300 })[1]).toMatch(/^300 /);
  });

  test('waits at a gate that is shut, where the policy says so', () => {
    const server: sim.ServerModel = {
      kind: 'scripted',
      answers: [{ answer: 'reset' }, { answer: { status: 200 } }],
    };
    const policy = {
      gate: { failures: 1, deadForMs: 0, probeMs: 1_000, whenShut: 'wait' },
      deadlineMs: 10_000,
      schedule: { kind: 'fixed', waitMs: 1, jitter: 'none' },
    } as const;
    const lines = story(worldOf(server), policy);
    expect(lines.slice(0, 2)).toEqual(['0 sent', '0 ECONNRESET']);
    expect(Number.parseInt(lines[2] ?? '', 10)).toBeGreaterThan(125);
    expect(lines.at(-1)).toMatch(/ good$/);
  });

  test('of a layer in the middle is answered by what came of the next', () => {
    const quick: sim.Service = { server: { kind: 'flaky', latencyMs: 50, share: 0, status: 503 } };
    expect(story({ durationMs: 9_000, services: [quick, quick, quick] })).toEqual([
      '0 sent',
      '150 200',
      '150 good',
    ]);
    const broken: sim.Service = { server: { kind: 'flaky', latencyMs: 50, share: 1, status: 503 } };
    expect(story({ durationMs: 9_000, services: [quick, broken] })).toEqual([
      '0 sent',
      '100 502',
      '100 failed',
    ]);
  });
});

describe('the readings', () => {
  test('fairness is 1 where all have the same, and 1/n where one has all', () => {
    expect(sim.fairness([3, 3, 3])).toBe(1);
    expect(sim.fairness([9, 0, 0])).toBeCloseTo(1 / 3);
  });

  test('a mean of whole seconds', () => {
    expect(sim.perSecond(Float64Array.of(1, 2, 3, 4), 1_000, 2_000)).toBe(2.5);
  });

  test('quantiles are right to half a percent', () => {
    const { totals } = simulate(
      {
        durationMs: 60_000,
        services: [{ server: { kind: 'flaky', latencyMs: 1_234, share: 0, status: 503 } }],
      },
      { kind: 'open', count: 1, perSecond: 10 },
      {},
      { seed: 1 },
    );
    expect((totals.p50Ms ?? 0) / 1_234).toBeCloseTo(1, 2);
    expect(totals.p999Ms).toBe(totals.p50Ms);
  });
});
