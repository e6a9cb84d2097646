/** Every shell block of the docs is run in an empty folder with the program installed, and prints what is shown. */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Block, blocksIn, type Page, pages } from '../scripts/docs/pages.js';
import { buildProgram, type Program } from './tools/cli/program.js';

let program: Program;
let bin: string;

beforeAll(async () => {
  program = await buildProgram(['undici', 'axios']);
  bin = join(program.folder, 'bin');
  mkdirSync(join(program.folder, 'dist/tools/pages'), { recursive: true });
  writeFileSync(join(program.folder, 'dist/tools/pages/page.html'), '<!-- report -->');
  mkdirSync(bin);
  tool('npx', 'shift; exec node "$PROGRAM" "$@"');
  // Installing is tried by `npm run test:package`; here it is enough that the names are right.
  tool('npm', 'exit 0');
});

afterAll(() => program.remove());

function tool(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** A block of commands, and the text that is shown as what they print. */
interface Commands extends Block {
  readonly shown: string | undefined;
}

function commandsIn(page: Page): readonly Commands[] {
  const blocks = blocksIn(page);
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    const shown = next?.language === 'text' ? next.code : undefined;
    return block.language === 'sh' ? [{ ...block, shown }] : [];
  });
}

const written = pages().map((page) => ({ page: page.path, blocks: commandsIn(page) }));
/** They take a minute, or end only with Ctrl-C: `npm run test:package` and the tests of the command line try them. */
const isLong = /undaunted (outage|demo|lab)/;

describe.each(written.filter(({ blocks }) => blocks.length > 0))('the commands of $page', ({ blocks }) => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'docs-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(blocks)('line $line', ({ code, shown }) => {
    const script = code
      .split('\n')
      .filter((line) => !isLong.test(line))
      .join('\n');
    const { status, stdout, stderr } = spawnSync('bash', ['-euc', script], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: `${bin}:${process.env['PATH']}`,
        PROGRAM: join(program.folder, 'dist/tools/cli/bin.js'),
        NO_COLOR: '1',
        COLUMNS: '100',
      },
    });
    expect(status, `${stdout}${stderr}`).toBe(0);
    if (shown !== undefined) expect(stdout.trimEnd()).toBe(shown.trimEnd());
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
