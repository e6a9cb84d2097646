/**
 * Prints what retry layers do to servers, as markdown: the tables of docs/outages.md, and what is asked of ours.
 *
 *   npm run sim:table                          ten seeds
 *   npm run sim:table -- 3                     three seeds
 *   npm run sim:table -- 3 --only ordinary     the tables whose name begins so
 *   npm run sim:table -- 3 --for service       the contenders whose name has it, beside no retry
 *   npm run sim:table -- --write               ten seeds, into docs/outages.md; with --only, just these tables
 *   npm run sim:table -- 5 --goals             what is asked of `service`, each as PASS or MISS
 *   npm run sim:table -- 5 --goals --only limiter --policy variant.json
 *                                              only these goals (a name, or a part of what they are about), of a policy
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { PolicyOptions } from '../src/index.js';
import { presets } from '../src/index.js';
import { tables } from './all-tables.js';
import { goals } from './goals/all.js';
import { printGoals } from './goals/print.js';
import { seedsUpTo } from './sim-reading.js';
import type { Table } from './sim-tables.js';
import { rowOf } from './sim-tables.js';

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
const seeds = seedsUpTo(isWriting ? 10 : Number(positionals[0] ?? 10));

function isChosen(contender: string): boolean {
  return contender === 'no retry' || contender.includes(values.for);
}

function print(table: Table): string {
  const { title, cases } = table;
  const columns = cases.flatMap((some) => some.columns);
  const lines = [
    `**${title}.**`,
    '',
    ...cases.map(({ about, asked, columns: own }) => {
      return `- *${own.join(', ')}*: ${about}.${isWriting ? '' : ` Asked: ${asked}.`}`;
    }),
    '',
    `| | ${columns.join(' | ')} |`,
    `| --- | ${columns.map(() => '---:').join(' | ')} |`,
  ];
  for (const [name, contender] of Object.entries(table.contenders)) {
    if (!isChosen(name)) continue;
    const cells = cases.flatMap((some) => {
      console.error(`${seconds()} ${title}: ${name}, ${some.columns.join(', ')}`);
      return rowOf({ cases: [some] }, contender, seeds);
    });
    lines.push(`| ${name} | ${cells.join(' | ')} |`);
  }
  return lines.join('\n');
}

function seconds(): string {
  return `${(performance.now() / 1_000).toFixed(0).padStart(5)} s`;
}

if (values.goals) {
  const { policy, only } = values;
  const contender =
    policy === undefined
      ? presets.policies.service
      : (JSON.parse(readFileSync(policy, 'utf8')) as PolicyOptions);
  const isName = goals.some(({ name }) => name === only);
  const chosen = goals.filter(({ name, about }) => (isName ? name === only : about.includes(only)));
  process.exitCode = printGoals(chosen, contender, seeds) ? 0 : 1;
} else if (isWriting) {
  writeTables();
} else {
  console.log(chosenTables().map(print).join('\n\n'));
}

function chosenTables(): readonly Table[] {
  return tables.filter(({ name }) => name.startsWith(values.only));
}

function writeTables(): void {
  if (values.for !== '') throw new Error('--write needs all contenders: leave --for away');
  const texts = new Map(chosenTables().map((table) => [table, print(table)]));
  // Only now: that took minutes, and somebody may have changed it.
  const page = readFileSync('docs/outages.md', 'utf8');
  const [begin, end] = ['<!-- sim:table -->', '<!-- /sim:table -->'];
  const [before = '', rest = ''] = page.split(begin);
  const [written = '', after = ''] = rest.split(end);
  const all = tables.map((table) => texts.get(table) ?? textOf(table, written));
  writeFileSync('docs/outages.md', `${before}${begin}\n\n${all.join('\n\n')}\n\n${end}${after}`);
}

/** As it stands. */
function textOf({ title }: Table, written: string): string {
  const begin = `**${title}.**`;
  const [text = ''] = (written.split(begin)[1] ?? '').split(/\n\n(?=\*\*)/);
  return `${begin}${text.trimEnd()}`;
}
