/** Writes the generated parts of the docs anew, and what the commands that they show print. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { apiFiles } from './docs/api.js';
import { commandsIn, runIn } from './docs/commands.js';
import { type Page, pages } from './docs/pages.js';
import { remeasured } from './docs/regions.js';

const program = resolve('dist/cli.js');

function withOutputs(page: Page): string {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  try {
    const printed = commandsIn(page).map((commands) => ({
      shown: commands.shown,
      lines: runIn(folder, program, commands).stdout.trimEnd().split('\n'),
    }));
    const text = page.text.split('\n');
    // From the last one, so that the lines of those before it stay where they are.
    for (const { shown, lines } of printed.reverse()) {
      if (shown !== undefined) text.splice(shown.line - 1, shown.code.split('\n').length - 1, ...lines);
    }
    return text.join('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function write(path: string, before: string | undefined, text: string): void {
  if (text === before) return;
  writeFileSync(path, text);
  console.log(`${path} has changed`);
}

for (const [path, text] of Object.entries(apiFiles())) {
  write(path, existsSync(path) ? readFileSync(path, 'utf8') : undefined, text);
}
for (const page of pages()) {
  const { path } = page;
  write(path, page.text, withOutputs({ path, text: await remeasured(page) }));
}
