/**
 * Builds `dist` where another project takes the package from its sources: `npm pack`, `npm publish`, an install from git
 * or from a folder. npm runs it for each of these, and also at the end of `npm ci` and `npm install` in the checkout
 * itself, where it does nothing: who only runs the tests need not wait for it. `--here` builds in any case, for the
 * commands of a checkout. What stands is never built again.
 *
 * Plain JavaScript: when it runs, nothing is compiled yet, and the compiler may be missing.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = [
  'src',
  'scripts',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'rolldown.config.ts',
  'rolldown.types.config.ts',
];

const isForHere = process.argv.includes('--here');

if ((isForHere || isWantedElsewhere(process.env)) && !isUpToDate()) {
  if (existsSync(join(checkout, 'node_modules/typescript/package.json'))) {
    process.exitCode = build();
  } else {
    console.error(`undaunted: run npm ci in ${checkout} first, which installs the compiler that builds it.`);
    // An install that failed here would not say more, and would leave the other project without its other packages.
    process.exitCode = isForHere ? 1 : 0;
  }
}

/** @param {Readonly<Record<string, string | undefined>>} env */
function isWantedElsewhere({ npm_command: command, INIT_CWD: asker, _PACOTE_NO_PREPARE_: clones }) {
  // For an install from git, npm clones into a folder of its own and installs there; it lists such clones.
  if (clones !== undefined || command === 'pack' || command === 'publish') return true;
  return asker !== undefined && !isCheckout(asker);
}

/** @param {string} folder */
function isCheckout(folder) {
  return existsSync(folder) && realpathSync(folder) === realpathSync(checkout);
}

/** The last file that the build writes is newer than all that the build reads. */
function isUpToDate() {
  const last = statSync(join(checkout, 'dist/page.html'), { throwIfNoEntry: false });
  return last !== undefined && sources.every((name) => last.mtimeMs > newestIn(join(checkout, name)));
}

/** @param {string} path @returns {number} */
function newestIn(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  return readdirSync(path).reduce(
    (newest, name) => Math.max(newest, newestIn(join(path, name))),
    stats.mtimeMs,
  );
}

/** @returns {number} */
function build() {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: checkout,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  return status ?? 1;
}
