/** What sharing adds to a request that succeeds at once, on a dispatcher that answers from memory. Needs `--expose-gc`. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { retry } from '../../src/adapters/undici/index.js';
import { type RedisClient, redisFleet } from '../../src/fleet/redis/index.js';
import { createRetrier, type PolicyOptions, presets } from '../../src/index.js';
import { RedisServer } from '../../test/fleet/redis/server.js';
import { bytes, measureRounds, median, nanoseconds, perRound } from '../measure.js';
import { answerOf, CountingHandler, memoryDispatcher, received } from '../memory-dispatcher.js';
import type { Ground, Line } from './part.js';

const turns = 20_000;
const rounds = 101;
const options = { origin: 'http://a.example', path: '/things/1', method: 'GET', headers: { accept: '*/*' } };

export async function passing({ nodeRedis }: Ground): Promise<Line[]> {
  const redis = await RedisServer.start();
  const { createClient } = createRequire(join(nodeRedis, 'index.js'))('redis') as {
    createClient(options: object): RedisClient & { destroy(): void };
  };
  const client = createClient({ url: redis.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const lines: Line[] = [];
    for (const [name, policy] of [
      ['defaults', {}],
      ['service', presets.policies.service],
    ] as const)
      lines.push(...(await passingWith(name, policy, client)));
    return lines;
  } finally {
    client.destroy();
    await redis.end();
  }
}

async function passingWith(name: string, policy: PolicyOptions, client: RedisClient): Promise<Line[]> {
  const retrier = createRetrier(policy, {}, { fleet: redisFleet(client) });
  const works = [workOf(createRetrier(policy)), workOf(retrier)];
  for (const work of works) work();
  while (retrier.snapshot().fleet?.isShared !== true) await sleep(20);
  const times = await inTurns(works, nanoseconds);
  const sizes = await inTurns(works, bytes);
  const ratio = median(perRound(times[1] ?? [], times[0] ?? [], (ours, theirs) => ours / theirs));
  const more = median(perRound(sizes[1] ?? [], sizes[0] ?? [], (ours, theirs) => ours - theirs)) / turns;
  const [alone, shared] = times.map((series) => median(series) / turns);
  return [
    {
      what: `undici from memory, ${name}: a request that shares, next to one that does not`,
      figure: `${ratio.toFixed(3)}x (${shared?.toFixed(0)} / ${alone?.toFixed(0)} ns), ${more.toFixed(1)} bytes more`,
      wanted: '<= 1.05x, 0 bytes',
      isMet: ratio <= 1.05 && more < 1,
    },
  ];
}

function workOf(retrier: ReturnType<typeof createRetrier>): () => number {
  const dispatcher = memoryDispatcher(() => answer).compose(retry(retrier));
  return () => {
    for (let turn = 0; turn < turns; turn += 1)
      dispatcher.dispatch(options as never, new CountingHandler() as never);
    return received.sum;
  };
}

const answer = answerOf(200, 1);

/** Between them, the event loop has time for what sharing does beside requests. */
function inTurns(works: readonly (() => number)[], gauge: typeof nanoseconds): Promise<number[][]> {
  return measureRounds(
    works.map((work) => async () => {
      await sleep(5);
      return gauge(work);
    }),
    rounds,
  );
}
