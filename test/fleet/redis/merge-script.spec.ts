/**
 * The script does in Redis what `merge` does here: random reports get the same facts from both, and make the same news. What
 * is drawn lies often on the edges of the script's numbers, and each of them that is changed is noticed.
 */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BudgetReport } from '../../../src/core/limits/budget/record.js';
import type { Facts, Report } from '../../../src/core/limits/fleet/messages.js';
import { type FleetRecord, merge } from '../../../src/core/limits/fleet/messages.js';
import type { GateReport } from '../../../src/core/limits/gate/record.js';
import type { HoldReport } from '../../../src/core/limits/hold/record.js';
import { type HoldPhase, paces } from '../../../src/core/limits/hold/state.js';
import { mergeScript } from '../../../src/fleet/redis/merge-script.js';
import { type Client, closed, connected } from './node-redis.js';
import { RedisServer } from './server.js';

/** Redis's own time is given to it: the hour of the test. */
const clock = /local time = .*\nlocal now = .*\n/;
const script = mergeScript.replace(clock, 'local now = tonumber(ARGV[4])\n');

let server: RedisServer;
let client: Client;
let listener: Client;

beforeAll(async () => {
  server = await RedisServer.start();
  client = await connected(server.url);
  listener = await connected(server.url);
});

afterAll(async () => {
  await closed(client);
  await closed(listener);
  await server.end();
});

const count = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 10, max: 20 }));
/** Where something changes: barren after 2.5 s, a row is over after 10 s, processes are counted anew each 15 s. */
const edges: readonly number[] = [2_500, 10_000, 15_000].flatMap((edge) => [edge - 1, edge, edge + 1]);
const ago = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(...edges) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 15_000 }) },
);
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
    lastMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2_000 })),
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
    sent: count,
    turn: fc.integer({ min: 0, max: 5 }),
    hold: fc.record({
      forMs: fc.integer({ min: 0, max: 5_000 }),
      spacingMs: fc.integer({ min: 1, max: 500 }),
      phase: fc.constantFrom(...(Object.keys(paces) as HoldPhase[])),
      dueMs: fc.integer({ min: 0, max: 5_000 }),
      share: fc.constantFrom(0, 0.25, 0.5, 1),
      restMs: fc.constantFrom(0, 10_000),
      isUrgent: fc.boolean(),
    }),
    want: fc.integer({ min: 0, max: 12 }),
    withinMs: fc.integer({ min: 0, max: 3_000 }),
    back: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 4 }),
  },
  { requiredKeys: ['limit', 'firsts', 'refusals', 'successes', 'sent', 'turn', 'want', 'withinMs', 'back'] },
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
  afterMs: fc.oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 300 }) },
    { weight: 2, arbitrary: fc.constantFrom(...edges) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
  ),
});

/** A time at which processes are counted anew. */
const start = 67 * 15_000;

/** What it would take many reports to reach: fifty processes, and a hundred places that were given back. */
const crowded: Readonly<Record<string, FleetRecord>> = {
  'one budget': {
    limit: 'budget',
    slice: 68,
    processes: 48,
    processesBefore: 0,
    tokens: 0,
    at: start,
    shares: 40,
    failingSince: 0,
    isBarren: false,
  },
  'one hold': {
    limit: 'hold',
    firsts: 0,
    refusals: 0,
    successes: 0,
    sent: 0,
    turn: 1,
    phase: 'paced',
    dueAt: 0,
    share: 0,
    restMs: 0,
    until: 0,
    pacedSince: start,
    places: 0,
    spacingMs: 1_000,
    nextPlace: 200,
    free: Array.from({ length: 98 }, (_, index) => 100 + index),
  },
};

/** Places that come up late, so that they are still to be given back. */
const lateBack: fc.Arbitrary<Step> = fc.record({
  key: fc.constant('one'),
  report: fc
    .tuple(hold, fc.array(fc.integer({ min: 60, max: 99 }), { maxLength: 6 }))
    .map(([report, back]) => ({ ...report, back })),
  afterMs: fc.integer({ min: 0, max: 300 }),
});

/** Nothing but failures, so that a row of them reaches the edges. */
const failing: fc.Arbitrary<Step> = fc.record({
  key: fc.constant('one'),
  report: fc.oneof(
    gate.map((report) => ({ ...report, lives: 0, failures: 1, sinceMs: 0, lastMs: 0 })),
    budget.map((report) => ({ ...report, succeeded: false, failed: true })),
  ),
  afterMs: fc.constantFrom(0, 1, ...edges),
});

/** Processes come, and one bucket gets their tokens. */
const coming: fc.Arbitrary<Step> = fc.record({
  key: fc.constant('one'),
  report: budget.map((report) => ({ ...report, back: 60_000 })),
  afterMs: fc.integer({ min: 0, max: 300 }),
});

interface Play {
  readonly before: Readonly<Record<string, FleetRecord>>;
  readonly steps: readonly Step[];
}

const play: fc.Arbitrary<Play> = fc.oneof(
  fc.record({ before: fc.constant(crowded), steps: fc.array(coming, { minLength: 3, maxLength: 10 }) }),
  fc.record({ before: fc.constant({}), steps: fc.array(failing, { minLength: 1, maxLength: 10 }) }),
  fc.record({ before: fc.constant({}), steps: fc.array(step, { minLength: 1, maxLength: 40 }) }),
  fc.record({
    before: fc.constant(crowded),
    steps: fc.array(fc.oneof(step, lateBack), { minLength: 1, maxLength: 20 }),
  }),
);

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

let run = 0;

async function givesTheSame(lua: string, { before, steps }: Play): Promise<void> {
  run += 1;
  const channel = `news ${run}`;
  const heard: string[] = [];
  const records = new Map<string, FleetRecord>();
  for (const [name, record] of Object.entries(before)) {
    records.set(`${run} ${name}`, record);
    await client.sendCommand(['SET', `${run} ${name}`, JSON.stringify(record)]);
  }
  await listener.subscribe(channel, (message) => heard.push(message));
  const wantedNews: { key: string; facts: Facts }[] = [];
  let now = start;
  for (const { key: short, report, afterMs } of steps) {
    now += afterMs;
    const key = `${run} ${short} ${report.limit}`;
    const merged = merge(records.get(key), report, now);
    records.set(key, merged.record);
    if (merged.news !== undefined) wantedNews.push({ key, facts: merged.news });
    const given = [channel, '600000', JSON.stringify([report]), String(now)];
    const reply = await client.sendCommand(['EVAL', lua, '1', key, ...given]);
    const { facts, garbled } = JSON.parse(String(reply)) as { facts: Facts[]; garbled: number };
    expect(garbled).toBe(0);
    close(facts[0] as Facts, merged.facts);
    close(JSON.parse(String(await client.sendCommand(['GET', key]))) as object, merged.record);
  }
  // What comes after it on the same connection comes after all news.
  await client.sendCommand(['PUBLISH', channel, 'all']);
  while (heard.at(-1) !== 'all') await new Promise((resolve) => setImmediate(resolve));
  await listener.unsubscribe(channel);
  expect(heard.length - 1).toBe(wantedNews.length);
  for (const [index, news] of wantedNews.entries()) {
    const found = JSON.parse(heard[index] as string) as { key: string; facts: Facts };
    expect(found.key).toBe(news.key);
    close(found.facts, news.facts);
  }
}

const numRuns = Number(globalThis.process.env['REDIS_RUNS'] ?? 150);

test('facts, news and records are those of the core', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(play, (drawn) => givesTheSame(script, drawn)),
    { numRuns },
  );
});

test('a hold that lets all go forgets the places that were given back', async () => {
  const report: HoldReport = {
    limit: 'hold',
    firsts: 0,
    refusals: 0,
    successes: 10,
    sent: 0,
    turn: 1,
    hold: { forMs: 0, spacingMs: 1, phase: 'free', dueMs: 0, share: 0, restMs: 0, isUrgent: false },
    want: 0,
    withinMs: 0,
    back: [99],
  };
  await givesTheSame(script, { before: crowded, steps: [{ key: 'one', report, afterMs: 0 }] });
});

/** What stands in the script, and what would be wrong there. */
const mistakes: readonly (readonly [string, string])[] = [
  ['math.floor(now / 15000) + 1', 'math.floor(now / 14990) + 1'],
  ['began - record.lastAt > 10000', 'began - record.lastAt > 9999'],
  ['began - record.lastAt > 10000', 'began - record.lastAt > 10001'],
  ['math.min(20, before', 'math.min(19, before'],
  ['record.witnesses < 2', 'record.witnesses < 1'],
  ['gentle = math.log(1.02)', 'gentle = math.log(1.021)'],
  ['gentleFor = 4000', 'gentleFor = 4010'],
  ['bold = math.log(1.12)', 'bold = math.log(1.121)'],
  ['gentle = math.log(2)', 'gentle = math.log(2.01)'],
  ['gentle = math.log(1.1)', 'gentle = math.log(1.101)'],
  ['math.min(100, #free)', 'math.min(99, #free)'],
  ['math.min(50, processesIn', 'math.min(49, processesIn'],
  ['math.min(50, processesIn', 'math.min(51, processesIn'],
  ['record.failingSince >= 2500', 'record.failingSince > 2500'],
  ['record.failingSince >= 2500', 'record.failingSince >= 2499'],
];

describe('a mistake in the script is noticed', () => {
  test.each(mistakes)('%s: %s', { timeout: 120_000 }, async (right, wrong) => {
    expect(script).toContain(right);
    const changed = script.replace(right, wrong);
    const { failed } = await fc.check(
      fc.asyncProperty(play, (drawn) => givesTheSame(changed, drawn)),
      { numRuns: 2_000, endOnFailure: true },
    );
    expect(failed).toBe(true);
  });
});
