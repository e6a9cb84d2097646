/**
 * Each adapter's tests with each version that it promises to work with, on the Nodes that these run on, and its
 * declarations compiled against each. Everything is installed from npm into scratch folders.
 *
 *   npm run test:matrix                      all of it
 *   npm run test:matrix -- 24                what there is to test on one Node
 *   npm run test:matrix -- 20 7.5.0          one pair, of any versions: this is undici
 *   npm run test:matrix -- 26 axios@1.7.0    one pair with another client, or fetch@7: Node's own and that of undici
 *   npm run test:matrix -- --keep /tmp/m     leaves what it installed for the next time
 */

import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Adapter, adapters } from './clients.js';
import { outputOf, run } from './command.js';
import { compile, consumerOf, manners } from './consumers.js';
import { type Manifest, manifestOf, Versions } from './versions.js';

/** An adapter with its client in one version: a column of its table. */
interface Column {
  readonly adapter: Adapter;
  readonly version: string;
}

interface Pair extends Column {
  readonly node: string;
}

interface Result {
  readonly passed: number;
  readonly failed: number;
  /** Its cell of the table. */
  readonly cell: string;
  /** What there is to read about a failure. */
  readonly output?: string;
  /** The tests that failed. */
  readonly failures?: readonly string[];
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const { values, positionals } = parseArgs({ options: { keep: { type: 'string' } }, allowPositionals: true });
const scratch = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'matrix-')) : resolve(values.keep);
const versions = new Versions(scratch);

// ---------------------------------------------------------------- one pair

async function testOn({ node, adapter: { name, client }, version }: Pair): Promise<Result> {
  const binary = versions.nodeBinary(node);
  const folder = versions.folderOf(client.name, version);
  try {
    await run(binary, ['-e', `require('${client.name}')`], folder);
  } catch (error) {
    const isMeantToLoad = runsOn(
      manifestOf(client.name, folder),
      manifestOf('node', versions.folderOf('node', node)),
    );
    return isMeantToLoad ? failure('does not load', error) : { passed: 0, failed: 0, cell: 'does not load' };
  }

  const report = join(scratch, `tests-${node}-${name}-${version}.json`);
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.adapters.config.ts'];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  rmSync(report, { force: true });
  try {
    const tests = [`test/adapters/${name}/`, 'test/adapters/suites/', `test/conformance/${name}.test.ts`];
    await run(binary, [...vitest, ...reporters, ...tests], '.', {
      ...process.env,
      SUBJECT: name,
      [`${client.name.toUpperCase()}_UNDER_TEST`]: folder,
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

/** All that any client asks for is `>=x.y.z`, if it asks at all. */
function runsOn({ engines }: Manifest, node: Manifest): boolean {
  const floor = engines?.node.replace('>=', '') ?? '';
  return node.version.localeCompare(floor, 'en', { numeric: true }) >= 0;
}

function counted(file: string): Result {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = report;
  const failures = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${relative('.', name)}: ${fullName}`),
  );
  return { passed, failed, cell: `${passed} / ${failed} / ${skipped}`, failures };
}

function failure(cell: string, error: unknown): Result {
  return { passed: 0, failed: 1, cell, output: outputOf(error) };
}

// ---------------------------------------------------------------- types

/** As for a user who installed both, in every kind of module. */
async function compileAgainst({ adapter: { name, client }, version }: Column): Promise<Result> {
  // That of fetch is compiled against no client's.
  if (name !== client.name) return { passed: 0, failed: 0, cell: '' };
  const folder = versions.folderOf(client.name, version);
  const installed = join(folder, 'node_modules/undaunted');
  rmSync(installed, { recursive: true, force: true });
  for (const part of ['package.json', 'dist']) cpSync(part, join(installed, part), { recursive: true });

  const consumer = consumerOf(client);
  try {
    for (const manner of manners) await compile(consumer, manner, folder);
    return { passed: 1, failed: 0, cell: 'compile' };
  } catch (error) {
    return failure('do not compile', error);
  }
}

// ---------------------------------------------------------------- all of them

function pairsFor([node, wanted]: readonly string[]): Pair[] {
  if (node !== undefined && wanted !== undefined) return [{ node, ...columnFor(wanted) }];
  const pairs = adapters.flatMap((adapter) =>
    adapter.versions.flatMap(({ version, nodes }) => nodes.map((each) => ({ node: each, adapter, version }))),
  );
  const found = pairs.filter((pair) => node === undefined || pair.node === node);
  if (found.length === 0) throw new Error(`Which client is to be tested on Node ${node}?`);
  return found;
}

function columnFor(wanted: string): Column {
  const [name, version] = wanted.includes('@') ? wanted.split('@') : ['undici', wanted];
  const adapter = adapters.find((each) => each.name === name);
  if (adapter === undefined || !version) throw new Error(`There are no tests with ${wanted}.`);
  return { adapter, version };
}

/** More than there are cores: for more than half of its time, a run waits. */
async function fiveAtATime<Item, Done>(
  items: readonly Item[],
  work: (item: Item) => Promise<Done>,
): Promise<Done[]> {
  const results: Done[] = [];
  const queue = items.entries();
  const lane = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  const lanes = Array.from({ length: 5 }, lane);
  // No lane may still be writing when a failure ends the run and the folders are removed.
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
  return results;
}

async function told(name: string, work: Promise<Result>): Promise<Result> {
  const result = await work;
  if (result.cell !== '') console.log(`${name}: ${result.cell}`);
  if (result.output !== undefined) console.log(result.output);
  return result;
}

function printTable(tests: readonly (Pair & Result)[], types: readonly (Column & Result)[]): void {
  const nodes = new Set(tests.map(({ node }) => node));
  const rows = [...nodes].sort().map((node) => {
    const cells = types.map(
      ({ version }) => tests.find((test) => test.node === node && test.version === version)?.cell ?? '',
    );
    return [`Node ${versionOf('node', node)}`, ...cells];
  });
  const head = ['', ...types.map(nameOf)];
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

/** .ci/count.mjs repeats these lines at the end of CI: they say in which pair each test failed. */
function printFailures(pair: string, { failed, cell, failures = [] }: Result): void {
  if (failed === 0) return;
  for (const failure of failures.length > 0 ? failures : [cell]) console.log(`FAIL ${pair}: ${failure}`);
}

function nameOf({ adapter: { name, client }, version }: Column): string {
  return `${name} ${versionOf(client.name, version)}`;
}

function versionOf(name: 'node' | Adapter['client']['name'], version: string): string {
  return manifestOf(name, versions.folderOf(name, version)).version;
}

/** Each version once, in the order in which the pairs name them. */
function columnsOf(pairs: readonly Pair[]): Column[] {
  const byName = new Map(pairs.map((pair) => [`${pair.adapter.name}@${pair.version}`, pair]));
  return [...byName.values()].map(({ adapter, version }) => ({ adapter, version }));
}

try {
  const pairs = pairsFor(positionals);
  const columns = columnsOf(pairs);
  const nodes = [...new Set(pairs.map(({ node }) => node))];
  await fiveAtATime(nodes, (version) => versions.install('node', version));
  // Two adapters may have one client.
  const installs = new Map(
    columns.map(({ adapter, version }) => [`${adapter.client.name}@${version}`, { adapter, version }]),
  );
  await fiveAtATime([...installs.values()], ({ adapter, version }) =>
    versions.install(adapter.client.name, version),
  );
  const types = await fiveAtATime(columns, async (column) => ({
    ...column,
    ...(await told(`${column.adapter.name} ${column.version}, types`, compileAgainst(column))),
  }));
  const tests = await fiveAtATime(pairs, async (pair) => ({
    ...pair,
    ...(await told(`${pair.adapter.name} ${pair.version}, Node ${pair.node}`, testOn(pair))),
  }));
  for (const adapter of new Set(columns.map((column) => column.adapter))) {
    const isOfIt = (result: Column): boolean => result.adapter === adapter;
    printTable(tests.filter(isOfIt), types.filter(isOfIt));
  }

  for (const column of types) printFailures(`${nameOf(column)}, types`, column);
  for (const pair of tests) printFailures(`${nameOf(pair)}, Node ${versionOf('node', pair.node)}`, pair);
  const results = [...types, ...tests];
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  console.log(`matrix: ${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  if (values.keep === undefined) rmSync(scratch, { recursive: true });
}
