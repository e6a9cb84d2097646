/**
 * What a retry layer adds to a fetch that succeeds at once, answered from memory: with the same empty answer each time,
 * which no contestant reads, and with a small JSON that the caller reads.
 */

import { type Measured, measuredApart } from './apart.js';
import { copying, noise, retrying, service, timing, withoutWhole } from './fetch-contestants.js';
import { labelOf, type Peers, withPeers } from './fetch-peers.js';
import { measureRounds, median, perRound, ratioTo, type Series } from './measure.js';
import { rowsOfMissing } from './packages.js';
import type { Row } from './row.js';

/** Neither its body nor a layer that reads it costs anything, or both do. */
export type Answered = 'empty' | 'JSON';

const rounds = 9;
const gauges = ['ns', 'bytes'] as const;

type Gauge = (typeof gauges)[number];

/** On Node 20; on Node 24, less is added by everything, and by ofetch most of all. */
const boundsBesideOfetch: Readonly<Record<Gauge, number>> = { ns: 0.6, bytes: 0.8 };

export function benchFetchOverhead(): Promise<Row[]> {
  return withPeers(async (peers) => [
    ...(await rowsBesideOfetch(peers)),
    ...(await rowsOfService()),
    ...rowsOfMissing(peers.scratch),
  ]);
}

async function rowsBesideOfetch(peers: Peers): Promise<Row[]> {
  const names = [noise, ...retrying(fetch, peers).map(({ name }) => name)];
  const added = await addedBy('empty', names, JSON.stringify(peers.scratch));
  const to = labelOf('ofetch');
  return gauges.flatMap((gauge) =>
    names.map((name) => {
      const isCompared = names.includes(to) && name !== to;
      return {
        name: `${name} adds to a request`,
        value: median(added(name, gauge)),
        unit: gauge,
        ...(isCompared && { ratio: ratioTo(`what ${to} adds`, added(name, gauge), added(to, gauge)) }),
        ...(isCompared && name === 'undaunted' && { atMost: boundsBesideOfetch[gauge] }),
      };
    }),
  );
}

/** A realistic policy beside the defaults, and what reads answers to their ends beside the platform's own way to do so. */
async function rowsOfService(): Promise<Row[]> {
  const empty = await addedBy('empty', ['undaunted', withoutWhole, timing]);
  const json = await addedBy('JSON', ['undaunted', service, copying]);
  const ofService = {
    name: `${withoutWhole} adds to a request`,
    value: median(empty(withoutWhole, 'ns')),
    unit: 'ns',
  };
  return [
    {
      ...ofService,
      ratio: ratioTo('what the defaults add', empty(withoutWhole, 'ns'), empty('undaunted', 'ns')),
      // Node 20 takes longer to make an AbortSignal than for six requests with the defaults.
      atMost: 14,
    },
    {
      ...ofService,
      ratio: ratioTo(`what ${timing} adds`, empty(withoutWhole, 'ns'), empty(timing, 'ns')),
      atMost: 1.1,
    },
    {
      name: `${copying} adds to a small JSON`,
      value: median(json(copying, 'ns')),
      unit: 'ns',
    },
    {
      name: `${service} adds to a small JSON`,
      value: median(json(service, 'ns')),
      unit: 'ns',
      ratio: ratioTo(`what ${copying} adds`, json(service, 'ns'), json(copying, 'ns')),
      atMost: 2.8,
    },
  ];
}

/** For each name: the cost beyond the bare fetch in the same round. */
async function addedBy(
  answered: Answered,
  names: readonly string[],
  scratch = '',
): Promise<(name: string, gauge: Gauge) => Series> {
  const [bare = [], ...others] = await measureRounds(
    ['bare fetch', ...names].map(
      (name) => () => measuredApart('./fetch-variant.js', [name, answered, scratch]),
    ),
    rounds,
  );
  return (name, gauge) => {
    const values = (of: readonly Measured[]): Series => of.map((cost) => cost[gauge]);
    const costs = others[names.indexOf(name)] ?? [];
    return perRound(values(costs), values(bare), (value, least) => value - least);
  };
}
