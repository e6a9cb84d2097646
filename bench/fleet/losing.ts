/** Redis is stopped, killed, restarted and emptied under load: how that affects requests, next to those that do not share. */

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

/**
 * A third of the processes share. All send to the same server at the same time, so the machine's noise is the same for all.
 * The difference between the two thirds that do not share shows how large that noise is.
 */
export async function losing({ nodeRedis, processes, rounds }: Ground): Promise<Line[]> {
  const redis = await RedisServer.start();
  const server = await SmallServer.start();
  server.failEach = failEach;
  const plan = { policy: presets.policies.service, perSecond, nodeRedis };
  const each = Math.max(1, Math.round(processes / 5));
  const shared = await Crowd.of(each, { ...plan, redis: redis.url });
  const crowds = [shared, await Crowd.of(each, plan), await Crowd.of(each, plan)];
  const found = (): Promise<Round> => Promise.all(crowds.map((crowd) => crowd.found()));
  const all: Round[] = [];
  try {
    for (const crowd of crowds) crowd.tell({ kind: 'send', origin: server.origin });
    await shared.areShared();
    for (let round = 0; round < rounds; round += 1) {
      await found();
      await befalls(redis, nodeRedis);
      await shared.areShared();
      all.push(await found());
    }
  } finally {
    await Promise.all(crowds.map((crowd) => crowd.end()));
    await redis.end();
    await server.end();
  }
  return linesOf(all, each);
}

/** What was found in processes that share, in those that do not, and in as many others that do not. */
type Round = readonly (readonly Found[])[];

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

function linesOf(rounds: readonly Round[], each: number): Line[] {
  const lost = rounds.map((round) => round.map(lostOf));
  const p99s = rounds.map((round) => round.map(p99Of));
  const apart = p99s.map(([ours = 0, theirs = 0]) => ours - theirs);
  const usual = quantile(
    p99s.map(([, theirs = 0]) => theirs),
    0.5,
  );
  const sum = (index: number): number => lost.reduce((all, round) => all + (round[index] ?? 0), 0);
  const requests = rounds
    .flatMap(([ours]) => ours ?? [])
    .reduce((all, { latencies }) => all + latencies.length, 0);
  return [
    {
      what: `Redis stopped, killed, started and emptied, ${each} processes of ${perSecond} requests/s: requests lost`,
      figure: `${sum(0)} of ${requests}; alone ${sum(1)}`,
      wanted: '0',
      isMet: sum(0) === 0,
    },
    {
      what: `p99: shared / alone / alone as well, ${rounds.length} rounds`,
      figure: p99s.map((round) => round.map(ms).join(' / ')).join(', '),
      wanted: 'within 5 % or 2 ms',
      isMet: quantile(apart, 0.5) <= Math.max(2, 0.05 * usual),
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
