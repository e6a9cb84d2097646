/** Outages: no server stays wedged, a dead server gets little load, and requests succeed after its return. */

import type { Death } from '../outage-measures.js';
import { burstAfter, burstCount, loadWhileDead, returned } from '../outage-measures.js';
import { percent, times } from '../sim-reading.js';
import type { Goal } from './goal.js';
import { isAtLeast } from './goal.js';

const stopsMs = [3_000, 5_000, 10_000, 30_000, 60_000, 120_000];

function seedOutage(clients: number, backlog: number): Goal {
  const afterMs = clients >= 5_000 ? 3_000 : 2_000;
  return {
    name: 'outage',
    about: `the seed's outage, ${clients} clients, backlog ${backlog}, 3 to 120 s`,
    wanted: `0 wedged; >= 95 % from ${afterMs / 1_000} s after the return`,
    judge(contender, seeds) {
      const { runs, wedged, back, stopMs } = returned(
        { clients, backlog, stopsMs, afterMs },
        contender,
        seeds,
      );
      return {
        isMet: wedged === 0 && isAtLeast(back, 0.95),
        figures: `${wedged} of ${runs} wedged, ${percent(back, 1)} in the worst run (${stopMs / 1_000} s)`,
      };
    },
  };
}

const outages = [300, 1_000, 2_000, 5_000].flatMap((clients) =>
  [128, 511, 4_096, 16_384].map((backlog) => seedOutage(clients, backlog)),
);

function load(death: Death, most?: number): Goal {
  const { kind, forMs, rate } = death;
  return {
    name: 'dead',
    about: `${kind === 'stop' ? 'stopped' : 'down'} for ${forMs / 1_000} s, ${rate}/s: attempts each`,
    wanted: most === undefined ? 'reported' : `<= ${times(most)}`,
    judge(contender, seeds) {
      const worst = loadWhileDead(death, contender, seeds);
      return { isMet: most === undefined ? undefined : worst <= most, figures: `at most ${times(worst)}` };
    },
  };
}

const kinds = ['stop', 'crash'] as const;

const loads: readonly Goal[] = kinds.flatMap((kind) => [
  load({ kind, forMs: 60_000, rate: 100 }, 0.1),
  load({ kind, forMs: 10_000, rate: 100 }, 0.4),
  ...[1, 3, 10].map((rate) => load({ kind, forMs: 60_000, rate })),
]);

/** How long the other clients ask, from the start of the outage: after that, no request discovers the return. */
function burst(untilMs: number, about: string, rate: number): Goal {
  return {
    name: 'burst',
    about: `${burstCount} at once 10 s after the return, ${rate}/s ${about}`,
    wanted: 'none refused, all good',
    judge(contender, seeds) {
      const { refused, good, p99Ms } = burstAfter(untilMs, rate, contender, seeds);
      return {
        isMet: refused === 0 && good === burstCount,
        figures: `at most ${refused} refused, at least ${good} good, p99 ${p99Ms.toFixed(0)} ms`,
      };
    },
  };
}

const bursts: readonly Goal[] = [10, 100].flatMap((rate) => [
  burst(60_000, 'all the time', rate),
  burst(12_000, 'until 2 s after the return', rate),
  burst(10_300, 'until just after the return', rate),
  burst(8_000, 'until 2 s before the return', rate),
]);

export const outageGoals: readonly Goal[] = [...outages, ...loads, ...bursts];
