/**
 * What of the pages is written by a program, between `<!-- name -->` and `<!-- /name -->`: `npm run docs` writes it, and a
 * test holds it to its source. (The tables of `npm run sim:table` take minutes, so they are written by that.)
 */

import { helpTexts } from './help-texts.js';
import { hintTable } from './hint-table.js';
import { pageSizes } from './page-sizes.js';
import type { Page } from './pages.js';
import { exceptionList, verdictTable } from './runtime-tables.js';
import { nestedTables, presetsTable, schemesTable, settingsTable } from './settings-tables.js';

const regions: Readonly<Record<string, () => string>> = {
  settings: settingsTable,
  'nested-settings': nestedTables,
  presets: presetsTable,
  schemes: schemesTable,
  'cli-help': helpTexts,
  'hint-sets': hintTable,
  'runtime-failures': verdictTable,
  'runtime-exceptions': exceptionList,
};

/** Measured figures, which a test does not hold to the letter. */
const measured: Readonly<Record<string, () => Promise<string>>> = { 'page-sizes': pageSizes };

/** Each of them has to stand in exactly one page. */
export const regionNames: readonly string[] = [...Object.keys(regions), ...Object.keys(measured)];

export function regionsIn({ text }: Page): readonly string[] {
  return regionNames.filter((name) => text.includes(begin(name)));
}

/** The page with its regions written anew. */
export function regenerated(page: Page): string {
  return regionsIn(page).reduce((text, name) => {
    const region = regions[name];
    return region === undefined ? text : withRegion(text, name, region(), page);
  }, page.text);
}

/** The same, and what is measured, too. */
export async function remeasured(page: Page): Promise<string> {
  let text = regenerated(page);
  for (const name of regionsIn(page)) {
    const measure = measured[name];
    if (measure !== undefined) text = withRegion(text, name, await measure(), page);
  }
  return text;
}

function withRegion(text: string, name: string, content: string, page: Page): string {
  const [before, rest] = halves(text, begin(name), page);
  const [, after] = halves(rest, end(name), page);
  return `${before}${begin(name)}\n\n${content}\n\n${end(name)}${after}`;
}

function halves(text: string, mark: string, { path }: Page): [string, string] {
  const [before, after, ...others] = text.split(mark);
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error(`${path} should have one ${mark}`);
  }
  return [before, after];
}

function begin(name: string): string {
  return `<!-- ${name} -->`;
}

function end(name: string): string {
  return `<!-- /${name} -->`;
}
