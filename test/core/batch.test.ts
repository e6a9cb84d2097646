/** What docs/compare.md says of a batch: 400 GETs, 8 at a time, of which 40 % of the attempts get a 503. */

import { describe, expect, test } from 'vitest';
import { explain } from '../../src/core/explain.js';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { Stop } from '../../src/core/types.js';
import { createRetrier } from '../../src/parts/all.js';
import { diceOf } from '../../src/tools/sim/dice.js';
import { answered, requestOf } from '../kit.js';

interface Batch {
  readonly stops: readonly Stop[];
  readonly attempts: number;
}

function batch(options: PolicyOptions, seed: number, share = 0.4): Batch {
  const random = diceOf(seed, 1);
  const agenda: { readonly at: number; readonly act: () => void }[] = [];
  const stops: Stop[] = [];
  let now = 0;
  let left = 400;
  let attempts = 0;
  const later = (ms: number, act: () => void): number => agenda.push({ at: now + ms, act });
  const retrier = createRetrier({ maxRetries: 5, ...options }, { now: () => now, random });
  const next = (): void => {
    if (left === 0) return;
    left -= 1;
    const session = retrier.open(requestOf());
    const answer = (): void => {
      attempts += 1;
      const decision = session.next(answered(random() < share ? 503 : 200), { replayable: true });
      if (decision.action === 'retry') {
        later(decision.delayMs + 20, answer);
        return;
      }
      stops.push(decision);
      next();
    };
    later(20, answer);
  };
  for (let worker = 0; worker < 8; worker += 1) next();
  for (let event = agenda.pop(); event !== undefined; event = agenda.pop()) {
    now = event.at;
    event.act();
    agenda.sort((one, other) => other.at - one.at);
  }
  return { stops, attempts };
}

function failed({ stops }: Batch): Stop[] {
  return stops.filter(({ reason }) => reason !== 'success');
}

const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

describe('a batch against a server that fails now and then', () => {
  test('one or two of 400 fail, and none of them for the budget', () => {
    const all = seeds.map((seed) => failed(batch({}, seed)));
    const mean = all.flat().length / seeds.length;
    // 400 * 0.4 ** 6 = 1.6, as without a budget.
    expect(mean).toBeGreaterThan(1);
    expect(mean).toBeLessThan(3);
    expect([...new Set(all.flat().map(({ reason }) => reason))]).toEqual(['retries-spent']);
    expect(seeds.map((seed) => batch({ budget: false }, seed).attempts)).toEqual(
      seeds.map((seed) => batch({}, seed).attempts),
    );
  });

  test('if nothing is given back, a hundred fail, and explain says what to change', () => {
    const stops = failed(batch({ budget: { refund: false } }, 1));
    expect(stops.length).toBeGreaterThan(60);
    expect(stops.map(explain)).toContain(
      'No retry after attempt 1: the server answered 503, and the retry budget of its scope is spent (for more retries: a larger budget, or budget: false).',
    );
  });

  test('a server that answers nobody gets about 50 retries; without a budget, or with a larger one, all', () => {
    const dead = batch({}, 1, 1);
    expect(failed(dead)).toHaveLength(400);
    expect(dead.attempts - 400).toBeGreaterThanOrEqual(50);
    expect(dead.attempts - 400).toBeLessThan(60);
    for (const budget of [false, { capacity: 2_000 }] as const) {
      expect(batch({ budget }, 1, 1).attempts).toBe(400 * 6);
    }
  });
});
