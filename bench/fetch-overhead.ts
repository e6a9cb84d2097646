/**
 * What a retry layer adds to a fetch that succeeds at once, answered from memory with the same empty answer each time,
 * which no contestant reads. Needs `--expose-gc`.
 */

import { bare, type Contestant, retrying, rowsOfMissing, subjectOf } from './fetch-contestants.js';
import { type Fetch, labelOf, type Peers, withPeers } from './fetch-peers.js';
import {
  type AsyncGauge,
  allocated,
  cpuTime,
  measureWork,
  median,
  perRound,
  ratioTo,
  type Series,
} from './measure.js';
import type { Row } from './row.js';

const url = 'http://a.example/things/1';
const turns = 5_000;
const rounds = 41;
/** Relative to what ofetch adds. */
const atMost = 0.5;

export function benchFetchOverhead(): Promise<Row[]> {
  return withPeers(async (peers) => [
    ...(await rowsOf('ns', cpuTime, peers)),
    ...(await rowsOf('bytes', allocated, peers)),
    ...rowsOfMissing(peers),
  ]);
}

async function rowsOf(unit: string, gauge: AsyncGauge, peers: Peers): Promise<Row[]> {
  const ready = Promise.resolve(new Response(null));
  const fetch: Fetch = () => ready;
  const contestants = [...bare(fetch), ...retrying(fetch, peers)];
  const subjects = contestants.map((contestant) => subjectOf(contestant, url));
  const [base = [], ...others] = await measureWork(subjects, turns, gauge, rounds);
  const added = others.map((values) => perRound(values, base, (value, least) => value - least));
  const peer = contestants.findIndex(({ name }) => name === labelOf('ofetch')) - 1;
  return contestants.slice(1).map((contestant, index) => row(contestant, unit, added[index], added[peer]));
}

function row({ name }: Contestant, unit: string, values: Series = [], peer?: Series): Row {
  const isCompared = peer !== undefined && values !== peer;
  return {
    name: `${name} adds to a request`,
    value: median(values),
    unit,
    ...(isCompared && { ratio: ratioTo(`what ${labelOf('ofetch')} adds`, values, peer) }),
    ...(isCompared && name === 'undaunted' && unit === 'ns' && { atMost }),
  };
}
