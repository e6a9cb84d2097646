/** The sum at the end of CI: a suite that fails is counted, and what failed in it is told. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** What CI runs; the fuzz tests run beside another suite. */
const part = readFileSync('.ci/part', 'utf8');
const suites = [...Array.from(part.matchAll(/^ +suite (\w+)$/gm), ([, name]) => name), 'fuzz'];

/** Two of each suite, and of `npm test`. */
const all = 2 * (suites.length + 1);

/** What CI prints if every suite has two tests that pass, except for these reports; undefined: it wrote none. */
function countedWith(reports: Readonly<Record<string, string | undefined>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'count-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'reports'));
  const good = Object.fromEntries(suites.map((suite) => [`${suite}.txt`, `${suite}: 2 passed, 0 failed\n`]));
  const tests = JSON.stringify({ testResults: [], success: true, numPassedTests: 2, numFailedTests: 0 });
  for (const [file, text] of Object.entries({ 'tests.json': tests, ...good, ...reports })) {
    if (text !== undefined) writeFileSync(join(folder, 'reports', file), text);
  }
  const { stdout } = spawnSync(process.execPath, [resolve('.ci/count.mjs')], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout.trimEnd().split('\n');
}

test('if all pass, there is only the sum', () => {
  expect(countedWith({})).toEqual([`${all} passed, 0 failed`]);
});

test('a suite that failed tells what failed in it', () => {
  const fuzz = [
    'fuzz: seed 7, axios 1.21.1: { failed: 3 }',
    ' \u001B[31m×\u001B[39m axios 1.21.1 keeps every promise in random scripts, seed 7',
    ' FAIL  |axios| test/adapters/axios/fuzz.test.ts > axios 1.21.1 keeps every promise',
    'AssertionError: script 12:',
    '  call 1: settled 2 times',
    '  FUZZ_SEED=7 FUZZ_ONLY=12 npx vitest run test/adapters/axios/fuzz.test.ts',
    ' Duration  3s',
    'fuzz: 2 passed, 1 failed',
  ];
  expect(countedWith({ 'fuzz.txt': fuzz.join('\n') })).toEqual([
    'fuzz: 1 failed',
    '   × axios 1.21.1 keeps every promise in random scripts, seed 7',
    ...fuzz.slice(2, 6).map((line) => `  ${line}`),
    `${all} passed, 1 failed`,
  ]);
});

test('one that ended without its sum tells its errors, or else its last lines', () => {
  const [, ...errors] = countedWith({ 'matrix.txt': 'started\nTypeError: no such version\n' });
  expect(errors).toEqual([
    '  It ended without its line "matrix: … passed, … failed".',
    '  TypeError: no such version',
    `${all - 2} passed, 1 failed`,
  ]);
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const printed = countedWith({ 'matrix.txt': lines.join('\n') });
  expect(printed).toContain('  It ended without its line "matrix: … passed, … failed". Its last lines:');
  expect(printed.slice(-21, -1)).toEqual(lines.slice(-20).map((line) => `  ${line}`));
});

test('one that wrote no report is named', () => {
  expect(countedWith({ 'redis.txt': undefined, 'tests.json': '{' })).toEqual([
    'tests: 1 failed',
    expect.stringMatching(/^ {2}reports\/tests\.json cannot be read: /),
    'redis: 1 failed',
    '  There is no reports/redis.txt: the suite did not run to its end.',
    `${all - 4} passed, 2 failed`,
  ]);
});
