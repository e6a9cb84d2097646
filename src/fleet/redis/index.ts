/** Processes share their scopes through Redis: `createRetrier(policy, {}, { fleet: redisFleet(client) })`. */

import { createHash } from 'node:crypto';
import type { FleetEvent } from '../../core/events.js';
import type { Fleet } from '../../kernel/fleet.js';
import { fleetOver } from '../fleet.js';
import { isRedisClient, type RedisClient } from './client.js';
import { RedisStore } from './store.js';

export interface RedisFleetOptions {
  /** The prefix of all keys and of the channel. Processes with the same prefix share. Default: `'undaunted:'`. */
  readonly prefix?: string;
  /**
   * Whether keys contain the names of scopes and rules, readable in Redis, instead of a hash. Default: false, because a
   * scope's name may tell which customers or hosts you have.
   */
  readonly plainNames?: boolean;
  /** Called when this process begins to share, and when it goes on alone because Redis does not answer. */
  readonly observe?: (event: FleetEvent) => void;
}

export type { RedisClient } from './client.js';

/** Longer names are hashed in any case, so that the length of a key is limited. */
const longestName = 200;

/**
 * A fleet over a client of node-redis. If the client is not connected, the fleet connects it. While Redis does not
 * answer, each process goes on with what it knows itself. One fleet serves all retriers of a process.
 */
export function redisFleet(client: RedisClient, options: RedisFleetOptions = {}): Fleet {
  if (!isRedisClient(client)) throw new TypeError(notAClient);
  if (typeof options !== 'object' || options === null) throw new TypeError(noOptions);
  const { prefix = 'undaunted:', plainNames = false, observe, ...others } = options;
  // A prefix that was meant and not taken would let strangers share.
  for (const name of Object.keys(others)) throw new TypeError(`${noOptions}; it got ${name}`);
  if (typeof prefix !== 'string' || prefix === '') throw new TypeError(noPrefix);
  // One hash tag, so that all keys of a script call are in one slot.
  const store = new RedisStore(client, prefix.includes('{') ? prefix : `${prefix}{1}:`);
  const keyFor = (name: string): string => (plainNames && name.length <= longestName ? name : hashOf(name));
  const traits = { keyFor, unreadable: () => store.garbled, problem: () => store.problem };
  return fleetOver(store, observe === undefined ? {} : { observe }, traits);
}

const notAClient =
  'redisFleet() needs a node-redis client, made by createClient() of the package redis; clusters, sentinels, pools, ' +
  'legacy clients, ioredis and URLs are not supported';
const noOptions = 'redisFleet() takes a client and { prefix, plainNames, observe }';
const noPrefix = 'redisFleet(): prefix must be a string that is not empty, such as "undaunted:"';

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url').slice(0, 22);
}
