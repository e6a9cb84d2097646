/**
 * The fleet over a real Redis: needs `redis-server` (Debian: `apt-get install redis-server`), and installs node-redis in
 * each version that is supported. Ends with the number of tests.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installInto } from './versions.js';

const versions = ['4.7.1', '5.12.1', '6.3.1'] as const;

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly success: boolean;
}

const scratch = mkdtempSync(join(tmpdir(), 'redis-'));

async function test(version: string): Promise<Report> {
  const folder = join(scratch, version);
  await installInto(folder, [`redis@${version}`]);
  const report = join(folder, 'tests.json');
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/fleet/redis/vitest.config.ts'];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  console.log(`\nnode-redis ${version}`);
  const env = { ...process.env, NODE_REDIS: folder };
  spawnSync(process.execPath, [...vitest, ...reporters], { stdio: 'inherit', env });
  return JSON.parse(readFileSync(report, 'utf8')) as Report;
}

let passed = 0;
let failed = 0;
try {
  const { error } = spawnSync('redis-server', ['--version'], { stdio: 'ignore' });
  if (error !== undefined) throw new Error('redis-server is not here: apt-get install redis-server');
  for (const version of versions) {
    const report = await test(version);
    passed += report.numPassedTests;
    // Vitest also fails for an error outside of every test.
    failed += report.success ? 0 : Math.max(report.numFailedTests, 1);
  }
} catch (error) {
  failed += 1;
  console.error(error);
} finally {
  rmSync(scratch, { recursive: true });
}

console.log(`redis: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
