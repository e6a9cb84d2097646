/** The shell blocks of the docs, and the text blocks behind them that show what they print. */

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Block, blocksIn, type Page } from './pages.js';

export interface Commands extends Block {
  /** The block behind it: what it prints. */
  readonly shown: Block | undefined;
}

export interface Printed {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function commandsIn(page: Page): readonly Commands[] {
  const blocks = blocksIn(page);
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    // The closing fence, an empty line, the opening fence.
    const isNext = next?.line === block.line + block.code.split('\n').length + 2;
    const shown = isNext && next.language === 'text' ? next : undefined;
    return block.language === 'sh' ? [{ ...block, shown }] : [];
  });
}

/** They take a minute, or end only with Ctrl-C. */
const isLong = /undaunted (outage|demo|lab)/;

/** Runs them in a folder, where `npx undaunted` is the given program, and `npm` does nothing. */
export function runIn(folder: string, program: string, { code }: Commands): Printed {
  const bin = join(folder, '.bin');
  mkdirSync(bin, { recursive: true });
  tool(bin, 'npx', 'shift; exec node "$PROGRAM" "$@"');
  tool(bin, 'npm', 'exit 0');
  const script = code
    .split('\n')
    .filter((line) => !isLong.test(line))
    .join('\n');
  return spawnSync('sh', ['-euc', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${bin}:${process.env['PATH']}`, PROGRAM: program, NO_COLOR: '1', LANG: 'C.UTF-8' },
  });
}

function tool(bin: string, name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}
