import { describe, expect, test } from 'vitest';
import { normal } from '../../../src/tools/sim/dice.js';
import type { Contender, SimulatedWorld } from '../../../src/tools/sim/index.js';
import { peers, simulate } from '../../../src/tools/sim/index.js';
import { drawFor, luckOf, purposes } from '../../../src/tools/sim/luck.js';
import { worldOf } from './stories.js';

describe('luck', () => {
  test('is even for neighbouring requests, and for the purposes of one', () => {
    const draws = Array.from({ length: 20_000 }, (_, index) => drawFor(luckOf(1, index), purposes.failure));
    const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.01);
    const both = Array.from({ length: 20_000 }, (_, index) => {
      const luck = luckOf(1, index);
      return drawFor(luck, purposes.failure) < 0.5 === drawFor(luck, purposes.backend) < 0.5;
    });
    expect(Math.abs(both.filter(Boolean).length / both.length - 0.5)).toBeLessThan(0.015);
  });

  test('is the same for the same attempt of the same request, whatever the policy', () => {
    const flaky: SimulatedWorld = worldOf({
      kind: 'flaky',
      latencyMs: { medianMs: 50, spread: 0.5 },
      share: 0.3,
      status: 503,
    });
    const stream = { kind: 'open', count: 10, perSecond: 50 } as const;
    const firsts = (policy: Contender): string[] => {
      const outcomes = new Map<number, string>();
      simulate(flaky, stream, policy, {
        seed: 3,
        trace: (now, exchange, step) => {
          const isFirst = typeof step === 'object' && exchange.attempts === 1;
          if (isFirst) outcomes.set(exchange.startedAt, `${now} ${step.kind === 'response' && step.status}`);
        },
      });
      return [...outcomes].sort(([a], [b]) => a - b).map(([at, outcome]) => `${at} ${outcome}`);
    };
    const without = firsts(peers.noRetry);
    expect(without.length).toBeGreaterThan(900);
    expect(firsts(peers.threeRetries)).toEqual(without);
    expect(firsts({ schedule: { kind: 'fixed', waitMs: 1, jitter: 'none' } })).toEqual(without);
  });

  test('is the same for closed loops: the thoughts of a client number its requests', () => {
    const flaky = worldOf({ kind: 'flaky', latencyMs: 50, share: 0.3, status: 503 });
    const clients = { kind: 'closed', count: 1, thinkMs: 100 } as const;
    const firsts = (policy: Contender): string => {
      let text = '';
      simulate(flaky, clients, policy, {
        seed: 3,
        trace: (_, exchange, step) => {
          if (typeof step === 'object' && exchange.attempts === 1)
            text += `${step.kind === 'response' && step.status} `;
        },
      });
      return text;
    };
    const without = firsts(peers.noRetry);
    const retried = firsts(peers.threeRetries);
    expect(retried.length).toBeGreaterThan(200);
    expect(without.startsWith(retried) || retried.startsWith(without)).toBe(true);
  });
});

test('a draw as a normally distributed number', () => {
  expect(normal(0.5)).toBeCloseTo(0, 9);
  for (const [draw, deviations] of [
    [0.841344746, 1],
    [0.977249868, 2],
    [0.99865010197, 3],
    [0.158655254, -1],
    [0.00134989803, -3],
  ] as const) {
    expect(normal(draw)).toBeCloseTo(deviations, 6);
  }
  expect(Number.isFinite(normal(0))).toBe(true);
  expect(Number.isFinite(normal(1))).toBe(true);
});
