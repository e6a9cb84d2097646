/** The server is stopped, with the gate on: how many probes a second reach it, from all processes together. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { presets } from '../../src/index.js';
import { RedisServer } from '../../test/fleet/redis/server.js';
import { Crowd } from './crowd.js';
import type { Ground, Line } from './part.js';

const perSecond = 2;
/** The gates have shut by then, and this is how long probes are counted. */
const shutAfterMs = 10_000;
const countedMs = 20_000;

export async function probing({ nodeRedis, processes }: Ground): Promise<Line[]> {
  const redis = await RedisServer.start();
  try {
    const plan = { policy: presets.policies.service, perSecond, nodeRedis };
    const alone = await probes(await Crowd.of(processes, plan));
    const shared = await probes(await Crowd.of(processes, { ...plan, redis: redis.url }), true);
    const seconds = countedMs / 1_000;
    return [
      {
        what: `${processes} processes, server stopped, gate on: probes a second`,
        figure: `${(shared.sent / seconds).toFixed(2)}; alone ${(alone.sent / seconds).toFixed(1)}`,
        wanted: '<= 2',
        isMet: shared.sent / seconds <= 2,
      },
      {
        what: 'meanwhile, commands to Redis a second and process',
        figure: (shared.commands / seconds / processes).toFixed(1),
        wanted: '<= 12',
        isMet: shared.commands / seconds / processes <= 12,
      },
      {
        what: `requests that ended well in 3 s, from 3 s after its return`,
        figure: `${(100 * shared.back).toFixed(1)} %; alone ${(100 * alone.back).toFixed(1)} %`,
        wanted: '>= 90 %',
        isMet: shared.back >= 0.9,
      },
    ];
  } finally {
    await redis.end();
  }
}

interface Probes {
  readonly sent: number;
  readonly commands: number;
  readonly back: number;
}

async function probes(crowd: Crowd, isShared = false): Promise<Probes> {
  const server: ChildProcess = fork(fileURLToPath(new URL('stopped-server.js', import.meta.url)));
  try {
    const [origin] = (await once(server, 'message')) as [string];
    crowd.tell({ kind: 'send', origin });
    if (isShared) await crowd.areShared();
    await sleep(3_000);
    server.kill('SIGSTOP');
    await sleep(shutAfterMs);
    await crowd.found();
    await sleep(countedMs);
    const found = await crowd.found();
    server.kill('SIGCONT');
    await sleep(3_000);
    await crowd.found();
    await sleep(3_000);
    const back = await crowd.found();
    const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
    const good = sum(back.map(({ latencies }) => latencies.length));
    const bad = sum(back.flatMap(({ failed }) => Object.values(failed)));
    return {
      sent: sum(found.map(({ sentAt }) => sentAt.length)),
      commands: sum(found.map(({ commands }) => commands)),
      back: good / (good + bad),
    };
  } finally {
    server.kill('SIGKILL');
    await crowd.end();
  }
}
