/**
 * axios and fetch, the page of reports and the lab in a real browser, from the package as users install it. Prints
 * what the package adds to a bundle and ends with the number of tests. Needs Chromium, in `/usr/bin/chromium` or where
 * `CHROMIUM` says.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundle } from '../test/browser/bundle.js';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly success: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'browser-'));

function npm(...args: readonly string[]): void {
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Checks the accessibility of the pages. */
const axe = 'axe-core@4.14.1';

function installPackage(): void {
  npm('pack', '--silent', '--ignore-scripts', '--pack-destination', folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no tarball';
  const { version } = JSON.parse(readFileSync('node_modules/axios/package.json', 'utf8')) as {
    version: string;
  };
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const packages = [join(folder, tarball), `axios@${version}`, axe];
  npm('install', '--prefix', folder, '--silent', '--no-audit', '--no-fund', ...packages);
}

/** Our share is what a page with axios alone does not have. */
async function printSizes(): Promise<void> {
  const alone = await bundle("import axios from 'axios'; console.log(axios);", folder);
  const both = await bundle(
    "import axios from 'axios'; import { attachRetry } from 'undaunted/axios'; attachRetry(axios); console.log(axios);",
    folder,
  );
  const zipped = { alone: gzipSync(alone).length, both: gzipSync(both).length };
  console.log('bundled for a page        minified    gzipped');
  for (const [name, plain, small] of [
    ['axios and undaunted/axios', both.length, zipped.both],
    ['of it undaunted/axios', both.length - alone.length, zipped.both - zipped.alone],
  ] as const) {
    console.log(`${name.padEnd(25)} ${kilobytes(plain)}  ${kilobytes(small)}`);
  }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`.padStart(9);
}

function test(): Report {
  const report = join(folder, 'tests.json');
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/browser/vitest.config.ts'];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  spawnSync(process.execPath, [...vitest, ...reporters], {
    stdio: 'inherit',
    env: { ...process.env, PACKAGE_UNDER_TEST: folder },
  });
  return JSON.parse(readFileSync(report, 'utf8')) as Report;
}

let passed = 0;
let failed = 1;
try {
  installPackage();
  await printSizes();
  const report = test();
  passed = report.numPassedTests;
  // Vitest also fails for an error outside of every test.
  failed = report.success ? 0 : Math.max(report.numFailedTests, 1);
} catch (error) {
  console.error(error);
} finally {
  rmSync(folder, { recursive: true });
}

console.log(`browser: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
