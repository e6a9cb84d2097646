/** Writes the generated parts of the docs anew, and what the commands that they show print. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { commandsIn, runIn } from './docs/commands.js';
import { type Page, pages } from './docs/pages.js';
import { regenerated } from './docs/regions.js';

const program = resolve('.build/src/tools/cli/bin.js');

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

for (const page of pages()) {
  const { path } = page;
  const text = withOutputs({ path, text: regenerated(page) });
  if (text === page.text) continue;
  writeFileSync(path, text);
  console.log(`${path} has changed`);
}
