/**
 * The package as a stranger gets it: packed, linted, installed into an empty folder, imported, required and
 * compiled against with `skipLibCheck: false`. Prints one line per check and ends with their number.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
}

const project = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'package-'));
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const entries = Object.entries(manifest.exports)
  .filter(([, file]) => file.endsWith('.js'))
  .map(([path]) => manifest.name + path.slice(1));
let passed = 0;
let failed = 0;

function run(command: string, args: readonly string[], cwd = project): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function check(name: string, verify: () => void): void {
  try {
    verify();
    passed += 1;
    console.log(`  ok      ${name}`);
  } catch (error) {
    failed += 1;
    const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string };
    console.log(`  FAILED  ${name}\n${[stdout, stderr, message].filter(Boolean).join('\n')}`);
  }
}

function assert(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** Uses the main types, and a misspelt option that must not compile. */
const consumer = `
import { definePolicy, createRetrier, explain, readHint, type Decision, type PolicyOptions } from 'undaunted';
const options: PolicyOptions = { maxRetries: 3, rules: [{ match: 'GET /health', retry: false }] };
const session = createRetrier(definePolicy(options)).open({ method: 'GET', origin: 'https://a.example', path: '/', keyed: false });
const decision: Decision = session.next({ kind: 'response', status: 503, headers: {} }, true);
const sentence: string = explain(decision);
readHint({ status: 429, headers: { 'retry-after': '1' } }, { hints: 'common', date: 0 });
// @ts-expect-error: a misspelt option
definePolicy({ maxRetrys: 3 });
export { sentence };
`;

try {
  check('builds', () => {
    run('npm', ['run', 'build']);
  });
  check('packs', () => {
    run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
  });
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no tarball');
  check('publint finds nothing', () => {
    const findings = run('npx', ['--no-install', 'publint', 'run', tarball, '--strict']);
    assert(!/warning|error/i.test(findings), findings);
  });
  check('the types resolve (attw)', () => {
    run('npx', ['--no-install', 'attw', tarball, '--profile', 'esm-only']);
  });
  check('installs into an empty folder', () => {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    run('npm', ['install', '--no-audit', '--no-fund', tarball], folder);
  });
  for (const entry of entries) {
    check(`import ${entry}`, () => {
      run(
        'node',
        [
          '--input-type=module',
          '-e',
          `import * as entry from '${entry}'; if (!Object.keys(entry).length) throw new Error('empty')`,
        ],
        folder,
      );
    });
    check(`require ${entry}`, () => {
      run(
        'node',
        [
          '--input-type=commonjs',
          '-e',
          `if (!Object.keys(require('${entry}')).length) throw new Error('empty')`,
        ],
        folder,
      );
    });
  }
  for (const [extension, module] of [
    ['mts', 'nodenext'],
    ['cts', 'nodenext'],
    ['mts', 'esnext'],
  ] as const) {
    check(`a ${module} .${extension} consumer compiles with skipLibCheck: false`, () => {
      const file = `consumer.${extension}`;
      writeFileSync(join(folder, file), consumer);
      const resolution = module === 'esnext' ? ['--moduleResolution', 'bundler'] : [];
      const options = [
        '--strict',
        '--noEmit',
        '--skipLibCheck',
        'false',
        '--types',
        '',
        '--target',
        'es2023',
      ];
      run(resolve('node_modules/.bin/tsc'), [...options, '--module', module, ...resolution, file], folder);
    });
  }
  check('ships the schema, and nothing but what it needs', () => {
    const files = run('tar', ['-tzf', tarball]).trim().split('\n');
    assert(files.includes('package/dist/schema.json'), 'dist/schema.json is missing');
    const strays = files.filter((file) => !/^package\/(dist\/|package\.json|README\.md|LICENSE)/.test(file));
    assert(strays.length === 0, strays.join('\n'));
  });
} finally {
  rmSync(folder, { recursive: true });
}

console.log(`package: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
