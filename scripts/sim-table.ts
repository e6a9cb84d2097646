/**
 * Prints what retry layers do to servers, as markdown: each case with what is asked of ours.
 *
 *   npm run sim:table            ten seeds
 *   npm run sim:table -- 3       three seeds
 */

import { presets } from '../src/core/presets.js';
import type { Clients, Contender, LimitedServer, Run, World } from '../src/sim/index.js';
import * as sim from '../src/sim/index.js';

const { fairness, peers, perSecond, simulate } = sim;

const seeds = Array.from({ length: Number(process.argv[2] ?? 10) }, (_, index) => index + 1);

type Contenders = Readonly<Record<string, Contender>>;

const { service } = presets.policies;
const ours: Contenders = { 'undaunted: defaults': {}, 'undaunted: `service`': service };
const naive: Contenders = { 'no retry': peers.noRetry, '3 retries, full jitter': peers.threeRetries };
const libraries: Contenders = {
  'axios-retry': peers.axiosRetry,
  'undici retry': peers.undiciRetry,
  got: peers.got,
  ky: peers.ky,
  'p-retry': peers.pRetry,
  'AWS standard': peers.awsStandard,
};
const article: Contenders = {
  'fixed 100 ms, for ever': peers.fixedForEver,
  "the article's formula": peers.article,
  "the article's program": peers.articleProgram,
};

// ---------------------------------------------------------------- printing

function section(title: string, asked: string, columns: readonly string[]): void {
  console.log(`\n### ${title}\n\nAsked: ${asked}\n`);
  console.log(`| | ${columns.join(' | ')} |\n| --- | ${columns.map(() => '---:').join(' | ')} |`);
}

function row(name: string, cells: readonly string[]): void {
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}

function rows(contenders: Contenders, cellsOf: (contender: Contender) => readonly string[]): void {
  for (const [name, contender] of Object.entries(contenders)) row(name, cellsOf(contender));
}

// ---------------------------------------------------------------- reading

function runs(world: World, clients: Clients, contender: Contender, ofSeeds = seeds): Run[] {
  return ofSeeds.map((seed) => simulate(world, clients, contender, { seed }));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function percent(share: number, digits = 0): string {
  return `${(100 * share).toFixed(digits)} %`;
}

function range(values: readonly number[], print: (value: number) => string): string {
  const [least, most] = [print(Math.min(...values)), print(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
}

function times(value: number): string {
  return `${value.toFixed(2)}x`;
}

function attemptsEach({ series }: Run, fromMs: number, forMs: number): number {
  return perSecond(series.sent, fromMs, forMs) / perSecond(series.offered, fromMs, forMs);
}

// ---------------------------------------------------------------- the outage

const stoppedAt = 30_000;
const tailMs = 60_000;

interface Outage {
  readonly run: Run;
  /** The same seed without a stop. */
  readonly calm: Run;
  readonly resumedAt: number;
}

function outages(backlogs: readonly number[], stops: readonly number[], contender: Contender): Outage[] {
  return backlogs.flatMap((backlog) =>
    stops.flatMap((stopMs) => {
      const afterMs = stopMs + tailMs;
      const stopped = runs(sim.stoppedServer(backlog, stopMs, tailMs), sim.articleClients, contender);
      const calm = runs(sim.stoppedServer(backlog, 0, afterMs), sim.articleClients, contender);
      return stopped.map((run, index) => ({ run, calm: calm[index] ?? run, resumedAt: stoppedAt + stopMs }));
    }),
  );
}

/** Of what the same seed does without a stop, in ten seconds from then on. */
function share({ run, calm }: Outage, fromMs: number): number {
  return perSecond(run.series.good, fromMs, 10_000) / perSecond(calm.series.good, fromMs, 10_000);
}

function isWedged(outage: Outage): boolean {
  return share(outage, outage.resumedAt + tailMs - 10_000) < 0.5;
}

/** The most in a second, from the one after the gate has shut to the end of the stop. */
function busiestShut({ run, resumedAt }: Outage): number {
  const shutAt = run.totals.refusedFirstAt;
  if (shutAt === undefined) return Number.NaN;
  return Math.max(0, ...run.series.sent.subarray(Math.ceil(shutAt / 1_000), resumedAt / 1_000));
}

function printOutage(): void {
  const backlogs = [511, 4_096];
  const stops = [5_000, 10_000, 30_000, 60_000];
  section(
    'A server is stopped and continued (backlog 511 and 4,096; stopped for 5, 10, 30, 60 s)',
    '`service`: 0 wedged; at least 90 % again in the ten seconds that begin 2 s after its return; shut within 2.5 s, then at most 10 attempts a second',
    [
      'wedged',
      'least again after 2 s',
      'shut after',
      'attempts/s when shut',
      'wedged at 511',
      'wedged at 4,096',
    ],
  );
  rows({ ...ours, ...naive, ...article, ...libraries }, (contender) => {
    const byBacklog = backlogs.map((backlog) => outages([backlog], stops, contender));
    const all = byBacklog.flat();
    const wedged = byBacklog.map((some) => `${some.filter(isWedged).length} of ${some.length}`);
    const shut = all.flatMap(({ run }) => run.totals.refusedFirstAt ?? []);
    return [
      `${all.filter(isWedged).length} of ${all.length}`,
      percent(Math.min(...all.map((outage) => share(outage, outage.resumedAt + 2_000)))),
      shut.length === 0 ? '' : `${((Math.max(...shut) - stoppedAt) / 1_000).toFixed(2)} s`,
      shut.length === 0 ? '' : String(Math.max(...all.map(busiestShut))),
      ...wedged,
    ];
  });
  const calm = (contender: Contender): number =>
    mean(
      runs(sim.stoppedServer(511, 0, tailMs), sim.articleClients, contender).map((run) => run.totals.goodput),
    );
  const ratio = calm(service) / calm(peers.noRetry);
  console.log(
    `\nWithout a stop, \`service\` reaches ${percent(ratio, 2)} of the goodput without a retry layer (asked: 99 %).`,
  );
}

function printBudgetInOutage(): void {
  const many = Array.from({ length: 5 * seeds.length }, (_, index) => index + 1);
  const stopMs = 10_000;
  section(
    `The same without a gate, where chance decides (backlog 4,096, stopped for 10 s, ${many.length} seeds)`,
    'defaults: at most 10 percentage points more wedged than without any retry; at most 1.15 attempts for each request in 60 s of outage',
    ['wedged', 'attempts for each request (60 s)'],
  );
  const sameForAll = { 'undaunted: a timeout costs 1': { budget: { cost: 1 } } };
  rows({ ...ours, ...sameForAll, ...naive, 'AWS standard': peers.awsStandard }, (contender) => {
    const wedged = runs(sim.stoppedServer(4_096, stopMs, 30_000), sim.articleClients, contender, many).filter(
      ({ series }) => perSecond(series.good, stoppedAt + stopMs + 20_000, 10_000) < 50,
    );
    const long = runs(sim.stoppedServer(511, 60_000, 10_000), sim.articleClients, contender);
    return [
      percent(wedged.length / many.length),
      times(Math.max(...long.map((run) => attemptsEach(run, stoppedAt, 60_000)))),
    ];
  });
}

// ---------------------------------------------------------------- failures

function printBrownOut(): void {
  section(
    'A share of the answers are 503 (100 processes with a retrier each, 10 requests a second each, 60 s)',
    'defaults: success of .999 at 10 %; at most 1.15x at 10 % and at 100 %',
    ['success at 10 %', 'load', 'success at 20 %', 'load', 'load at 100 %'],
  );
  rows({ ...ours, ...naive, ...libraries }, (contender) => {
    const [tenth, fifth, all] = [0.1, 0.2, 1].map((part) =>
      runs(sim.brownOut(part), sim.hundredProcesses, contender),
    ) as [Run[], Run[], Run[]];
    const success = ({ totals }: Run): number => totals.good / (totals.good + totals.failed + totals.refused);
    const load = (some: Run[]): string => times(mean(some.map(({ totals }) => totals.amplification)));
    const successes = (some: Run[]): string => mean(some.map(success)).toFixed(4);
    return [successes(tenth), load(tenth), successes(fifth), load(fifth), load(all)];
  });
}

function printSurge(): void {
  section(
    'A surge: 40 requests a second, 80 for 5 s (latency 1 s and 10 ms more for each in progress; timeout 3 s)',
    'ours: 0 collapse',
    ['collapsed'],
  );
  rows({ ...ours, ...naive, ...article, ...libraries }, (contender) => {
    const collapsed = runs(sim.surgingServer, sim.surge, contender).filter(
      ({ series }) => perSecond(series.good, 60_000, 20_000) < 20,
    );
    return [`${collapsed.length} of ${seeds.length}`];
  });
}

function printDown(): void {
  section(
    'A service is down for 60 s',
    'three layers: at most 1.5x at the bottom; 1,000 processes: reported',
    ['three layers, at the bottom', '1,000 processes, a request every 10 s each'],
  );
  rows({ ...ours, ...naive, ...libraries }, (contender) => {
    const bottom = runs(sim.layers(3), sim.steadyStream, contender).map(
      ({ services, series }) =>
        perSecond(services.at(-1)?.arrived ?? series.sent, 20_000, 60_000) /
        perSecond(series.offered, 20_000, 60_000),
    );
    const many = runs(sim.layers(1), sim.thousandProcesses, contender);
    return [
      times(Math.max(...bottom)),
      times(Math.max(...many.map((run) => attemptsEach(run, 20_000, 60_000)))),
    ];
  });
}

// ---------------------------------------------------------------- limits

const holding: Contenders = { 'undaunted: defaults': {}, 'undaunted: hold on': { hold: true } };

function printLongHint(): void {
  const limits: Readonly<Record<string, LimitedServer['limit']>> = {
    'burst 1': { perSecond: 50, burst: 1 },
    'burst 50': { perSecond: 50, burst: 50 },
    '50 in each second': { permits: 50, windowMs: 1_000 },
  };
  section(
    'A limit of 50 a second, `Retry-After: 5`, 200 clients that want 200 (90 s)',
    'hold on: 0 requests inside a window; after the first one, no second above 1.5x the limit',
    Object.keys(limits).flatMap((name) => [`inside (${name})`, 'busiest second']),
  );
  rows({ ...holding, ...libraries }, (contender) =>
    Object.values(limits).flatMap((limit) => {
      const all = runs(sim.limitedServer(limit, 5, 90_000), sim.greedyClients, contender);
      const inside = all.map(({ totals }) => totals.forbidden);
      // The first window cannot begin before the first answer, and ends after five seconds.
      const busiest = all.map(({ series }) => Math.max(...series.sent.subarray(5)) / 50);
      return [range(inside, String), times(Math.max(...busiest))];
    }),
  );
}

function printShortHint(): void {
  section(
    'A token bucket of 20 a second, `Retry-After` in whole seconds, 100 clients that want 50 (60 s)',
    'hold off: 95 % used; hold on: 80 % used, at most half the refusals, and fair (Jain 0.9)',
    [1, 20].flatMap((burst) => [`used (burst ${burst})`, 'refusals', 'Jain']),
  );
  rows({ ...holding, ...naive, ...libraries }, (contender) =>
    [1, 20].flatMap((burst) => {
      const world = sim.limitedServer({ perSecond: 20, burst }, 'exact', 60_000);
      const all = runs(world, sim.eagerClients, contender);
      return [
        percent(mean(all.map(({ totals }) => totals.good / (20 * 60 + burst)))),
        mean(all.map(({ totals }) => totals.sent - totals.good)).toFixed(0),
        Math.min(...all.map(({ goodBy }) => fairness(goodBy))).toFixed(2),
      ];
    }),
  );
}

console.log(`${seeds.length} seeds; one process for all clients, where nothing else is said.`);
printOutage();
printBudgetInOutage();
printBrownOut();
printSurge();
printDown();
printLongHint();
printShortHint();
