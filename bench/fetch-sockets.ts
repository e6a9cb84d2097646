/** CPU per fetch over loopback, with the server in another process: with and without a retry layer, in turns. */

import { bare, retrying, serving, statusOf, timingBy } from './fetch-contestants.js';
import { type Peers, withPeers } from './fetch-peers.js';
import { inLines } from './lines.js';
import { measureAsync, median, ratioTo } from './measure.js';
import { rowsOfMissing } from './packages.js';
import type { Row } from './row.js';
import { withSmallServer } from './with-small-server.js';

const loads = [
  { atATime: 1, requestsPerRound: 300, rounds: 41 },
  { atATime: 50, requestsPerRound: 600, rounds: 41 },
] as const;

export function benchFetchSockets(): Promise<Row[]> {
  return withPeers((peers) =>
    withSmallServer(async (origin) => {
      const rows: Row[] = [];
      for (const load of loads) rows.push(...(await rowsFor(load, origin, peers)));
      return [...rows, ...rowsOfMissing(peers.scratch)];
    }),
  );
}

async function rowsFor(
  { atATime, requestsPerRound, rounds }: (typeof loads)[number],
  origin: string,
  peers: Peers,
): Promise<Row[]> {
  const contestants = [...bare(fetch), ...retrying(fetch, peers), serving(fetch), timingBy(fetch)];
  const subjects = contestants.map((contestant) => ({
    name: contestant.name,
    async work(turns: number) {
      let sum = 0;
      await inLines(atATime, turns, async () => {
        sum += await statusOf(contestant, origin);
      });
      return sum;
    },
  }));
  const costs = await measureAsync(subjects, requestsPerRound, rounds);
  const [peer] = costs;
  return costs.map(({ name, cpu }) => ({
    name: `small GET, ${atATime} at a time: ${name}`,
    value: median(cpu) / 1_000,
    unit: 'µs of CPU',
    ...(cpu !== peer?.cpu && { ratio: ratioTo('bare', cpu, peer?.cpu ?? []) }),
  }));
}
