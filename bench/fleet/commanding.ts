/** How many commands a process sends to Redis, with few requests and with many. */

import { setTimeout as sleep } from 'node:timers/promises';
import { presets } from '../../src/index.js';
import { RedisServer } from '../../test/fleet/redis/server.js';
import { Crowd } from './crowd.js';
import type { Ground, Line } from './part.js';
import { SmallServer } from './server.js';

const rates = [20, 1_000];
const countedS = 10;

export async function commanding({ nodeRedis }: Ground): Promise<Line[]> {
  const redis = await RedisServer.start();
  const server = await SmallServer.start();
  try {
    const lines: Line[] = [];
    for (const perSecond of rates) {
      const plan = { policy: presets.policies.service, perSecond, nodeRedis, redis: redis.url };
      const crowd = await Crowd.of(1, plan);
      crowd.tell({ kind: 'send', origin: server.origin });
      await crowd.areShared();
      await sleep(2_000);
      await crowd.found();
      await sleep(countedS * 1_000);
      const [found] = await crowd.found();
      await crowd.end();
      const each = (found?.commands ?? Number.NaN) / countedS;
      const sent = (found?.latencies.length ?? 0) / countedS;
      lines.push({
        what: `commands to Redis a second and process, at ${perSecond} requests/s`,
        figure: `${each.toFixed(1)} (${sent.toFixed(0)} requests/s)`,
        wanted: '<= 12',
        isMet: each <= 12,
      });
    }
    return lines;
  } finally {
    await redis.end();
    await server.end();
  }
}
