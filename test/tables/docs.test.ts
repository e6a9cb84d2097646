/** What docs/outages.md shows is what the simulator says, on every machine. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { tables } from '../../scripts/all-tables.js';
import { outagePicture } from '../../scripts/outage-picture.js';
import { seedsUpTo } from '../../scripts/sim-reading.js';

const root = new URL('../../', import.meta.url);

test('the picture', () => {
  expect(outagePicture()).toBe(readFileSync(new URL('docs/outage.svg', root), 'utf8'));
});

describe.each(tables)('the table: $title', ({ title, cases, contenders }) => {
  const page = readFileSync(new URL('docs/outages.md', root), 'utf8');
  const written = page.split(`**${title}.**`)[1]?.split('\n\n**')[0] ?? '';

  /** The cells of a row, without its name. */
  function rowOf(name: string): string[] {
    const begin = `|${name && ` ${name}`} | `;
    const line = written.split('\n').find((some) => some.startsWith(begin)) ?? '';
    return line
      .split('|')
      .slice(2, -1)
      .map((cell) => cell.trim());
  }

  test('says of each case what the table measures', () => {
    for (const { columns, about } of cases) expect(written).toContain(`- *${columns.join(', ')}*: ${about}.`);
  });

  test('has all contenders and columns', () => {
    const columns = cases.flatMap((some) => some.columns);
    expect(rowOf('')).toEqual(columns);
    for (const name of Object.keys(contenders)) expect(rowOf(name)).toHaveLength(columns.length);
  });

  // What takes longer, and what the defaults do, is held to its bounds, with fewer seeds, in `outages.test.ts`.
  const quick = cases.filter(({ isLong }) => !isLong);
  const ours = Object.entries(contenders).filter(([name]) =>
    /^undaunted: (`service`|hold on|hold at the first word)$/.test(name),
  );

  test.each(ours)('has for %s what ten seeds give', (name, contender) => {
    const columns = cases.flatMap((some) => some.columns.map((column) => ({ some, column })));
    const row = rowOf(name);
    for (const some of quick) {
      const from = columns.findIndex((entry) => entry.some === some);
      expect(row.slice(from, from + some.columns.length)).toEqual(some.cells(contender, seedsUpTo(10)));
    }
  });
});
