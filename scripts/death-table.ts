/** A dead server with more or fewer clients, and the time after its return. */

import { presets } from '../src/index.js';
import { burstAfter, burstCount, loadWhileDead, returned } from './outage-measures.js';
import { percent, times } from './sim-reading.js';
import type { Case, Table } from './sim-tables.js';
import { naive } from './sim-tables.js';

const manyClients: Case = {
  about:
    'The server of the outage above, with 300, 1,000, 2,000 and 5,000 clients, a backlog of 511 and 4,096, stopped for 3, 10 and 60 s; ' +
    'the share of the usual successes in the ten seconds that start 2 s after its return (3 s with 5,000 clients), in the worst run',
  asked: '`service`: 0 wedged, at least 95 %',
  columns: ['wedged', 'normal after 2 s'],
  isLong: true,
  cells: (contender, seeds) => {
    const all = [300, 1_000, 2_000, 5_000].flatMap((clients) =>
      [511, 4_096].map((backlog) => {
        const afterMs = clients >= 5_000 ? 3_000 : 2_000;
        return returned({ clients, backlog, stopsMs: [3_000, 10_000, 60_000], afterMs }, contender, seeds);
      }),
    );
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    return [
      `${sum(all.map(({ wedged }) => wedged))} of ${sum(all.map(({ runs }) => runs))}`,
      percent(Math.min(...all.map(({ back }) => back))),
    ];
  },
};

const load: Case = {
  about:
    'A server of 50 ms is stopped: attempts for each request, by requests a second and the length of the stop',
  asked: '`service`: 0.10x at 100/s and 60 s, 0.40x at 10 s; the others reported',
  columns: ['100/s, 60 s', '100/s, 10 s', '10/s, 60 s', '1/s, 60 s'],
  isLong: true,
  cells: (contender, seeds) =>
    [
      [100, 60_000],
      [100, 10_000],
      [10, 60_000],
      [1, 60_000],
    ].map(([rate = 1, forMs = 0]) => times(loadWhileDead({ kind: 'stop', forMs, rate }, contender, seeds))),
};

const burst: Case = {
  about:
    `It is stopped for 10 s, and ${burstCount} requests come at once 10 s after its return: how many of them succeed ` +
    'if other requests (10/s) came all the time, and if none came since 2 s before its return',
  asked: `\`service\`: all ${burstCount}`,
  columns: ['burst', 'burst after silence'],
  isLong: true,
  cells: (contender, seeds) =>
    [60_000, 8_000].map((untilMs) => String(burstAfter(untilMs, 10, contender, seeds).good)),
};

export const deathTable: Table = {
  name: 'outages-dead',
  title: 'A server is dead, and back',
  contenders: { ...naive, 'undaunted: defaults': {}, 'undaunted: `service`': presets.policies.service },
  cases: [manyClients, load, burst],
};
