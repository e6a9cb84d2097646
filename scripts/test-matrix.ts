/**
 * The undici adapter's tests with each undici that it promises to work with, on each Node that can run it,
 * and its declarations compiled against each. Everything is installed from npm into scratch folders.
 *
 *   npm run test:matrix                      all of it
 *   npm run test:matrix -- 24                on one Node
 *   npm run test:matrix -- 20 7.5.0          one pair, of any versions
 *   npm run test:matrix -- --keep /tmp/m     leaves what it installed for the next time
 */

import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Manifest, manifestOf, run, Versions } from './versions.js';

/** A major stands for the newest of it. 7.0.0 is the oldest 7 that works. */
const allNodes = ['20', '22', '24', '26'];
const allUndicis = ['6', '7.0.0', '7', '8'];
/** The oldest undici that the peer range allows, where such old ones are found. */
const oldest: Pair = { node: '20', undici: '6.17.0' };

interface Pair {
  readonly node: string;
  readonly undici: string;
}

interface Result {
  readonly passed: number;
  readonly failed: number;
  /** Its cell of the table. */
  readonly cell: string;
  /** What there is to read about a failure. */
  readonly output?: string;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

const { values, positionals } = parseArgs({ options: { keep: { type: 'string' } }, allowPositionals: true });
const scratch = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'matrix-')) : resolve(values.keep);
const versions = new Versions(scratch);

// ---------------------------------------------------------------- one pair

async function testOn({ node, undici }: Pair): Promise<Result> {
  const binary = versions.nodeBinary(node);
  const folder = versions.folderOf('undici', undici);
  try {
    await run(binary, ['-e', "require('undici')"], folder);
  } catch (error) {
    const isMeantToLoad = runsOn(
      manifestOf('undici', folder),
      manifestOf('node', versions.folderOf('node', node)),
    );
    return isMeantToLoad ? failure('does not load', error) : { passed: 0, failed: 0, cell: 'does not load' };
  }

  const report = join(scratch, `tests-${node}-${undici}.json`);
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.adapters.config.ts'];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  rmSync(report, { force: true });
  try {
    await run(binary, [...vitest, ...reporters], '.', {
      ...process.env,
      UNDICI_UNDER_TEST: folder,
      // A test that starts a `node` means this one.
      PATH: `${dirname(binary)}${delimiter}${process.env['PATH']}`,
    });
    return counted(report);
  } catch (error) {
    if (!existsSync(report)) return failure('did not finish', error);
    const result = counted(report);
    // Vitest also fails for an error outside of every test.
    const hidden = result.failed === 0 ? { failed: 1, cell: `${result.cell}, error` } : {};
    return { ...result, ...hidden, output: outputOf(error) };
  }
}

/** All that any undici asks for is `>=x.y.z`. */
function runsOn(undici: Manifest, node: Manifest): boolean {
  const floor = undici.engines.node.replace('>=', '');
  return node.version.localeCompare(floor, 'en', { numeric: true }) >= 0;
}

function counted(file: string): Result {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = report;
  return { passed, failed, cell: `${passed} / ${failed} / ${skipped}` };
}

function failure(cell: string, error: unknown): Result {
  return { passed: 0, failed: 1, cell, output: outputOf(error) };
}

function outputOf(error: unknown): string {
  // The message of a command that failed contains what it wrote to stderr.
  const { stdout, message } = error as { stdout?: string; message: string };
  return [stdout, message].filter(Boolean).join('\n');
}

// ---------------------------------------------------------------- types

/** As for somebody who installed both: strict, the declarations of libraries checked, no DOM around. */
async function compileAgainst(undici: string): Promise<Result> {
  const folder = versions.folderOf('undici', undici);
  const installed = join(folder, 'node_modules/undaunted');
  rmSync(installed, { recursive: true, force: true });
  for (const part of ['package.json', 'dist']) cpSync(part, join(installed, part), { recursive: true });

  const consumer = readFileSync('test/adapters/undici/types/consumer.ts', 'utf8');
  const asUser = consumer
    .replace(/'[./]+\/src\/index\.js'/, "'undaunted'")
    .replace(/'[./]+\/src\/adapters\/undici\/index\.js'/, "'undaunted/undici'");
  writeFileSync(join(folder, 'consumer.mts'), asUser);

  const checks = '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck false';
  const ground = '--module nodenext --target es2023 --lib es2023 --types node';
  try {
    await run(resolve('node_modules/.bin/tsc'), `${checks} ${ground} consumer.mts`.split(' '), folder);
    return { passed: 1, failed: 0, cell: 'compile' };
  } catch (error) {
    return failure('do not compile', error);
  }
}

// ---------------------------------------------------------------- all of them

function pairsFor([node, undici]: readonly string[]): Pair[] {
  const nodes = node === undefined ? allNodes : [node];
  const undicis = undici === undefined ? allUndicis : [undici];
  const pairs = undicis.flatMap((each) => nodes.map((on) => ({ node: on, undici: each })));
  return undici === undefined && nodes.includes(oldest.node) ? [oldest, ...pairs] : pairs;
}

/** A run keeps half a core busy, and two cores are common. */
async function threeAtATime<Item, Done>(
  items: readonly Item[],
  work: (item: Item) => Promise<Done>,
): Promise<Done[]> {
  const results: Done[] = [];
  const queue = items.entries();
  const lane = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  const lanes = [lane(), lane(), lane()];
  // Nobody may still be writing when a failure ends it all and the folders go.
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
  return results;
}

async function told(name: string, work: Promise<Result>): Promise<Result> {
  const result = await work;
  console.log(`${name}: ${result.cell}`);
  if (result.output !== undefined) console.log(result.output);
  return result;
}

function printTable(
  tests: readonly (Pair & Result)[],
  types: readonly (Result & { undici: string })[],
): void {
  const nodes = new Set(tests.map(({ node }) => node));
  const rows = [...nodes].sort().map((node) => {
    const cells = types.map(
      ({ undici }) => tests.find((test) => test.node === node && test.undici === undici)?.cell ?? '',
    );
    return [`Node ${manifestOf('node', versions.folderOf('node', node)).version}`, ...cells];
  });
  const installed = types.map(
    ({ undici }) => manifestOf('undici', versions.folderOf('undici', undici)).version,
  );
  const head = ['', ...installed.map((version) => `undici ${version}`)];
  const foot = ['types', ...types.map(({ cell }) => cell)];
  console.log('\npassed / failed / skipped');
  for (const row of [head, ...rows, foot]) {
    console.log(
      row
        .map((cell) => cell.padEnd(20))
        .join('')
        .trimEnd(),
    );
  }
}

try {
  const pairs = pairsFor(positionals);
  const nodes = [...new Set(pairs.map(({ node }) => node))];
  const undicis = [...new Set(pairs.map(({ undici }) => undici))];
  await threeAtATime(nodes, (version) => versions.install('node', version));
  await threeAtATime(undicis, (version) => versions.install('undici', version));
  const types = await threeAtATime(undicis, async (undici) => ({
    undici,
    ...(await told(`undici ${undici}, types`, compileAgainst(undici))),
  }));
  const tests = await threeAtATime(pairs, async (pair) => ({
    ...pair,
    ...(await told(`undici ${pair.undici}, Node ${pair.node}`, testOn(pair))),
  }));
  printTable(tests, types);

  const results = [...types, ...tests];
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  console.log(`matrix: ${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  if (values.keep === undefined) rmSync(scratch, { recursive: true });
}
