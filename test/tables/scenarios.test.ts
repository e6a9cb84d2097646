import { describe, expect, test } from 'vitest';
import { runCandidate } from '../../src/tools/pages/report.js';
import type { Scenario } from '../../src/tools/sim/scenarios.js';
import { scenarios } from '../../src/tools/sim/scenarios.js';
import { verdictOn } from '../../src/tools/sim/verdict/verdict.js';

const [outage] = scenarios as readonly [Scenario, ...Scenario[]];

describe('the scenario that is played when none is named', () => {
  // On each of these seeds, so it is not chance.
  test.each([1, 2, 3, 4, 5])('shows who keeps a server down, with seed %i', (seed) => {
    const names = ['none', 'got', 'three-retries', 'default', 'service'];
    expect(outage.policies).toEqual(names);
    const entries = names.map((name) => ({ name, run: runCandidate({ name }, { scenario: outage, seed }) }));
    const { headline, policies } = verdictOn({ scenario: outage, entries });
    expect(headline).toBe(
      'the server never recovers with got and three-retries; it recovers with no retry, default and service',
    );
    const [none, got, retries, , service] = policies.map(({ figures }) => figures);
    expect([got?.good.after, got?.good.atEnd, retries?.good.atEnd]).toEqual([0, 0, 0]);
    expect(service?.load.during).toBeLessThan((none?.load.during ?? 0) / 3);
    expect(service?.good.overall).toBeGreaterThan(0.96 * (none?.good.overall ?? 0));
  });
});
