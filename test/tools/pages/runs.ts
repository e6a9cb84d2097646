/** Reports that are quick to make. */

import type { Candidate, Report } from '../../../src/tools/pages/report.js';
import { runCandidate } from '../../../src/tools/pages/report.js';
import type { Scenario } from '../../../src/tools/sim/scenarios.js';

/** Twenty seconds of a server that is down for five. */
export const smallOutage: Scenario = {
  name: 'small-outage',
  title: 'A server is down for five seconds',
  world: {
    durationMs: 30_000,
    services: [
      {
        server: { kind: 'flaky', latencyMs: 50, share: 0, status: 503 },
        faults: [{ kind: 'crash', fromMs: 5_000, forMs: 5_000 }],
      },
    ],
  },
  clients: { kind: 'open', count: 10, perSecond: 20 },
  policies: ['none', 'default'],
};

export function reportOf(scenario: Scenario, candidates: readonly Candidate[]): Report {
  const entries = candidates.map((candidate) => ({
    ...candidate,
    run: runCandidate(candidate, { scenario, seed: 1 }),
  }));
  return { format: 1, scenario, seed: 1, entries };
}
