/** `npm run sim:table` and `npm run bench` take minutes: Ctrl-C loses nothing of what they have found. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'scripts-'));

beforeAll(async () => {
  copyFileSync('package.json', join(folder, 'package.json'));
  symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));
  const entryPoints = ['src', 'scripts', 'bench'].flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(room, file)),
  );
  await build({ entryPoints, outdir: folder, outbase: '.', format: 'esm', logLevel: 'error' });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Sends SIGINT as soon as stdout matches. */
async function interrupted(script: string, args: readonly string[], seen: RegExp) {
  const child = spawn(process.execPath, [join(folder, script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      const before = written.stdout;
      written[name] += text;
      if (!seen.test(before) && seen.test(written.stdout)) child.kill('SIGINT');
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...written };
}

test('sim:table prints each row when it is known, and says that the table is partial', async () => {
  const { code, stdout, stderr } = await interrupted(
    'scripts/sim-table.js',
    ['3', '--only', 'limits', '--for', 'hold'],
    /^\| no retry \|/m,
  );
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
  expect(stdout).toMatch(/^\*\*A server limits the rate\.\*\*\n/);
  expect(stdout).toMatch(/\n\nInterrupted: what stands above is partial\.\n$/);
  // The last of three rows, each of which takes longer than a signal does.
  expect(stdout).not.toContain('| undaunted: hold at the first word |');
});

test('bench prints each part when it is known, and names those that are missing', async () => {
  const { code, stdout, stderr } = await interrupted(
    'bench/run.js',
    ['core-succeeding', 'core-matching', '--rounds', '1'],
    / \(core-\w+\)\n/,
  );
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
  expect(stdout).toMatch(/\nInterrupted: this is partial and lacks core-(matching|succeeding)\.\n$/);
});
