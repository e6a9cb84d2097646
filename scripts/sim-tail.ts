/**
 * Prints what hedges and adaptive timeouts do to the slow tail and to the server, as markdown, and whether they reach
 * their goals.
 *
 *   npm run sim:tail                     ten seeds: takes minutes
 *   npm run sim:tail -- 3                three seeds
 *   npm run sim:tail -- 3 --only busy    the days whose names begin with this: slow, backend, pauses, nature, minute, busy;
 *                                        ordinary: ordinary days and outages, with hedges beside without
 *   npm run sim:tail -- 3 --for hedge    no retry, the policies without, and the contenders whose names contain this
 *   npm run sim:tail -- --threads 2      with more threads
 */

import { parseArgs } from 'node:util';
import { Printer } from '../src/tools/cli/printer.js';
import { Progress } from '../src/tools/cli/progress.js';
import { interruptible } from './interruption.js';
import type { Job, Results } from './sim-jobs.js';
import { SimulationThread } from './sim-jobs.js';
import { percent } from './sim-reading.js';
import type { TailFigures } from './tail/figures.js';
import { attemptsEach, workBeside } from './tail/figures.js';
import type { RowFigures } from './tail/goals.js';
import { tailGoals } from './tail/goals.js';
import type { TailContender, TailRow } from './tail/rows.js';
import { tailContenders, tailRows } from './tail/rows.js';
import { isWorse, unharmed } from './tail/unharmed.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    for: { type: 'string', default: '' },
    threads: { type: 'string', default: '1' },
  },
});
const seeds = Number(positionals[0] ?? 10);
const without: readonly TailContender[] = ['no retry', 'undaunted: defaults', 'undaunted: `service`'];
const contenders = (Object.keys(tailContenders) as TailContender[]).filter(
  (name) => without.includes(name) || name.includes(values.for),
);

/** The columns of the ordinary days. */
const besides: readonly TailContender[] = [
  'no retry',
  'undaunted: `service`',
  '`service`, hedge',
  '`service`, both',
];

const progress = new Progress(new Printer(process.stderr, process.env));
const threads = Array.from({ length: Number(values.threads) }, () => new SimulationThread());
let goalsMet = 0;
const missed: string[] = [];
await interruptible(printAll, () => {
  progress.clear();
  console.log('\nInterrupted: what stands above is partial.');
});
for (const thread of threads) await thread.end();

async function printAll(): Promise<void> {
  const rows = tailRows.filter(({ name }) => name.startsWith(values.only));
  for (const [index, row] of rows.entries()) await printRow(row, index / rows.length);
  if ('ordinary'.startsWith(values.only)) await printUnharmed();
  for (const line of missed) console.log(line);
  console.log(`\n${goalsMet} of ${goalsMet + missed.length} goals met, with ${seeds} seeds`);
}

/** The results of all jobs, in their order. Each thread takes the next job when it has done one. */
async function resultsOf<Kind extends Job['kind']>(
  count: number,
  run: (thread: SimulationThread, index: number) => Promise<Results[Kind]>,
): Promise<Results[Kind][]> {
  const results: Results[Kind][] = [];
  let next = 0;
  const work = async (thread: SimulationThread): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      results[index] = await run(thread, index);
    }
  };
  await Promise.all(threads.map(work));
  return results;
}

// ---------------------------------------------------------------- the days of the slow tail

async function printRow({ name, about }: TailRow, share: number): Promise<void> {
  const results = await resultsOf<'tail'>(contenders.length, (thread, index) => {
    const contender = contenders[index] ?? 'no retry';
    progress.show(share, `${name}: ${contender}`);
    return thread.run({ kind: 'tail', row: name, contender, seeds });
  });
  progress.clear();
  const figures = Object.fromEntries(
    contenders.map((contender, index) => [contender, results[index]]),
  ) as unknown as RowFigures;
  console.log(`\n**${about}** (\`${name}\`).\n`);
  console.log('| | p50 | p99 | p99.9 | attempts | work | good | failed after | hedges a second | won |');
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const contender of contenders) console.log(lineOf(contender, figures));
  judge(name, figures);
}

function lineOf(contender: TailContender, figures: RowFigures): string {
  const own = figures[contender];
  const none = figures['no retry'];
  const cells = [
    contender,
    ms(own.p50Ms),
    ms(own.p99Ms),
    ms(own.p999Ms, own.p999Ms > 1.05 * none.p999Ms),
    `${attemptsEach(own).toFixed(3)}x`,
    `${workBeside(own, none).toFixed(3)}x`,
    marked(percent(own.good, 2), own.good < 0.995 * none.good),
    own.failedP99Ms === undefined ? '' : ms(own.failedP99Ms),
    ...hedgesOf(own),
  ];
  return `| ${cells.join(' | ')} |`;
}

function hedgesOf({ hedgesPerSecond, hedgesWon }: TailFigures): readonly string[] {
  return hedgesWon === undefined ? ['', ''] : [hedgesPerSecond.toFixed(2), percent(hedgesWon)];
}

/** What is worse than without retries is marked. */
function marked(text: string, isWorse: boolean): string {
  return isWorse ? `**${text}**` : text;
}

function ms(value: number, isWorse = false): string {
  return marked(`${value.toFixed(0)} ms`, isWorse);
}

function judge(name: string, figures: RowFigures): void {
  const asked = tailGoals.filter(
    ({ rows, contender }) => name.startsWith(rows) && contenders.includes(contender),
  );
  if (asked.length > 0) console.log();
  for (const { contender, wanted, judge: judgeRow } of asked) {
    const { isMet, figures: reached } = judgeRow(figures);
    report(isMet, `${name.padEnd(16)} ${contender.padEnd(33)} ${reached}   [${wanted}]`);
  }
}

function report(isMet: boolean, line: string): void {
  console.log(`${isMet ? 'PASS' : 'MISS'}  ${line}`);
  if (isMet) goalsMet += 1;
  else missed.push(`MISS  ${line}`);
}

// ---------------------------------------------------------------- ordinary days

async function printUnharmed(): Promise<void> {
  console.log('\n**Ordinary days and outages.**\n');
  console.log(`| | ${besides.join(' | ')} |`);
  console.log(`| --- | ${besides.map(() => '---:').join(' | ')} |`);
  for (const [index, some] of unharmed.entries()) {
    const results = await resultsOf<'ordinary'>(besides.length, (thread, which) => {
      progress.show(index / unharmed.length, some.name);
      return thread.run({ kind: 'ordinary', index, contender: besides[which] ?? 'no retry', seeds });
    });
    progress.clear();
    const [none = 0, usual = 0, ...others] = results;
    const cells = others.map((value) => marked(some.print(value), isWorse(some, value, usual)));
    console.log(`| ${[some.name, some.print(none), some.print(usual), ...cells].join(' | ')} |`);
    for (const [which, value] of others.entries()) {
      if (isWorse(some, value, usual)) {
        missed.push(
          `MISS  ${some.name}: ${besides[which + 2]} ${some.print(value)}, without ${some.print(usual)}`,
        );
      } else goalsMet += 1;
    }
  }
}
