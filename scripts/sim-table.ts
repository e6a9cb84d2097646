/**
 * Prints what retry layers do to servers, as markdown: the tables of the README, and what is asked of ours.
 *
 *   npm run sim:table                  ten seeds
 *   npm run sim:table -- 3             three seeds
 *   npm run sim:table -- --write       ten seeds, into the README
 */

import { readFileSync, writeFileSync } from 'node:fs';
import type { Table } from './outage-tables.js';
import { rowOf, seedsUpTo, tables } from './outage-tables.js';

const [argument] = process.argv.slice(2);
const isWriting = argument === '--write';
const seeds = seedsUpTo(isWriting ? 10 : Number(argument ?? 10));

function print(table: Table): string {
  const { title, cases, contenders } = table;
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
  for (const [name, contender] of Object.entries(contenders)) {
    console.error(`${title}: ${name}`);
    lines.push(`| ${name} | ${rowOf(table, contender, seeds).join(' | ')} |`);
  }
  return lines.join('\n');
}

const text = tables.map(print).join('\n\n');

if (isWriting) {
  const [begin, end] = ['<!-- sim:table -->', '<!-- /sim:table -->'];
  const readme = readFileSync('README.md', 'utf8');
  const [before = '', after = ''] = [readme.split(begin)[0], readme.split(end)[1]];
  writeFileSync('README.md', `${before}${begin}\n\n${text}\n\n${end}${after}`);
} else {
  console.log(text);
}
