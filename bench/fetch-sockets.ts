/**
 * CPU per fetch over loopback, with the server in another process: with and without a retry layer, each in a process of
 * its own.
 */

import { cpuApart } from './apart.js';
import { rowsBesideBare } from './beside-bare.js';
import { bare, type Contestant, retrying, service, serving, timingBy } from './fetch-contestants.js';
import { type Peers, withPeers } from './fetch-peers.js';
import { rowsOfMissing } from './packages.js';
import type { Row } from './row.js';
import { withSmallServer } from './with-small-server.js';

const rounds = 7;

export function benchFetchSockets(): Promise<Row[]> {
  return withPeers((peers) =>
    withSmallServer(async (origin) => {
      const names = sendingOverLoopback(peers).map(({ name }) => name);
      const rows: Row[] = [];
      for (const atATime of [1, 50]) {
        const given = [origin, String(atATime), JSON.stringify(peers.scratch)];
        const costs = await cpuApart('./fetch-sockets-variant.js', names, given, rounds);
        rows.push(...rowsBesideBare(`small GET, ${atATime} at a time`, costs));
      }
      return [...rows, ...rowsOfMissing(peers.scratch)];
    }),
  );
}

export function sendingOverLoopback(peers: Peers): Contestant[] {
  return [...bare(fetch), ...retrying(fetch, peers), serving(fetch, service), timingBy(fetch)];
}
