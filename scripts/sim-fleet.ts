/**
 * Prints what processes gain that share their scopes through a store, as markdown, next to the same processes alone.
 *
 *   npm run sim:fleet                      all of it, five seeds: takes a while
 *   npm run sim:fleet -- 2 --only outage   two seeds, and only the part whose name begins with this: down, outage, days, sick
 *   npm run sim:fleet -- 5 --only outage --delay 50 --lost 0.2 --cut-off 1
 *                                          the faults of the store's messages: delay in ms, share lost, processes cut off
 */

import { parseArgs } from 'node:util';
import { presets } from '../src/index.js';
import { Printer } from '../src/tools/cli/printer.js';
import { Progress } from '../src/tools/cli/progress.js';
import type { Contender, Crowds, SimulatedWorld, SimulateOptions } from '../src/tools/sim/index.js';
import * as sim from '../src/tools/sim/index.js';
import { dayCases, innocentShare, percentText } from './ordinary-tables.js';
import { returned } from './outage-measures.js';
import { attemptsEach, goodShare, mean, percent, runs, seedsUpTo, times } from './sim-reading.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    processes: { type: 'string', default: '' },
    delay: { type: 'string', default: '5' },
    lost: { type: 'string', default: '0' },
    'cut-off': { type: 'string', default: '0' },
  },
});
const seeds = seedsUpTo(Number(positionals[0] ?? 5));
const { service } = presets.policies;

/** How many exchanges the store has had in a run. */
interface Watched {
  exchanges: number;
}

function storeWith(watched?: Watched[]): NonNullable<SimulateOptions['store']> {
  const network = {
    delayMs: Number(values.delay),
    lost: Number(values.lost),
    cutOff: Number(values['cut-off']),
  };
  return watched === undefined ? network : { ...network, watch: (store) => watched.push(store) };
}

const progress = new Progress(new Printer(process.stderr, process.env));

/** Shows how many of a part's steps are done. */
function stepsOf(part: string, count: number): <T>(what: string, step: () => T) => T {
  let done = 0;
  return (what, step) => {
    progress.show(done / count, `${part}: ${what}`);
    const result = step();
    progress.clear();
    done += 1;
    return result;
  };
}

function row(...cells: readonly (string | number)[]): void {
  console.log(`| ${cells.join(' | ')} |`);
}

function head(title: string, ...cells: readonly string[]): void {
  console.log(`\n**${title}.**\n`);
  row(...cells);
  row(...cells.map((_, index) => (index === 0 ? '---' : '---:')));
}

/** A thousand processes, each with a request in ten seconds; the server is down for a minute. */
function printDown(): void {
  head(
    'Down for 60 s, 1,000 processes, 0.1 requests a second each: load',
    '',
    'alone',
    'shared',
    'messages/s',
  );
  const world = sim.layers(1);
  const policies: readonly (readonly [string, Contender])[] = [
    ['defaults', {}],
    ['service', service],
  ];
  const take = stepsOf('down', 2 * policies.length);
  for (const [name, policy] of policies) {
    const load = (store?: SimulateOptions['store']): string => {
      const all = runs(world, sim.thousandProcesses, policy, seeds, store);
      return times(Math.max(...all.map((run) => attemptsEach(run, 20_000, 60_000))));
    };
    const watched: Watched[] = [];
    const alone = take(`${name}, alone`, () => load());
    const shared = take(`${name}, shared`, () => load(storeWith(watched)));
    row(name, alone, shared, (mean(watched.map((one) => one.exchanges)) / 90).toFixed(0));
  }
}

/** The seed's outage, for clients that are spread over processes. */
function printOutage(): void {
  head(
    '1,000 clients, a server that is stopped',
    'processes, backlog, stop',
    'alone: wedged',
    'shared: wedged',
    'worst return',
  );
  const counts =
    values.processes === '' ? [10, 50, 100, 250, 1_000] : values.processes.split(',').map(Number);
  const outages = counts.flatMap((processes) =>
    [511, 4_096].flatMap((backlog) =>
      [10_000, 60_000].map((stopMs) => ({
        name: `${processes}, ${backlog}, ${stopMs / 1_000} s`,
        outage: { clients: 1_000, backlog, stopsMs: [stopMs], afterMs: 3_000, processes },
      })),
    ),
  );
  const take = stepsOf('outage', 2 * outages.length);
  for (const { name, outage } of outages) {
    const alone = take(`${name}, alone`, () => returned(outage, service, seeds));
    const shared = take(`${name}, shared`, () => returned({ ...outage, store: storeWith() }, service, seeds));
    row(name, `${alone.wedged} of ${alone.runs}`, `${shared.wedged} of ${shared.runs}`, percent(shared.back));
  }
}

/** Ordinary days of clients that are spread over fifty processes. */
function printDays(): void {
  head('Ordinary days, 50 processes, `service`', '', 'no retry', 'alone', 'shared', '');
  const take = stepsOf('days', 3 * dayCases.length);
  for (const { column, day, value = innocentShare, better = 'more', print = percentText } of dayCases) {
    // An hour of it takes as long.
    const world = { ...day.world, durationMs: Math.min(day.world.durationMs, 600_000) };
    const { clients } = sim.ordinaryDays.inProcesses(day, 50);
    const reached = (policy: Contender, store?: SimulateOptions['store']): number =>
      mean(runs(world, clients, policy, seeds, store).map((run) => value(run, { world, clients })));
    const none = take(`${column}, no retry`, () => reached(sim.peers.noRetry));
    const alone = take(`${column}, alone`, () => reached(service));
    const shared = take(`${column}, shared`, () => reached(service, storeWith()));
    const isWorse = better === 'more' ? shared < alone * 0.99 : shared * 0.99 > alone;
    row(column, print(none), print(alone), print(shared), isWorse ? 'worse' : '');
  }
}

const quick = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 } as const;
const sickWorld: SimulatedWorld = {
  durationMs: 120_000,
  services: [
    {
      server: {
        kind: 'routed',
        routes: [{ path: '/sick', server: { ...quick, share: 1 } }],
        otherwise: quick,
      },
    },
  ],
};

/** The first process has the first client alone: of the others, each has another number. */
const sickAndOthers: Crowds = [
  {
    kind: 'open',
    count: 1,
    perSecond: 20,
    timeoutMs: 2_000,
    routes: [{ path: '/sick', weight: 1, guilty: true }],
  },
  { kind: 'open', count: 49, processes: 50, perSecond: 980, timeoutMs: 2_000 },
];

/** All requests of one process fail; those of the other 49 do not. */
function printSick(): void {
  head(
    'One sick process of 50, 20 requests a second each',
    '',
    'good of the others',
    'refused of the others',
  );
  const take = stepsOf('sick', 2);
  for (const [name, store] of [['alone', undefined] as const, ['shared', storeWith()] as const]) {
    const all = take(name, () => runs(sickWorld, sickAndOthers, service, seeds, store));
    row(
      name,
      percent(mean(all.map(({ innocent }) => goodShare(innocent))), 2),
      mean(all.map(({ innocent }) => innocent.totals.refused)),
    );
  }
}

const parts = { down: printDown, outage: printOutage, days: printDays, sick: printSick };
for (const [name, print] of Object.entries(parts)) if (name.startsWith(values.only)) print();
