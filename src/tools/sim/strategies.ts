/** Makes the strategy of one process from a contender that is data. */

import type { Fleet, Sleep } from '../../index.js';
import { createRetrier } from '../../index.js';
import { isPolicy } from '../../internal.js';
import { asking } from './asking.js';
import type { Dice } from './dice.js';
import { peerStrategy } from './peer-pursuit.js';
import type { Peer } from './peers.js';
import type { Strategy } from './pursuit.js';
import type { Contender } from './world.js';

export interface Circumstances {
  readonly now: () => number;
  readonly dice: Dice;
  /** For a process that shares its scopes: its fleet, and the timers that the fleet uses. */
  readonly fleet?: { readonly joined: Fleet; readonly sleep: Sleep } | undefined;
}

/** Wall time at the beginning of every run: 2026-03-10, noon. */
const epochMs = 1_773_144_000_000;

export function strategyOf(contender: Contender, { now, dice, fleet }: Circumstances): Strategy {
  if (isPeer(contender)) return peerStrategy(contender, now, dice);
  const sleep: Sleep = () => {
    throw new Error('In a simulation, only the traffic waits');
  };
  const ports = { now, date: () => epochMs + now(), random: dice, sleep: fleet?.sleep ?? sleep };
  const retrier = createRetrier(contender, ports, fleet && { fleet: fleet.joined });
  return { open: (request, _, override) => asking(retrier.open(request, override)) };
}

function isPeer(contender: Contender): contender is Peer {
  return !isPolicy(contender) && 'kind' in contender;
}
