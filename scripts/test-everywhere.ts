/**
 * The package where people use it: in test runners, frameworks, bundlers, runtimes and SDKs, each installed in a scratch
 * folder. With names, only the checks whose names begin with them: `npm run test:everywhere -- jest next`.
 */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { outputOf, run } from './command.js';
import { bundled } from './everywhere/bundlers.js';
import type { Check } from './everywhere/check.js';
import { jest } from './everywhere/jest.js';
import { nest } from './everywhere/nest.js';
import { nextVersions } from './everywhere/next.js';
import { runtimes } from './everywhere/runtimes.js';
import { sdkChecks } from './everywhere/sdks/check.js';
import { installInto } from './versions.js';

const all: readonly Check[] = [...jest, ...nextVersions, nest, ...bundled, ...runtimes, ...sdkChecks];

const names = process.argv.slice(2);
const chosen = all.filter(({ name }) => names.length === 0 || names.some((start) => name.startsWith(start)));

/** How often each path was requested: the first answer is 503, and all others are 200. */
const asked = new Map<string, number>();
const server = createServer((request, response) => {
  const path = request.url ?? '';
  const before = asked.get(path) ?? 0;
  asked.set(path, before + 1);
  response.statusCode = before === 0 ? 503 : 200;
  response.end('said');
});

const folder = mkdtempSync(join(tmpdir(), 'everywhere-'));

async function packed(): Promise<string> {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no tarball');
}

/** Each guest has a path of its own, and sends one retry. */
function expectRetries(guests: number): void {
  const counts = [...asked.values()];
  if (counts.length === guests && counts.every((count) => count === 2)) return;
  throw new Error(
    `The server should have got 2 requests from each of ${guests}, and got: ${counts.join(', ')}`,
  );
}

interface Result {
  readonly check: Check;
  readonly fault: string | undefined;
  readonly seconds: number;
}

async function tryOut(check: Check, tarball: string, url: string): Promise<Result> {
  const place = join(folder, check.name);
  const begun = performance.now();
  let fault: string | undefined;
  try {
    await installInto(place, [tarball, ...check.packages]);
    for (const [name, text] of Object.entries(check.files)) {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), text);
    }
    asked.clear();
    await check.run(place, url);
    expectRetries(check.guests ?? 0);
  } catch (error) {
    fault = outputOf(error);
  }
  // Several of them take hundreds of megabytes.
  rmSync(place, { recursive: true, force: true });
  return { check, fault, seconds: (performance.now() - begun) / 1_000 };
}

function lineOf({ check: { name, proves }, fault, seconds }: Result): string {
  return `  ${fault === undefined ? 'ok    ' : 'FAILED'}  ${name.padEnd(18)} ${seconds.toFixed(0).padStart(4)} s  ${proves}`;
}

const results: Result[] = [];
try {
  if (chosen.length === 0) throw new Error(`There are: ${all.map(({ name }) => name).join(', ')}`);
  const tarball = await packed();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const check of chosen) {
    const result = await tryOut(check, tarball, url);
    results.push(result);
    console.log(result.fault === undefined ? lineOf(result) : `${lineOf(result)}\n${result.fault}`);
  }
} catch (error) {
  console.error(outputOf(error));
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

const passed = results.filter(({ fault }) => fault === undefined).length;
// A check that could not be tried has failed, too.
const failed = Math.max(chosen.length, 1) - passed;
console.log(['', ...results.map(lineOf)].join('\n'));
console.log(`everywhere: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
