/**
 * One process is told to wait, and a window for one is a window for all: how long until the others know. Next to it, how
 * long Redis and the machine take to bring a bare message to all of them, sent at the same moment: when so many
 * processes wake on a few cores, either waits for the other.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { RedisServer } from '../../test/fleet/redis/server.js';
import { publishBare } from './admin.js';
import { Crowd } from './crowd.js';
import { type Ground, type Line, ms, quantile } from './part.js';
import type { Found } from './plan.js';
import { SmallServer } from './server.js';

const windowS = 5;
/** After this time, all processes should know. */
const allKnowMs = 100;

interface Round {
  readonly waits: readonly number[];
  readonly bare: readonly number[];
  readonly untold: number;
  /** Attempts that came inside the window, later than all have to know; and those of a process that knew. */
  readonly late: number;
  readonly knowing: number;
}

export async function learning({ nodeRedis, processes, rounds }: Ground): Promise<Line[]> {
  const redis = await RedisServer.start();
  const policy = { deadlineMs: 10_000, hold: { refusedShare: 0 } };
  const crowd = await Crowd.of(processes, { policy, perSecond: 2, nodeRedis, redis: redis.url });
  const found: Round[] = [];
  try {
    // Each round has a server, and thereby a scope, of its own.
    for (let round = 0; round < rounds; round += 1)
      found.push(await aRound(crowd, () => publishBare(redis, nodeRedis)));
  } finally {
    await crowd.end();
    await redis.end();
  }
  return linesOf(found, processes);
}

async function aRound(crowd: Crowd, publish: () => Promise<void>): Promise<Round> {
  const server = await SmallServer.start();
  crowd.tell({ kind: 'send', origin: server.origin });
  await crowd.areShared();
  await sleep(2_500);
  server.refuseFor = windowS;
  while (server.refusedAt === 0) await sleep(1);
  await publish();
  await sleep(windowS * 1_000 - 100);
  crowd.tell({ kind: 'rest' });
  const round = roundOf(await crowd.found(), server);
  await sleep(1_000);
  await server.end();
  return round;
}

/** From when the process has read its 429: until then, a busy machine may take longer than all that follows. */
function roundOf(found: readonly Found[], { cameAt }: SmallServer): Round {
  const refusedAt = Math.min(...found.map((one) => one.refusedAt ?? Infinity));
  const over = refusedAt + windowS * 1_000;
  const heldAt = found.map((one) => one.heldAt ?? Infinity);
  return {
    waits: heldAt.filter(Number.isFinite).map((at) => at - refusedAt),
    bare: found.map(({ bareMs }) => bareMs ?? Infinity),
    untold: heldAt.filter((at) => !Number.isFinite(at)).length,
    late: cameAt.filter((at) => at > refusedAt + allKnowMs && at < over).length,
    knowing: found.flatMap(({ sentAt }, index) =>
      sentAt.filter((at) => at > (heldAt[index] ?? over) && at < over),
    ).length,
  };
}

function linesOf(rounds: readonly Round[], processes: number): Line[] {
  const waits = rounds.flatMap((round) => round.waits);
  const bare = rounds.flatMap((round) => round.bare);
  const sum = (of: (round: Round) => number): number => rounds.reduce((all, round) => all + of(round), 0);
  const [untold, late, knowing] = [
    sum((one) => one.untold),
    sum((one) => one.late),
    sum((one) => one.knowing),
  ];
  const [middle, most, mostBare] = [quantile(waits, 0.5), Math.max(...waits), Math.max(...bare)];
  return [
    {
      what: `${processes} processes, one gets Retry-After: ${windowS}: until the others hold`,
      figure: `first ${ms(Math.min(...waits))}, median ${ms(middle)}, p99 ${ms(quantile(waits, 0.99))}, all ${ms(most)}, ${untold} never; a bare message sent with it: median ${ms(quantile(bare, 0.5))}, p99 ${ms(quantile(bare, 0.99))}, all ${ms(mostBare)}`,
      wanted: 'median <= 20 ms, all <= 100 ms or within 1.5x of the bare message',
      isMet: middle <= 20 && most <= Math.max(allKnowMs, 1.5 * mostBare) && untold === 0,
    },
    {
      what: 'sent inside the window: by processes that knew; later than 100 ms',
      figure: `${knowing}; ${late}`,
      wanted: '0; 0',
      isMet: knowing === 0 && late === 0,
    },
  ];
}
