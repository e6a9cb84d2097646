/** Runs every shell block of the docs in an empty folder with the program installed, and compares what it prints. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandsIn, runIn } from '../scripts/docs/commands.js';
import { pages } from '../scripts/docs/pages.js';
import { buildProgram, type Program } from './tools/cli/program.js';

let program: Program;

beforeAll(async () => {
  program = await buildProgram(['undici', 'axios']);
  writeFileSync(join(program.folder, 'dist/page.html'), '<!-- report -->');
});

afterAll(() => program.remove());

const written = pages().map((page) => ({ page: page.path, blocks: commandsIn(page) }));

describe.each(written.filter(({ blocks }) => blocks.length > 0))('the commands of $page', ({ blocks }) => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'docs-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(blocks)('line $line', (commands) => {
    const { status, stdout, stderr } = runIn(folder, join(program.folder, 'dist/cli.js'), commands);
    expect(status, `${stdout}${stderr}`).toBe(0);
    if (commands.shown !== undefined) expect(stdout, 'run: npm run docs').toBe(commands.shown.code);
  });
});

describe('every npm script that the docs name', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const named = pages().flatMap(({ path, text }) =>
    [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => ({ path, name })),
  );

  test.each(named)('$path: $name', ({ name }) => expect(Object.keys(scripts)).toContain(name));
});

describe('every file of the checkout that the docs name', () => {
  const named = pages().flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:src|test|scripts|bench|fixtures)\/[\w./-]+)`/g)].map(([, file = '']) => ({
      path,
      file,
    })),
  );

  test.each(named)('$path: $file', ({ file }) => expect(existsSync(file)).toBe(true));
});
