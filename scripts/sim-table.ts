/**
 * Prints what retry layers do to servers, as markdown: the tables of docs/outages.md, and the goals of our policies.
 *
 *   npm run sim:table                          ten seeds
 *   npm run sim:table -- 3                     three seeds
 *   npm run sim:table -- 3 --only ordinary     the tables whose names begin with this
 *   npm run sim:table -- 3 --for service       no retry, and the contenders whose names contain this
 *   npm run sim:table -- --write               ten seeds, into docs/outages.md; with --only, just these tables
 *   npm run sim:table -- 5 --goals             the goals of `service`, each as PASS or MISS
 *   npm run sim:table -- 5 --goals --only limiter --policy variant.json
 *                                              some goals (by name, or by a part of the description) for a policy
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { PolicyOptions } from '../src/index.js';
import { presets } from '../src/index.js';
import { Printer } from '../src/tools/cli/printer.js';
import { Progress } from '../src/tools/cli/progress.js';
import { tables } from './all-tables.js';
import { goals } from './goals/all.js';
import { printGoals } from './goals/print.js';
import { interruptible } from './interruption.js';
import { SimulationThread } from './sim-jobs.js';
import type { Table } from './sim-tables.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    goals: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    for: { type: 'string', default: '' },
    policy: { type: 'string' },
  },
});
const isWriting = values.write;
const seeds = isWriting ? 10 : Number(positionals[0] ?? 10);

/** The name and the cells of the row in progress. */
let unfinished: string[] = [];

const progress = new Progress(new Printer(process.stderr, process.env));
const simulations = new SimulationThread();
await interruptible(values.goals ? judgeGoals : isWriting ? writeTables : printTables, () => {
  progress.clear();
  if (unfinished.length > 1) console.log(`| ${unfinished.join(' | ')} | …`);
  console.log(`\nInterrupted: what stands above is partial${isWriting ? ', and nothing is written' : ''}.`);
});
await simulations.end();

// ---------------------------------------------------------------- tables

function chosenTables(): readonly Table[] {
  return tables.filter(({ name }) => name.startsWith(values.only));
}

function isChosen(contender: string): boolean {
  return contender === 'no retry' || contender.includes(values.for);
}

async function printTables(): Promise<void> {
  await textsOf(chosenTables());
}

/** Prints each row as soon as it is known, so that an interruption loses none. */
async function textsOf(chosen: readonly Table[]): Promise<Map<Table, string>> {
  const texts = new Map<Table, string>();
  for (const [index, table] of chosen.entries()) {
    const lines: string[] = [];
    const print = (line: string): void => {
      lines.push(line);
      progress.clear();
      console.log(line);
    };
    if (index > 0) console.log();
    for (const line of headOf(table)) print(line);
    const contenders = Object.keys(table.contenders).filter(isChosen);
    for (const [row, contender] of contenders.entries()) {
      const share = (index + row / contenders.length) / chosen.length;
      print(`| ${contender} | ${(await rowOf(table, contender, share)).join(' | ')} |`);
    }
    texts.set(table, lines.join('\n'));
  }
  return texts;
}

function headOf({ title, cases }: Table): readonly string[] {
  const columns = cases.flatMap((some) => some.columns);
  return [
    `**${title}.**`,
    '',
    ...cases.map(({ about, asked, columns: own }) => {
      return `- *${own.join(', ')}*: ${about}.${isWriting ? '' : ` Asked: ${asked}.`}`;
    }),
    '',
    `| | ${columns.join(' | ')} |`,
    `| --- | ${columns.map(() => '---:').join(' | ')} |`,
  ];
}

async function rowOf({ name, cases }: Table, contender: string, share: number): Promise<readonly string[]> {
  unfinished = [contender];
  for (const [caseIndex, { columns }] of cases.entries()) {
    const show = (): void => progress.show(share, `${name}: ${contender}, ${columns.join(', ')}`);
    // After an interruption, nothing clears the timer, and it must not keep the process alive.
    const looks = setInterval(show, 250).unref();
    show();
    try {
      unfinished.push(
        ...(await simulations.run({ kind: 'cells', table: name, contender, caseIndex, seeds })),
      );
    } finally {
      clearInterval(looks);
    }
  }
  const [, ...cells] = unfinished;
  unfinished = [];
  return cells;
}

async function writeTables(): Promise<void> {
  if (values.for !== '') throw new Error('--write needs all contenders: leave --for away');
  const texts = await textsOf(chosenTables());
  // Read only now: the simulations took minutes, in which the page may have changed.
  const page = readFileSync('docs/outages.md', 'utf8');
  const [begin, end] = ['<!-- sim:table -->', '<!-- /sim:table -->'];
  const [before = '', rest = ''] = page.split(begin);
  const [written = '', after = ''] = rest.split(end);
  const all = tables.map((table) => texts.get(table) ?? textOf(table, written));
  writeFileSync('docs/outages.md', `${before}${begin}\n\n${all.join('\n\n')}\n\n${end}${after}`);
}

/** As the page has it. */
function textOf({ title }: Table, written: string): string {
  const begin = `**${title}.**`;
  const [text = ''] = (written.split(begin)[1] ?? '').split(/\n\n(?=\*\*)/);
  return `${begin}${text.trimEnd()}`;
}

// ---------------------------------------------------------------- goals

async function judgeGoals(): Promise<void> {
  const { policy: file, only } = values;
  const policy =
    file === undefined ? presets.policies.service : (JSON.parse(readFileSync(file, 'utf8')) as PolicyOptions);
  const isName = goals.some(({ name }) => name === only);
  const chosen = goals.filter(({ name, about }) => (isName ? name === only : about.includes(only)));
  const areMet = await printGoals(chosen, seeds, async (goal) => {
    progress.show(chosen.indexOf(goal) / chosen.length, goal.about);
    const judgement = await simulations.run({
      kind: 'goal',
      goalIndex: goals.indexOf(goal),
      policy,
      seeds,
    });
    progress.clear();
    return judgement;
  });
  process.exitCode = areMet ? 0 : 1;
}
