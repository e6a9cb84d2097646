/** The script does in Redis what `merge` does here: random reports get the same facts from both, and make the same news. */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FleetRecord, merge } from '../../../src/core/limits/fleet/merge.js';
import type {
  BudgetReport,
  Facts,
  GateReport,
  HoldReport,
  Report,
} from '../../../src/core/limits/fleet/messages.js';
import { mergeScript } from '../../../src/fleet/redis/merge-script.js';
import { type Client, closed, connected } from './node-redis.js';
import { RedisServer } from './server.js';

/** Redis's own time is given to it: the hour of the test. */
const clock = /local time = .*\nlocal now = .*\n/;
const script = mergeScript.replace(clock, 'local now = tonumber(ARGV[4])\n');

let server: RedisServer;
let client: Client;

beforeAll(async () => {
  server = await RedisServer.start();
  client = await connected(server.url);
});

afterAll(async () => {
  await closed(client);
  await server.end();
});

const count = fc.integer({ min: 0, max: 4 });
const ago = fc.integer({ min: 0, max: 15_000 });
const process = fc.constantFrom('a', 'b', 'c');
const slice = fc.integer({ min: 0, max: 12 });

const gate: fc.Arbitrary<GateReport> = fc.record(
  {
    limit: fc.constant('gate' as const),
    process,
    slice,
    epoch: fc.integer({ min: 0, max: 6 }),
    isShut: fc.boolean(),
    lives: count,
    aliveMs: ago,
    answersMs: fc.oneof(fc.constant(-1), ago),
    failures: count,
    sinceMs: ago,
    lastMs: fc.integer({ min: 0, max: 2_000 }),
    shut: fc.record({ row: fc.integer({ min: 0, max: 8 }), probeInMs: ago }),
    wantMs: fc.integer({ min: 1, max: 3_000 }),
    over: fc.record({ lease: fc.integer({ min: 0, max: 3 }), probeInMs: ago }),
  },
  {
    requiredKeys: [
      'limit',
      'process',
      'slice',
      'epoch',
      'isShut',
      'lives',
      'aliveMs',
      'answersMs',
      'failures',
      'sinceMs',
      'lastMs',
    ],
  },
);

const hold: fc.Arbitrary<HoldReport> = fc.record(
  {
    limit: fc.constant('hold' as const),
    firsts: count,
    refusals: count,
    successes: count,
    turn: fc.integer({ min: 0, max: 5 }),
    hold: fc.record({
      forMs: fc.integer({ min: 0, max: 5_000 }),
      spacingMs: fc.integer({ min: 1, max: 500 }),
      pace: fc.constantFrom('keen' as const, 'courteous' as const),
      isUrgent: fc.boolean(),
    }),
    want: fc.integer({ min: 0, max: 12 }),
    withinMs: fc.integer({ min: 0, max: 3_000 }),
    back: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 4 }),
  },
  { requiredKeys: ['limit', 'firsts', 'refusals', 'successes', 'turn', 'want', 'withinMs', 'back'] },
);

const tokens = fc.integer({ min: 0, max: 60_000 });
const budget: fc.Arbitrary<BudgetReport> = fc.record({
  limit: fc.constant('budget' as const),
  slice,
  capacity: fc.constant(50_000),
  perSecond: fc.constantFrom(0, 100, 2_500),
  earned: tokens,
  back: tokens,
  succeeded: fc.boolean(),
  failed: fc.boolean(),
  want: tokens,
});

interface Step {
  readonly key: string;
  readonly report: Report;
  readonly afterMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  key: fc.constantFrom('one', 'two'),
  report: fc.oneof(gate, hold, budget),
  afterMs: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 20_000 })),
});

/** JSON from Lua has 14 digits. */
function close(found: object, wanted: object): void {
  expect(Object.keys(found).sort()).toEqual(Object.keys(wanted).sort());
  for (const [name, value] of Object.entries(wanted)) {
    const other = (found as Record<string, unknown>)[name];
    // An empty list comes from Lua's store as an empty object.
    if (Array.isArray(value)) close(Object.values(other as object), value);
    else if (typeof value !== 'number') expect(other, name).toBe(value);
    else
      expect(Math.abs((other as number) - value), name).toBeLessThanOrEqual(
        1e-6 * Math.max(1, Math.abs(value)),
      );
  }
}

test('facts, news and records are those of the core', { timeout: 120_000 }, async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      run += 1;
      const channel = `news ${run}`;
      const heard: string[] = [];
      const records = new Map<string, FleetRecord>();
      const listener = client.duplicate();
      await listener.connect();
      await listener.subscribe(channel, (message) => heard.push(message));
      const wantedNews: { key: string; facts: Facts }[] = [];
      let now = 1_000_000;
      for (const { key: short, report, afterMs } of steps) {
        now += afterMs;
        const key = `${run} ${short} ${report.limit}`;
        const merged = merge(records.get(key), report, now);
        records.set(key, merged.record);
        if (merged.news !== undefined) wantedNews.push({ key, facts: merged.news });
        const reply = await client.sendCommand([
          'EVAL',
          script,
          '1',
          key,
          channel,
          '600000',
          JSON.stringify([report]),
          String(now),
        ]);
        const { facts, garbled } = JSON.parse(String(reply)) as { facts: Facts[]; garbled: number };
        expect(garbled).toBe(0);
        close(facts[0] as Facts, merged.facts);
        close(JSON.parse(String(await client.sendCommand(['GET', key]))) as object, merged.record);
      }
      // What comes after it on the same connection comes after all news.
      await client.sendCommand(['PUBLISH', channel, 'all']);
      while (heard.at(-1) !== 'all') await new Promise((resolve) => setImmediate(resolve));
      await closed(listener as Client);
      expect(heard.length - 1).toBe(wantedNews.length);
      for (const [index, news] of wantedNews.entries()) {
        const found = JSON.parse(heard[index] as string) as { key: string; facts: Facts };
        expect(found.key).toBe(news.key);
        close(found.facts, news.facts);
      }
    }),
    { numRuns: Number(globalThis.process.env['REDIS_RUNS'] ?? 150) },
  );
});
