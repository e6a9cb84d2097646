/** Redis is stopped, killed, started again and emptied under load: what requests feel of it, next to those that share nothing. */

import { setTimeout as sleep } from 'node:timers/promises';
import { presets } from '../../src/index.js';
import { RedisServer } from '../../test/fleet/redis/server.js';
import { flush } from './admin.js';
import { Crowd } from './crowd.js';
import { type Ground, type Line, ms, quantile } from './part.js';
import type { Found } from './plan.js';
import { SmallServer } from './server.js';

const perSecond = 20;
const failEach = 500;

/** Half of the processes share. Both halves send at the same time to the same server, so that the machine's moods are the same. */
export async function losing({ nodeRedis, processes, rounds }: Ground): Promise<Line[]> {
  const redis = await RedisServer.start();
  const server = await SmallServer.start();
  server.failEach = failEach;
  const plan = { policy: presets.policies.service, perSecond, nodeRedis };
  const half = Math.max(1, Math.round(processes / 5));
  const shared = await Crowd.of(half, { ...plan, redis: redis.url });
  const alone = await Crowd.of(half, plan);
  const pairs: Pair[] = [];
  try {
    for (const crowd of [shared, alone]) crowd.tell({ kind: 'send', origin: server.origin });
    await shared.areShared();
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all([shared.found(), alone.found()]);
      await befalls(redis, nodeRedis);
      await shared.areShared();
      pairs.push(await Promise.all([shared.found(), alone.found()]));
    }
  } finally {
    await Promise.all([shared.end(), alone.end()]);
    await redis.end();
    await server.end();
  }
  return linesOf(pairs, half);
}

/** What was found in processes that share, and in those that do not. */
type Pair = readonly [readonly Found[], readonly Found[]];

async function befalls(redis: RedisServer, nodeRedis: string): Promise<void> {
  redis.pause();
  await sleep(3_000);
  redis.goOn();
  await sleep(2_000);
  await redis.kill();
  await sleep(3_000);
  await redis.start();
  await sleep(3_000);
  await flush(redis, nodeRedis);
  await sleep(1_000);
}

function linesOf(pairs: readonly Pair[], half: number): Line[] {
  const lost = pairs.map((pair) => pair.map(lostOf));
  const p99s = pairs.map((pair) => pair.map(p99Of));
  const apart = p99s.map(([ours = 0, theirs = 0]) => ours - theirs);
  const median = quantile(apart, 0.5);
  const reference = quantile(
    p99s.map(([, theirs = 0]) => theirs),
    0.5,
  );
  const sum = (index: number): number => lost.reduce((all, pair) => all + (pair[index] ?? 0), 0);
  const requests = pairs.flatMap(([ours]) => ours).reduce((all, { latencies }) => all + latencies.length, 0);
  return [
    {
      what: `Redis stopped, killed, started and emptied, ${half} processes of ${perSecond} requests/s: requests lost`,
      figure: `${sum(0)} of ${requests}; alone ${sum(1)}`,
      wanted: '0',
      isMet: sum(0) === 0,
    },
    {
      what: `p99 next to unshared, ${pairs.length} paired rounds`,
      figure: p99s.map(([ours = 0, theirs = 0]) => `${ms(ours)} / ${ms(theirs)}`).join(', '),
      wanted: 'within 5 % or 2 ms',
      isMet: median <= Math.max(2, 0.05 * reference),
    },
  ];
}

function lostOf(found: readonly Found[]): number {
  return found.flatMap(({ failed }) => Object.values(failed)).reduce((all, count) => all + count, 0);
}

function p99Of(found: readonly Found[]): number {
  return quantile(
    found.flatMap(({ latencies }) => latencies),
    0.99,
  );
}
